"""One thread, one selector: servers answer, relays relay and readers read while a stimulus runs."""

import selectors
import time


SLICE = 0.005
LATE = 0.002


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.moved = time.monotonic()

    def add(self, thing, handler, events=selectors.EVENT_READ):
        self.selector.register(thing, events, handler)

    def change(self, thing, handler, events):
        self.selector.modify(thing, events, handler)

    def remove(self, thing):
        try:
            self.selector.unregister(thing)
        except (KeyError, ValueError):
            pass

    def step(self, seconds):
        ready = self.selector.select(max(0, seconds))
        for key, events in ready:
            if key.fileobj in self.selector.get_map():
                key.data(events)
        if ready:
            self.moved = time.monotonic()
        return bool(ready)

    def run(self, done, deadline, quiet):
        """Until done(), the deadline, or quiet() seconds without any event. Says which: done, deadline or quiet.

        Time in which this process was kept waiting for a processor does not count: the kernel's own threads, which may
        still have packets to deliver, were waiting too.
        """
        self.moved = time.monotonic()
        while True:
            if done():
                return "done"
            now = time.monotonic()
            if now >= deadline:
                return "deadline"
            still = self.moved + quiet() - now
            if still <= 0:
                return "quiet"
            asked = min(still, deadline - now, SLICE)
            if not self.step(asked):
                late = time.monotonic() - now - asked
                if late > LATE:
                    self.moved += late
