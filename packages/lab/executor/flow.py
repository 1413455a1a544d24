"""A TCP client: connect, send, wait for the echo, close; each step reports what the socket API said."""

import errno
import selectors
import socket
import struct
import time

from client import Patience, client, failure, local_of, unanswered
from serve import vanish


class Flow:
    """A TCP connection of the lab's own, kept by name so that later stimuli can send on it or close it."""

    def __init__(self, world, spec):
        self.world, self.spec, self.received, self.problem, self.open, self.closed = world, spec, 0, 0, False, False
        self.began = time.monotonic()
        self.socket = client(socket.SOCK_STREAM, spec)

    def connect(self):
        patience = Patience(self.world, self.spec)
        code = self.socket.connect_ex((self.spec["to"], self.spec["port"]))
        if code not in (0, errno.EINPROGRESS):
            return failure("connect", code, self.socket)
        self.world.loop.add(self.socket, self._connected, selectors.EVENT_WRITE)
        why = patience.wait(lambda: self.open or self.problem)
        if not self.open and not self.problem:
            # Noted, and told when the next SYN meets the same fate: tcp_v6_err() of a locked socket wakes nobody.
            self.problem = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if self.problem:
            answer = failure("connect", self.problem, self.socket)
            # An ICMP error that met the socket locked is only noted (sk_err_soft): it would go on trying.
            self.close("silent")
            return answer
        if not self.open:
            return self._given_up("connect", why)
        return self.send(self.spec.get("size", 4))

    def _given_up(self, phase, why):
        """Unless it is to go on trying, what is left of the connection vanishes: it would send again in a later stimulus."""
        answer = unanswered(phase, why, self.socket)
        if not self.spec.get("retransmit"):
            self.problem = errno.ENOTCONN
            self.close("silent")
            self.world.hang_up(self.began)
        return answer

    def _connected(self, _events):
        self.problem = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        self.open = not self.problem
        self.world.loop.remove(self.socket)
        if self.open:
            self.world.loop.add(self.socket, self._readable)

    def _readable(self, _events):
        try:
            data = self.socket.recv(1 << 16)
            self.received += len(data)
            if not data:
                self.problem = errno.EPIPE  # the peer closed
        except BlockingIOError:
            return
        except OSError as problem:
            self.problem = problem.errno
        if self.problem:
            self.world.loop.remove(self.socket)

    def send(self, size):
        if not size:
            return {"outcome": "connected", "phase": "connect", "local": local_of(self.socket), "echoed": 0}
        patience = Patience(self.world, self.spec)
        self.received = 0
        if not self.problem:
            try:
                self.socket.send(b"x" * (size - 1) + b"\n")
            except OSError as problem:
                self.problem = problem.errno
        why = patience.wait(lambda: self.received >= size or self.problem)
        if self.received >= size:
            return {"outcome": "connected", "phase": "data", "local": local_of(self.socket), "echoed": self.received}
        if self.problem:
            return failure("data", self.problem, self.socket)
        return self._given_up("data", why)

    def close(self, how):
        if self.closed:
            return None
        self.closed = True
        self.world.loop.remove(self.socket)
        if how == "silent":
            return vanish(self.socket)
        if how == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
        self.socket.close()
