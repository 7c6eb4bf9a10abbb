# SPDX-License-Identifier: MIT
"""The guarantees of one server with a store in PostgreSQL."""
import contextlib
import os
import select
import subprocess

import keys
import limits
import lists
import postgres
import promises
import rig
from promises import SEED

# Tests that delay writes to a disk, read SQLite's file or set the clock.
OF_A_FILE = ("q1_no_answer_before_the_disk_has_it", "q2_q3_q4_q7_kill_9_at_each_write",
             "q4_clock_that_is_set_while_it_serves", "q7_a_crash_ends_leases_and_counts_them")


def on_postgres(test):
    def run():
        with postgres.stores():
            test()
    run.__name__ = f"postgres_{test.__name__}"
    return run


def postgres_as_the_oracle():
    uri = postgres.started().new_store()
    said = subprocess.run([os.path.join(rig.ROOM, "build", "unit"), str(SEED)], check=False,
                          env=dict(os.environ, WHEELQ_POSTGRES=uri),
                          stdout=subprocess.PIPE, text=True)
    print("".join(f"# {line}\n" for line in said.stdout.splitlines()), end="")
    assert said.returncode == 0 and "\nok 1 " in said.stdout


@contextlib.contextmanager
def commits_held_up(store):
    """Delay all commits of PostgreSQL until the end of the block."""
    with subprocess.Popen(["psql", "-XAtq", store], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holds:
        holds.stdin.write(b"BEGIN; SELECT 'held' FROM wheelq_store FOR UPDATE;\n")
        holds.stdin.flush()
        assert holds.stdout.readline() == b"held\n"
        yield
        holds.stdin.close()


def waits_for_a_lock(store):
    return postgres.sql(store, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type"
                        " = 'Lock' AND application_name = 'wheelq'") == "1"


def postgres_q1_no_answer_before_the_commit():
    with postgres.stores(), rig.Server() as server:
        client, other = server.client(), server.client()
        client.put(b"before")
        with commits_held_up(server.store):
            client.send("put 0 0 60 1\r\nx\r\n")
            other.send("put 0 0 60 1\r\ny\r\nstats\r\n")
            rig.until(lambda: waits_for_a_lock(server.store))
            early = select.select([client.socket, other.socket], [], [], 0)[0]
            assert not early, "a response was sent before the commit"
        assert client.answer().startswith("INSERTED")
        assert other.answer().startswith("INSERTED")


def one_line(server):
    """Wait until the server fails. Return its only line of output."""
    assert server.wait() == 1
    lines = server.said.decode().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def postgres_q3_another_epoch_ends_it():
    for asked in ("reserve", "put 0 0 60 1\r\ny"):
        with postgres.stores(), rig.Server() as server:
            client = server.client()
            client.put(b"x")
            postgres.sql(server.store, "UPDATE wheelq_store SET epoch = epoch + 1")
            with contextlib.suppress(rig.Gone, OSError):
                raise AssertionError(f"unexpected response: {client.ask(asked)}")
            assert "another server has taken over" in one_line(server)


def postgres_crashes_and_nothing_is_lost():
    with postgres.stores(), rig.Server() as server:
        client = server.client()
        numbers = [client.put(b"x") for _ in range(20)]
        postgres.started().crash()
        try:
            with contextlib.suppress(rig.Gone, OSError):
                client.put(b"y")
                raise AssertionError("a response was sent without a store")
            assert "exiting" in one_line(server)
            assert "cannot open the store" in refusal(server)
        finally:
            postgres.started().start()
        client = server.start().client()
        for number in numbers:
            assert client.ask(f"peek {number}") != "NOT_FOUND", f"job {number} is lost"


def refusal(server):
    try:
        server.start()
    except RuntimeError as refused:
        return str(refused)
    raise AssertionError("it serves")


def postgres_store_of_a_newer_version():
    with postgres.stores(), rig.Server() as server:
        server.stop()
        postgres.sql(server.store, "UPDATE wheelq_store SET version = 99")
        assert "is 99" in refusal(server) and b"newer wheelq" in server.said


def postgres_store_of_an_older_version():
    with postgres.stores(), rig.Server() as server:
        number = server.client().put(b"old")
        server.stop()
        postgres.sql(server.store, "ALTER TABLE wheelq_store DROP COLUMN counted")
        postgres.sql(server.store, "ALTER TABLE wheelq_job DROP COLUMN key")
        postgres.sql(server.store, "DROP TABLE wheelq_limit")
        postgres.sql(server.store, "UPDATE wheelq_store SET version = 1")
        client = server.start().client()
        said = client.stats("stats-tube default")
        assert said["current-jobs-ready"] == "1", said
        assert client.reserve(0) == (number, b"old")
        assert client.put(b"new") > number
        server.stop()
        assert b"upgraded from version 1 to 4" in server.said, server.said


def postgres_without_fsync_is_refused():
    admin = postgres.started().uri("postgres")

    def fsync(value):
        postgres.sql(admin, f"ALTER SYSTEM SET fsync = {value}")
        postgres.sql(admin, "SELECT pg_reload_conf()")
        rig.until(lambda: postgres.sql(admin, "SHOW fsync") == value)

    with postgres.stores(), rig.Server() as server:
        server.stop()
        fsync("off")
        try:
            assert "fsync=off" in refusal(server)
        finally:
            fsync("on")
        server.start()


def postgres_limit_of_bytes_counts_what_is_there():
    with postgres.stores(), rig.Server("--max-bytes", "100000") as server:
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


def postgres_is_copied_and_restored():
    with postgres.stores(), rig.Server() as server:
        client = server.client()
        number = client.put(b"kept", delay=0.1)
        dump = subprocess.run(["pg_dump", server.store], check=True, stdout=subprocess.PIPE)
        client.put(b"later than the copy")
        other = rig.Server()
        subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", other.store], check=True,
                       input=dump.stdout, stdout=subprocess.DEVNULL)
        with other:
            client = other.client()
            assert client.reserve(rig.PATIENCE) == (number, b"kept")
            assert client.ask("peek-ready") == "NOT_FOUND"


TESTS = [on_postgres(test) for test in promises.TESTS + keys.TESTS + limits.TESTS + lists.TESTS
         if test.__name__ not in OF_A_FILE]
TESTS += [value for name, value in sorted(globals().items()) if name.startswith("postgres_")]
