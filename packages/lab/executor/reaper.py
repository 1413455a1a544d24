"""Closes packet sockets aside: each close waits for an RCU grace period (packet_release), some 15 ms."""

import queue
import threading


class Reaper:
    def __init__(self):
        self.waiting = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def close(self, thing):
        self.waiting.put(thing)

    def _work(self):
        while True:
            self.waiting.get().close()
            self.waiting.task_done()

    def finish(self):
        self.waiting.join()
