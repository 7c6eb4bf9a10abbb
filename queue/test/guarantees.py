# SPDX-License-Identifier: MIT
"""Tests of the guarantees Q1 to Q8, by name."""
import contextlib
import os
import random
import select
import signal
import sqlite3
import tempfile
import time

import faults
import ktap
import load
import harness
from history import CLIENTS, History

KILLS = int(os.environ.get("WHEELQ_KILLS", "60"))
# Number of writes and syncs in a short run of a server, from its start.
WRITES = 20
SEED = int(os.environ.get("WHEELQ_SEED", str(int(time.time()))))


def q1_no_answer_before_the_disk_has_it():
    with tempfile.TemporaryDirectory() as directory:
        gate, held = os.path.join(directory, "gate"), os.path.join(directory, "gate.held")
        open(gate, "w", encoding="ascii").close()
        with harness.Server(env=faults.preload(FAULT_HOLD=gate)) as server:
            client, other = server.client(), server.client()
            client.put(b"before")
            os.unlink(gate)
            client.send("put 0 0 60 1\r\nx\r\n")
            other.send("put 0 0 60 1\r\ny\r\nstats\r\n")
            harness.until(lambda: os.path.exists(held))
            early = select.select([client.socket, other.socket], [], [], 0)[0]
            assert not early, "a response was sent before the sync returned"
            open(gate, "w", encoding="ascii").close()
            assert client.answer().startswith("INSERTED")
            assert other.answer().startswith("INSERTED")


def rounds(server, history):
    """Clients send commands and read responses. In the last round, some responses stay unread."""
    clients = [server.client() for _ in range(CLIENTS)]
    for last in [False] * history.random.randrange(3) + [True]:
        sent = {n: history.pipeline(n) for n in range(CLIENTS)}
        for n, commands in sent.items():
            clients[n].send(b"".join(asked.line for asked in commands))
        for n, commands in sent.items():
            if last:
                commands = commands[:history.random.randrange(len(commands) + 1)]
            for asked in commands:
                history.told(n, asked, clients[n].answer())
    return clients


def one_run(server, history):
    """Run until kill -9, while responses are in flight. Return whether the server died earlier."""
    try:
        clients = rounds(server, history)
        server.kill()
        for client in clients:
            client.close()
    except (harness.Gone, OSError):
        assert server.wait() == -signal.SIGKILL, server.said
        return True
    finally:
        history.crashed()
    return False


def settle(client, history, tubes=("default",)):
    """Reserve and delete all jobs of watched tubes, and verify that none is lost."""
    for tube in tubes:
        client.ask(f"use {tube}")
        while client.ask("kick 10000") != "KICKED 0":
            pass
    while isinstance(job := client.reserve(0), tuple):
        history.rest(*job)
        assert client.ask(f"delete {job[0]}") == "DELETED"
    lost = history.lost()
    assert not lost, f"Q2: acknowledged, but never reserved: {lost}"
    print(f"# {len(history.bodies)} jobs acknowledged, {len(history.deleted)} deleted,"
          f" {len(history.seen)} reserved")


def q2_q3_q4_q7_kill_9_at_random_points():
    print(f"# WHEELQ_SEED={SEED} WHEELQ_KILLS={KILLS}")
    history = History(SEED)
    with harness.Server("--max-loaded", "32") as server:
        for _ in range(KILLS):
            one_run(server, history)
            server.start()
        settle(server.client(), history)


def q2_q3_q4_q7_kill_9_at_each_write():
    """Kill the server at its nth write, half of which reaches the file, or at its nth sync."""
    print(f"# WHEELQ_SEED={SEED} WHEELQ_KILLS={KILLS}")
    history = History(SEED)
    hits = 0
    with harness.Server("--max-loaded", "32") as server:
        for run in range(KILLS):
            server.kill()
            server.env.update(faults.preload(FAULT_AT=1 + run % WRITES, FAULT_KILL=1))
            try:
                server.start()
                hits += one_run(server, history)
            except RuntimeError:
                hits += 1
            server.env = dict(os.environ)
            server.start()
        settle(server.client(), history)
    print(f"# {hits} of {KILLS} runs ended in a write")
    assert hits > KILLS / 2


def q3_deleted_or_reserved_never_both():
    with harness.Server() as server:
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
    with harness.Server() as server:
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
            number, _ = client.reserve(harness.PATIENCE)
            clock, due = asked.pop(number)
            early = due - time.clock_gettime(clock)
            assert early <= 0, f"job {number} was reserved {early} s early"


def q4_not_early_after_a_restart_with_the_clock_set_back_a_year():
    with harness.Server() as server:
        client = server.client()
        number, later = client.put(b"x", delay=1), client.put(b"y", delay=3600)
        due = time.clock_gettime(time.CLOCK_BOOTTIME) + 1
        server.kill()
        server.env.update(faults.preload(FAULT_CLOCK=-365 * 86400))
        client = server.start().client()
        # The queue's clock does not go back: the delay is one second, not one year.
        assert client.reserve(harness.PATIENCE) == (number, b"x")
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= due - 1
        assert int(client.stats(f"stats-job {later}")["time-left"]) <= 3600


def early_after_a_restart(server, count):
    """Nanoseconds by which the earliest of some jobs was reserved before it was due."""
    client = server.client()
    due = {}
    dice = random.Random(SEED)
    for _ in range(count):
        ms = dice.randrange(300, 900)
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        due[client.put(b"x", delay=ms / 1000)] = before + ms * 1000000
    server.kill()
    client = server.start().client()
    early = 0
    while due:
        number, _ = client.reserve(harness.PATIENCE)
        early = max(early, due.pop(number) - time.clock_gettime_ns(time.CLOCK_BOOTTIME))
        assert client.ask(f"delete {number}") == "DELETED"
    return early


def q4_not_early_after_a_restart_in_nanoseconds():
    with harness.Server() as server:
        early = [early_after_a_restart(server, 150) for _ in range(5)]
    assert not any(early), f"jobs were up to {max(early)} ns early"


def q4_not_early_after_a_restart_with_the_clock_set_forward_a_year():
    """The server was down when the clock was set, but the machine was not restarted."""
    with harness.Server() as server:
        number = server.client().put(b"x", delay=3600)
        server.kill()
        server.env.update(faults.preload(FAULT_CLOCK=365 * 86400))
        left = int(server.start().client().stats(f"stats-job {number}")["time-left"])
        assert 3600 - harness.PATIENCE < left <= 3600, left


def set_clock(seconds):
    """Shift the wall clock."""
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + seconds)


def q4_clock_that_is_set_while_it_serves():
    """Delays count elapsed time. Jobs of put-at follow the wall clock."""
    if not os.environ.get("WHEELQ_SETS_CLOCK"):
        raise ktap.Skip("sets the wall clock; permit it with WHEELQ_SETS_CLOCK=yes")
    year, day = 365 * 86400, 86400
    with harness.Server() as server:
        client = server.client()
        due = time.clock_gettime(time.CLOCK_BOOTTIME) + 2
        delayed = client.put(b"x", delay=2)
        at = int(time.time() * 1000) + 3000
        client.send(f"put-at 0 {at} 60 1\r\ny\r\n")
        timed = int(client.answer().split()[1])
        set_clock(-year)
        assert client.reserve()[0] == delayed
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= due
        assert int(client.stats(f"stats-job {timed}")["time-left"]) > year - 3600
        set_clock(year)
        assert client.reserve()[0] == timed
        assert time.time() * 1000 >= at
        client.send(f"put-at 0 {at + day * 1000} 60 1\r\nz\r\nreserve\r\n")
        assert client.answer().startswith("INSERTED")
        set_clock(day)
        assert client.answer()[1] == b"z"
        set_clock(-day)


def q5_after_a_restart_the_overdue_come_in_due_order():
    with harness.Server("--max-loaded", "64") as server:
        client = server.client()
        times = list(range(1000))
        random.Random(SEED).shuffle(times)
        base = int(time.time() * 1000) + 3000
        for at in times:
            client.send(f"put-at 0 {base + at} 60 4\r\n{at:04}\r\n")
        for _ in times:
            assert client.answer().startswith("INSERTED")
        server.kill()
        harness.until(lambda: time.time() * 1000 > base + 1000)
        client = server.start().client()
        came = [int(client.reserve(harness.PATIENCE)[1]) for _ in times]
        assert came == sorted(times)


def q6_by_priority_then_due_then_number():
    with harness.Server("--max-loaded", "16") as server:
        client = server.client()
        dice = random.Random(SEED)
        wanted = []
        for _ in range(200):
            pri = dice.choice([0, 1, 1023, 1024, 2**32 - 1])
            wanted.append((pri, client.put(b"x", pri=pri)))
        got = [client.reserve(0)[0] for _ in wanted]
        assert got == [number for _, number in sorted(wanted)]


def q7_a_ttr_never_ends_early():
    ttr = 1.25
    with harness.Server() as server:
        one, two = server.client(), server.client()
        number = one.put(b"x", ttr=ttr)
        begun = time.clock_gettime(time.CLOCK_BOOTTIME)
        assert one.reserve(0)[0] == number
        two.send("reserve\r\n")
        # On a busy machine, the TTR may expire before the touch.
        touched = time.clock_gettime(time.CLOCK_BOOTTIME)
        if one.ask(f"touch {number}") == "TOUCHED":
            begun = touched
        assert two.answer()[0].startswith(f"RESERVED {number} ")
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= begun + ttr
        assert one.ask(f"touch {number}") == "NOT_FOUND"
        assert two.stats(f"stats-job {number}")["timeouts"] == "1"


# JOB_RESERVED of job.h.
RESERVED = 4


def stored_state(server, number):
    with contextlib.closing(sqlite3.connect(server.store)) as db:
        return db.execute("SELECT state FROM job WHERE id = ?", (number,)).fetchone()[0]


def q7_a_crash_ends_reservations_and_counts_them():
    with harness.Server() as server:
        client = server.client()
        number = client.put(b"x", ttr=1000)
        client.reserve(0)
        harness.until(lambda: stored_state(server, number) == RESERVED)
        server.kill()
        server.start()
        client = server.client()
        said = client.stats(f"stats-job {number}")
        assert (said["state"], said["timeouts"], said["reserves"]) == ("ready", "1", "1"), said


def q7_a_planned_stop_is_not_a_timeout():
    """Neither of a job whose reservation was stored, nor of one that was ready again."""
    with harness.Server() as server:
        client, other = server.client(), server.client()
        numbers = [client.put(b"x", ttr=1000), client.put(b"y", ttr=1000)]
        client.reserve(0)
        other.reserve(0)
        harness.until(lambda: {stored_state(server, number) for number in numbers} == {RESERVED})
        other.close()
        assert server.stop() == 0
        server.start()
        client = server.client()
        for number in numbers:
            said = client.stats(f"stats-job {number}")
            assert (said["state"], said["timeouts"], said["reserves"]) == ("ready", "0", "1"), said


def q8_memory_depends_on_loaded_jobs():
    with harness.Server("--max-loaded", "1024", "--horizon", "60") as server:
        client = server.client()
        load.pipelined(client, [86400] * 20000)
        assert client.stats()["jobs-in-memory"] == "0"
        load.pipelined(client, [0] * 5000)
        assert int(client.stats()["jobs-in-memory"]) <= 1024 + 512
        server.kill()
        server.start()
        said = server.client().stats()
        assert (said["current-jobs-delayed"], said["current-jobs-ready"]) == ("20000", "5000")
        assert int(said["jobs-in-memory"]) <= 1024 + 512


TESTS = ktap.named(globals(), *(f"q{number}_" for number in range(1, 9)))
