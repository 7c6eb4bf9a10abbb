# SPDX-License-Identifier: MIT
"""What wheel_expire promises, each a test on a server of its own."""

import contextlib
import os
import time

from ktap import Late, Skip
from redis import Refused, Server, own_address

module = None

# So many keys that Redis hardly ever finds the one that is due by itself.
CROWD = 10000
# A test that waits so long has failed.
PATIENCE_S = 60
FAR = ("SET", "far", "1", "EX", 3600)
# A key that is found in time in any case, after those of a test.
ANOTHER = ("SET", "another", "1", "PX", 6000)
# Of so many keys that it knows in vain the module is not rid before their time.
SPARE = 1024


@contextlib.contextmanager
def served(*options, cluster=False, **others):
    """A server with the module, a client of it, and one that hears of expiries."""
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
    listener.answer()
    return listener


def expired(listener):
    """The next key that expires, and when we heard of it."""
    _, _, channel, key = listener.answer()
    assert channel.endswith(":expired")
    return key, time.time() * 1000


def field(client, name):
    return client.info("wheel_expire")["wheel_expire_" + name]


def wait(condition):
    """Until it is true: what never is true has to end, too."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() < begin + PATIENCE_S, "it never came"
        time.sleep(0.005)


def refused(client, *command):
    """How the server refuses a command."""
    try:
        client(*command)
    except Refused as reason:
        return str(reason)
    raise AssertionError(f"not refused: {command}")


def due_of(key, answer):
    """When a key expires, as PEXPIRETIME answered: it may have done so before we asked."""
    if answer == -2:
        raise Late
    assert answer > 0, (key, answer)
    return answer


def put(client, *command):
    """Runs a command that gives the key "mine" a time to live: when it is over."""
    return due_of("mine", client.many([command, ("PEXPIRETIME", "mine")])[-1])


def put_before_another(client, *commands):
    """The same, of several commands; and ANOTHER is put."""
    return due_of("mine", client.many([*commands, ANOTHER, ("PEXPIRETIME", "mine")])[-1])


def assert_before(client, due):
    """What was just seen was seen in time."""
    if client.now_ms() >= due:
        raise Late


def assert_next(client, listener, key, due, count=1):
    """@key is the next to expire, after @due, and it was our doing."""
    name, heard = expired(listener)
    assert name == key, name
    assert heard > due, (heard, due)
    assert field(client, "expired") == count


def test_backend_is_the_one_asked_for():
    asked = os.environ.get("LIBWHEEL_BACKEND", "auto")
    with served() as (_, client, _):
        backend = field(client, "backend")
        assert backend in ("kernel", "user"), backend
        assert asked in ("auto", backend), backend


def test_key_expires_without_being_looked_at():
    with served() as (_, client, listener):
        due = client.now_ms() + 300
        assert put(client, "SET", "mine", "1", "PXAT", due) == due
        assert_next(client, listener, "mine", due)
        assert client("DBSIZE") == CROWD


def test_keys_due_at_one_instant_all_expire():
    with served() as (_, client, listener):
        due = client.now_ms() + 500
        client.many([("SET", f"due:{number}", "x", "PXAT", due)
                     for number in range(1000)])
        heard = [expired(listener) for _ in range(1000)]
        assert {key for key, _ in heard} == {f"due:{n}" for n in range(1000)}
        assert min(when for _, when in heard) > due
        # Of so many that are overdue Redis may come by some first.
        assert field(client, "expired") > 0


def test_keys_due_at_one_instant_keep_the_server_awake():
    # If it slept after each 64 of them, once a second, the last were 15 s late.
    with served("--hz", 1, "--dynamic-hz", "no") as (_, client, listener):
        due = client.now_ms() + 1000
        client.many([("SET", f"due:{number}", "x", "PXAT", due)
                     for number in range(1000)])
        for _ in range(1000):
            expired(listener)
        assert field(client, "late_max_usec") < 10_000_000


def test_no_key_expires_early():
    with served() as (_, client, listener):
        base = client.now_ms() + 300
        dues = {f"due:{n}": base + n * 7 % 500 for n in range(300)}
        client.many([("SET", key, "x", "PXAT", due) for key, due in dues.items()])
        for _ in dues:
            key, heard = expired(listener)
            assert heard > dues[key], (key, heard, dues[key])


def ways_to_expire(client):
    """Commands after which the key "mine" expires soon, by how they do that."""
    base = ("SET", "mine", "1")
    soon = client.now_ms() + 100_000
    script = "redis.call('set', KEYS[1], 1, 'px', 500)"
    return {
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


def assert_each_way_is_seen(client, listener):
    for count, (way, commands) in enumerate(ways_to_expire(client).items(), 1):
        if isinstance(commands, bytes):
            client.socket.sendall(commands)
            client.answer()
            commands = []
        # The last command does not care what the one before answered.
        commands = commands[:-1] + [FAR] + commands[-1:]
        due = due_of(way, client.many(commands + [("PEXPIRETIME", "mine")])[-1])
        assert_next(client, listener, "mine", due, count)


def test_each_command_that_sets_a_time_is_seen():
    with served() as (_, client, listener):
        assert_each_way_is_seen(client, listener)


def dumped(client):
    client("SET", "dumped", "1")
    client.send("DUMP", "dumped")
    _, length = client._line()
    data = client.input.read(int(length) + 2)[:-2]
    client("DEL", "dumped")
    return data


def test_condition_of_expire_counts():
    with served() as (_, client, listener):
        ways = {"LT": (30000, 400), "GT": (200, 600), "XX": (30000, 400), "NX": (None, 400)}
        for count, (condition, (before, after)) in enumerate(ways.items(), 1):
            base = ("SET", "mine", "1") + (("PX", before) if before else ())
            due = put(client, *base) if before and before < after else 0
            answers = client.many([base, ("PEXPIRE", "mine", after, condition), FAR,
                                   ("PEXPIRETIME", "mine")])
            if answers[1] != 1:
                raise Late
            assert_next(client, listener, "mine", max(due, due_of("mine", answers[-1])), count)


def test_refused_condition_changes_nothing():
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


def test_command_after_a_blocking_one_is_seen():
    # It runs when the module has been called for the last time before the server sleeps, for
    # a second if nothing wakes it. For a while the module is called at each turn.
    with served("--hz", 1, "--dynamic-hz", "no") as (server, client, listener):
        other, data = server.client(), dumped(client)
        for _ in range(5):
            client("RESTORE", "far", 50000, data, "REPLACE")
            for command in (("BLPOP", "queue", 0), ("RESTORE", "mine", 20, data),
                            ("PEXPIRETIME", "mine")):
                other.send(*command)
            wait(lambda: client.info("clients")["blocked_clients"] == 1)
            client("RPUSH", "queue", "x")
            due = due_of("mine", [other.answer() for _ in range(3)][-1])
            key, heard = expired(listener)
            assert key == "mine"
            if heard > due + 200:
                raise Late


def test_stream_that_expires_wakes_its_readers():
    with served() as (server, client, listener):
        reader = server.client()
        client("XGROUP", "CREATE", "mine", "group", "$", "MKSTREAM")
        reader.send("XREADGROUP", "GROUP", "group", "me", "BLOCK", 0, "STREAMS", "mine", ">")
        wait(lambda: client.info("clients")["blocked_clients"] == 1)
        due = client.many([("PEXPIRE", "mine", 300), FAR, ("PEXPIRETIME", "mine")])[-1]
        try:
            reader.answer()
        except Refused as reason:
            assert "no longer exists" in str(reason)
        assert_next(client, listener, "mine", due)


def test_threads_that_read_are_no_matter():
    with served("--io-threads", 2, "--io-threads-do-reads", "yes") as (_, client, listener):
        assert_each_way_is_seen(client, listener)


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


def test_later_time_counts():
    with served() as (_, client, listener):
        put(client, "SET", "mine", "1", "PX", 100)
        due = put(client, "PEXPIRE", "mine", 400)
        assert_next(client, listener, "mine", due)
        assert field(client, "moved") >= 1


def test_sooner_time_counts():
    with served() as (_, client, listener):
        client("SET", "mine", "1", "PX", 30000)
        due = put(client, "PEXPIRE", "mine", 200)
        assert_next(client, listener, "mine", due)


def test_words_that_look_like_a_life_give_none():
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
        # So many were there at once.
        wait(lambda: field(client, "keys") <= SPARE + 2 * 1000)


def test_key_in_the_past_is_gone_at_once():
    with served() as (_, client, listener):
        client("SET", "mine", "1")
        assert client("PEXPIREAT", "mine", 1) == 1
        assert client("EXISTS", "mine") == 0
        client("SET", "mine", "1", "PXAT", 1)
        assert expired(listener)[0] == "mine"
        assert client("DBSIZE") == CROWD


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
            dues.append(put(client, "SET", "mine", "1", "PX", lives))
        for due in sorted(dues):
            name, heard = expired(listener)
            assert name == "mine" and heard > due, (name, heard, due)
        assert field(client, "expired") == 3


def test_flushed_keys_are_forgotten():
    with served() as (_, client, listener):
        client("SELECT", 1)
        client("SET", "stays", "1", "EX", 50)
        client("SELECT", 0)
        client.many([("SET", f"gone:{n}", "1", "EX", 30) for n in range(500)])
        assert field(client, "keys") == 501
        client("FLUSHDB")
        client("SET", "again", "1", "PX", 200)
        assert expired(listener)[0] == "again"
        client("SELECT", 1)
        client("PEXPIRE", "stays", 100)
        assert expired(listener)[0] == "stays"
        client("SET", "x", "1", "EX", 30)
        client("FLUSHALL", "ASYNC")
        assert field(client, "keys") == 0


def test_evicted_keys_do_not_expire():
    with served() as (_, client, _):
        client.many([("SET", f"gone:{n}", "1", "PX", 3000) for n in range(1000)])
        keys = field(client, "keys")
        if field(client, "expired"):
            raise Late
        assert keys == 1000
        client("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
        client("CONFIG", "SET", "maxmemory", "1mb")
        with contextlib.suppress(Refused):
            client("SET", "one", "more")
        wait(lambda: client("DBSIZE") == 0)
        if field(client, "expired"):
            raise Late
        wait(lambda: field(client, "keys") == 0)
        assert field(client, "expired") == 0


def test_refused_commands_fill_no_memory():
    with Server("--wheel_expire.horizon", 3600, module=module) as server:
        client = server.client()
        client("ACL", "SETUSER", "stranger", "on", "nopass", "+ping")
        stranger = server.client()
        stranger("AUTH", "stranger", "")
        assert "no permissions" in refused(stranger, "EXPIRE", "long" * 1000, 3000)
        assert field(client, "keys") == 0
        for begin in range(0, 10000, 1000):
            for number in range(begin, begin + 1000):
                stranger.send("EXPIRE", f"no:{number}", 3000)
            for _ in range(1000):
                with contextlib.suppress(Refused):
                    assert stranger.answer() is None
        wait(lambda: field(client, "keys") <= SPARE)


def test_key_of_a_long_name_expires():
    with served() as (_, client, listener):
        name = "mine" * 1000
        due = client.many([("SET", name, "1", "PX", 500), ("PEXPIRETIME", name)])[-1]
        assert_next(client, listener, name, due_of(name, due))


def test_renamed_command_is_seen():
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
        wait(lambda: field(client, "walks") >= 2)


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
        wait(lambda: field(client, "walks") >= 1)
        keys = field(client, "keys")
        assert_before(client, due)
        assert keys == 1
        assert_next(client, listener, "mine", due)


def appended(server):
    """What the server has written to its append-only file."""
    folder = os.path.join(server.folder, "appendonlydir")
    name = next(name for name in os.listdir(folder) if "incr" in name)
    with open(os.path.join(folder, name), "rb") as file:
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
        assert text.count(b"DEL\r\n") == 20
        assert text.count(b"MULTI") == text.count(b"EXEC")


def test_deletion_is_written_as_redis_writes_it():
    with served("--appendonly", "yes", "--appendfsync", "always") as \
            (server, client, listener):
        client("SET", "mine", "1", "PX", 200)
        expired(listener)
        text = appended(server)
        assert text.endswith(b"*2\r\n$3\r\nDEL\r\n$4\r\nmine\r\n"), text[-200:]
        assert b"MULTI" not in text


@contextlib.contextmanager
def pair():
    """A master and a replica of it, both with the module."""
    port, address = 6379, own_address()
    with Server("--port", port, "--bind", address,
                module=module) as master, \
            Server("--replicaof", address, port, module=module) as replica:
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


def test_pause_that_ends_by_itself_is_noticed():
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


def test_refused_debug_command_does_nothing():
    with served("--enable-debug-command", "no") as (_, client, listener):
        refused(client, "DEBUG", "SET-ACTIVE-EXPIRE", "0")
        due = put(client, "SET", "mine", "1", "PX", 200)
        assert_next(client, listener, "mine", due)


@contextlib.contextmanager
def clock_of_ours():
    """A function that moves the machine's clock, which is moved back in the end."""
    if "WHEEL_SETS_CLOCK" not in os.environ:
        raise Skip("the clock is not ours: a guest's is set instead")
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
    with clock_of_ours() as move, served() as (_, client, listener):
        due = put(client, "SET", "mine", "1", "PX", 50000)
        assert field(client, "keys") == 1
        move(60)
        assert_next(client, listener, "mine", due)


def test_clock_that_is_set_back_is_followed():
    with clock_of_ours() as move, served() as (_, client, listener):
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
        names = ("backend", "active", "keys", "expired", "late_max_usec", "moved",
                 "refused", "walks", "notified")
        assert list(info) == ["wheel_expire_" + name for name in names], info
        assert info["wheel_expire_active"] == 1
        assert info["wheel_expire_late_max_usec"] >= 1000
        assert info["wheel_expire_keys"] == info["wheel_expire_refused"] == 0
        assert info["wheel_expire_notified"] == 0


def test_full_wheel_leaves_keys_to_redis():
    with served("--wheel_expire.max-keys", 10) as (_, client, _):
        due = client.now_ms() + 300
        client.many([("SET", f"due:{n}", "1", "PXAT", due) for n in range(20)])
        keys, refused_keys = field(client, "keys"), field(client, "refused")
        assert_before(client, due)
        assert (keys, refused_keys) == (10, 10)
        wait(lambda: field(client, "keys") == 0)
        client("SET", "mine", "1", "EX", 50)
        assert field(client, "keys") == 1


def test_bad_arguments_are_refused():
    with Server() as server:
        client = server.client()
        path = os.path.abspath(module)
        assert "Error loading" in refused(client, "MODULE", "LOAD", path, "60")
        assert "no arguments" in server.said()
        assert "Error loading" in refused(
            client, "MODULE", "LOADEX", path, "CONFIG", "wheel_expire.horizon", 0)
        assert client("MODULE", "LOADEX", path, "CONFIG",
                      "wheel_expire.horizon", 5) == "OK"
        assert client("CONFIG", "GET", "wheel_expire.horizon")[1] == "5"
        for bad in (0, -1, 86401, "soon"):
            assert "CONFIG SET failed" in refused(
                client, "CONFIG", "SET", "wheel_expire.horizon", bad)
        assert "immutable" in refused(
            client, "CONFIG", "SET", "wheel_expire.max-keys", 5)
        assert client("CONFIG", "GET", "wheel_expire.horizon")[1] == "5"
        assert "Error loading" in refused(client, "MODULE", "LOAD", path)


def test_unloaded_module_leaves_a_sound_server():
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


def test_look_at_a_key_is_not_noticed():
    with served() as (_, client, _):
        client("SET", "mine", "1", "EX", 50)
        stats = client.info("stats")
        # In one piece: the module looks at the key once it is watched.
        assert client.many([("GETEX", "mine", "EX", 40), ("WATCH", "mine"),
                            ("MULTI",)]) == ["1", "OK", "OK"]
        client("ECHO", "still here")
        assert client("EXEC") == ["still here"]
        after = client.info("stats")
        assert after["keyspace_misses"] == stats["keyspace_misses"]
        assert after["keyspace_hits"] == stats["keyspace_hits"] + 1
