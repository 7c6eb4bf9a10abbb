# SPDX-License-Identifier: MIT
"""Tests of wheel_expire with MULTI and EXEC."""

import os
import time

import cases
from cases import (ANOTHER, CROWD, FAR, SPARE, assert_next, crowd, due_of, expired, field, is_newer,
                   listener_of, put_before_another, error_of, served, wait, ways_to_expire)
from ktap import Late, Skip
from redis import ServerError, Server


def assert_not_notified(client):
    """The module has not subscribed to keyspace notifications, unless the server is newer."""
    assert field(client, "notified") == is_newer(client)


def require_commands(client):
    if is_newer(client):
        raise Skip("the module uses keyspace notifications on this server")


def left_open(client, *commands, seconds=0.4):
    """Queues commands, and leaves the transaction open for some time."""
    replies = client.many([("MULTI",), *commands])
    assert set(replies[1:]) <= {"QUEUED"}, replies
    begun = time.time()
    wait(lambda: time.time() > begun + seconds)


def test_each_command_is_read_in_a_transaction():
    with served() as (_, client, listener):
        for count, (way, commands) in enumerate(ways_to_expire(client).items(), 1):
            if isinstance(commands, bytes):
                commands = [tuple(commands.decode().split())]
            replies = client.many([("MULTI",), *commands, FAR, ("EXEC",),
                                   ("PEXPIRETIME", "mine")])
            assert_next(client, listener, "mine", due_of(way, replies[-1]), count)
        assert_not_notified(client)


def test_open_transaction_outlasts_its_ttl():
    with served() as (_, client, listener):
        left_open(client, ("SET", "mine", "1", "PX", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_open_transaction_shortens_a_ttl():
    with served() as (server, client, listener):
        other = server.client()
        other("SET", "mine", "1", "EX", 50)
        left_open(client, ("PEXPIRE", "mine", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_open_transaction_sets_its_shortest_ttl():
    for lives in ((200, 30000), (30000, 200)):
        with served() as (_, client, listener):
            # Only one of the two succeeds, and the module cannot know which.
            sets = [("SET", "mine", "1", "PX", ms, "NX" if ms == 200 else "XX")
                    for ms in lives]
            left_open(client, *sets, ("DEL", "mine"), sets[lives.index(200)], FAR)
            assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
            assert_not_notified(client)


def test_open_transaction_sets_a_time_in_the_past():
    with served() as (_, client, _):
        due = client.now_ms() + 100
        left_open(client, ("SET", "mine", "1", "PXAT", due), FAR)
        client.many([("EXEC",), ANOTHER])
        # Redis leaves the deletion of the key to the module, Valkey does not.
        wait(lambda: client.many([("DBSIZE",), ("EXISTS", "far", "another")]) == [CROWD + 2, 2])
        assert_not_notified(client)


def test_open_transaction_copies_the_ttl_of_another_key():
    for how in ("RENAME", "COPY"):
        with served() as (server, client, listener):
            server.client()("SET", "other", "1", "EX", 2)
            left_open(client, (how, "other", "mine"), ("DEL", "other"), FAR)
            try:
                due = put_before_another(client, ("EXEC",))
            except ServerError as other_has_expired:
                raise Late from other_has_expired
            assert_next(client, listener, "mine", due)
            assert_not_notified(client)


def test_open_transaction_may_name_a_long_key():
    with served() as (server, client, listener):
        name = "mine" * 1000
        left_open(client, ("SET", name, "1", "PX", 200), FAR)
        assert field(server.client(), "notified") == 1
        due = client.many([("EXEC",), ANOTHER, ("PEXPIRETIME", name)])[-1]
        assert_next(client, listener, name, due_of(name, due))


def test_exec_of_another_client_ends_no_transaction():
    with served() as (server, client, listener):
        other = server.client()
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 200), FAR])
        for ends in ("EXEC", "DISCARD"):
            assert "without MULTI" in error_of(other, ends)
        other("RESET")
        left = time.time() + 0.4
        wait(lambda: time.time() > left)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_flush_keeps_queued_commands():
    with served() as (server, client, listener):
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 2000), FAR])
        other = server.client()
        other("FLUSHALL")
        crowd(other)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_flush_in_a_transaction_keeps_queued_commands():
    with served() as (_, client, listener):
        client.many([("MULTI",), ("FLUSHALL",), ("SET", "mine", "1", "PX", 2000)])
        crowd(client)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_deleted_key_is_known_as_long_as_a_transaction_is_open():
    for end in (lambda client: client("DISCARD"), lambda client: client("RESET"),
                lambda client: client.close()):
        with served() as (server, client, _):
            require_commands(client)
            other = server.client()
            other("MULTI")
            client.many([("SET", "lock", "1", "PX", 50), ("DEL", "lock")])
            begun = time.time()
            wait(lambda: time.time() > begun + 0.4)
            assert field(client, "keys") == 1
            end(other)
            wait(lambda: field(client, "keys") == 0)
            assert_not_notified(client)


def test_deleted_keys_are_forgotten_between_transactions():
    with served("--wheel_expire.horizon", 3600) as (_, client, _):
        for begin in range(0, 4 * CROWD, 1000):
            names = [f"lock:{number}" for number in range(begin, begin + 1000)]
            client.many([command for name in names for command in (
                ("MULTI",), ("SET", name, "1", "EX", 3000), ("DEL", name), ("EXEC",))])
        wait(lambda: field(client, "keys") <= SPARE + 2 * (CROWD + 1000))
        assert_not_notified(client)


def client_lists(client):
    """The number of CLIENT LIST commands."""
    stats = client.info("commandstats").get("cmdstat_client|list", "calls=0")
    return int(stats.split(",")[0].split("=")[1])


def test_clients_are_not_listed_if_each_transaction_has_ended():
    with served() as (_, client, _):
        require_commands(client)
        before = client_lists(client)
        client.many([("MULTI",), ("SET", "lock", "1", "PX", 50), ("DEL", "lock"), ("EXEC",),
                     ("MULTI",), ("SET", "lock", "1", "PX", 50), ("DISCARD",)])
        wait(lambda: field(client, "keys") == 0)
        assert client_lists(client) == before
        assert_not_notified(client)


def test_statistics_that_are_reset_hide_no_transaction():
    with served() as (server, client, listener):
        other = server.client()
        # The module knows that this transaction has ended.
        other.many([("MULTI",), ("SET", "lock", "1", "PX", 50), ("DEL", "lock"), ("EXEC",)])
        wait(lambda: field(other, "keys") == 0)
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 200), FAR])
        other("CONFIG", "RESETSTAT")
        left = time.time() + 0.4
        wait(lambda: time.time() > left)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_clients_are_listed_once_for_earlier_transactions():
    with served() as (server, client, _):
        require_commands(client)
        other = server.client()
        other("MULTI")
        client.many([("SET", "lock", "1", "PX", 1500), ("SET", "short", "1", "PX", 50),
                     ("DEL", "lock", "short")])
        wait(lambda: client_lists(client) > 1)
        other("RESET")
        wait(lambda: field(client, "keys") <= 1)
        client.many([("MULTI",), ("EXEC",)])
        before = client_lists(client)
        wait(lambda: field(client, "keys") == 0)
        assert client_lists(client) == before


def test_many_unnecessary_checks_cause_a_subscription():
    with served() as (server, client, listener):
        other = server.client()
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 200), FAR])
        names = [f"lock:{number}" for number in range(1000)]
        other.many([("SET", name, "1", "PX", 1, "NX") for name in names])
        other.many([("DEL", name) for name in names])
        wait(lambda: field(other, "notified") == 1)
        wait(lambda: field(other, "keys") == 0)
        put_before_another(client, ("EXEC",))
        name = "lock"
        while name.startswith("lock"):
            name, _ = expired(listener)
        assert name == "mine", name


def test_names_kept_for_a_transaction_do_not_fill_the_memory():
    with Server("--wheel_expire.horizon", 3600, module=cases.module) as server:
        client, other = server.client(), server.client()
        other("MULTI")
        for begin in range(0, 10000, 1000):
            names = [f"lock:{number}" for number in range(begin, begin + 1000)]
            client.many([("SET", name, "1", "EX", 3000) for name in names])
            client.many([("DEL", name) for name in names])
        wait(lambda: field(client, "keys") <= SPARE + 2 * 1000)
        assert field(client, "notified") == 1


def test_wider_horizon_in_a_transaction_is_exact():
    with served("--wheel_expire.horizon", 1) as (server, client, listener):
        other = server.client()
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 1500), FAR])
        other("CONFIG", "SET", "wheel_expire.horizon", 3600)
        scans = field(other, "scans")
        wait(lambda: field(other, "scans") > scans)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))


def test_transaction_open_at_load_time_is_noticed():
    with Server() as server:
        client, other = server.client(), server.client()
        crowd(client)
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 1000)])
        assert other("MODULE", "LOAD", os.path.abspath(cases.module)) == "OK"
        listener = listener_of(server)
        wait(lambda: field(other, "scans") >= 1)
        assert field(other, "notified") == 1
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))


def test_subscribed_module_notices_each_command():
    with served("--rename-command", "MULTI", "hidden") as (_, client, listener):
        assert field(client, "notified") == 1
        cases.assert_each_way_is_read(client, listener)
        client.many([("hidden",), ("SET", "mine", "1", "PX", 200), FAR])
        begun = time.time()
        wait(lambda: time.time() > begun + 0.4)
        due = put_before_another(client, ("EXEC",))
        assert_next(client, listener, "mine", due, len(ways_to_expire(client)) + 1)


def test_renamed_client_command_causes_a_subscription():
    with served("--rename-command", "CLIENT", "hidden") as (_, client, listener):
        assert field(client, "notified") == 1
        left_open(client, ("SET", "mine", "1", "PX", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
