"""The few system calls Python has no name for before 3.12: unshare, setns, mount, prctl."""

import ctypes
import os
from contextlib import contextmanager

CLONE_NEWNET = 0x40000000
MS_BIND = 4096
MNT_DETACH = 2
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def die_with_parent(signal):
    _libc.prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0)


def mount_bind(source, target):
    _check(_libc.mount(source.encode(), target.encode(), b"none", ctypes.c_ulong(MS_BIND), None), "mount")


def unmount(target):
    _check(_libc.umount2(target.encode(), MNT_DETACH), "umount")


class Namespaces:
    """Anonymous network namespaces, held by descriptors only: they end with this process, however it ends."""

    def __init__(self):
        self.home = self._current()

    @staticmethod
    def _current():
        return os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    def create(self):
        _check(_libc.unshare(CLONE_NEWNET), "unshare")
        try:
            return self._current()
        finally:
            self.enter(self.home)

    def enter(self, fd):
        _check(_libc.setns(fd, CLONE_NEWNET), "setns")

    @contextmanager
    def inside(self, fd):
        self.enter(fd)
        try:
            yield
        finally:
            self.enter(self.home)
