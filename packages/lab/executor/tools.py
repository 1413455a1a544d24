"""Runs the system's own tools, by a closed list of names, without a shell: arguments are arguments, input is stdin."""

import os
import shutil
import subprocess
import time

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMES = [
    "ip",
    "bridge",
    "tc",
    "ipset",
    "ipvsadm",
    "nft",
    "conntrack",
] + [
    "%s-%s%s" % (program, backend, suffix)
    for program in ("iptables", "ip6tables")
    for backend in ("legacy", "nft")
    for suffix in ("", "-restore", "-save")
]


def available():
    return {name: path for name in NAMES for path in [shutil.which(name, path=PATH)] if path}


class Tools:
    def __init__(self, scratch):
        self.paths = available()
        # The xtables lock is for one machine's tables; namespaces of their own need no lock shared with it.
        self.environment = {"PATH": PATH, "LC_ALL": "C", "XTABLES_LOCKFILE": os.path.join(scratch, "xtables.lock")}

    def start(self, name, arguments):
        path = self.paths.get(name)
        if path is None:
            return None
        return subprocess.Popen(
            [path] + arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            close_fds=False,
        )

    @staticmethod
    def finish(process, text, timeout):
        began = time.monotonic()
        try:
            out, err = process.communicate(text.encode("utf-8", "surrogateescape"), timeout)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            status = -1
            err += b"\nhairpin: no answer within the time limit"
        return {
            "status": status,
            "stdout": out.decode("utf-8", "replace"),
            "stderr": err.decode("utf-8", "replace"),
            "ms": round((time.monotonic() - began) * 1000, 1),
        }
