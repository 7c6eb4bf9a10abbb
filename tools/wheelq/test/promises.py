# SPDX-License-Identifier: MIT
"""Each promise, by its name."""
import contextlib
import os
import random
import select
import sqlite3
import tempfile
import time

import faults
import rig

KILLS = int(os.environ.get("WHEELQ_KILLS", "60"))
SEED = int(os.environ.get("WHEELQ_SEED", str(int(time.time()))))


def q1_no_answer_before_the_disk_has_it():
    with tempfile.TemporaryDirectory() as folder:
        gate, held = os.path.join(folder, "gate"), os.path.join(folder, "gate.held")
        open(gate, "w", encoding="ascii").close()
        with rig.Server(env=faults.preload(FAULT_HOLD=gate)) as server:
            client, other = server.client(), server.client()
            client.put(b"before")
            os.unlink(gate)
            client.send("put 0 0 60 1\r\nx\r\n")
            other.send("put 0 0 60 1\r\ny\r\nstats\r\n")
            rig.until(lambda: os.path.exists(held))
            early = select.select([client.socket, other.socket], [], [], 0)[0]
            assert not early, "answered before the sync has returned"
            open(gate, "w", encoding="ascii").close()
            assert client.answer().startswith("INSERTED")
            assert other.answer().startswith("INSERTED")


class History:
    """What was acknowledged, and what was seen."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tokens = 0
        self.put, self.deleted, self.seen = {}, set(), set()
        self.maybe = {}

    def commands(self):
        """A pipeline: [(line, kind, what)]."""
        pipeline = []
        for _ in range(self.random.randrange(1, 60)):
            dice = self.random.random()
            if dice < 0.6 or not self.put:
                self.tokens += 1
                token = f"t{self.tokens}".encode()
                delay = self.random.choice([0, 0, 0.005, 0.05, 3600])
                pipeline.append((b"put %d %g 60 %d\r\n%s\r\n" % (
                    self.random.randrange(3), delay, len(token), token), "put", token))
            elif dice < 0.8:
                pipeline.append((b"reserve-with-timeout 0\r\n", "reserve", None))
            else:
                number = self.random.choice(list(self.put))
                pipeline.append((b"delete %d\r\n" % number, "delete", number))
        return pipeline

    def note(self, kind, what, answer):
        if kind == "put":
            self.put[int(answer.split()[1])] = what
        elif kind == "delete" and answer == "DELETED":
            self.deleted.add(what)
        elif kind == "reserve" and isinstance(answer, tuple):
            number = int(answer[0].split()[1])
            assert number not in self.deleted, f"Q3: job {number} came after DELETED"
            assert self.put.get(number, answer[1]) == answer[1], "Q2: another body"
            self.seen.add(number)


def one_life(server, history):
    client = server.client()
    pipeline = history.commands()
    client.send(b"".join(line for line, _, _ in pipeline))
    for line, kind, what in pipeline[:history.random.randrange(len(pipeline) + 1)]:
        history.note(kind, what, client.answer())
    server.kill()
    # Of the rest some may have happened: what was asked for may be gone.
    history.maybe.update((what, 1) for _, kind, what in pipeline if kind == "delete")
    client.close()
    server.start()


def q2_q3_kill_9_at_random_points():
    print(f"# WHEELQ_SEED={SEED} WHEELQ_KILLS={KILLS}")
    history = History(SEED)
    with rig.Server("--window", "32") as server:
        for _ in range(KILLS):
            one_life(server, history)
        client = server.client()
        while client.ask("kick 10000") != "KICKED 0":
            pass
        while isinstance(job := client.reserve(0), tuple):
            history.note("reserve", None, (f"RESERVED {job[0]}", job[1]))
            assert client.ask(f"delete {job[0]}") == "DELETED"
        lost = set(history.put) - history.seen - history.deleted - set(history.maybe)
        assert not lost, f"Q2: acknowledged, and never handed out: {lost}"
        print(f"# {len(history.put)} jobs acknowledged, {len(history.deleted)} deleted,"
              f" {len(history.seen)} handed out, over {KILLS} crashes")


def q3_deleted_or_reserved_never_both():
    with rig.Server() as server:
        one, two = server.client(), server.client()
        for _ in range(50):
            number = one.put(b"x")
            one.send("reserve-with-timeout 0\r\n")
            two.send(f"delete {number}\r\n")
            got, deleted = one.answer(), two.answer()
            assert (got == "TIMED_OUT") == (deleted == "DELETED"), (got, deleted)
            if deleted != "DELETED":
                assert one.ask(f"delete {number}") == "DELETED"
            assert two.ask(f"delete {number}") == "NOT_FOUND"


def q4_never_early():
    with rig.Server() as server:
        client = server.client()
        asked = {}
        dice = random.Random(SEED)
        for _ in range(300):
            delay = dice.randrange(1, 900) / 1000
            before = time.clock_gettime(time.CLOCK_BOOTTIME)
            asked[client.put(b"d", delay=delay)] = (time.CLOCK_BOOTTIME, before + delay)
            at = int(time.time() * 1000) + dice.randrange(900)
            client.send(f"put-at 0 {at} 60 1\r\nw\r\n")
            asked[int(client.answer().split()[1])] = (time.CLOCK_REALTIME, at / 1000)
        for _ in range(len(asked)):
            number, _ = client.reserve(rig.PATIENCE)
            clock, due = asked.pop(number)
            early = due - time.clock_gettime(clock)
            assert early <= 0, f"job {number} came {early} s early"


def q4_not_early_after_a_restart_with_the_clock_set_back_a_year():
    with rig.Server() as server:
        client = server.client()
        number, later = client.put(b"x", delay=1), client.put(b"y", delay=3600)
        due = time.clock_gettime(time.CLOCK_BOOTTIME) + 1
        server.kill()
        server.env.update(faults.preload(FAULT_CLOCK=-365 * 86400))
        client = server.start().client()
        # The queue's clock does not go back: a second is a second, not a year.
        assert client.reserve(rig.PATIENCE) == (number, b"x")
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= due - 1
        assert int(client.stats(f"stats-job {later}")["time-left"]) <= 3600


def q5_after_a_restart_the_overdue_come_in_due_order():
    with rig.Server("--window", "64") as server:
        client = server.client()
        times = list(range(1000))
        random.Random(SEED).shuffle(times)
        base = int(time.time() * 1000) + 3000
        for at in times:
            client.send(f"put-at 0 {base + at} 60 4\r\n{at:04}\r\n")
        for _ in times:
            assert client.answer().startswith("INSERTED")
        server.kill()
        rig.until(lambda: time.time() * 1000 > base + 1000)
        client = server.start().client()
        came = [int(client.reserve(rig.PATIENCE)[1]) for _ in times]
        assert came == sorted(times)


def q6_by_priority_then_due_then_number():
    with rig.Server("--window", "16") as server:
        client = server.client()
        dice = random.Random(SEED)
        wanted = []
        for _ in range(200):
            pri = dice.choice([0, 1, 1023, 1024, 2**32 - 1])
            wanted.append((pri, client.put(b"x", pri=pri)))
        got = [client.reserve(0)[0] for _ in wanted]
        assert got == [number for _, number in sorted(wanted)]


def q7_a_lease_never_ends_early():
    ttr = 1.25
    with rig.Server() as server:
        one, two = server.client(), server.client()
        number = one.put(b"x", ttr=ttr)
        begun = time.clock_gettime(time.CLOCK_BOOTTIME)
        assert one.reserve(0)[0] == number
        two.send("reserve\r\n")
        # A busy machine may be late with the touch: then the lease was over before.
        touched = time.clock_gettime(time.CLOCK_BOOTTIME)
        if one.ask(f"touch {number}") == "TOUCHED":
            begun = touched
        assert two.answer()[0].startswith(f"RESERVED {number} ")
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= begun + ttr
        assert one.ask(f"touch {number}") == "NOT_FOUND"
        assert two.stats(f"stats-job {number}")["timeouts"] == "1"


# As job.h numbers it.
RESERVED = 4


def stored_state(server, number):
    with contextlib.closing(sqlite3.connect(server.store)) as db:
        return db.execute("SELECT state FROM job WHERE id = ?", (number,)).fetchone()[0]


def q7_a_crash_ends_leases_and_counts_them():
    with rig.Server() as server:
        client = server.client()
        number = client.put(b"x", ttr=1000)
        client.reserve(0)
        rig.until(lambda: stored_state(server, number) == RESERVED)
        server.kill()
        server.start()
        client = server.client()
        said = client.stats(f"stats-job {number}")
        assert (said["state"], said["timeouts"], said["reserves"]) == ("ready", "1", "1"), said


def q8_memory_depends_on_what_is_near():
    with rig.Server("--window", "1024", "--horizon", "60") as server:
        client = server.client()
        for _ in range(40):
            client.send(b"put 0 86400 60 1\r\nx\r\n" * 500)
            for _ in range(500):
                assert client.answer().startswith("INSERTED")
        assert client.stats()["jobs-in-memory"] == "0"
        for _ in range(10):
            client.send(b"put 0 0 60 1\r\nx\r\n" * 500)
            for _ in range(500):
                assert client.answer().startswith("INSERTED")
        assert int(client.stats()["jobs-in-memory"]) <= 1024 + 512
        server.kill()
        server.start()
        said = server.client().stats()
        assert (said["current-jobs-delayed"], said["current-jobs-ready"]) == ("20000", "5000")
        assert int(said["jobs-in-memory"]) <= 1024 + 512


TESTS = [value for name, value in sorted(globals().items())
         if name.startswith("q") and name[1].isdigit()]
