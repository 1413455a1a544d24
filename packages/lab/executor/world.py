"""One world: its namespaces, its servers, its readers, and the operations the caller may ask for."""

import base64
import os
import re
import socket
import time

import kernel
import netlink
from client import failure
from flow import Flow
from observe import FrameReader, HookReader, Recorder
from relay import Relay, create_tun
from serve import TcpServer, UdpServer
from stimulate import datagram, inject, ping

# A tool that hangs is ended; one that has to wait its turn, on a busy machine or an emulated one, is not.
TOOL_SECONDS = 180

# \Z: in Python $ also stands before a line feed at the end.
SYSCTL_PART = re.compile(r"^[A-Za-z0-9_.:@+-]{1,64}\Z")
READABLE = re.compile(r"^(snmp|snmp6|netstat|dev|arp|route|ip_vs|ip_vs_conn|ip_vs_stats|stat/[a-z_]+|nf_conntrack)\Z")


class World:
    def __init__(self, shared, label):
        self.namespaces, self.loop, self.tools = shared.namespaces, shared.loop, shared.tools
        self.reaper, self.starts, self.label = shared.reaper, shared.starts, label
        self.stacks, self.things, self.servers, self.flows, self.tuns, self.named = {}, [], [], {}, {}, []
        self.recorder, self.served, self.failed, self.readers = Recorder(), [], [], []
        self.names, self.injectors, self.last = {}, {}, {}

    def inside(self, stack):
        return self.namespaces.inside(self.stacks[stack])

    def create(self, stacks, name):
        for stack in stacks:
            self.stacks[stack] = self.namespaces.create()
        if name:
            for number, stack in enumerate(stacks):
                self._name(stack, "%s-%d" % (self.label, number))
        return {stack: "/proc/%d/fd/%d" % (os.getpid(), fd) for stack, fd in self.stacks.items()}

    def _name(self, stack, name):
        path = "/run/netns/" + name
        os.makedirs("/run/netns", exist_ok=True)
        open(path, "w").close()
        kernel.mount_bind("/proc/self/fd/%d" % self.stacks[stack], path)
        self.named.append(path)

    def sysctl(self, stack, settings, fresh):
        """`fresh`: nothing has been written here yet, so what every new namespace starts with need not be."""
        refused = []
        with self.inside(stack):
            for parts, value in settings:
                if parts[0] != "net" or not all(SYSCTL_PART.match(p) and p not in (".", "..") for p in parts):
                    refused.append([parts, value, "EINVAL"])
                    continue
                if fresh and self.starts_with(parts) == value:
                    continue
                try:
                    with open("/proc/sys/" + "/".join(parts), "w") as file:
                        file.write(value + "\n")
                except OSError as problem:
                    refused.append([parts, value, failure("", problem.errno)["errno"]])
        return refused

    def starts_with(self, parts):
        path = "/".join(parts)
        if path not in self.starts:
            try:
                with open("/proc/sys/" + path) as file:
                    self.starts[path] = file.read().strip()
            except OSError:
                self.starts[path] = None
        return self.starts[path]

    def run(self, runs):
        """Starts every tool in its namespace, then collects: independent ones share the processors."""
        started, answers = [], []
        for run in runs:
            with self.inside(run["stack"]):
                started.append((self.tools.start(run["tool"], run["args"]), run))
        for process, run in started:
            if process is None:
                answers.append({"status": 127, "stdout": "", "stderr": "%s is not installed" % run["tool"], "ms": 0})
            else:
                answers.append(self.tools.finish(process, run.get("stdin", ""), run.get("timeout", TOOL_SECONDS)))
        return answers

    def tun(self, stack, device, tap):
        with self.inside(stack):
            self.tuns[stack, device] = create_tun(device, tap)

    def relay(self, stack, spec):
        with self.inside(stack):
            self.things.append(Relay(self, self.tuns[stack, spec["device"]], spec))

    def listen(self, stack, spec):
        with self.inside(stack):
            try:
                server = (UdpServer if spec["protocol"] == "udp" else TcpServer)(self, spec)
                self.things.append(server)
                self.servers.append(server)
            except OSError as problem:
                return failure("listen", problem.errno)["errno"]
        return None

    def hang_up(self, since):
        for server in self.servers:
            server.hang_up(since)

    def ready(self, limit):
        until = time.monotonic() + limit
        for stack in self.stacks:
            with self.inside(stack):
                while not netlink.settled():
                    if time.monotonic() > until:
                        return False
                    time.sleep(0.001)
        return True

    def observe(self, stack, group, copy, snap):
        """Whether hooks will tell the packet's conntrack state."""
        tracked = True
        with self.inside(stack):
            if group is not None:
                hooks = HookReader(stack, group, copy, self.recorder)
                tracked = hooks.tracked
                self._reader(hooks)
            if snap:
                self._reader(FrameReader(stack, snap, self.recorder))
        return tracked

    def _reader(self, reader):
        self.readers.append(reader)
        self.loop.add(reader.socket, reader.read)

    def devices(self):
        """Names and MACs by index; an index keeps its name after the device has gone."""
        for stack in self.stacks:
            with self.inside(stack):
                known = self.names.setdefault(stack, {})
                for index, name, _, _, _, _, mac in netlink.links():
                    known[index] = [name, mac]
        return self.names

    def stimulate(self, spec):
        kind = spec["kind"]
        with self.inside(spec["stack"]):
            try:
                if kind == "connect":
                    flow = Flow(self, spec)
                    self.flows[spec["id"]] = flow
                    return flow.connect()
                return {"udp": datagram, "ping": ping, "inject": inject}[kind](self, spec)
            except OSError as problem:
                return failure("bind", problem.errno)

    def injector(self, stack):
        """Protocol 0: it sends, and hears nothing."""
        if stack not in self.injectors:
            self.injectors[stack] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        return self.injectors[stack]

    def settle(self, quiet, resolve, limit):
        asked = self.recorder.asked
        self.loop.run(lambda: False, time.monotonic() + limit, lambda: max(quiet, resolve if asked else 0))
        for reader in self.readers:
            reader.read()
        taken = self.recorder.take()
        taken["served"], taken["failed"] = self.served, self.failed
        self.served, self.failed = [], []
        return taken

    def wait(self, seconds):
        until = time.monotonic() + seconds
        self.loop.run(lambda: False, until, lambda: seconds + 1)

    def read(self, stack, files, changed):
        """`changed`: only what differs from what was last read."""
        found = {}
        with self.inside(stack):
            for name in files:
                if READABLE.match(name):
                    try:
                        with open("/proc/self/net/" + name, "r", errors="replace") as file:
                            text = file.read()
                        if not changed or self.last.get((stack, name)) != text:
                            found[name] = self.last[stack, name] = text
                    except OSError:
                        pass
        return found

    def conntrack(self, stack, families):
        with self.inside(stack):
            numbers = [socket.AF_INET if family == 4 else socket.AF_INET6 for family in families]
            return [base64.b64encode(body).decode() for number in numbers for body in netlink.conntrack(number)]

    def close(self):
        for flow in self.flows.values():
            flow.close("silent")
        for thing in self.things:
            thing.close()
        for reader in self.readers:
            self.loop.remove(reader.socket)
            self.reaper.close(reader.socket)
        for sock in self.injectors.values():
            self.reaper.close(sock)
        for fd in self.tuns.values():
            os.close(fd)
        for path in self.named:
            try:
                kernel.unmount(path)
                os.unlink(path)
            except OSError:
                pass  # somebody removed it already
        for fd in self.stacks.values():
            os.close(fd)
        self.stacks = {}
