"""Executes lab plans in the running kernel, asked on standard input and answering on standard output.

The same program is the agent of the VM (vm.py). It needs root, Python 3.6 and the tools of tools.py.
"""

import signal
import sys

import kernel
from serving import serve


def end(*_):
    # A parent of many threads announces its death more than once.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(143)


def main():
    signal.signal(signal.SIGTERM, end)
    # Ctrl-C reaches the whole foreground group; the caller decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel.die_with_parent(signal.SIGTERM)
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
