"""Single packets: a datagram with its answer, a ping, a frame put on a device."""

import base64
import socket
import struct

from client import Patience, client, errors_of, failure, local_of, unanswered
from serve import family_of


def datagram(world, spec):
    sock = client(socket.SOCK_DGRAM, spec)
    got = {"problem": 0, "data": None}

    def readable(_events):
        try:
            got["data"] = sock.recvfrom(1 << 16)
        except BlockingIOError:
            return
        except OSError as problem:
            got["problem"] = problem.errno

    try:
        to = (spec["to"], spec["port"])
        phase = "connect"
        try:
            if spec.get("connected", True):
                sock.connect(to)
            phase = "send"
            body = b"x" * spec.get("size", 4)
            sock.send(body) if spec.get("connected", True) else sock.sendto(body, to)
        except OSError as problem:
            return failure(phase, problem.errno, sock)
        world.loop.add(sock, readable)
        why = Patience(world, spec).wait(lambda: got["data"] is not None or got["problem"])
        queue = errors_of(sock) if spec.get("errorQueue") else []
        if got["data"] is not None:
            data, peer = got["data"]
            answer = {"outcome": "connected", "phase": "data", "local": local_of(sock), "echoed": len(data)}
            answer["from"] = list(peer[:2])
        elif got["problem"]:
            answer = failure("receive", got["problem"], sock)
        else:
            answer = unanswered("receive", why, sock)
        return dict(answer, errorQueue=queue) if spec.get("errorQueue") else answer
    finally:
        world.loop.remove(sock)
        sock.close()


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def ping(world, spec):
    six = family_of(spec["to"]) == socket.AF_INET6
    sock = client(socket.SOCK_RAW, dict(spec, sport=0), socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP)
    ident, sequence = spec.get("ident", 7), spec.get("sequence", 1)
    head = struct.pack("!BBHHH", 128 if six else 8, 0, 0, ident, sequence) + b"x" * spec.get("size", 8)
    if not six:
        head = head[:2] + struct.pack("!H", checksum(head)) + head[4:]
    got = {}

    def readable(_events):
        try:
            data, peer = sock.recvfrom(1 << 16)
        except OSError:
            return
        icmp = data if six else data[(data[0] & 15) * 4 :]
        if len(icmp) < 8:
            return
        kind, code, number = icmp[0], icmp[1], struct.unpack("!H", icmp[4:6])[0]
        if kind == (129 if six else 0) and number == ident:
            got["answer"] = {"outcome": "connected", "phase": "data", "echoed": len(icmp) - 8, "from": [peer[0], 0]}
        # A redirect (5) is advice to the sender's routing; whoever pings goes on waiting.
        elif kind in ((1, 2, 3, 4) if six else (3, 4, 11, 12)):
            got["answer"] = {"outcome": "icmp", "phase": "receive", "type": kind, "code": code, "from": [peer[0], 0]}

    try:
        try:
            sock.sendto(head, (spec["to"], 0))
        except OSError as problem:
            return failure("send", problem.errno)
        world.loop.add(sock, readable)
        why = Patience(world, spec).wait(lambda: "answer" in got)
        return got.get("answer") or unanswered("receive", why, None)
    finally:
        world.loop.remove(sock)
        sock.close()


def inject(world, spec):
    """A whole frame out of a device; on a device without a link layer that is a bare IP packet."""
    frame = base64.b64decode(spec["frame"])
    bare = bool(spec.get("bare"))
    protocol = (0x86DD if frame[0] >> 4 == 6 else 0x0800) if bare else struct.unpack("!H", frame[12:14])[0]
    sock = world.injector(spec["stack"])
    try:
        for _ in range(spec.get("count", 1)):
            sock.sendto(frame, (spec["device"], protocol))
        return {"outcome": "sent", "phase": "send"}
    except OSError as problem:
        return failure("send", problem.errno)
