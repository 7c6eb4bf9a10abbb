# SPDX-License-Identifier: MIT
"""Simulate the rate of several stores, from the costs per job of one store.

Each store has a client that sends a pipeline, waits for all responses, and sends the next
one. A pipeline uses the processors of the client, of the server and of PostgreSQL, in this
order. Then it waits for its round trips and for the disk. As in PostgreSQL, the disk runs one
sync at a time, for all pipelines that wait when it begins.
"""
import collections
import heapq
import itertools
import random

# Time slice of a process on a processor, in seconds.
SLICE = 0.001
JOBS = 50000

# A pipeline of one phase: number of @jobs; per job, CPU seconds of @client, @server and
# @postgres, bytes of @log, and round @trips between server and PostgreSQL.
Phase = collections.namedtuple("Phase", "jobs client server postgres log trips")
# Independent of the phase, in seconds: a round trip without its CPU time, the mean of a sync,
# and the sync of each byte.
Machine = collections.namedtuple("Machine", "trip sync byte")
# @rate: jobs per second; @processors, @disk: their utilization, 0 to 1.
Outcome = collections.namedtuple("Outcome", "rate processors disk")


class Clock:
    """Runs events in the order of their time."""

    def __init__(self):
        self.now, self.events, self.number = 0.0, [], itertools.count()

    def after(self, seconds, happens):
        heapq.heappush(self.events, (self.now + seconds, next(self.number), happens))

    def run(self):
        while self.events:
            self.now, _, happens = heapq.heappop(self.events)
            happens()


class Processors:
    """@count processors, shared round robin."""

    def __init__(self, clock, count):
        self.clock, self.free, self.count = clock, count, count
        self.wanted, self.used = collections.deque(), 0.0

    def work(self, seconds, then):
        self.wanted.append((seconds, then))
        self.serve()

    def serve(self):
        while self.free and self.wanted:
            seconds, then = self.wanted.popleft()
            self.free -= 1
            self.clock.after(min(seconds, SLICE), lambda s=seconds, t=then: self.done(s, t))

    def done(self, seconds, then):
        self.free += 1
        self.used += min(seconds, SLICE)
        if seconds > SLICE:
            self.wanted.append((seconds - SLICE, then))
        else:
            then()
        self.serve()


class Disk:
    """One sync at a time, for all that wait when it begins."""

    def __init__(self, clock, machine, dice):
        self.clock, self.machine, self.dice = clock, machine, dice
        self.waiting, self.is_busy, self.used = [], False, 0.0

    def sync(self, count, then):
        self.waiting.append((count, then))
        self.serve()

    def serve(self):
        if self.is_busy or not self.waiting:
            return
        now, self.waiting, self.is_busy = self.waiting, [], True
        seconds = self.dice.expovariate(1 / self.machine.sync)
        seconds += sum(count for count, _ in now) * self.machine.byte
        self.used += seconds
        self.clock.after(seconds, lambda: self.done(now))

    def done(self, synced):
        self.is_busy = False
        for _, then in synced:
            then()
        self.serve()


class Store:
    """A store, its server and its client."""

    def __init__(self, clock, phases, machine, elsewhere, processors, disk):
        self.clock, self.machine, self.processors, self.disk = clock, machine, processors, disk
        # True if servers and clients run on other machines.
        self.elsewhere = elsewhere
        self.plan = (phase for phase in phases for _ in range(JOBS // phase.jobs))
        self.next_pipeline()

    def next_pipeline(self):
        phase = next(self.plan, None)
        if phase:
            work = phase.jobs * (phase.client + phase.server)
            take = self.clock.after if self.elsewhere else self.processors.work
            take(work, lambda: self.ask(phase))

    def ask(self, phase):
        self.processors.work(phase.jobs * phase.postgres, lambda: self.wait(phase))

    def wait(self, phase):
        self.clock.after(phase.jobs * phase.trips * self.machine.trip, lambda: self.write(phase))

    def write(self, phase):
        self.disk.sync(phase.jobs * phase.log, self.next_pipeline)


def simulate(phases, machine, stores, processors, databases=1, elsewhere=False, seed=1):
    """@stores stores in @databases PostgreSQLs with @processors processors each."""
    clock, dice = Clock(), random.Random(seed)
    all_processors = [Processors(clock, processors) for _ in range(databases)]
    disks = [Disk(clock, machine, dice) for _ in range(databases)]
    for store in range(stores):
        at = store % databases
        Store(clock, phases, machine, elsewhere, all_processors[at], disks[at])
    clock.run()
    return Outcome(stores * JOBS / clock.now,
                   sum(p.used for p in all_processors) / processors / databases / clock.now,
                   sum(disk.used for disk in disks) / databases / clock.now)
