"""Answers requests: one JSON object a line in, one a line out, in order. Nothing of a request reaches a shell."""

import errno
import json
import os
import platform
import shutil
import signal
import tempfile

import kernel
from client import failure
from loop import Loop
from observe import stamping
from reaper import Reaper
from tools import Tools
from world import World


class Executor:
    def __init__(self):
        self.scratch = tempfile.mkdtemp(prefix="hp%d-" % os.getpid())
        self.namespaces, self.loop, self.tools = kernel.Namespaces(), Loop(), Tools(self.scratch)
        self.reaper, self.stamping = Reaper(), stamping()
        self.worlds = {}
        # What sysctls a new namespace starts with, by path.
        self.starts = {}
        self.processors = os.sched_getaffinity(0)
        self.one = {sorted(self.processors)[os.getpid() % len(self.processors)]}

    def hello(self, request):
        return {
            "pid": os.getpid(),
            "uid": os.getuid(),
            "python": platform.python_version(),
            "kernel": platform.release(),
            "tools": self.tools.paths,
            "bridgeNetfilter": os.path.exists("/proc/sys/net/bridge"),
        }

    def open(self, request):
        world = World(self, "hp%d-%s" % (os.getpid(), request["world"]))
        self.worlds[request["world"]] = world
        return world.create(request["stacks"], request.get("name", False))

    def stimulate(self, request):
        """On one processor, so that what one packet causes happens in one order."""
        world = self.worlds[request["world"]]
        os.sched_setaffinity(0, self.one)
        try:
            kind = request["spec"]["kind"]
            if kind == "send":
                flow = world.flows.get(request["spec"]["id"])
                # A socket that could not be bound is no flow.
                result = flow.send(request["spec"].get("size", 4)) if flow else failure("data", errno.ENOTCONN)
            elif kind == "close":
                result = {"outcome": "sent", "phase": "close"}
                flow = world.flows.pop(request["spec"]["id"], None)
                if flow:
                    flow.close(request["spec"]["how"])
            elif kind == "wait":
                result = {"outcome": "sent", "phase": "wait"}
                world.wait(request["spec"]["seconds"])
            else:
                result = world.stimulate(request["spec"])
            return {"result": result, "seen": world.settle(request["quiet"], request["resolve"], request["limit"])}
        finally:
            os.sched_setaffinity(0, self.processors)

    def close(self, request):
        world = self.worlds.pop(request["world"], None)
        if world is not None:
            world.close()

    def answer(self, request):
        operation = request["op"]
        if operation in ("hello", "open", "stimulate", "close"):
            return getattr(self, operation)(request)
        world = self.worlds[request["world"]]
        calls = {
            "sysctl": lambda: world.sysctl(request["stack"], request["set"], request.get("fresh", False)),
            "run": lambda: world.run(request["runs"]),
            "tun": lambda: world.tun(request["stack"], request["device"], request.get("tap", False)),
            "relay": lambda: world.relay(request["stack"], request["spec"]),
            "listen": lambda: [world.listen(one["stack"], one) for one in request["listeners"]],
            "ready": lambda: world.ready(request.get("limit", 2)),
            "observe": lambda: [world.observe(o["stack"], o.get("group"), o["copy"], o["snap"]) for o in request["stacks"]],
            "settle": lambda: world.settle(request["quiet"], request["resolve"], request["limit"]),
            "devices": world.devices,
            "read": lambda: {
                stack: world.read(stack, request["files"], request.get("changed", False)) for stack in request["stacks"]
            },
            "conntrack": lambda: {stack: world.conntrack(stack, request["families"]) for stack in request["stacks"]},
        }
        return calls[operation]()

    def shut(self):
        for world in list(self.worlds.values()):
            try:
                world.close()
            except OSError:
                pass
        self.reaper.finish()
        shutil.rmtree(self.scratch, ignore_errors=True)


def serve(source, sink):
    executor = Executor()
    try:
        while True:
            line = source.readline()
            if not line:
                return
            request = json.loads(line.decode("utf-8"))
            try:
                answer = {"id": request["id"], "ok": executor.answer(request)}
            except Exception as problem:  # the caller must hear of it, whatever it is
                answer = {"id": request["id"], "error": "%s: %s" % (type(problem).__name__, problem)}
            sink.write(json.dumps(answer, separators=(",", ":")).encode("utf-8") + b"\n")
            sink.flush()
    finally:
        # The end of the input and the parent's death come together; one is enough.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        executor.shut()
