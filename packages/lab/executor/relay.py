"""flanneld's udp back end: packets read from a tun device go by UDP to the node that owns the destination, and back."""

import fcntl
import os
import socket
import struct

TUNSETIFF = 0x400454CA
TUNSETPERSIST = 0x400454CB
IFF_TUN, IFF_TAP, IFF_NO_PI = 1, 2, 0x1000


def create_tun(device, tap):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", device.encode(), (IFF_TAP if tap else IFF_TUN) | IFF_NO_PI))
    return fd


class Relay:
    def __init__(self, world, tun, spec):
        self.world, self.tun = world, tun
        self.port = spec["port"]
        self.routes = [(self._number(r["network"]), r["length"], r["via"]) for r in spec["routes"]]
        self.routes.sort(key=lambda route: -route[1])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self.socket.bind((spec.get("address") or "0.0.0.0", self.port))
        self.socket.setblocking(False)
        world.loop.add(self.tun, self._leave)
        world.loop.add(self.socket, self._arrive)

    @staticmethod
    def _number(address):
        return struct.unpack("!I", socket.inet_aton(address))[0]

    def _leave(self, _events):
        try:
            packet = os.read(self.tun, 65535)
        except OSError:
            return
        if len(packet) < 20 or packet[0] >> 4 != 4:
            return
        destination = struct.unpack("!I", packet[16:20])[0]
        for network, length, via in self.routes:
            if length == 0 or (destination ^ network) >> (32 - length) == 0:
                try:
                    self.socket.sendto(packet, (via, self.port))
                except OSError as problem:
                    self.world.failed.append(["relay", via, problem.errno])
                return

    def _arrive(self, _events):
        try:
            os.write(self.tun, self.socket.recv(65535))
        except OSError:
            pass

    def close(self):
        self.world.loop.remove(self.tun)
        self.world.loop.remove(self.socket)
        self.socket.close()
