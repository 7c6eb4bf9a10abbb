# SPDX-License-Identifier: MIT
"""Tests of wheel_expire with many databases, of which it learns the one of each key."""

import contextlib
import os
import random

import cases
from cases import assert_before, expired, field, listener_of, put, wait
from redis import ServerError, Server

DATABASES = 64
# Databases that always have a key. With more than 16, their numbers are learned.
USED = 40
STEPS = 3000
SEED = int(os.environ.get("SEED", 0)) or random.randrange(1, 1 << 32)
SELECT_AND_SET = "redis.call('select', ARGV[1]) redis.call('set', KEYS[1], '1', 'px', ARGV[2])"


def without_own_scan(client):
    """Suspends the server's own expiry: a DEBUG is ignored if it runs long after it was read."""
    for command in (("MULTI",), ("DEBUG", "SET-ACTIVE-EXPIRE", 0), ("EXEC",)):
        client(*command)
    assert field(client, "active") == 1


@contextlib.contextmanager
def learning(*options):
    """A server that has learned the databases of its keys."""
    with Server("--databases", DATABASES, *options, module=cases.module) as server:
        client, listener = server.client(), listener_of(server)
        for database in range(USED):
            client("SELECT", database)
            client.many([("SET", "lasting", "1"), ("SET", "early", "1", "PX", 1)])
        for _ in range(USED):
            assert expired(listener)[0] == "early"
        wait(lambda: field(client, "notified") == 1)
        scans = field(client, "scans")
        client("CONFIG", "SET", "wheel_expire.horizon", 59)
        wait(lambda: field(client, "scans") > scans)
        without_own_scan(client)
        yield server, client, listener


def test_key_is_looked_up_in_its_database_only():
    with learning() as (_, client, listener):
        before = field(client, "lookups")
        for database in range(USED):
            client("SELECT", database)
            client("SET", "mine:%d" % database, "1", "PX", 200)
        for _ in range(USED):
            assert expired(listener)[0].startswith("mine:")
        assert field(client, "lookups") == before + USED


def test_few_databases_are_not_learned():
    with Server(module=cases.module) as server:
        client, listener = server.client(), listener_of(server)
        for database in range(16):
            client("SELECT", database)
            client.many([("SET", "lasting", "1"), ("SET", "mine", "1", "PX", 100)])
        for _ in range(16):
            assert expired(listener)[0] == "mine"
        assert field(client, "notified") == cases.is_newer(client)


def test_keys_of_one_name_expire_in_each_learned_database():
    with learning() as (_, client, listener):
        dues = []
        for database, lives in ((5, 600), (3, 300), (39, 900)):
            client("SELECT", database)
            dues.append(put(client, "SET", "mine", "1", "PX", lives))
        for due in sorted(dues):
            name, notified = expired(listener)
            assert name == "mine" and notified > due, (name, notified, due)


def test_key_of_a_swapped_database_expires():
    with learning() as (_, client, listener):
        client("SELECT", 5)
        due = put(client, "SET", "mine", "1", "PX", 300)
        client("SWAPDB", 5, 7)
        name, notified = expired(listener)
        assert name == "mine" and notified > due


def test_known_keys_are_learned_by_a_scan():
    """They were set before the databases were learned."""
    with Server("--databases", DATABASES, module=cases.module) as server:
        client, listener = server.client(), listener_of(server)
        wait(lambda: field(client, "scans") == 1)
        due = client.now_ms() + 3000
        for database in range(USED):
            client("SELECT", database)
            client.many([("SET", key, "1", "PXAT", due) for key in ("mine", f"mine:{database}")])
        client("SET", "early", "1", "PX", 1)
        assert expired(listener)[0] == "early"
        wait(lambda: field(client, "scans") == 2)
        before = field(client, "lookups")
        assert_before(client, due)
        for _ in range(2 * USED):
            assert expired(listener)[0].startswith("mine")
        # One name is in all databases.
        assert field(client, "lookups") <= before + 2 * USED


def random_command(dice):
    """A command that may give a TTL to a key, in a random database."""
    key, other = (f"key:{dice.randrange(30)}" for _ in range(2))
    database, lives = dice.randrange(USED), dice.randint(1, 400)
    return dice.choice((
        [("SET", key, "1", "PX", lives)],
        [("SET", key, "1", "NX", "PX", lives)],
        [("PEXPIRE", key, lives)],
        [("SET", key, "1", "EX", 100), ("PEXPIRE", key, lives)],
        [("RENAME", key, other)],
        [("COPY", key, other, "DB", database)],
        [("MOVE", key, database)],
        [("SWAPDB", database, dice.randrange(USED))],
        [("DEL", key)],
        [("MULTI",), ("SELECT", database), ("SET", key, "1", "PX", lives), ("EXEC",)],
        [("EVAL", SELECT_AND_SET, 1, key, database, lives)],
    ))


def try_many(client, commands):
    """Runs commands some of which may fail."""
    for command in commands:
        with contextlib.suppress(ServerError):
            client(*command)


def test_random_commands_leave_no_expired_key():
    print(f"# SEED={SEED}", flush=True)
    dice = random.Random(SEED)
    with learning() as (server, client, _):
        clients = [server.client() for _ in range(4)]
        for _ in range(STEPS):
            one = dice.choice(clients)
            try_many(one, [("SELECT", dice.randrange(USED)), *random_command(dice)])
        # Keys that were renamed or moved may have no TTL.
        wait(lambda: all("expires=0," in line for line in client("INFO", "keyspace").splitlines()
                         if line.startswith("db")))
