# SPDX-License-Identifier: MIT
"""Limits of a tube: reserved jobs, and reservations per second."""
import time

import harness
import ktap


def ready(server, count, tube="default"):
    client = server.client()
    client.ask(f"use {tube}")
    return client, [client.put(b"x") for _ in range(count)]


def tube_limit_of_reserved_jobs():
    """Each way to end a reservation permits another one, also for a waiting worker."""
    with harness.Server() as server:
        client, ids = ready(server, 9)
        worker = server.client()
        assert client.ask("limit-tube default 2 0") == "LIMITED"
        assert [worker.reserve(0)[0] for _ in range(2)] == ids[:2]
        assert worker.reserve(0) == client.reserve(0) == "TIMED_OUT"
        assert client.ask(f"reserve-job {ids[8]}") == "NOT_FOUND"
        assert worker.ask(f"delete {ids[0]}") == "DELETED"
        assert worker.reserve(0)[0] == ids[2]
        for end in (f"delete {ids[1]}", f"bury {ids[2]} 0", f"release {ids[3]} 0 1000"):
            client.send("reserve\r\n")
            harness.until(lambda: worker.stats()["current-waiting"] == "1")
            worker.send(end + "\r\n")
            number = int(client.answer()[0].split()[1])
            worker.answer()
            assert client.ask(f"release {number} 0 0") == "RELEASED"
            assert worker.reserve(0)[0] == number
        client.send("reserve\r\n")
        harness.until(lambda: worker.stats()["current-waiting"] == "1")
        worker.close()
        assert client.answer()[0].startswith("RESERVED")


def tube_limit_ends_with_the_ttr():
    with harness.Server() as server:
        client = server.client()
        first, second = client.put(b"x", pri=9, ttr=0.2), client.put(b"x", pri=10)
        client.ask("limit-tube default 1 0")
        assert client.reserve(0)[0] == first
        worker = server.client()
        assert worker.reserve(harness.PATIENCE)[0] in (first, second)


def tube_limit_of_the_rate():
    """Reservations are at least 1/rate apart, to a millisecond, and waiting workers are served."""
    with harness.Server() as server:
        client, _ = ready(server, 30)
        assert client.ask("limit-tube default 0 50.5") == "LIMITED"
        times = []
        for _ in range(30):
            assert isinstance(client.reserve(harness.PATIENCE), tuple)
            times.append(time.clock_gettime(time.CLOCK_BOOTTIME))
        assert times[-1] - times[0] >= 29 / 50.5 - 0.1, times
        before = time.clock_gettime(time.CLOCK_BOOTTIME)
        client.ask("limit-tube default 0 0.001")
        client.put(b"x")
        client.put(b"y")
        assert isinstance(client.reserve(0), tuple)
        if time.clock_gettime(time.CLOCK_BOOTTIME) < before + 900:
            assert client.reserve(0) == "TIMED_OUT"
        # A waiting worker is served when the limit is removed.
        client.ask("use other")
        worker = server.client()
        worker.send("reserve\r\n")
        harness.until(lambda: client.stats()["current-waiting"] == "1")
        assert client.ask("limit-tube default 0 0") == "LIMITED"
        assert worker.answer()[0].startswith("RESERVED")


def tube_limit_of_a_high_rate():
    """Several reservations within a tick of the timers are possible."""
    with harness.Server() as server:
        client, ids = ready(server, 100)
        client.ask("limit-tube default 0 4294967295")
        client.send("reserve-with-timeout 0\r\n" * 100)
        assert [client.answer()[0] for _ in ids] == [f"RESERVED {number} 1" for number in ids]


def tube_limit_leaves_other_tubes_alone():
    with harness.Server() as server:
        client, ids = ready(server, 2)
        client.ask("limit-tube default 1 0")
        _, others = ready(server, 2, "other")
        client.ask("watch other")
        assert [client.reserve(0)[0] for _ in range(3)] == [ids[0], *others]
        assert client.reserve(0) == "TIMED_OUT"


def tube_limit_survives_a_crash():
    with harness.Server() as server:
        client = server.client()
        assert client.ask("limit-tube jobs 3 1.5") == "LIMITED"
        assert client.ask("limit-tube gone 1 0") == "LIMITED"
        assert client.ask("limit-tube gone 0 0") == "LIMITED"
        server.kill()
        client = server.start().client()
        said = client.stats("stats-tube jobs")
        assert (said["limit-reserved"], said["limit-rate"]) == ("3", "1.500"), said
        assert client.ask("stats-tube gone") == "NOT_FOUND"
        _, ids = ready(server, 2, "jobs")
        client.ask("watch jobs")
        assert client.reserve(0)[0] == ids[0]
        assert client.reserve(0) == "TIMED_OUT"
        assert client.reserve(harness.PATIENCE)[0] == ids[1]


def tube_limit_of_nonsense():
    with harness.Server("--max-tubes", "2") as server:
        client = server.client()
        for line in ("limit-tube", "limit-tube a", "limit-tube a 1", "limit-tube a x 1",
                     "limit-tube a 1 x", "limit-tube -a 1 1", "limit-tube a 1 1 1"):
            assert client.ask(line) == "BAD_FORMAT", line
        assert client.ask("limit-tube a 1 1") == "LIMITED"
        assert client.ask("limit-tube b 1 1") == "TOO_MANY_TUBES"
        assert "limit-rate" not in client.stats("stats-tube default")
        client.ask("pause-tube a 0")
        assert client.ask("limit-tube a 0 0") == "LIMITED"
        assert client.ask("limit-tube b 1 1") == "LIMITED"


TESTS = ktap.named(globals(), "tube_limit_")
