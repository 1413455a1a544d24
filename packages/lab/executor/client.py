"""Sockets of the lab's own clients, how long they wait, and what they report."""

import errno
import socket
import struct
import time

from serve import family_of

SO_MARK = 36
IP_RECVERR, IPV6_RECVERR = 11, 25
MSG_ERRQUEUE = 0x2000


class Patience:
    """How long nothing may happen before a stimulus counts as unanswered. Neighbour resolution gets its own time."""

    def __init__(self, world, spec):
        self.world = world
        self.quiet = spec.get("patience", 0.06)
        self.resolve = spec.get("resolve", 0.15)
        self.deadline = time.monotonic() + spec.get("timeout", 5)

    def wait(self, done):
        asked = self.world.recorder.asked
        return self.world.loop.run(done, self.deadline, lambda: max(self.quiet, self.resolve if asked else 0))


def name_of(number):
    return errno.errorcode.get(number, str(number))


def failure(phase, number, sock=None):
    return {"outcome": "error", "phase": phase, "errno": name_of(number), "local": local_of(sock)}


def unanswered(phase, why, sock):
    return {"outcome": "timeout", "phase": phase, "watched": why, "local": local_of(sock)}


def local_of(sock):
    try:
        return list(sock.getsockname()[:2]) if sock is not None else None
    except OSError:
        return None


def client(kind, spec, protocol=0):
    sock = socket.socket(family_of(spec["to"]), kind | socket.SOCK_CLOEXEC, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setblocking(False)
    six = sock.family == socket.AF_INET6
    level = socket.IPPROTO_IPV6 if six else socket.IPPROTO_IP
    if spec.get("device"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, spec["device"].encode() + b"\0")
    if spec.get("mark"):
        sock.setsockopt(socket.SOL_SOCKET, SO_MARK, struct.pack("=I", spec["mark"]))
    if spec.get("tos"):
        sock.setsockopt(level, socket.IPV6_TCLASS if six else socket.IP_TOS, spec["tos"])
    if spec.get("ttl"):
        sock.setsockopt(level, socket.IPV6_UNICAST_HOPS if six else socket.IP_TTL, spec["ttl"])
    if spec.get("errorQueue"):
        sock.setsockopt(level, IPV6_RECVERR if six else IP_RECVERR, 1)
    if spec.get("address") or spec.get("sport"):
        sock.bind((spec.get("address") or ("::" if six else "0.0.0.0"), spec.get("sport") or 0))
    return sock


def errors_of(sock):
    """The socket's ICMP error queue (IP_RECVERR): origin, type, code, errno, offender."""
    found = []
    while True:
        try:
            _, about, _, _ = sock.recvmsg(512, 512, MSG_ERRQUEUE)
        except OSError:
            return found
        for level, kind, body in about:
            if (level, kind) not in ((0, IP_RECVERR), (41, IPV6_RECVERR)) or len(body) < 24:
                continue
            number, origin, icmp, code = struct.unpack_from("=IBBB", body)
            offender = None
            if level == 0 and len(body) >= 24:
                offender = socket.inet_ntoa(body[20:24])
            elif len(body) >= 40:
                offender = socket.inet_ntop(socket.AF_INET6, body[24:40])
            found.append({"errno": name_of(number), "origin": origin, "type": icmp, "code": code, "from": offender})
