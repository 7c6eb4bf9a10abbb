# SPDX-License-Identifier: MIT
"""Tests of wheel_expire, each on a separate server."""

import contextlib
import os
import time

from ktap import Late, Skip
from redis import ServerError, Server, own_address

module = None

# Number of keys among which the server hardly ever finds the expired one.
CROWD = 10000
# Number of keys that expire at one instant: more than the module deletes at a time.
TOGETHER = 30_000
# Number of keys whose memory is measured.
KNOWN = 100_000
# Longest time to wait for a condition.
PATIENCE_S = 60
FAR = ("SET", "far", "1", "EX", 3600)
# A key that expires after those of a test.
ANOTHER = ("SET", "another", "1", "PX", 6000)
# Number of unnecessary keys that the module may know until their time.
SPARE = 1024


@contextlib.contextmanager
def served(*options, cluster=False, **others):
    """A server with the module, a client, and a subscriber to expiries."""
    with Server(*options, module=module, **others) as server:
        client = server.client()
        if cluster:
            client("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            wait(lambda: "cluster_state:ok" in client("CLUSTER", "INFO"))
        crowd(client)
        yield server, client, listener_of(server)


def crowd(client):
    client.many([("SET", f"crowd:{number}", "x", "EX", 100000)
                 for number in range(CROWD)])


def listener_of(server):
    listener = server.client()
    listener("CONFIG", "SET", "notify-keyspace-events", "Ex")
    listener.send("PSUBSCRIBE", "__keyevent@*__:expired")
    listener.reply()
    return listener


def expired(listener):
    """The next key that expires, and the time of the notification."""
    _, _, channel, key = listener.reply()
    assert channel.endswith(":expired")
    return key, time.time() * 1000


def lag_of(client):
    """The lag histogram in INFO, which is cumulative."""
    return {name: int(value) for name, value in
            (pair.split("=") for pair in field(client, "lag").split(","))}


def field(client, name):
    return client.info("wheel_expire")["wheel_expire_" + name]


def is_newer(client):
    """The server is newer than Valkey 8.1: the module needs keyspace notifications."""
    info = client.info("server")
    version = info.get("valkey_version", info["redis_version"])
    return tuple(map(int, version.split(".")[:2])) > (8, 1)


def wait(condition):
    """Waits until the condition is true."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() < begin + PATIENCE_S, "the condition never became true"
        time.sleep(0.005)


def error_of(client, *command):
    """The error with which the server replies to a command."""
    try:
        client(*command)
    except ServerError as error:
        return str(error)
    raise AssertionError(f"no error: {command}")


def due_of(key, reply):
    """The time at which a key expires, from the reply to PEXPIRETIME."""
    if reply == -2:
        raise Late
    assert reply > 0, (key, reply)
    return reply


def put(client, *command):
    """Runs a command that sets the TTL of the key "mine". Returns its expiry time."""
    return due_of("mine", client.many([command, ("PEXPIRETIME", "mine")])[-1])


def put_before_another(client, *commands):
    """The same for several commands, followed by ANOTHER."""
    return due_of("mine", client.many([*commands, ANOTHER, ("PEXPIRETIME", "mine")])[-1])


def assert_before(client, due):
    """Raises Late if it is not before @due."""
    if client.now_ms() >= due:
        raise Late


def assert_next(client, listener, key, due, count=1):
    """@key is the next one to expire, after @due, and the module deleted it."""
    name, notified = expired(listener)
    assert name == key, name
    assert notified > due, (notified, due)
    # The server's own scan of 20 of the keys may have found it first.
    if field(client, "expired") == count - 1:
        raise Late
    assert field(client, "expired") == count


def test_backend_is_the_requested_one():
    asked = os.environ.get("LIBWHEEL_BACKEND", "auto")
    with served() as (_, client, _):
        backend = field(client, "backend")
        assert backend in ("kernel", "user"), backend
        assert asked in ("auto", backend), backend


def test_key_expires_without_access():
    with served() as (_, client, listener):
        due = client.now_ms() + 300
        assert put(client, "SET", "mine", "1", "PXAT", due) == due
        assert_next(client, listener, "mine", due)
        assert client("DBSIZE") == CROWD


def test_keys_due_at_one_instant_all_expire():
    with served() as (_, client, listener):
        due = client.now_ms() + 2000
        client.many([("SET", f"due:{number}", "x", "PXAT", due)
                     for number in range(1000)])
        events = [expired(listener) for _ in range(1000)]
        assert {key for key, _ in events} == {f"due:{n}" for n in range(1000)}
        assert min(when for _, when in events) > due
        # The server may delete some of them first.
        assert field(client, "expired") > 0


def test_keys_due_at_one_instant_keep_the_server_awake():
    # If it slept after each slice of 1 ms, the last ones would be more than 15 s late.
    with served("--hz", 1, "--dynamic-hz", "no") as (_, client, _):
        burst(client)
        wait(lambda: client("DBSIZE") == CROWD)
        assert lag_of(client)["max_usec"] < 10_000_000


def set_together(client, due):
    client("EVAL", f"for i = 1, {TOGETHER} do redis.call('set', 'due:' .. i, 1, 'pxat', {due}) end", 0)


def burst(client):
    """Sets TOGETHER keys that expire at one instant, and returns when they do."""
    begin = client.now_ms()
    set_together(client, begin + 3_600_000)
    due = client.now_ms() + 3000 + 2 * (client.now_ms() - begin)
    set_together(client, due)
    assert_before(client, due)
    time.sleep((due - client.now_ms()) / 1000)


def left_by_burst(client, *command):
    """Runs a command while the keys of burst() are deleted. Returns the number of keys left."""
    burst(client)
    time.sleep(0.005)
    left = client.many([command, ("DBSIZE",)])[1] - CROWD
    if not TOGETHER / 2 < left < TOGETHER:
        raise Late
    return left


def test_server_scan_is_suspended_while_keys_are_overdue():
    with served() as (_, client, _):
        burst(client)
        wait(lambda: client("DBSIZE") == CROWD)
        # On a slow machine, the scan helps after a second.
        if lag_of(client)["le_1000ms"] < field(client, "expired"):
            raise Late
        # A scan may begin before the module does, and the server continues it once.
        assert client.info("stats")["expired_time_cap_reached_count"] <= 2


def test_server_scan_continues_after_an_unload():
    with served() as (_, client, _):
        left = left_by_burst(client, "MODULE", "UNLOAD", "wheel_expire")
        wait(lambda: client("DBSIZE") < CROWD + left / 2)


def test_debug_command_stops_both_scans():
    with served() as (_, client, _):
        left = left_by_burst(client, "DEBUG", "SET-ACTIVE-EXPIRE", "0")
        time.sleep(0.5)
        assert client("DBSIZE") == CROWD + left
        client("DEBUG", "SET-ACTIVE-EXPIRE", "1")
        wait(lambda: client("DBSIZE") == CROWD)


def test_no_key_expires_early():
    with served() as (_, client, listener):
        base = client.now_ms() + 300
        dues = {f"due:{n}": base + n * 7 % 500 for n in range(300)}
        client.many([("SET", key, "x", "PXAT", due) for key, due in dues.items()])
        for _ in dues:
            key, notified = expired(listener)
            assert notified > dues[key], (key, notified, dues[key])


def ways_to_expire(client):
    """Commands after which the key "mine" expires soon, by name."""
    base = ("SET", "mine", "1")
    soon = client.now_ms() + 100_000
    script = "redis.call('set', KEYS[1], 1, 'px', 500)"
    ways = {
        "set px": [("SET", "mine", "1", "PX", 500)],
        "set ex": [("SET", "mine", "1", "EX", 1)],
        "set nx px get": [("SET", "mine", "1", "NX", "PX", 500)],
        "set px, and a NUL": [("SET", "mine", "1", b"PX\0that", 500)],
        "set pxat": [("SET", "mine", "1", "PXAT", soon), ("SET", "mine", "1", "PX", 500)],
        "setex": [("SETEX", "mine", 1, "1")],
        "psetex": [("PSETEX", "mine", 500, "1")],
        "expire": [base, ("EXPIRE", "mine", 1)],
        "pexpire": [base, ("PEXPIRE", "mine", 500)],
        "pexpire nx": [base, ("PEXPIRE", "mine", 500, "NX")],
        "pexpireat": [base, ("PEXPIREAT", "mine", soon), ("PEXPIRE", "mine", 500)],
        "getex": [base, ("GETEX", "mine", "PX", 500)],
        "keepttl": [("SET", "mine", "1", "PX", 500),
                    ("SET", "mine", "2", "KEEPTTL")],
        "script": [("EVAL", script, 1, "mine")],
        "function": [("FUNCTION", "LOAD", "REPLACE", "#!lua name=lib\nredis.register_function("
                      f"'put', function(KEYS) {script} end)"), ("FCALL", "put", 1, "mine")],
        "rename": [("SET", "other", "1", "PX", 500), ("RENAME", "other", "mine")],
        "renamenx": [("SET", "other", "1", "PX", 500), ("RENAMENX", "other", "mine")],
        "copy": [("SET", "other", "1", "PX", 500), ("COPY", "other", "mine"),
                 ("DEL", "other")],
        "restore": [("RESTORE", "mine", 500, dumped(client))],
        "hash": [("HSET", "mine", "a", "b"), ("PEXPIRE", "mine", 500)],
        "inline": b"SET mine 1 PX 500\r\n",
    }
    if client("COMMAND", "LIST", "FILTERBY", "PATTERN", "msetex"):
        ways["msetex"] = [("MSETEX", 1, "mine", "1", "PX", 500)]
    return ways


def assert_each_way_is_read(client, listener):
    for count, (way, commands) in enumerate(ways_to_expire(client).items(), 1):
        if isinstance(commands, bytes):
            client.socket.sendall(commands)
            client.reply()
            commands = []
        # FAR does not change the result of the last command.
        commands = commands[:-1] + [FAR] + commands[-1:]
        due = due_of(way, client.many(commands + [("PEXPIRETIME", "mine")])[-1])
        assert_next(client, listener, "mine", due, count)


def test_each_command_that_sets_a_ttl_is_read():
    with served() as (_, client, listener):
        assert_each_way_is_read(client, listener)


def dumped(client):
    client("SET", "dumped", "1")
    client.send("DUMP", "dumped")
    _, length = client._line()
    data = client.input.read(int(length) + 2)[:-2]
    client("DEL", "dumped")
    return data


def test_condition_of_expire_is_respected():
    with served() as (_, client, listener):
        ways = {"LT": (30000, 400), "GT": (200, 600), "XX": (30000, 400), "NX": (None, 400)}
        for count, (condition, (before, after)) in enumerate(ways.items(), 1):
            base = ("SET", "mine", "1") + (("PX", before) if before else ())
            due = put(client, *base) if before and before < after else 0
            replies = client.many([base, ("PEXPIRE", "mine", after, condition), FAR,
                                   ("PEXPIRETIME", "mine")])
            if replies[1] != 1:
                raise Late
            assert_next(client, listener, "mine", max(due, due_of("mine", replies[-1])), count)


def test_false_condition_changes_nothing():
    with served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 500)
        if client("PEXPIRE", "mine", 100, "GT") != 0:
            raise Late
        assert_next(client, listener, "mine", due)


def test_sorted_list_does_not_expire():
    with served() as (_, client, listener):
        client.many([("RPUSH", "list", 3, 1, 2), ("SET", "mine", "1", "PX", 300),
                     ("SORT", "list", "STORE", "mine"), ("SET", "last", "1", "PX", 600)])
        assert_next(client, listener, "last", 0)
        assert client("LLEN", "mine") == 3


def test_command_after_a_blocking_one_is_read():
    # The command runs after the last call of the module before the server sleeps, for up to
    # one second. The module must keep the server awake.
    with served("--hz", 1, "--dynamic-hz", "no") as (server, client, listener):
        other, data = server.client(), dumped(client)
        for _ in range(5):
            client("RESTORE", "far", 50000, data, "REPLACE")
            for command in (("BLPOP", "queue", 0), ("RESTORE", "mine", 20, data),
                            ("PEXPIRETIME", "mine")):
                other.send(*command)
            wait(lambda: client.info("clients")["blocked_clients"] == 1)
            client("RPUSH", "queue", "x")
            due = due_of("mine", [other.reply() for _ in range(3)][-1])
            key, notified = expired(listener)
            assert key == "mine"
            if notified > due + 200:
                raise Late


def test_stream_that_expires_wakes_its_readers():
    with served() as (server, client, listener):
        reader = server.client()
        client("XGROUP", "CREATE", "mine", "group", "$", "MKSTREAM")
        reader.send("XREADGROUP", "GROUP", "group", "me", "BLOCK", 0, "STREAMS", "mine", ">")
        wait(lambda: client.info("clients")["blocked_clients"] == 1)
        due = client.many([("PEXPIRE", "mine", 300), FAR, ("PEXPIRETIME", "mine")])[-1]
        try:
            reader.reply()
        except ServerError as error:
            assert str(error).split()[0] in ("UNBLOCKED", "NOGROUP"), error
        assert_next(client, listener, "mine", due)


def test_io_threads_are_supported():
    with served("--io-threads", 2, "--io-threads-do-reads", "yes") as (_, client, listener):
        assert_each_way_is_read(client, listener)


def test_cluster_expires_keys():
    with served("--cluster-enabled", "yes", "--port", 6379, "--cluster-port", 6380,
                "--bind", own_address(), cluster=True) as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 300)
        assert_next(client, listener, "mine", due)
        client("SET", "{mine}other", "1", "PX", 300)
        client("RENAME", "{mine}other", "mine")
        assert expired(listener)[0] == "mine"


def test_moved_key_expires_in_its_new_database():
    with served() as (_, client, listener):
        client("SELECT", 3)
        crowd(client)
        client("SELECT", 0)
        due = put(client, "SET", "mine", "1", "PX", 200)
        if client("MOVE", "mine", 3) != 1:
            raise Late
        assert_next(client, listener, "mine", due)
        client("SELECT", 3)
        assert client("DBSIZE") == CROWD


def test_ttl_can_be_extended():
    with served() as (_, client, listener):
        put(client, "SET", "mine", "1", "PX", 100)
        due = put(client, "PEXPIRE", "mine", 400)
        assert_next(client, listener, "mine", due)
        assert field(client, "moved") >= 1


def test_ttl_can_be_shortened():
    with served() as (_, client, listener):
        client("SET", "mine", "1", "PX", 30000)
        due = put(client, "PEXPIRE", "mine", 200)
        assert_next(client, listener, "mine", due)


def test_words_that_look_like_a_ttl_set_none():
    with served() as (_, client, listener):
        client.many([("MSET", "mine", "1", "px", "200"), ("SET", "last", "1", "PX", 600)])
        assert_next(client, listener, "last", 0)
        assert client("EXISTS", "mine", "px") == 2
        assert field(client, "keys") == 0


def test_key_that_no_longer_expires_stays():
    with served() as (_, client, listener):
        commands = [("SET", key, "1", "PX", 1000)
                    for key in ("kept", "replaced", "deleted", "unlinked")]
        commands += [("PERSIST", "kept"), ("SET", "replaced", "2"),
                     ("DEL", "deleted"), ("UNLINK", "unlinked"),
                     ("SET", "last", "1", "PX", 1500)]
        client.many(commands)
        assert_next(client, listener, "last", 0)
        assert client("EXISTS", "kept", "replaced") == 2
        assert field(client, "keys") == 0


def test_deleted_keys_are_forgotten():
    with Server("--wheel_expire.horizon", 3600, module=module) as server:
        client = server.client()
        for begin in range(0, 10000, 1000):
            names = [f"lock:{number}" for number in range(begin, begin + 1000)]
            client.many([("SET", name, "1", "EX", 3000) for name in names])
            client.many([("DEL", name) for name in names])
        # At most 1,000 of the keys existed at a time.
        wait(lambda: field(client, "keys") <= SPARE + 2 * 1000)


def test_key_with_a_time_in_the_past_is_deleted_at_once():
    with served() as (_, client, listener):
        client("SET", "mine", "1")
        assert client("PEXPIREAT", "mine", 1) == 1
        assert client("EXISTS", "mine") == 0
        client("SET", "mine", "1", "PXAT", 1)
        wait(lambda: client("DBSIZE") == CROWD)


def test_swapped_databases_keep_their_keys():
    with served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 300)
        client("SELECT", 5)
        client("SET", "mine", "other")
        client("SWAPDB", 0, 5)
        client("SWAPDB", 5, 7)
        assert_next(client, listener, "mine", due)
        client("SELECT", 0)
        assert client("GET", "mine") == "other"
        client("SELECT", 7)
        assert client("DBSIZE") == CROWD


def test_keys_of_one_name_expire_in_each_database():
    with served() as (_, client, listener):
        dues = []
        for database, lives in ((0, 600), (3, 300), (15, 900)):
            client("SELECT", database)
            crowd(client)
            dues.append(put(client, "SET", "mine", "1", "PX", lives))
        for due in sorted(dues):
            name, notified = expired(listener)
            assert name == "mine" and notified > due, (name, notified, due)
        assert field(client, "expired") == 3


def test_fields_of_a_hash_are_left_to_the_server():
    with served() as (_, client, listener):
        client("HSET", "hash", "short", "1", "long", "1")
        if "unknown command" in error_of(client, "HEXPIRE"):
            raise Skip("the server has no fields with a TTL")
        client("CONFIG", "SET", "notify-keyspace-events", "Exh")
        listener.send("PSUBSCRIBE", "__keyevent@*__:hexpired")
        listener.reply()
        client("HPEXPIRE", "hash", 200, "FIELDS", 1, "short")
        _, _, channel, key = listener.reply()
        assert channel.endswith(":hexpired") and key == "hash", (channel, key)
        assert client("HGETALL", "hash") == ["long", "1"]
        # The key itself has another TTL.
        client("PEXPIRE", "hash", 100)
        assert expired(listener)[0] == "hash"
        # The server's own scan may have found it first.
        if not field(client, "expired"):
            raise Late


def test_flushed_keys_are_forgotten():
    with served() as (_, client, listener):
        client("SELECT", 1)
        client("SET", "stays", "1", "EX", 50)
        client("SELECT", 0)
        client.many([("SET", f"gone:{n}", "1", "EX", 30) for n in range(3 * SPARE)])
        assert field(client, "keys") == 3 * SPARE + 1
        client("FLUSHDB")
        wait(lambda: field(client, "keys") <= SPARE + 2)
        client("SET", "again", "1", "PX", 200)
        assert expired(listener)[0] == "again"
        client("SELECT", 1)
        client("PEXPIRE", "stays", 100)
        assert expired(listener)[0] == "stays"
        client("SET", "x", "1", "EX", 30)
        client("FLUSHALL", "ASYNC")
        assert field(client, "keys") <= SPARE


def test_evicted_keys_do_not_expire():
    with served() as (_, client, _):
        client.many([("SET", f"gone:{n}", "1", "PX", 3000) for n in range(1000)])
        keys = field(client, "keys")
        if field(client, "expired"):
            raise Late
        assert keys == 1000
        client("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
        client("CONFIG", "SET", "maxmemory", "1mb")
        with contextlib.suppress(ServerError):
            client("SET", "one", "more")
        wait(lambda: client("DBSIZE") == 0)
        if field(client, "expired"):
            raise Late
        wait(lambda: field(client, "keys") == 0)
        assert field(client, "expired") == 0


def test_failed_commands_do_not_fill_the_memory():
    with Server("--wheel_expire.horizon", 3600, module=module) as server:
        client = server.client()
        client("ACL", "SETUSER", "stranger", "on", "nopass", "+ping")
        stranger = server.client()
        stranger("AUTH", "stranger", "")
        assert "no permissions" in error_of(stranger, "EXPIRE", "long" * 1000, 3000)
        assert field(client, "keys") == 0
        for begin in range(0, 10000, 1000):
            for number in range(begin, begin + 1000):
                stranger.send("EXPIRE", f"no:{number}", 3000)
            for _ in range(1000):
                with contextlib.suppress(ServerError):
                    assert stranger.reply() is None
        wait(lambda: field(client, "keys") <= SPARE)


def test_key_with_a_long_name_expires():
    with served() as (_, client, listener):
        name = "mine" * 1000
        due = client.many([("SET", name, "1", "PX", 500), ("PEXPIRETIME", name)])[-1]
        assert_next(client, listener, name, due_of(name, due))


def test_names_of_all_lengths_are_known():
    with Server("--wheel_expire.horizon", 3600, module=module) as server:
        client = server.client()
        names = {letter * length for length in range(256) for letter in "xy"}
        # The entries of the first names are used again for the others.
        for more in ("", "1"):
            client.many([("SET", name + more, "1", "EX", 3000) for name in names])
            client.many([("EXPIRE", name + more, 2000) for name in names])
            wait(lambda: field(client, "keys") == len(names))
            client.many([("PEXPIREAT", name + more, 1) for name in names])
            wait(lambda: field(client, "keys") == 0)


def memory_of_keys(horizon, known):
    """Memory of a server with KNOWN keys, two times, without the server's own tables."""
    with Server("--wheel_expire.horizon", horizon, module=module) as server:
        client = server.client()
        due = client.now_ms() // 1000 + 3000
        for _ in range(2):
            client.many([("SET", f"{number:06}:equal-end", "1", "EXAT", due)
                         for number in range(KNOWN)])
            assert field(client, "keys") == known
            yield client.info("memory")["used_memory_dataset"]
            client("FLUSHALL")
            wait(lambda: field(client, "keys") <= SPARE)


def test_known_key_takes_36_bytes():
    # The second time, entries are used again.
    for more, less in zip(memory_of_keys(3600, KNOWN), memory_of_keys(10, 0)):
        assert 16 * KNOWN < more - less <= 36 * KNOWN, (more - less) / KNOWN


def test_renamed_command_is_noticed():
    with served("--rename-command", "PEXPIRE", "hidden") as (_, client, listener):
        due = put_before_another(client, ("SET", "mine", "1"), ("hidden", "mine", 200))
        assert_next(client, listener, "mine", due)


def test_key_beyond_the_horizon_is_found():
    with served("--wheel_expire.horizon", 1) as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 2500)
        keys = field(client, "keys")
        assert_before(client, due - 1000)
        assert keys == 0
        assert_next(client, listener, "mine", due)
        wait(lambda: field(client, "scans") >= 2)


def test_nothing_is_scanned_without_a_reason():
    """Keys without a TTL, and keys whose TTL is far, are not visited in each horizon."""
    with served("--wheel_expire.horizon", 4) as (_, client, listener):
        client.many([("SET", f"lasting:{n}", "x") for n in range(CROWD)])
        wait(lambda: field(client, "scans") >= 1)
        begin, scans = client.now_ms(), field(client, "scans")
        for _ in range(4):
            client("SET", "mine", "1", "PX", 3000)
            expired(listener)
        # Another scan is due after 16 horizons.
        assert field(client, "scans") == scans or client.now_ms() - begin > 60_000


def test_databases_without_ttl_are_not_scanned():
    with Server("--wheel_expire.horizon", 1, module=module) as server:
        client, listener = server.client(), listener_of(server)
        client.many([("SET", f"lasting:{n}", "x") for n in range(CROWD)])
        client("SELECT", 3)
        crowd(client)
        due = put(client, "SET", "mine", "1", "PX", 2500)
        client("SWAPDB", 3, 5)
        assert_next(client, listener, "mine", due)
        assert client("DBSIZE") == 0


def test_far_key_of_a_transaction_is_found_after_a_scan():
    with served("--wheel_expire.horizon", 1) as (server, client, listener):
        other = server.client()
        other("MULTI")
        for number in range(50):
            other("SET", f"mine:{number}", "1", "PX", 4000)
        scans = field(client, "scans")
        # It is due for a scan, and the others are not.
        for ms in (1600, 900, 900, 900):
            client("SET", "before", "1", "PX", ms)
            assert expired(listener)[0] == "before"
        assert field(client, "scans") > scans
        due = client.now_ms() + 4000
        other("EXEC")
        while field(client, "keys") < 50:
            assert_before(client, due)
        for _ in range(50):
            assert expired(listener)[0].startswith("mine:")
        assert field(client, "notified") == is_newer(client)


def test_wider_horizon_finds_keys_at_once():
    with served("--wheel_expire.horizon", 1) as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 2000)
        client("CONFIG", "SET", "wheel_expire.horizon", 3600)
        wait(lambda: field(client, "keys") == 1 or assert_before(client, due))
        assert_next(client, listener, "mine", due)


def test_loaded_keys_expire():
    with served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 3000)
        client("DEBUG", "RELOAD")
        assert_before(client, due)
        assert_next(client, listener, "mine", due)


def test_keys_of_an_append_only_file_expire():
    with served("--appendonly", "yes") as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 3000)
        client("DEBUG", "LOADAOF")
        assert_before(client, due)
        assert_next(client, listener, "mine", due)


def test_keys_expire_after_a_restart():
    with Server("--appendonly", "yes", module=module) as server:
        client = server.client()
        crowd(client)
        due = put(client, "SET", "mine", "1", "PX", 4000)
        client.close()
        assert server.stop() == 0
        server.start()
        client, listener = server.client(), listener_of(server)
        wait(lambda: field(client, "scans") >= 1)
        keys = field(client, "keys")
        assert_before(client, due)
        assert keys == 1
        assert_next(client, listener, "mine", due)


def appended(server):
    """The contents of the append-only file."""
    directory = os.path.join(server.directory, "appendonlydir")
    name = next(name for name in os.listdir(directory) if "incr" in name)
    with open(os.path.join(directory, name), "rb") as file:
        return file.read()


def test_keys_due_together_are_deleted_as_one_transaction():
    with served("--appendonly", "yes", "--appendfsync", "always") as \
            (server, client, listener):
        due = client.now_ms() + 300
        client.many([("SET", f"due:{n}", "x", "PXAT", due) for n in range(20)])
        for _ in range(20):
            expired(listener)
        client("PING")
        text = appended(server)
        # Valkey writes UNLINK.
        assert text.count(b"DEL\r\n") + text.count(b"UNLINK\r\n") == 20
        assert text.count(b"MULTI") == text.count(b"EXEC")


def test_deletion_is_written_as_redis_writes_it():
    with served("--appendonly", "yes", "--appendfsync", "always") as \
            (server, client, listener):
        client("SET", "mine", "1", "PX", 200)
        expired(listener)
        text = appended(server)
        assert text.endswith((b"*2\r\n$3\r\nDEL\r\n$4\r\nmine\r\n",
                              b"*2\r\n$6\r\nUNLINK\r\n$4\r\nmine\r\n")), text[-200:]
        assert b"MULTI" not in text


@contextlib.contextmanager
def pair(*options):
    """A master and its replica, both with the module."""
    port, address = 6379, own_address()
    with Server("--port", port, "--bind", address,
                module=module) as master, \
            Server("--replicaof", address, port, *options, module=module) as replica:
        client = replica.client()
        wait(lambda: client.info("replication")["master_link_status"] == "up")
        yield master, master.client(), replica, client


def test_replica_waits_for_its_master():
    with pair() as (_, on_master, _, on_replica):
        on_master("DEBUG", "SET-ACTIVE-EXPIRE", "0")
        due = put(on_master, "SET", "mine", "1", "PX", 500)
        assert on_master("WAIT", 1, 0) == 1
        wait(lambda: on_replica.now_ms() > due + 300)
        assert on_replica("DBSIZE") == 1
        assert field(on_replica, "active") == 0
        on_master("DEBUG", "SET-ACTIVE-EXPIRE", "1")
        wait(lambda: on_replica("DBSIZE") == 0)
        assert field(on_replica, "expired") == 0


def test_replica_serves_its_old_data_during_a_diskless_load():
    # The replica serves its clients after each 1024 bytes of the data.
    with pair("--repl-diskless-load", "swapdb",
              "--loading-process-events-interval-bytes", 1024) as (_, on_master, replica, on_replica):
        listener = listener_of(replica)
        on_master("CONFIG", "SET", "rdb-key-save-delay", 300, "repl-diskless-sync-delay", 0,
                  "repl-backlog-size", 16384)
        crowd(on_master)
        on_master("SET", "old", "1")
        assert on_master("WAIT", 1, 0) == 1
        # The backlog does not contain what the replica lacks when it connects again.
        on_master.many([("MULTI",), ("CLIENT", "KILL", "TYPE", "replica"),
                        ("SET", "new", "x" * 100000), ("SET", "mine", "1", "EX", 20),
                        ("EXEC",)])
        wait(lambda: on_replica.info("persistence")["async_loading"])
        assert on_replica.many([("GET", "old"), ("STRLEN", "new")]) == ["1", 0]
        wait(lambda: on_replica("STRLEN", "new") == 100000)
        due = due_of("mine", on_replica("PEXPIRETIME", "mine"))
        on_replica("REPLICAOF", "NO", "ONE")
        assert_next(on_replica, listener, "mine", due)


def test_replica_forgets_its_keys():
    with pair() as (_, on_master, _, on_replica):
        on_replica("REPLICAOF", "NO", "ONE")
        on_replica.many([("SET", f"mine:{n}", "1", "EX", 50) for n in range(3 * SPARE)])
        assert field(on_replica, "keys") == 3 * SPARE
        address, port = on_master("CONFIG", "GET", "bind")[1], on_master("CONFIG", "GET", "port")[1]
        on_replica("REPLICAOF", address, port)
        wait(lambda: field(on_replica, "keys") == 0)


def test_replica_that_becomes_master_expires_keys():
    with pair() as (_, on_master, replica, on_replica):
        crowd(on_master)
        listener = listener_of(replica)
        due = put(on_master, "SET", "mine", "1", "PX", 2000)
        assert on_master("WAIT", 1, 0) == 1
        on_replica("REPLICAOF", "NO", "ONE")
        assert_before(on_replica, due)
        assert_next(on_replica, listener, "mine", due)


def test_paused_server_expires_afterwards():
    with served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 200)
        client("CLIENT", "PAUSE", 100000, "WRITE")
        assert_before(client, due)
        wait(lambda: client.now_ms() > due + 200)
        assert client("DBSIZE") == CROWD + 1
        client("CLIENT", "UNPAUSE")
        assert_next(client, listener, "mine", due)


def test_end_of_a_pause_is_noticed():
    with served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 200)
        client("CLIENT", "PAUSE", 600, "WRITE")
        assert_before(client, due)
        assert field(client, "active") == 0
        assert_next(client, listener, "mine", due)
        assert field(client, "active") == 1


def test_debug_command_stops_and_starts_it():
    with served() as (_, client, listener):
        client("DEBUG", "SET-ACTIVE-EXPIRE", "0")
        due = put(client, "SET", "mine", "1", "PX", 100)
        wait(lambda: client.now_ms() > due + 200)
        assert client("DBSIZE") == CROWD + 1
        client("DEBUG", "SET-ACTIVE-EXPIRE", "1")
        assert_next(client, listener, "mine", due)


def test_failed_debug_command_does_nothing():
    with served("--enable-debug-command", "no") as (_, client, listener):
        error_of(client, "DEBUG", "SET-ACTIVE-EXPIRE", "0")
        due = put(client, "SET", "mine", "1", "PX", 200)
        assert_next(client, listener, "mine", due)


@contextlib.contextmanager
def settable_clock():
    """A function that moves the clock of the machine, which is restored at the end."""
    if "WHEEL_SETS_CLOCK" not in os.environ:
        raise Skip("the clock may be set only in a guest")
    moved = 0

    def move(seconds):
        nonlocal moved
        moved += seconds
        time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)

    try:
        yield move
    finally:
        move(-moved)


def test_clock_that_is_set_forward_is_followed():
    with settable_clock() as move, served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 50000)
        assert field(client, "keys") == 1
        move(60)
        assert_next(client, listener, "mine", due)


def test_clock_that_is_set_back_is_followed():
    with settable_clock() as move, served() as (_, client, listener):
        client("SET", "old", "1", "PX", 3000)
        old = due_of("old", client("PEXPIRETIME", "old"))
        move(-3600)
        due = put(client, "SET", "mine", "1", "PX", 200)
        assert_next(client, listener, "mine", due)
        assert client("EXISTS", "old") == 1
        move(3600)
        assert_next(client, listener, "old", old, 2)


def test_info_has_each_field():
    with served() as (_, client, listener):
        client("SET", "mine", "1", "PX", 100)
        expired(listener)
        info = client.info("wheel_expire")
        names = ("backend", "active", "keys", "expired", "lag", "moved",
                 "refused", "scans", "notified", "lookups")
        assert list(info) == ["wheel_expire_" + name for name in names], info
        assert info["wheel_expire_active"] == 1
        lag = lag_of(client)
        assert lag["count"] == 1 and lag["le_1ms"] == 0 and lag["le_100000ms"] <= 1, lag
        assert lag["sum_usec"] == lag["max_usec"] >= 1000, lag
        assert info["wheel_expire_keys"] == info["wheel_expire_refused"] == 0
        assert info["wheel_expire_notified"] == is_newer(client)


def test_keys_beyond_the_limit_are_left_to_the_server():
    with served("--wheel_expire.max-keys", 10) as (server, client, _):
        due = client.now_ms() + 300
        client.many([("SET", f"due:{n}", "1", "PXAT", due) for n in range(20)])
        keys, left = field(client, "keys"), field(client, "refused")
        assert_before(client, due)
        assert (keys, left) == (10, 10)
        wait(lambda: field(client, "keys") == 0)
        client("SET", "mine", "1", "EX", 50)
        assert field(client, "keys") == 1
        assert server.messages().count("a limit is reached") == 1


def test_limit_of_known_keys_can_be_changed():
    with served("--wheel_expire.max-keys", 10) as (_, client, listener):
        due = client.now_ms() + 4000
        client.many([("SET", f"due:{n}", "1", "PXAT", due) for n in range(20)])
        client("CONFIG", "SET", "wheel_expire.max-keys", 1000)
        wait(lambda: field(client, "keys") == 20 or assert_before(client, due))
        client("CONFIG", "SET", "wheel_expire.max-keys", 5)
        client("SET", "left", "1", "EX", 50)
        assert field(client, "keys") == 20
        for _ in range(20):
            assert expired(listener)[0].startswith("due:")
        wait(lambda: field(client, "keys") == 0)


def test_names_are_looked_up_in_slices():
    with served("--wheel_expire.horizon", 3600) as (_, client, _):
        script = """redis.call('set', 'x', 1)
                    local data = redis.call('dump', 'x')
                    for i = 1, 20000 do redis.call('restore', 'mine:' .. i, 3000000, data) end"""
        # The server reads 16 kB at a time, and looks names up before it reads again.
        client.send("EVAL", script, 0)
        client.send("ECHO", "x" * 20000)
        client.send("INFO", "wheel_expire")
        _, _, info = [client.reply() for _ in range(3)]
        if "wheel_expire_keys:20000" in info:
            raise Late
        wait(lambda: field(client, "keys") == 20000)


def test_slow_deletion_is_a_latency_event():
    with served("--latency-monitor-threshold", 3,
                "--lazyfree-lazy-expire", "no") as (_, client, _):
        client("EVAL", "for i = 1, 300000 do redis.call('sadd', 'mine', i) end", 0)
        client.many([("LATENCY", "RESET"), ("PEXPIRE", "mine", 50)])
        wait(lambda: client("DBSIZE") == CROWD)
        events = [event[0] for event in client("LATENCY", "LATEST")]
        if field(client, "expired") == 0:
            raise Late
        assert "expire-cycle" in events, events


def test_latency_monitor_that_is_off_stays_empty():
    with served() as (_, client, _):
        client("EVAL", "for i = 1, 300000 do redis.call('sadd', 'mine', i) end", 0)
        client("PEXPIRE", "mine", 50)
        wait(lambda: client("DBSIZE") == CROWD)
        assert client("LATENCY", "LATEST") == []


def test_import_mode_keeps_expired_keys():
    with served() as (_, client, listener):
        before = client("DBSIZE")
        due = client.now_ms() + 300
        client("SET", "early", "1", "PX", 300)
        try:
            client("CONFIG", "SET", "import-mode", "yes")
        except ServerError as error:
            raise Skip("the server has no import mode") from error
        assert_before(client, due)
        # The new name of RENAME is looked up.
        client.many([("SET", "other", "1", "PX", 200), ("RENAME", "other", "mine"),
                     ("SET", "yours", "1", "PX", 200)])
        due = client.now_ms() + 200
        wait(lambda: client.now_ms() > due + 300)
        assert client("DBSIZE") == before + 3 and field(client, "active") == 0
        client("CONFIG", "SET", "import-mode", "no")
        assert field(client, "active") == 1
        wait(lambda: client("DBSIZE") == before)
        assert {expired(listener)[0] for _ in range(3)} == {"early", "mine", "yours"}


def test_server_without_the_api_is_rejected():
    # A server lacks a function if the module asks for one that no server has.
    with open(module, "rb") as file:
        image = file.read().replace(b"RedisModule_LoadConfigs\0", b"RedisModule_NoConfigs__\0")
    with Server() as server:
        path = os.path.join(server.directory, "changed.so")
        with open(path, "wb") as file:
            file.write(image)
        os.chmod(path, 0o755)
        assert "Error loading" in error_of(server.client(), "MODULE", "LOAD", path)
        assert "it needs Redis 7.0 or newer, or Valkey" in server.messages()


def test_bad_arguments_are_rejected():
    with Server() as server:
        client = server.client()
        path = os.path.abspath(module)
        assert "Error loading" in error_of(client, "MODULE", "LOAD", path, "60")
        assert "no arguments" in server.messages()
        assert "Error loading" in error_of(
            client, "MODULE", "LOADEX", path, "CONFIG", "wheel_expire.horizon", 0)
        assert client("MODULE", "LOADEX", path, "CONFIG",
                      "wheel_expire.horizon", 5) == "OK"
        assert client("CONFIG", "GET", "wheel_expire.horizon")[1] == "5"
        for bad in (0, -1, 86401, "soon"):
            assert "CONFIG SET failed" in error_of(
                client, "CONFIG", "SET", "wheel_expire.horizon", bad)
        assert client("CONFIG", "SET", "wheel_expire.max-keys", 5) == "OK"
        assert client("CONFIG", "GET", "wheel_expire.horizon")[1] == "5"
        assert "Error loading" in error_of(client, "MODULE", "LOAD", path)


def test_module_can_be_unloaded_and_loaded_again():
    with served() as (_, client, listener):
        client.many([("SET", f"due:{n}", "1", "PX", 400) for n in range(200)])
        assert client("MODULE", "UNLOAD", "wheel_expire") == "OK"
        assert client.info("wheel_expire") == {}
        client("SET", "mine", "1", "PX", 50)
        wait(lambda: client("GET", "mine") is None)
        assert client("MODULE", "LOAD", os.path.abspath(module)) == "OK"
        for _ in range(201):
            expired(listener)
        client("SET", "mine", "1", "PX", 100)
        assert expired(listener)[0] == "mine"
        assert client("DBSIZE") == CROWD


def test_check_of_a_key_changes_no_statistics():
    with served() as (_, client, _):
        client("SET", "mine", "1", "EX", 50)
        stats = client.info("stats")
        # Sent at once: the module checks the key when it is watched.
        assert client.many([("GETEX", "mine", "EX", 40), ("WATCH", "mine"),
                            ("MULTI",)]) == ["1", "OK", "OK"]
        client("ECHO", "still here")
        assert client("EXEC") == ["still here"]
        after = client.info("stats")
        assert after["keyspace_misses"] == stats["keyspace_misses"]
        assert after["keyspace_hits"] == stats["keyspace_hits"] + 1
