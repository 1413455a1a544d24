"""Executes lab plans in the running kernel, asked on standard input and answering on standard output.

The same program is the agent of the VM (vm.py). It needs root, Python 3.6 and the tools of tools.py.
"""

import signal
import sys

import kernel
from serving import serve


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Ctrl-C reaches the whole foreground group; the caller decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel.die_with_parent(signal.SIGTERM)
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
