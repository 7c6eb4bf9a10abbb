# SPDX-License-Identifier: MIT
"""How many jobs a second several stores do, from what a job costs one of them.

Each store has a client that sends a pipeline, waits for all of its answers, and sends the
next one. A pipeline takes processors: the client's, the server's and PostgreSQL's, one after
the other. Then it waits for its round trips, and for the disk. A disk does one sync at a
time, for all who wait for it when it begins, as PostgreSQL does.
"""
import collections
import heapq
import itertools
import random

# Seconds that a process has a processor before another has its turn.
SLICE = 0.001
JOBS = 50000

# What a pipeline of one phase is: @jobs; for each job seconds of @client, @server and
# @postgres, bytes of @log, and round @trips between server and PostgreSQL.
Phase = collections.namedtuple("Phase", "jobs client server postgres log trips")
# What does not depend on the phase: seconds of a round trip for which nobody has a
# processor, of a sync, in the mean, and of each byte that is to be synced.
Machine = collections.namedtuple("Machine", "trip sync byte")
# @rate: jobs a second; @processors, @disk: which part of them was busy.
Outcome = collections.namedtuple("Outcome", "rate processors disk")


class Clock:
    """What happens, in the order of its time."""

    def __init__(self):
        self.now, self.events, self.number = 0.0, [], itertools.count()

    def after(self, seconds, happens):
        heapq.heappush(self.events, (self.now + seconds, next(self.number), happens))

    def run(self):
        while self.events:
            self.now, _, happens = heapq.heappop(self.events)
            happens()


class Processors:
    """So many, shared by all who want one, in turns."""

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
    """One sync at a time, for all who wait."""

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
        # Whether servers and clients have processors of their own.
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
    """So many stores in so many PostgreSQLs, each of which has so many processors."""
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
