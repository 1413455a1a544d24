"""Servers that answer: TCP and UDP echo. Each caller is written down with both addresses as the server saw them."""

import socket
import struct
import time

IP_PKTINFO = 8
IPV6_RECVPKTINFO, IPV6_PKTINFO = 49, 50
TCP_REPAIR = 19
ECHO_LIMIT = 1 << 20


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def vanish(sock):
    """Closes a TCP socket without a packet: in repair mode close() sends neither FIN nor RST."""
    try:
        sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    except OSError:
        pass
    sock.close()


class TcpServer:
    def __init__(self, world, spec):
        self.world, self.name = world, spec["name"]
        sock = socket.socket(family_of(spec["address"]), socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        prepare(sock, spec)
        sock.bind((spec["address"], spec["port"]))
        sock.listen(64)
        sock.setblocking(False)
        self.socket, self.callers, self.whole = sock, [], spec.get("whole", 1)
        world.loop.add(sock, self._accept)

    def _accept(self, _events):
        try:
            caller, peer = self.socket.accept()
        except OSError:
            return
        caller.setblocking(False)
        self.callers.append((time.monotonic(), caller))
        self.world.served.append(["tcp", self.name, peer[0], peer[1]] + list(caller.getsockname()[:2]))
        held = bytearray()
        self.world.loop.add(caller, lambda _e: self._echo(caller, held))

    def _echo(self, caller, held):
        """Answers once all of a question has come, in however many pieces: as a server that reads a request does."""
        try:
            data = caller.recv(ECHO_LIMIT)
            if data:
                held += data
                if held.endswith(b"\n") if self.whole == "line" else len(held) >= self.whole:
                    caller.send(held)
                    held.clear()
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        # The caller closed: this side closes too, as a server does.
        self.world.loop.remove(caller)
        self.callers = [(when, one) for when, one in self.callers if one is not caller]
        caller.close()

    def hang_up(self, since):
        """Forgets callers of that time without a packet."""
        for when, caller in self.callers:
            if when >= since:
                self.world.loop.remove(caller)
                vanish(caller)
        self.callers = [(when, caller) for when, caller in self.callers if when < since]

    def close(self):
        self.world.loop.remove(self.socket)
        self.socket.close()
        self.hang_up(0)


class UdpServer:
    """`reply`: contacted answers from the address that was called, routed leaves the choice to the kernel."""

    def __init__(self, world, spec):
        self.world, self.name, self.reply = world, spec["name"], spec.get("reply", "contacted")
        six = family_of(spec["address"]) == socket.AF_INET6
        self.level, self.kind = (socket.IPPROTO_IPV6, IPV6_PKTINFO) if six else (socket.IPPROTO_IP, IP_PKTINFO)
        sock = socket.socket(family_of(spec["address"]), socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        prepare(sock, spec)
        sock.setsockopt(self.level, IPV6_RECVPKTINFO if six else IP_PKTINFO, 1)
        sock.bind((spec["address"], spec["port"]))
        sock.setblocking(False)
        self.socket, self.six = sock, six
        world.loop.add(sock, self._echo)

    def _echo(self, _events):
        try:
            data, about, _, peer = self.socket.recvmsg(65536, 256)
        except OSError:
            return
        called, answer = "", []
        for level, kind, body in about:
            if (level, kind) == (self.level, self.kind):
                if self.six:
                    called = socket.inet_ntop(socket.AF_INET6, body[:16])
                    answer = [(level, kind, body[:16] + struct.pack("=i", 0))]
                else:
                    called = socket.inet_ntoa(body[8:12])
                    answer = [(level, kind, struct.pack("=i", 0) + body[8:12] + b"\0\0\0\0")]
        self.world.served.append(["udp", self.name, peer[0], peer[1], called, self.socket.getsockname()[1]])
        try:
            self.socket.sendmsg([data], answer if self.reply == "contacted" else [], 0, peer)
        except OSError as problem:
            self.world.failed.append(["udp-reply", self.name, problem.errno])

    def hang_up(self, _since):
        """There is nothing to forget."""

    def close(self):
        self.world.loop.remove(self.socket)
        self.socket.close()


def prepare(sock, spec):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sock.family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if spec.get("device"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, spec["device"].encode() + b"\0")
    if spec.get("free"):
        sock.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND
