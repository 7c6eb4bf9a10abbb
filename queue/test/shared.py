# SPDX-License-Identifier: MIT
"""The guarantees of one server with a store in PostgreSQL."""
import contextlib
import os
import select
import statistics
import subprocess
import time

import hostile
import keys
import ktap
import limits
import load
import lists
import postgres
import guarantees
import harness
from guarantees import SEED

# Tests that delay writes to a disk, read SQLite's file or set the clock.
OF_A_FILE = ("q1_no_answer_before_the_disk_has_it", "q2_q3_q4_q7_kill_9_at_each_write",
             "q4_clock_that_is_set_while_it_serves", "q7_a_crash_ends_reservations_and_counts_them",
             "q7_a_planned_stop_is_not_a_timeout")

# Duration of the test with an open snapshot, in seconds. 0 is four rounds.
SNAPSHOT_SECONDS = float(os.environ.get("WHEELQ_SNAPSHOT_SECONDS", "0"))
ROUND = 500


def on_postgres(test):
    with postgres.stores():
        test()


def postgres_as_the_oracle():
    uri = postgres.started().new_store()
    said = subprocess.run([os.path.join(harness.ROOM, "build", "unit"), str(SEED)], check=False,
                          env=dict(os.environ, WHEELQ_POSTGRES=uri),
                          stdout=subprocess.PIPE, text=True)
    print("".join(f"# {line}\n" for line in said.stdout.splitlines()), end="")
    assert said.returncode == 0 and "\nok 1 " in said.stdout


@contextlib.contextmanager
def transaction(store, statement):
    """Another program has an open transaction until the end of the block, which is rolled back."""
    with subprocess.Popen(["psql", "-XAtq", store], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as psql:
        psql.stdin.write(f"BEGIN ISOLATION LEVEL REPEATABLE READ; {statement};\n".encode() +
                         b"SELECT 'open';\n")
        psql.stdin.flush()
        assert b"open\n" in iter(psql.stdout.readline, b"")
        yield
        psql.stdin.close()


def commits_held_up(store):
    """Delay all commits of PostgreSQL until the end of the block."""
    return transaction(store, "SELECT FROM wheelq_epoch FOR UPDATE")


def waits_for_a_lock(store):
    return postgres.sql(store, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type"
                        " = 'Lock' AND application_name = 'wheelq'") == "1"


def postgres_q1_no_answer_before_the_commit():
    with postgres.stores(), harness.Server() as server:
        client, other = server.client(), server.client()
        client.put(b"before")
        with commits_held_up(server.store):
            client.send("put 0 0 60 1\r\nx\r\n")
            other.send("put 0 0 60 1\r\ny\r\nstats\r\n")
            harness.until(lambda: waits_for_a_lock(server.store))
            early = select.select([client.socket, other.socket], [], [], 0)[0]
            assert not early, "a response was sent before the commit"
        assert client.answer().startswith("INSERTED")
        assert other.answer().startswith("INSERTED")


def one_line(server):
    """Wait until the server fails. Return its only line of output."""
    assert server.wait() == 0
    lines = server.said.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def postgres_q3_another_epoch_ends_it():
    for asked in ("reserve", "put 0 0 60 1\r\ny"):
        with postgres.stores(), harness.Server() as server:
            client = server.client()
            client.put(b"x")
            postgres.sql(server.store, "UPDATE wheelq_epoch SET epoch = epoch + 1")
            with contextlib.suppress(harness.Gone, OSError):
                raise AssertionError(f"unexpected response: {client.ask(asked)}")
            assert "another server has taken over" in one_line(server)


@contextlib.contextmanager
def stopped_postgres(server):
    """Stop PostgreSQL, and wait until the server has detected it. Start PostgreSQL at the end."""
    idle = server.client()
    postgres.started().crash()
    try:
        doomed = server.client()
        with contextlib.suppress(harness.Gone, OSError):
            assert doomed.ask("put 0 0 60 1\r\ny") == "OUT_OF_MEMORY"
        harness.until(lambda: idle.stats()["store-available"] == "false")
        yield idle
    finally:
        postgres.started().start()


def is_available(client):
    return client.stats()["store-available"] == "true"


def postgres_restart_is_survived():
    """The server keeps its idle connections, and rejects what needs the store. When PostgreSQL is
    available again, no acknowledged job is missing."""
    with postgres.stores(), harness.Server() as server:
        client, worker = server.client(), server.client()
        numbers = [client.put(b"x", delay=1000) for _ in range(20)]
        worker.send("watch w\r\nignore default\r\nreserve\r\n")
        assert (worker.answer(), worker.answer()) == ("WATCHING 2", "WATCHING 1")
        half = server.client()
        half.send("put 0 0 60 1\r\n")
        with stopped_postgres(server) as idle:
            assert idle.stats()["current-waiting"] == "1"
            assert idle.stats()["current-jobs-delayed"] == "20"
            for line in ("put 0 0 60 1\r\nx", f"delete {numbers[0]}", "peek-ready", "kick 1",
                         f"peek {numbers[0]}", "stats-job 1", "list-jobs delayed 0 9"):
                assert idle.ask(line) == "OUT_OF_MEMORY", line
            assert half.ask("x") == "OUT_OF_MEMORY"
            assert idle.ask("use w") == "USING w"
            assert idle.reserve(0) == "TIMED_OUT"
            late = server.client()
            late.send("watch w\r\nreserve\r\n")
            assert late.answer() == "WATCHING 2"
            harness.until(lambda: idle.stats()["current-waiting"] == "2")
            for name in ("/metrics", "/none"):
                raw = server.client()
                raw.send(f"GET {name} HTTP/1.1\r\n\r\n")
                assert raw.file.read().startswith(b"HTTP/1.1 "), name
        harness.until(lambda: is_available(idle))
        for number in numbers:
            assert idle.ask(f"peek {number}") == (f"FOUND {number} 1", b"x")
        assert idle.ask("list-tube-used") == "USING w"
        first, second = idle.put(b"for a worker"), idle.put(b"for another")
        served = {worker.answer()[0], late.answer()[0]}
        assert served == {f"RESERVED {first} 12", f"RESERVED {second} 11"}, served


def postgres_outage_with_many_due_jobs_is_survived():
    """Jobs that become due meanwhile are changes that cannot be committed. They do not stop the
    server: 3,500 of them are more than it lets wait for one commit."""
    with postgres.stores(), harness.Server("--max-loaded", "4000") as server:
        client = server.client()
        for delay, count in ((0, 8000), (10, 3500)):
            for _ in range(0, count, 500):
                client.send(f"put {delay} {delay} 60 1\r\nx\r\n" * 500)
                assert all(client.answer().startswith("INSERTED ") for _ in range(500))
        with stopped_postgres(server) as idle:
            harness.until(lambda: idle.stats()["current-jobs-delayed"] == "0")
        harness.until(lambda: is_available(idle))


def postgres_restart_ends_reservations():
    """As a crash of the server does: the worker is disconnected, and the job is ready again."""
    with postgres.stores(), harness.Server() as server:
        client, worker = server.client(), server.client()
        number = client.put(b"x")
        assert worker.reserve(0) == (number, b"x")
        with stopped_postgres(server) as idle:
            with contextlib.suppress(ConnectionResetError):
                assert worker.file.read() == b""
            assert idle.reserve(0) == "TIMED_OUT"
        assert idle.reserve(harness.PATIENCE) == (number, b"x")


def postgres_restarts_many_times():
    """Put, reserve and delete while PostgreSQL is restarted: no acknowledged job is lost, and no
    deleted one is reserved."""
    with postgres.stores(), harness.Server() as server:
        put, deleted = set(), set()
        for _ in range(4):
            client = server.client()
            put.add(client.put(b"x"))
            client.send(b"put 0 0 60 1\r\nx\r\nreserve-with-timeout 0\r\n" * 2000)
            put.add(int(client.line().split()[1]))
            postgres.started().crash()
            with contextlib.suppress(harness.Gone, OSError):
                while True:
                    words = client.line().split()
                    if words[0] == "INSERTED":
                        put.add(int(words[1]))
                    if words[0] == "RESERVED":
                        assert int(words[1]) not in deleted
                        client.file.readline()
            postgres.started().start()
            client = server.client()
            harness.until(lambda client=client: is_available(client))
            for number in sorted(put - deleted)[:20]:
                assert client.ask(f"delete {number}") == "DELETED"
                deleted.add(number)
        for number in put:
            assert (client.ask(f"peek {number}") == "NOT_FOUND") == (number in deleted), number
        print(f"# {len(put)} jobs acknowledged, {len(deleted)} deleted")


def postgres_that_does_not_run_is_reported_at_the_start():
    with postgres.stores(), harness.Server() as server:
        with stopped_postgres(server):
            server.kill()
            assert "cannot open the store" in server.refusal()
        server.start()


def postgres_store_that_is_damaged():
    """A damaged body is never served, and its job is buried. A damaged due time ends the server."""
    with postgres.stores(), harness.Server() as server:
        client = server.client()
        numbers = [client.put(b"body%d" % n) for n in range(5)]
        late = client.put(b"late", delay=1000)
        server.stop()
        postgres.sql(server.store, f"UPDATE wheelq_job SET body = 'bodyX' WHERE id = {numbers[2]}")
        client = server.start().client()
        assert client.ask(f"peek {numbers[2]}") == "INTERNAL_ERROR"
        for n in (0, 1, 3, 4):
            assert client.reserve(0) == (numbers[n], b"body%d" % n)
        assert client.reserve(0) == "TIMED_OUT"
        assert client.stats(f"stats-job {numbers[2]}")["state"] == "buried"
        server.stop()
        postgres.sql(server.store, f"UPDATE wheelq_job SET due = due - 500000 WHERE id = {late}")
        with contextlib.suppress(harness.Gone, OSError):
            raise AssertionError(server.start().client().ask(f"peek {late}"))
        assert server.wait() == 1
        assert f"job {late} does not match its checksum".encode() in server.said, server.said


def postgres_store_of_another_version():
    with postgres.stores(), harness.Server() as server:
        server.stop()
        postgres.sql(server.store, "UPDATE wheelq_store SET version = 99")
        assert "version is 99" in server.refusal()


@contextlib.contextmanager
def on_standby(serving, *options):
    """Another server of the same store, until it takes over."""
    with harness.Server() as other:
        other.stop()
        other.store, other.options = serving.store, options
        stand_by(other)
        yield other


def stand_by(server):
    server.launch()
    assert b"on standby" in server.process.stderr.readline()
    with contextlib.suppress(ConnectionRefusedError):
        raise AssertionError(f"it accepts a connection: {server.client()}")


def blocks_read(store, deleted):
    """The number of blocks that all sessions have accessed when @deleted jobs are deleted."""
    def counted():
        return int(postgres.sql(store, "SELECT n_tup_del FROM pg_stat_user_tables"
                                " WHERE relname = 'wheelq_job'"))
    harness.until(lambda: counted() == deleted)
    return int(postgres.sql(store, "SELECT sum(heap_blks_hit + heap_blks_read"
                            " + coalesce(idx_blks_hit + idx_blks_read, 0))"
                            " FROM pg_statio_user_tables"))


def put_reserve_and_delete(client, count):
    """One by one, the oldest job each time. Return the median time of a put, in seconds."""
    took = []
    for _ in range(count):
        begun = time.monotonic()
        number = client.put(b"x")
        took.append(time.monotonic() - begun)
        assert client.ask(f"delete {client.reserve(0)[0]}") == "DELETED"
    return statistics.median(took)


def session_of(server):
    """The process of PostgreSQL that serves this server."""
    return postgres.sql(server.store, "SELECT pid FROM pg_stat_activity JOIN pg_locks USING(pid)"
                        " WHERE datname = current_database() AND locktype = 'advisory'")


def postgres_snapshot_does_not_slow_commits_down():
    """While a snapshot is open, no version of a row can be removed. Each commit must access as few
    blocks after many commits as at first, also with a server on standby. The first round is not
    measured, because indexes get a second level. A server whose database has no snapshot takes
    turns, so that CPU times can be compared while the load of the machine changes."""
    with postgres.stores(), harness.Server() as server, harness.Server() as without, \
         on_standby(server):
        deleted, blocks, cpu, put = ROUND, [], {server: [], without: []}, {server: [], without: []}
        clients = {each: each.client() for each in cpu}
        pids = {each: [session_of(each)] for each in cpu}
        for client in clients.values():
            load.pipelined(client, [0] * ROUND)
        end = time.monotonic() + SNAPSHOT_SECONDS
        # A snapshot, as pg_dump has.
        with transaction(server.store, "SELECT 1"):
            for client in clients.values():
                put_reserve_and_delete(client, ROUND)
            last = blocks_read(server.store, deleted)
            while len(blocks) < 4 or time.monotonic() < end:
                for each, client in clients.items():
                    used = load.used_by(pids[each])
                    put[each].append(1e6 * put_reserve_and_delete(client, ROUND))
                    cpu[each].append(1e6 * (load.used_by(pids[each]) - used) / ROUND)
                deleted += ROUND
                now = blocks_read(server.store, deleted)
                blocks.append((now - last) / ROUND)
                last = now
        tenth = -(-len(blocks) // 10)
        for what, values in (("blocks per job", blocks),
                             ("us of CPU time of PostgreSQL's session per job", cpu[server]),
                             ("the same without a snapshot", cpu[without]),
                             ("us per put", put[server]),
                             ("the same without a snapshot", put[without])):
            print(f"# {what}: {statistics.median(values[:tenth]):.1f} in the first rounds,"
                  f" {statistics.median(values[-tenth:]):.1f} in the last ones")
        print(f"# {len(blocks)} rounds of {ROUND} jobs")
        assert max(blocks) < 1.5 * blocks[0]


def postgres_standby_holds_no_snapshot():
    with postgres.stores(), harness.Server() as server, on_standby(server):
        seen = [postgres.sql(server.store, "SELECT count(*) FROM pg_stat_activity"
                             " WHERE application_name = 'wheelq' AND datname = current_database()"
                             " AND state = 'idle' AND backend_xmin IS NULL")
                for _ in range(20)]
        assert seen.count("2") > 15, seen


def postgres_pipeline_of_round_trips_shares_the_server():
    """Each search for a key waits for PostgreSQL. Other clients are served in between."""
    with postgres.stores(), harness.Server() as server:
        hostile.serves_in_between(server.client(), server.client(), "peek-key a")


def postgres_without_fsync_is_refused():
    admin = postgres.started().uri("postgres")

    def fsync(value):
        postgres.sql(admin, f"ALTER SYSTEM SET fsync = {value}")
        postgres.sql(admin, "SELECT pg_reload_conf()")
        harness.until(lambda: postgres.sql(admin, "SHOW fsync") == value)

    with postgres.stores(), harness.Server() as server:
        server.stop()
        fsync("off")
        try:
            assert "fsync=off" in server.refusal()
        finally:
            fsync("on")
        server.start()


def postgres_limit_of_bytes_counts_what_is_there():
    with postgres.stores(), harness.Server("--max-bytes", "100000") as server:
        client = server.client()
        numbers = []
        while (answer := client.ask("put 0 0 60 10000\r\n" + "x" * 10000)) != "OUT_OF_MEMORY":
            numbers.append(int(answer.split()[1]))
        assert 5 < len(numbers) < 11, numbers
        server.kill()
        client = server.start().client()
        assert client.ask("put 0 0 60 1\r\nx") == "OUT_OF_MEMORY"
        for number in numbers:
            assert client.ask(f"delete {number}") == "DELETED"
        assert client.put(b"y")
        server.kill()
        assert server.start().client().stats()["store-bytes"] == "257"


def postgres_is_copied_and_restored():
    with postgres.stores(), harness.Server() as server:
        client = server.client()
        number = client.put(b"kept", delay=0.1)
        dump = subprocess.run(["pg_dump", server.store], check=True, stdout=subprocess.PIPE)
        client.put(b"later than the copy")
        other = harness.Server()
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", other.store], check=True,
                       input=dump.stdout, stdout=subprocess.DEVNULL)
        with other:
            client = other.client()
            assert client.reserve(harness.PATIENCE) == (number, b"kept")
            assert client.ask("peek-ready") == "NOT_FOUND"


TESTS = [ktap.bound(f"postgres_{test.__name__}", on_postgres, test)
         for test in guarantees.TESTS + keys.TESTS + limits.TESTS + lists.TESTS
         if test.__name__ not in OF_A_FILE]
TESTS += ktap.named(globals(), "postgres_")
