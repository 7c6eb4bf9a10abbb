# SPDX-License-Identifier: MIT
"""Failing and full disks, and stores of other programs or versions."""
import contextlib
import errno
import os
import sqlite3
import subprocess
import tempfile

import ktap
import harness

LIBRARY = os.path.join(harness.ROOM, "build", "fault.so")


def preload(**settings):
    return dict(LD_PRELOAD=LIBRARY, **{name: str(value) for name, value in settings.items()})


def until_it_ends(server):
    """The ids that were acknowledged before the server ended."""
    acknowledged = []
    client = server.client()
    try:
        for _ in range(40):
            acknowledged.append(client.put(b"x" * 300))
    except (harness.Gone, OSError):
        pass
    client.close()
    return acknowledged


def fails_at(call, error):
    """Fail from this call on. Return whether the server made that call."""
    with harness.Server(env=preload(FAULT_AT=call, FAULT_ERRNO=error)) as server:
        acknowledged = until_it_ends(server)
        ended = server.process.poll() is not None or len(acknowledged) < 40
        if ended:
            assert server.wait() == 1, "exit status is not 1"
            lines = server.said.decode().splitlines()
            # The line before reports a full disk.
            assert len(lines) <= 2 and "exiting" in lines[-1], lines
            server.env = dict(os.environ)
            server.start()
            client = server.client()
            for number in acknowledged:
                assert client.ask(f"peek {number}") != "NOT_FOUND", f"job {number} is lost"
        return ended


def failures(calls, error):
    """The number of these calls at which a server that serves fails."""
    shown = 0
    for call in calls:
        try:
            shown += fails_at(call, error)
        except RuntimeError as refused:
            assert "exiting" in str(refused), refused
    print(f"# failed while serving at {shown} points")
    return shown


def q1_a_write_that_fails_ends_it():
    """Some of the calls, including those that create the store."""
    assert failures(range(1, 180, 6), errno.EIO) > 5


def q1_a_disk_without_any_space_ends_it():
    """Not even the reserve can be written."""
    assert failures(range(80, 180, 7), errno.ENOSPC) > 3


@contextlib.contextmanager
def small_disk(size):
    """A stopped server whose store is on a file system of this size."""
    with harness.Server() as server:
        server.stop()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "wheelq", server.directory],
                          check=False, stderr=subprocess.DEVNULL).returncode:
            raise ktap.Skip("may not mount a small file system")
        try:
            yield server.start()
        finally:
            server.process.kill()
            server.wait()
            subprocess.run(["umount", server.directory], check=True)


def put_until_full(client, body, delay):
    """The ids of the accepted jobs."""
    accepted = []
    while True:
        client.send(b"put 0 %d 60 %d\r\n%s\r\n" % (delay, len(body), body))
        answer = client.answer()
        if answer == "OUT_OF_MEMORY":
            return accepted
        assert answer.startswith("INSERTED "), answer
        accepted.append(int(answer.split()[1]))


def drain_full_disk(size, body):
    """Fill the disk. Jobs can then still be reserved, released, buried and deleted, also after
    kill -9. All accepted jobs are present. When most are deleted, puts are accepted again."""
    with small_disk(size) as server:
        client = server.client()
        ready = put_until_full(client, body, 0)
        put_until_full(client, b"x", 0)
        print(f"# {size}: {len(ready)} jobs")
        assert len(ready) > 20
        assert client.stats()["store-full"] == "true"
        for _ in range(3):
            number, _ = client.reserve(0)
            assert client.ask(f"release {number} 1 0") == "RELEASED"
            number, _ = client.reserve(0)
            assert client.ask(f"bury {number} 1") == "BURIED"
        server.kill()
        client = server.start().client()
        for number in ready:
            assert client.ask(f"peek {number}") != "NOT_FOUND", number
        for number in ready[:-1]:
            assert client.ask(f"delete {number}") == "DELETED", number
        assert client.put(body) > ready[-1]
        server.kill()
        client = server.start().client()
        assert client.ask(f"peek {ready[-1]}") != "NOT_FOUND"
        assert client.ask(f"peek {ready[0]}") == "NOT_FOUND"


def full_disk_of_8_mb_drains():
    drain_full_disk("8m", b"x" * 60000)


def full_disk_of_60_mb_drains():
    drain_full_disk("60m", b"x" * 1000)


def full_disk_is_filled_by_others():
    """Another program takes all space while the server runs and before it starts."""
    with small_disk("40m") as server:
        client = server.client()
        numbers = [client.put(b"x" * 1000) for _ in range(200)]
        with open(os.path.join(server.directory, "other"), "wb") as other:
            with contextlib.suppress(OSError):
                while True:
                    other.write(b"x" * 4096)
                    other.flush()
            numbers += put_until_full(client, b"x" * 60000, 0)
            server.kill()
            client = server.start().client()
            for number in numbers:
                assert client.ask(f"delete {number}") == "DELETED"
        os.unlink(other.name)
        harness.until(lambda: client.put(b"x" * 60000) and client.stats()["store-full"] == "false")


def store_of_another_version():
    with harness.Server() as server:
        server.stop()
        with sqlite3.connect(server.store) as db:
            db.execute("PRAGMA user_version=99")
        said = server.refusal()
        assert "version is 99" in said, said


def store_that_ended_goes_on_with_the_next_number():
    with harness.Server() as server:
        numbers = [server.client().put(b"x", delay=3600) for _ in range(3)]
        for _ in range(2):
            server.stop()
            client = server.start().client()
            numbers.append(client.put(b"x", delay=3600))
        assert numbers == [1, 2, 3, 4, 5], numbers


def store_counts_its_jobs_after_a_crash():
    """Most puts do not write the counts of their tube and the next id. Both are recovered."""
    jobs = 2500
    with harness.Server() as server:
        client = server.client()
        last = 0
        for tube in ("a", "b"):
            client.ask(f"use {tube}")
            client.send(b"put 0 3600 60 1\r\nx\r\n" * jobs)
            for _ in range(jobs):
                last = int(client.answer().split()[1])
        assert client.ask(f"delete {last}") == "DELETED"
        assert client.ask("delete 1") == "DELETED"
        server.kill()
        client = server.start().client()
        for tube in ("a", "b"):
            assert client.stats(f"stats-tube {tube}")["current-jobs-delayed"] == str(jobs - 1)
        assert client.put(b"x") > last, "an id is used twice"


def store_of_another_program():
    with harness.Server() as server:
        server.stop()
        os.unlink(server.store)
        with sqlite3.connect(server.store) as db:
            db.execute("CREATE TABLE mine(x)")
        assert "another program" in server.refusal()
        with sqlite3.connect(server.store) as db:
            assert db.execute("SELECT name FROM sqlite_schema").fetchall() == [("mine",)]
        with open(server.store, "wb") as file:
            file.write(b"not a database but another file" * 100)
        assert "not a database" in server.refusal()


def store_of_another_server():
    """Also by another name: a hard link is the same file."""
    with harness.Server() as server:
        second = harness.Server(directory=server.directory)
        for name in (server.store, server.store + "-link"):
            second.store = name
            if name != server.store:
                os.link(server.store, name)
            assert "another wheelq" in second.refusal()
        assert server.client().put(b"x") == 1


def store_behind_a_symbolic_link():
    with harness.Server() as server:
        server.client().put(b"x")
        server.stop()
        os.symlink(server.store, server.store + "-link")
        server.store += "-link"
        server.start()
        assert server.client().put(b"y") == 2


def rename_directory(path):
    above = os.path.dirname(os.path.dirname(path))
    os.rename(above, above + "-old")


def store_that_is_moved_ends_it():
    for move in (lambda path: os.rename(path, path + "-old"), os.unlink,
                 lambda path: os.unlink(path + "-wal"), rename_directory):
        with tempfile.TemporaryDirectory() as root:
            directory = os.path.join(root, "above", "directory")
            os.makedirs(directory)
            with harness.Server(directory=directory) as server:
                client = server.client()
                client.put(b"x")
                move(server.store)
                client.send(b"put 0 0 60 1\r\nx\r\n")
                with contextlib.suppress(harness.Gone, ConnectionResetError):
                    raise AssertionError(f"the response is {client.answer()}")
                assert server.wait() == 1
                assert b"renamed or removed" in server.said, server.said


def store_that_is_damaged():
    """A damaged body is never served. Its job is buried, and the others are served."""
    with harness.Server() as server:
        client = server.client()
        bodies = {client.put(body): body for body in (b"%d" % n * 40 for n in range(10))}
        server.stop()
        with open(server.store, "r+b") as file:
            content = file.read()
            for number in (3, 7):
                file.seek(content.index(bodies[number]) + 20)
                file.write(b"!")
        client = server.start().client()
        assert client.ask("peek 3") == "INTERNAL_ERROR"
        assert client.ask("reserve-job 7") == "INTERNAL_ERROR"
        for number in (1, 2, 4, 5, 6, 8, 9, 10):
            assert client.reserve(0) == (number, bodies[number])
        assert client.reserve(0) == "TIMED_OUT"
        assert client.stats("stats-job 3")["state"] == "buried"
        assert client.stats("stats-job 7")["state"] == "buried"
        assert client.stats()["store-damaged"] == "3"
        waiting = server.client()
        waiting.send(b"reserve\r\n")
        harness.until(lambda: client.stats()["current-waiting"] == "1")
        assert client.ask("kick-job 3") == "KICKED"
        last = client.put(b"last")
        assert waiting.answer() == (f"RESERVED {last} 4", b"last")


def check_changed_row(column, value, wrong):
    with harness.Server() as server:
        client = server.client()
        bad, good = client.put(b"bad", delay=1000), client.put(b"good")
        server.stop()
        with contextlib.closing(sqlite3.connect(server.store)) as db, db:
            db.execute(f"UPDATE job SET {column} = {value} WHERE id = ?", (bad,))
        server.start()
        # It may exit before it accepts the connection.
        with contextlib.suppress(harness.Gone, OSError):
            raise AssertionError(f"unexpected response: {server.client().ask(f'stats-job {bad}')}")
        assert server.wait() == 1
        assert f"job {bad} {wrong}".encode() in server.said, server.said
        with contextlib.closing(sqlite3.connect(server.store)) as db, db:
            db.execute("DELETE FROM job WHERE id = ?", (bad,))
        assert server.start().client().reserve(0) == (good, b"good")


def store_with_an_unknown_state():
    """The state of a job is an index of arrays, so a damaged one must not be used."""
    for state in (0, 6, 2**31, -3):
        check_changed_row("state", state, "has the unknown state")


def store_with_a_damaged_row():
    """A job with another due time, state or priority must neither be early nor late."""
    for column in ("due", "state", "pri", "kicks"):
        check_changed_row(column, f"{column} + 1", "does not match its checksum")


def store_that_is_no_longer_a_database():
    with harness.Server() as server:
        client = server.client()
        for number in range(1000):
            client.put(b"x" * 100, delay=number)
        server.stop()
        with open(server.store, "r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 100000)
        assert "sqlite3 .recover" in server.refusal()


def store_is_written_by_its_server_alone():
    with harness.Server() as server:
        client = server.client()
        number = client.put(b"x")
        with contextlib.closing(sqlite3.connect(server.store, timeout=0)) as db:
            assert db.execute("SELECT count(*) FROM job").fetchone() == (1,)
            try:
                db.execute("DELETE FROM job")
            except sqlite3.OperationalError as refused:
                assert "locked" in str(refused), refused
            else:
                raise AssertionError("another program was able to write")
        assert client.reserve(0) == (number, b"x")


def store_log_does_not_grow():
    body, most = b"x" * 60000, 40 << 20
    with harness.Server() as server:
        client = server.client()
        for _ in range(20):
            client.send(b"put 0 3600 60 60000\r\n%s\r\n" % body * 100)
            for _ in range(100):
                assert client.answer().startswith("INSERTED")
        assert os.stat(server.store).st_size > most, "the log is copied into the database"
        assert os.stat(server.store + "-wal").st_size < most


def store_log_of_a_reader_is_limited():
    """A program that reads for long keeps the log from being emptied. Puts are then rejected
    at a limit. When the program ends, puts are accepted and the log is truncated."""
    body, most = b"x" * 60000, 200 << 20
    with harness.Server() as server:
        client = server.client()
        client.put(b"first")
        with contextlib.closing(sqlite3.connect(server.store)) as db:
            db.execute("BEGIN")
            db.execute("SELECT count(*) FROM job").fetchone()
            numbers = put_until_full(client, body, 0)
            assert os.stat(server.store + "-wal").st_size < most
            assert client.ask(f"delete {numbers[0]}") == "DELETED"
        harness.until(lambda: client.ask("kick 1") and
                  client.ask(f"put 0 0 60 1\r\nx").startswith("INSERTED"))
        for _ in range(10):
            client.put(body)
        assert os.stat(server.store + "-wal").st_size < 60 << 20


TESTS = ktap.named(globals(), "q1_", "full_disk_", "store_")
