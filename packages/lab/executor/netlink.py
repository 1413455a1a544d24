"""Netlink by hand: NFLOG binding, link states, conntrack dumps. Bodies are handed on raw; the caller decodes them."""

import os
import socket
import struct

NETLINK_ROUTE = 0
NETLINK_NETFILTER = 12
NLM_F_REQUEST = 1
NLM_F_ACK = 4
NLM_F_DUMP = 0x300
NLMSG_ERROR = 2
NLMSG_DONE = 3
SO_RCVBUFFORCE = 33
NETLINK_NO_ENOBUFS = 5
SOL_NETLINK = 270

RTM_GETLINK = 18
ULOG_PACKET = 4 << 8
ULOG_CONFIG = (4 << 8) | 1
CTNETLINK_GET = (1 << 8) | 1


def attribute(kind, body):
    length = 4 + len(body)
    return struct.pack("=HH", length, kind) + body + b"\0" * (-length % 4)


def attributes(body):
    at = 0
    while at + 4 <= len(body):
        length, kind = struct.unpack_from("=HH", body, at)
        if length < 4:
            return
        yield kind & 0x3FFF, body[at + 4 : at + length]
        at += (length + 3) & ~3


def message(kind, flags, body):
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body


def messages(data):
    at = 0
    while at + 16 <= len(data):
        length, kind = struct.unpack_from("=IH", data, at)
        if length < 16:
            return
        yield kind, data[at + 16 : at + length]
        at += (length + 3) & ~3


def open_socket(protocol):
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
    sock.bind((0, 0))
    return sock


def dump(protocol, kind, body):
    """All bodies of one dump. Raises OSError with the kernel's errno."""
    sock = open_socket(protocol)
    try:
        sock.settimeout(5)
        sock.send(message(kind, NLM_F_REQUEST | NLM_F_DUMP, body))
        found = []
        while True:
            for got, answer in messages(sock.recv(1 << 18)):
                if got == NLMSG_DONE:
                    return found
                if got == NLMSG_ERROR:
                    code = -struct.unpack_from("=i", answer)[0]
                    raise OSError(code, os.strerror(code))
                found.append(answer)
    finally:
        sock.close()


def conntrack(family):
    return dump(NETLINK_NETFILTER, CTNETLINK_GET, struct.pack("=BBH", family, 0, 0))


IFLA_IFNAME, IFLA_QDISC, IFLA_OPERSTATE, IFLA_CARRIER, IFLA_ADDRESS = 3, 6, 16, 33, 1
IFF_UP = 1
OPER_UNKNOWN, OPER_UP = 0, 6


def links():
    """(index, name, flags, carrier, operational state, queueing discipline, MAC) of every device here."""
    found = []
    for body in dump(NETLINK_ROUTE, RTM_GETLINK, struct.pack("=BBHiII", 0, 0, 0, 0, 0, 0)):
        index, flags = struct.unpack_from("=iI", body, 4)
        about = dict(attributes(body[16:]))
        text = lambda kind: about.get(kind, b"").rstrip(b"\0").decode("utf-8", "replace")
        number = lambda kind: about[kind][0] if about.get(kind) else 0
        mac = ":".join("%02x" % b for b in about.get(IFLA_ADDRESS, b""))
        found.append((index, text(IFLA_IFNAME), flags, number(IFLA_CARRIER), number(IFLA_OPERSTATE), text(IFLA_QDISC), mac))
    return found


def settled():
    """False while linkwatch still owes a device its queue or its operational state: packets sent then are lost."""
    for _, _, flags, carrier, state, qdisc, _ in links():
        if not flags & IFF_UP:
            continue
        if carrier and (qdisc == "noop" or state not in (OPER_UNKNOWN, OPER_UP)):
            return False
    return True


def bind_nflog(group, copy):
    """A socket that gets what NFLOG rules of this namespace send to `group`, one message a packet.

    Also says whether messages carry the packet's conntrack (kernels built with NETFILTER_NETLINK_GLUE_CT).
    """
    sock = open_socket(NETLINK_NETFILTER)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    sock.setsockopt(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
    head = struct.pack("=BBH", 0, 0, socket.htons(group))
    config = (
        attribute(1, struct.pack("=B", 1))  # NFULA_CFG_CMD: bind
        + attribute(2, struct.pack("!IBB", copy, 2, 0))  # NFULA_CFG_MODE: copy packet
        + attribute(5, struct.pack("!I", 1))  # NFULA_CFG_QTHRESH
        + attribute(6, struct.pack("!H", 1 | 4))  # NFULA_CFG_FLAGS: sequence, conntrack
    )
    tracked = True
    try:
        _acknowledged(sock, message(ULOG_CONFIG, NLM_F_REQUEST | NLM_F_ACK, head + config))
    except OSError:
        tracked = False
        config = config[: -len(attribute(6, b"\0\0"))] + attribute(6, struct.pack("!H", 1))
        _acknowledged(sock, message(ULOG_CONFIG, NLM_F_REQUEST | NLM_F_ACK, head + config))
    sock.setblocking(False)
    return sock, tracked


def _acknowledged(sock, request):
    sock.settimeout(5)
    sock.send(request)
    for kind, body in messages(sock.recv(1 << 16)):
        if kind == NLMSG_ERROR:
            code = -struct.unpack_from("=i", body)[0]
            if code:
                raise OSError(code, "nflog: " + os.strerror(code))
