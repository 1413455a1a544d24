"""The first process of the VM: mounts, loads modules, and serves requests from a virtio port until the port is closed."""

import ctypes
import os
import subprocess
import sys
import time

from serving import serve

MODULES = [
    "virtio_pci",
    "virtio_console",
    "af_packet",
    "veth",
    "bridge",
    "br_netfilter",
    "nfnetlink_log",
    "nf_conntrack_netlink",
    "ip_vs",
    "tun",
]
LINUX_REBOOT_CMD_POWER_OFF = 0x4321FEDC


def mount(kind, target):
    os.makedirs(target, exist_ok=True)
    ctypes.CDLL(None).mount(b"none", target.encode(), kind.encode(), ctypes.c_ulong(0), None)


def port():
    """The only virtio port, as soon as it is there; it can be opened once."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for name in os.listdir("/dev"):
            if name.startswith("vport"):
                return os.open("/dev/" + name, os.O_RDWR | os.O_CLOEXEC)
        time.sleep(0.02)
    raise OSError("no virtio port appeared")


def main():
    for kind, target in (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp"), ("tmpfs", "/run")):
        mount(kind, target)
    os.environ["PATH"] = "/usr/sbin:/usr/bin"
    subprocess.run(["modprobe", "-a", "-q"] + MODULES)
    # Fallback devices (tunl0, sit0, gre0) would stand before a world's own.
    with open("/proc/sys/net/core/fb_tunnels_only_for_init_net", "w") as file:
        file.write("2")
    fd = port()
    serve(os.fdopen(os.dup(fd), "rb"), os.fdopen(fd, "wb"))


def start():
    try:
        main()
    except BaseException as problem:
        print("hairpin: the agent failed: %r" % problem, file=sys.stderr, flush=True)
    finally:
        ctypes.CDLL(None).reboot(LINUX_REBOOT_CMD_POWER_OFF)
