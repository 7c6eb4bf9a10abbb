# SPDX-License-Identifier: MIT
"""What wheel_expire promises of MULTI and EXEC."""

import os
import time

import cases
from cases import (ANOTHER, CROWD, FAR, SPARE, assert_next, crowd, due_of, expired, field,
                   listener_of, put_before_another, refused, served, wait, ways_to_expire)
from ktap import Late
from redis import Refused, Server


def assert_not_notified(client):
    """Redis does not notify the module, which is what makes it cheap."""
    assert field(client, "notified") == 0


def left_open(client, *commands, seconds=0.4):
    """What is read now is executed later: other clients are served meanwhile."""
    answers = client.many([("MULTI",), *commands])
    assert set(answers[1:]) <= {"QUEUED"}, answers
    begun = time.time()
    wait(lambda: time.time() > begun + seconds)


def test_each_command_is_seen_in_a_transaction():
    with served() as (_, client, listener):
        for count, (way, commands) in enumerate(ways_to_expire(client).items(), 1):
            if isinstance(commands, bytes):
                commands = [tuple(commands.decode().split())]
            answers = client.many([("MULTI",), *commands, FAR, ("EXEC",),
                                   ("PEXPIRETIME", "mine")])
            assert_next(client, listener, "mine", due_of(way, answers[-1]), count)
        assert_not_notified(client)


def test_open_transaction_outlasts_the_life_that_it_gives():
    with served() as (_, client, listener):
        left_open(client, ("SET", "mine", "1", "PX", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_open_transaction_gives_a_sooner_time():
    with served() as (server, client, listener):
        other = server.client()
        other("SET", "mine", "1", "EX", 50)
        left_open(client, ("PEXPIRE", "mine", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_open_transaction_gives_its_soonest_life():
    for lives in ((200, 30000), (30000, 200)):
        with served() as (_, client, listener):
            # Only one of the two is executed with success, and nobody has read which.
            sets = [("SET", "mine", "1", "PX", ms, "NX" if ms == 200 else "XX")
                    for ms in lives]
            left_open(client, *sets, ("DEL", "mine"), sets[lives.index(200)], FAR)
            assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
            assert_not_notified(client)


def test_open_transaction_gives_a_time_that_is_over():
    with served() as (_, client, listener):
        due = client.now_ms() + 100
        left_open(client, ("SET", "mine", "1", "PXAT", due), FAR)
        client.many([("EXEC",), ANOTHER])
        assert_next(client, listener, "mine", due)
        assert_not_notified(client)


def test_open_transaction_gives_the_time_of_another_key():
    for how in ("RENAME", "COPY"):
        with served() as (server, client, listener):
            server.client()("SET", "other", "1", "EX", 2)
            left_open(client, (how, "other", "mine"), ("DEL", "other"), FAR)
            try:
                due = put_before_another(client, ("EXEC",))
            except Refused as other_is_gone:
                raise Late from other_is_gone
            assert_next(client, listener, "mine", due)
            assert_not_notified(client)


def test_open_transaction_may_name_a_long_key():
    with served() as (server, client, listener):
        name = "mine" * 1000
        left_open(client, ("SET", name, "1", "PX", 200), FAR)
        assert field(server.client(), "notified") == 1
        due = client.many([("EXEC",), ANOTHER, ("PEXPIRETIME", name)])[-1]
        assert_next(client, listener, name, due_of(name, due))


def test_exec_of_another_ends_no_transaction():
    with served() as (server, client, listener):
        other = server.client()
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 200), FAR])
        for ends in ("EXEC", "DISCARD"):
            assert "without MULTI" in refused(other, ends)
        other("RESET")
        left = time.time() + 0.4
        wait(lambda: time.time() > left)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_flushed_server_keeps_what_is_queued():
    with served() as (server, client, listener):
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 2000), FAR])
        other = server.client()
        other("FLUSHALL")
        crowd(other)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_transaction_that_flushes_keeps_what_is_queued():
    with served() as (_, client, listener):
        client.many([("MULTI",), ("FLUSHALL",), ("SET", "mine", "1", "PX", 2000)])
        crowd(client)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_key_in_vain_is_known_as_long_as_a_transaction_is_open():
    for end in (lambda client: client("DISCARD"), lambda client: client("RESET"),
                lambda client: client.close()):
        with served() as (server, client, _):
            other = server.client()
            other("MULTI")
            client.many([("SET", "lock", "1", "PX", 50), ("DEL", "lock")])
            begun = time.time()
            wait(lambda: time.time() > begun + 0.4)
            assert field(client, "keys") == 1
            end(other)
            wait(lambda: field(client, "keys") == 0)
            assert_not_notified(client)


def test_keys_in_vain_are_forgotten_amid_transactions():
    with served("--wheel_expire.horizon", 3600) as (_, client, _):
        for begin in range(0, 4 * CROWD, 1000):
            names = [f"lock:{number}" for number in range(begin, begin + 1000)]
            client.many([command for name in names for command in (
                ("MULTI",), ("SET", name, "1", "EX", 3000), ("DEL", name), ("EXEC",))])
        wait(lambda: field(client, "keys") <= SPARE + 2 * (CROWD + 1000))
        assert_not_notified(client)


def asked(client):
    """How often the server was asked for its clients."""
    stats = client.info("commandstats").get("cmdstat_client|list", "calls=0")
    return int(stats.split(",")[0].split("=")[1])


def test_clients_are_not_asked_when_each_transaction_has_ended():
    with served() as (_, client, _):
        before = asked(client)
        client.many([("MULTI",), ("SET", "lock", "1", "PX", 50), ("DEL", "lock"), ("EXEC",),
                     ("MULTI",), ("SET", "lock", "1", "PX", 50), ("DISCARD",)])
        wait(lambda: field(client, "keys") == 0)
        assert asked(client) == before
        assert_not_notified(client)


def test_statistics_that_are_reset_hide_no_transaction():
    with served() as (server, client, listener):
        other = server.client()
        # The module has read of one that has ended.
        other.many([("MULTI",), ("SET", "lock", "1", "PX", 50), ("DEL", "lock"), ("EXEC",)])
        wait(lambda: field(other, "keys") == 0)
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 200), FAR])
        other("CONFIG", "RESETSTAT")
        left = time.time() + 0.4
        wait(lambda: time.time() > left)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
        assert_not_notified(client)


def test_clients_are_asked_once_of_what_was_read_before():
    with served() as (server, client, _):
        other = server.client()
        other("MULTI")
        client.many([("SET", "lock", "1", "PX", 1500), ("SET", "short", "1", "PX", 50),
                     ("DEL", "lock", "short")])
        wait(lambda: asked(client) > 1)
        other("RESET")
        wait(lambda: field(client, "keys") <= 1)
        client.many([("MULTI",), ("EXEC",)])
        before = asked(client)
        wait(lambda: field(client, "keys") == 0)
        assert asked(client) == before


def test_many_looks_in_vain_make_redis_notify():
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


def test_names_that_wait_for_a_transaction_fill_no_memory():
    with Server("--wheel_expire.horizon", 3600, module=cases.module) as server:
        client, other = server.client(), server.client()
        other("MULTI")
        for begin in range(0, 10000, 1000):
            names = [f"lock:{number}" for number in range(begin, begin + 1000)]
            client.many([("SET", name, "1", "EX", 3000) for name in names])
            client.many([("DEL", name) for name in names])
        wait(lambda: field(client, "keys") <= SPARE + 2 * 1000)
        assert field(client, "notified") == 1


def test_wider_horizon_amid_a_transaction_is_exact():
    with served("--wheel_expire.horizon", 1) as (server, client, listener):
        other = server.client()
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 1500), FAR])
        other("CONFIG", "SET", "wheel_expire.horizon", 3600)
        walks = field(other, "walks")
        wait(lambda: field(other, "walks") > walks)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))


def test_transaction_begun_before_it_was_loaded_is_seen():
    with Server() as server:
        client, other = server.client(), server.client()
        crowd(client)
        client.many([("MULTI",), ("SET", "mine", "1", "PX", 1000)])
        assert other("MODULE", "LOAD", os.path.abspath(cases.module)) == "OK"
        listener = listener_of(server)
        wait(lambda: field(other, "walks") >= 1)
        assert field(other, "notified") == 1
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))


def test_notified_module_sees_each_command():
    with served("--rename-command", "MULTI", "hidden") as (_, client, listener):
        assert field(client, "notified") == 1
        cases.assert_each_way_is_seen(client, listener)
        client.many([("hidden",), ("SET", "mine", "1", "PX", 200), FAR])
        begun = time.time()
        wait(lambda: time.time() > begun + 0.4)
        due = put_before_another(client, ("EXEC",))
        assert_next(client, listener, "mine", due, len(ways_to_expire(client)) + 1)


def test_server_that_cannot_be_asked_notifies():
    with served("--rename-command", "CLIENT", "hidden") as (_, client, listener):
        assert field(client, "notified") == 1
        left_open(client, ("SET", "mine", "1", "PX", 200), FAR)
        assert_next(client, listener, "mine", put_before_another(client, ("EXEC",)))
