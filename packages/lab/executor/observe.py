"""What the kernel did: NFLOG messages (hooks) and AF_PACKET frames (captures), raw and in order."""

import base64
import socket
import struct

import netlink

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_AUXDATA = 8
SO_TIMESTAMPNS = 35
TP_STATUS_VLAN_VALID = 1 << 4
LIMIT = 20000
# Of one socket at a time: packets that go round for ever are never all read.
BATCH = 1000


class Recorder:
    """Collects for one world. More than LIMIT records of one stimulus is a storm: reading stops, and that is said."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.hooks, self.frames, self.asked, self.storm = [], [], set(), False

    def hook(self, stack, body):
        if len(self.hooks) < LIMIT:
            self.hooks.append([stack, base64.b64encode(body).decode()])
        else:
            self.storm = True
        # A solicitation that a rule keeps from being sent is in no frame. Next header ICMPv6, hop limit 255.
        at = body.find(b"\x3a\xff") - 6
        if at >= 0:
            self._solicited(body[at:])

    def frame(self, stack, index, kind, when, tag, hardware, data):
        if len(self.frames) < LIMIT:
            self.frames.append([stack, index, kind, when, tag, hardware, base64.b64encode(data).decode()])
        else:
            self.storm = True
        self._resolve(data)

    def _resolve(self, data):
        """Remembers addresses asked for by ARP and not yet answered: the kernel gives up on them later, not now."""
        if data[12:14] == b"\x86\xdd" and data[20:22] == b"\x3a\xff":
            self._solicited(data[14:])
        if data[12:14] != b"\x08\x06" or len(data) < 42:
            return
        operation, sender, target = data[20:22], data[28:32], data[38:42]
        if operation == b"\0\1":
            self.asked.add(target)
        elif operation == b"\0\2":
            self.asked.discard(sender)

    def _solicited(self, packet):
        """The same of neighbour discovery. An advertisement (136) settles nothing: INPUT of who asked may drop it."""
        if len(packet) < 64 or packet[0] >> 4 != 6:
            return
        if packet[40] == 135:
            self.asked.add(packet[48:64])

    def take(self):
        taken = {"hooks": self.hooks, "frames": self.frames, "storm": self.storm}
        self.clear()
        return taken


class HookReader:
    def __init__(self, stack, group, copy, recorder):
        self.stack, self.recorder = stack, recorder
        self.socket, self.tracked = netlink.bind_nflog(group, copy)

    def read(self, _events=None):
        for _ in range(BATCH):
            try:
                data = self.socket.recv(1 << 17)
            except BlockingIOError:
                return
            for kind, body in netlink.messages(data):
                if kind == netlink.ULOG_PACKET:
                    self.recorder.hook(self.stack, body)


def stamping():
    """While this socket is open the kernel stamps frames as they arrive. Switched on for the first reader it begins a moment later
    (net_enable_timestamp() leaves that to a work queue), and a frame without a stamp gets the time at which it is read."""
    keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    keeper.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return keeper


class FrameReader:
    """One socket sees every device of its namespace, the frames it sends as well as those it gets."""

    def __init__(self, stack, snap, recorder):
        self.stack, self.snap, self.recorder = stack, snap, recorder
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, netlink.SO_RCVBUFFORCE, 32 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.setblocking(False)

    def read(self, _events=None):
        for _ in range(BATCH):
            try:
                data, about, _, where = self.socket.recvmsg(self.snap, 256)
            except BlockingIOError:
                return
            except OSError:
                continue  # ENETDOWN: a device went down or away; the socket lives on
            when, tag = 0, -1
            for level, kind, body in about:
                if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
                    seconds, nano = struct.unpack("=qq", body[:16])
                    when = seconds * 1000000000 + nano
                elif level == SOL_PACKET and kind == PACKET_AUXDATA:
                    status, vlan = struct.unpack_from("=I12xH", body)
                    tag = vlan if status & TP_STATUS_VLAN_VALID else -1
            self.recorder.frame(self.stack, where[0], where[2], str(when), tag, where[3], data)
