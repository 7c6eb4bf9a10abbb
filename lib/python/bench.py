# SPDX-License-Identifier: MIT
"""CPU time per operation of the binding and of asyncio, in nanoseconds, interleaved."""

import asyncio
import statistics
import time

import libwheel

COUNT = 20_000
ROUNDS = 7
PENDING = (0, 100_000, 1_000_000)
HOUR = 3600.0


def timed(run):
    begun = time.process_time_ns()
    run()
    return (time.process_time_ns() - begun) / COUNT


class Loop:
    """Timers of an asyncio event loop."""

    def __init__(self, pending):
        self.loop = asyncio.new_event_loop()
        for i in range(pending):
            self.loop.call_later(HOUR + i % 1000, print)

    def arm(self):
        call_later = self.loop.call_later
        self.handles = [call_later(HOUR, print) for _ in range(COUNT)]

    def postpone(self):
        call_later, handles = self.loop.call_later, self.handles
        for i in range(COUNT):
            handles[i].cancel()
            handles[i] = call_later(HOUR, print)

    def cancel(self):
        for handle in self.handles:
            handle.cancel()

    def close(self):
        self.loop.close()


class Binding:
    """Timers of a wheel, named by slots above the pending ones."""

    def __init__(self, pending):
        self.wheel = libwheel.Wheel(timers=pending + COUNT, flags=libwheel.WORDS)
        self.first, self.generation = pending, 0
        when = self.wheel.now() + 10**13
        for begin in range(0, pending, 10_000):
            self.wheel.arm_many(
                libwheel.Timer(slot + (1 << 24), when + slot % 1000 * 10**9)
                for slot in range(begin, min(begin + 10_000, pending))
            )

    def ids(self):
        base = self.first + (self.generation << 24)
        return range(base, base + COUNT)

    def arm(self):
        self.generation += 1
        arm_in = self.wheel.arm_in
        for id in self.ids():
            arm_in(id, HOUR)

    def cancel(self):
        cancel = self.wheel.cancel
        for id in self.ids():
            cancel(id)

    def arm_many(self):
        self.generation += 1
        when = self.wheel.now() + 10**13
        self.wheel.arm_many(libwheel.Timer(id, when, word=True) for id in self.ids())

    def postpone(self):
        push = self.wheel.word_push
        when = self.wheel.now() + 2 * 10**13
        for slot in range(self.first, self.first + COUNT):
            push(slot, when)

    def store(self):
        words = self.wheel.words
        when = self.wheel.now() + 3 * 10**13
        for slot in range(self.first, self.first + COUNT):
            words[slot] = when

    def cancel_many(self):
        self.wheel.cancel_many(self.ids())

    def close(self):
        self.wheel.close()


class Timeouts:
    """Timeouts of slots above the pending ones."""

    def __init__(self, pending):
        self.timeouts = libwheel.Timeouts(pending + COUNT)
        for slot in range(pending):
            self.timeouts.start(slot, HOUR + slot % 1000)
        self.slots = range(pending, pending + COUNT)

    def arm(self):
        start = self.timeouts.start
        for slot in self.slots:
            start(slot, HOUR)

    postpone = arm

    def cancel(self):
        stop = self.timeouts.stop
        for slot in self.slots:
            stop(slot)

    def close(self):
        self.timeouts.close()


class Calls:
    """Callbacks of an asyncio loop."""

    def __init__(self, pending):
        self.loop = asyncio.new_event_loop()
        self.calls = self.loop.run_until_complete(self.create(pending))
        for i in range(pending):
            self.calls.call_later(HOUR + i % 1000, print)
        self.arm()
        self.cancel()

    async def create(self, pending):
        return libwheel.Callbacks(pending + COUNT)

    def arm(self):
        call_later = self.calls.call_later
        self.armed = [call_later(HOUR, print) for _ in range(COUNT)]

    def postpone(self):
        for call in self.armed:
            call.restart(HOUR + 1)

    def cancel(self):
        for call in self.armed:
            call.cancel()

    def close(self):
        self.calls.close()
        self.loop.close()


STEPS = (
    (Loop, ("arm", "postpone", "cancel")),
    (Calls, ("arm", "postpone", "cancel")),
    (Timeouts, ("arm", "postpone", "cancel")),
    (Binding, ("arm", "cancel", "arm_many", "postpone", "store", "cancel_many")),
)


def main():
    print("%8s  %-8s %-12s %8s" % ("pending", "", "", "ns"))
    for pending in PENDING:
        both = [(kind(pending), steps) for kind, steps in STEPS]
        figures = {}
        for _ in range(ROUNDS):
            for timers, steps in both:
                for step in steps:
                    cost = timed(getattr(timers, step))
                    figures.setdefault((type(timers).__name__, step), []).append(cost)
        for (kind, step), costs in figures.items():
            print("%8d  %-8s %-12s %8.0f" % (pending, kind, step, statistics.median(costs)))
        for timers, _ in both:
            timers.close()


if __name__ == "__main__":
    main()
