# SPDX-License-Identifier: MIT
"""Disks that fail or are full, stores that are not ours."""
import errno
import os
import sqlite3
import subprocess

import ktap
import rig

LIBRARY = os.path.join(rig.ROOM, "build", "fault.so")


def preload(**settings):
    return dict(LD_PRELOAD=LIBRARY, **{name: str(value) for name, value in settings.items()})


def until_it_ends(server):
    """The ids that were acknowledged before the server ended."""
    acknowledged = []
    client = server.client()
    try:
        for _ in range(40):
            acknowledged.append(client.put(b"x" * 300))
    except (rig.Gone, OSError):
        pass
    client.close()
    return acknowledged


def fails_at(call, error):
    """Did it get as far as that call?"""
    with rig.Server(env=preload(FAULT_AT=call, FAULT_ERRNO=error)) as server:
        acknowledged = until_it_ends(server)
        ended = server.process.poll() is not None or len(acknowledged) < 40
        if ended:
            assert server.wait() == 1, "it ends with an error"
            lines = server.said.decode().splitlines()
            assert len(lines) == 1 and "nothing more is accepted" in lines[0], lines
            server.env = dict(os.environ)
            server.start()
            client = server.client()
            for number in acknowledged:
                assert client.ask(f"peek {number}") != "NOT_FOUND", f"job {number} is lost"
        return ended


def q1_a_write_that_fails_ends_it():
    # The first calls make the store; from there on, each in turn.
    with rig.Server() as server:
        server.stop()
    shown = 0
    for call in range(1, 180, 6):
        try:
            shown += fails_at(call, errno.EIO)
        except RuntimeError as refused:
            assert "nothing more is accepted" in str(refused), refused
    print(f"# it failed while serving at {shown} points")
    assert shown > 5


def q1_a_full_disk_ends_it():
    shown = 0
    for call in range(80, 180, 7):
        try:
            shown += fails_at(call, errno.ENOSPC)
        except RuntimeError as refused:
            assert "nothing more is accepted" in str(refused), refused
    assert shown > 3


def q1_a_small_disk_is_full():
    with rig.Server() as server:
        server.stop()
        folder = server.folder
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "wheelq", folder],
                          check=False, stderr=subprocess.DEVNULL).returncode:
            raise ktap.Skip("may not mount a small file system")
        try:
            server.start()
            client = server.client()
            acknowledged = []
            try:
                while True:
                    acknowledged.append(client.put(b"x" * 60000))
            except (rig.Gone, OSError):
                pass
            assert server.wait() == 1, server.said
            assert b"full" in server.said or b"No space left" in server.said, server.said
            subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
            server.start()
            client = server.client()
            assert acknowledged
            for number in acknowledged:
                assert client.ask(f"peek {number}") != "NOT_FOUND"
        finally:
            server.process.kill()
            server.wait()
            subprocess.run(["umount", folder], check=True)


def refuses(server):
    try:
        server.start()
    except RuntimeError as refused:
        lines = str(refused).splitlines()
        assert len(lines) == 1, lines
        return lines[0]
    raise AssertionError("it serves that store")


def store_of_a_newer_version():
    with rig.Server() as server:
        server.stop()
        with sqlite3.connect(server.store) as db:
            db.execute("PRAGMA user_version=99")
        said = refuses(server)
        assert "its version is 99" in said and "newer wheelq" in said, said
        with sqlite3.connect(server.store) as db:
            db.execute("PRAGMA user_version=1")
        server.start()


def store_of_another_program():
    with rig.Server() as server:
        server.stop()
        os.unlink(server.store)
        with sqlite3.connect(server.store) as db:
            db.execute("CREATE TABLE mine(x)")
        assert "another program" in refuses(server)
        with sqlite3.connect(server.store) as db:
            assert db.execute("SELECT name FROM sqlite_schema").fetchall() == [("mine",)]
        with open(server.store, "wb") as file:
            file.write(b"not a database, whatever it is" * 100)
        assert "not a database" in refuses(server)


def store_of_another_server():
    with rig.Server() as server:
        second = rig.Server(folder=server.folder)
        assert "another wheelq" in refuses(second)
        assert server.client().put(b"x") == 1


def store_is_copied_and_restored():
    with rig.Server() as server, rig.Server() as other:
        client = server.client()
        number = client.put(b"kept", delay=0.1)
        other.stop()
        with sqlite3.connect(server.store) as db:
            os.unlink(other.store)
            db.execute("VACUUM INTO ?", (other.store,))
        client.put(b"later than the copy")
        other.start()
        assert other.client().reserve(rig.PATIENCE) == (number, b"kept")
        assert other.client().stats()["total-jobs"] == "0"


TESTS = [q1_a_write_that_fails_ends_it, q1_a_full_disk_ends_it, q1_a_small_disk_is_full,
         store_of_a_newer_version, store_of_another_program, store_of_another_server,
         store_is_copied_and_restored]
