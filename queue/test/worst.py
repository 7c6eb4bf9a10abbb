# SPDX-License-Identifier: MIT
"""What happens to PostgreSQL itself: it is restarted, its replica is promoted, its disk is full, or
its administrator ends sessions."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time

import harness
import ktap
import postgres
import shards

TUBES = shards.TUBES[:4]


@contextlib.contextmanager
def replicated():
    """A PostgreSQL with a synchronous replica."""
    programs = postgres.started().programs
    primary = postgres.Postgres(programs)
    try:
        replica = postgres.Postgres(programs, primary=primary)
        try:
            admin = primary.uri("postgres")
            postgres.sql(admin, "ALTER SYSTEM SET synchronous_standby_names = 'replica'")
            postgres.sql(admin, "SELECT pg_reload_conf()")
            harness.until(lambda: postgres.sql(
                admin, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
            yield primary, replica
        finally:
            replica.remove()
    finally:
        if primary.runs():
            primary.crash()
        shutil.rmtree(primary.directory)


def served_by_any(servers, action):
    """The result of an action of a client, with a server that is able to run it."""
    result = []

    def succeeds():
        for server in servers:
            with contextlib.suppress(harness.Gone, OSError, AssertionError):
                result.append(action(server.client()))
                return True
        return False
    harness.until(succeeds)
    return result[0]


def put_in(tube):
    def action(client):
        assert client.ask(f"use {tube}") == f"USING {tube}"
        return client.put(tube.encode())
    return action


def finds(number):
    def action(client):
        assert client.ask(f"peek {number}")[0].startswith("FOUND ")
    return action


@contextlib.contextmanager
def two_servers(store, with_shards):
    with contextlib.ExitStack() as stack:
        servers = [harness.Server() for _ in range(2)]
        for server in servers:
            server.store = store
            if with_shards:
                shards.own_group(server)
                stack.callback(server.__exit__)
                stack.callback(shards.signal_all, server, signal.SIGKILL)
            else:
                stack.callback(server.__exit__)
            server.launch()
        yield servers


def survives(store, with_shards, fault):
    """Acknowledged jobs are present after a fault, and puts are accepted."""
    with two_servers(store, with_shards) as servers:
        put = {served_by_any(servers, put_in(tube)) for tube in TUBES for _ in range(20)}
        fault()
        begun = time.monotonic()
        put |= {served_by_any(servers, put_in(tube)) for tube in TUBES}
        took = time.monotonic() - begun
        for number in put:
            served_by_any(servers, finds(number))
    print(f"# puts were accepted after {took:.1f} s; {len(put)} jobs acknowledged")


def replica_is_promoted(with_shards):
    with replicated() as (primary, replica):
        def promote():
            primary.crash()
            replica.run("pg_ctl", "-w", "promote")
        store = primary.new_store().replace(primary.directory,
                                            f"{primary.directory},{replica.directory}")
        survives(store + "&target_session_attrs=read-write", with_shards, promote)


def two_servers_and_a_restart(with_shards):
    def restart():
        postgres.started().crash()
        postgres.started().start()
    survives(postgres.started().new_store(), with_shards, restart)


def sessions_are_terminated(with_shards):
    """An administrator ends the sessions of the servers that hold the store."""
    store = postgres.started().new_store()
    survives(store, with_shards, lambda: postgres.sql(
        store, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))


def postgres_disk_is_full():
    """Puts are not acknowledged. When there is space, all acknowledged jobs are present."""
    directory = tempfile.mkdtemp(prefix="postgres.")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "wheelq", directory],
                      check=False, stderr=subprocess.DEVNULL).returncode:
        raise ktap.Skip("may not mount a small file system")
    try:
        full = postgres.Postgres(postgres.started().programs, directory)
        ballast = os.path.join(directory, "ballast")
        with open(ballast, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, 60 << 20)
        try:
            with harness.Server() as server:
                server.stop()
                server.store = full.new_store()
                idle = server.start().client()
                put = put_until_closed(server)
                assert idle.ask("use w") == "USING w"
                os.unlink(ballast)
                for number in put:
                    served_by_any([server], finds(number))
                served_by_any([server], put_in("w"))
                print(f"# {len(put)} jobs until the disk was full")
        finally:
            full.crash()
    finally:
        subprocess.run(["umount", directory], check=True)
        os.rmdir(directory)


def put_until_closed(server):
    client, put = server.client(), []
    with contextlib.suppress(harness.Gone, OSError):
        while True:
            put.append(client.put(os.urandom(50000), delay=1000))
    return put


TESTS = [ktap.bound(f"postgres_{with_shards}{test.__name__}", test, bool(with_shards))
         for test in (sessions_are_terminated, replica_is_promoted, two_servers_and_a_restart)
         for with_shards in ("", "shards_")] + [postgres_disk_is_full]
