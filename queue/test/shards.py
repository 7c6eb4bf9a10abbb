# SPDX-License-Identifier: MIT
"""Several servers serve one database at once; see shards.h."""
import contextlib
import itertools
import os
import random
import re
import signal
import socket
import threading
import time

import guarantees
import harness
import history
import keys
import ktap
import limits
import lists
import postgres
import protocol
import shared
from guarantees import SEED
from wire import Wire

# Number of faults for each number of servers.
FAULTS = int(os.environ.get("WHEELQ_FAULTS", "4"))
SHARDS = 4
# Tubes of all shards.
TUBES = [f"tube{number}" for number in range(12)]


def free_ports(count):
    """A port with @count free ports after it, which connections do not use."""
    while True:
        first = random.SystemRandom().randrange(10000, 32000)
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + count + 1):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first


def own_group(server, shards=SHARDS):
    """Make it a server with shards, whose processes can be signalled together."""
    server.options += ("--shards", str(shards))
    server.preexec = os.setsid
    server.port = free_ports(shards)
    return server


def signal_all(server, number):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.process.pid, number)


def holders(store):
    """By shard, the port of the server that holds it."""
    return postgres.sql(store, "SELECT coalesce(port, 0) FROM wheelq.shard ORDER BY number").split()


def are_balanced(store, servers):
    held = holders(store)
    counts = sorted(held.count(str(server.port)) for server in servers)
    return sum(counts) == SHARDS and counts[-1] - counts[0] <= 1


def responds(server):
    """True if all shards can be reached through this server."""
    try:
        client = server.client()
        for tube in TUBES:
            client.ask(f"use {tube}")
            client.ask("peek-ready")
        client.close()
    except (harness.Gone, OSError):
        return False
    return True


class Sender(threading.Thread):
    """Runs in the background until it is closed."""

    def __init__(self, run):
        super().__init__(target=run)
        self.start()
        self.close = self.join


class Servers:
    """Servers with one database, each with its own Wire."""

    def __init__(self, count, options=(), make_wire=Wire):
        self.all = [harness.Server(*options) for _ in range(count)]
        self.store = self.all[0].store
        for server in self.all:
            own_group(server)
            server.wire = make_wire(postgres.started().socket)
            server.store = postgres.through(server.wire.host, server.wire.port, self.store)

    def hold_all(self, servers):
        """Wait until these servers hold all shards, and can reach them."""
        ports = {str(server.port) for server in servers}
        harness.until(lambda: ports.issuperset(holders(self.store)))
        for server in servers:
            harness.until(lambda server=server: responds(server))

    def balanced(self, servers=None):
        """Wait until these servers, or all, share the shards evenly."""
        servers = servers or self.all
        harness.until(lambda: are_balanced(self.store, servers))
        self.hold_all(servers)

    def __enter__(self):
        for server in self.all:
            server.start()
        self.balanced()
        return self

    def __exit__(self, *_):
        for server in self.all:
            server.wire.heal()
            signal_all(server, signal.SIGCONT)
            signal_all(server, signal.SIGKILL)
            server.__exit__()


def watching(server, tubes):
    client = server.client()
    for tube in tubes:
        assert client.ask(f"watch {tube}").startswith("WATCHING ")
    assert client.ask("ignore default") == f"WATCHING {len(tubes)}"
    return client


def postgres_shards_any_server_serves_any_tube():
    with postgres.stores(), Servers(2) as servers:
        one, two = (server.client() for server in servers.all)
        put = {}
        for tube in TUBES:
            assert one.ask(f"use {tube}") == f"USING {tube}"
            assert one.ask("list-tube-used") == f"USING {tube}"
            put[tube] = one.put(tube.encode(), ttr=1000)
        assert len({number >> 48 for number in put.values()}) == SHARDS
        listed = two.ask("list-tubes")[1].decode().split("\n- ")
        assert sorted(name.strip() for name in listed[1:]) == sorted(["default", *TUBES])
        assert two.stats()["current-jobs-ready"] == str(len(TUBES))
        for tube, number in put.items():
            assert two.stats(f"stats-tube {tube}")["current-jobs-ready"] == "1"
            assert two.stats(f"stats-job {number}")["tube"] == tube
            assert two.ask(f"peek {number}") == (f"FOUND {number} {len(tube)}", tube.encode())
        worker = watching(servers.all[1], TUBES)
        got = dict(worker.reserve(harness.PATIENCE) for _ in TUBES)
        assert got == {number: tube.encode() for tube, number in put.items()}
        assert one.ask(f"delete {put[TUBES[0]]}") == "NOT_FOUND"
        assert worker.ask(f"release {put[TUBES[1]]} 0 0") == "RELEASED"
        assert worker.ask(f"bury {put[TUBES[2]]} 0") == "BURIED"
        assert one.ask(f"kick-job {put[TUBES[2]]}") == "KICKED"
        assert worker.ask(f"touch {put[TUBES[3]]}") == "TOUCHED"
        worker.close()
        for number in put.values():
            harness.until(lambda number=number: one.ask(f"delete {number}") == "DELETED")
        for unknown in (0, 1 << 47, SHARDS << 48, 2**64 - 1):
            assert two.ask(f"delete {unknown}") == "NOT_FOUND"


def postgres_shards_a_waiting_worker_of_several_shards():
    """It receives jobs of all shards, and its timeout is neither early nor lost."""
    with postgres.stores(), Servers(2) as servers:
        producer, worker = servers.all[0].client(), watching(servers.all[1], TUBES)
        for tube in TUBES:
            worker.send("reserve\r\n")
            producer.ask(f"use {tube}")
            number = producer.put(b"x")
            assert worker.answer() == (f"RESERVED {number} 1", b"x")
            assert worker.ask(f"delete {number}") == "DELETED"
        begun = time.clock_gettime(time.CLOCK_BOOTTIME)
        assert worker.reserve(0.2) == "TIMED_OUT"
        assert time.clock_gettime(time.CLOCK_BOOTTIME) >= begun + 0.2
        # With a reserved job whose TTR is about to expire, as with one server.
        producer.put(b"x", ttr=1)
        assert worker.reserve()[1] == b"x"
        assert worker.reserve() == "DEADLINE_SOON"
        # The end of its input ends its wait.
        worker.send(b"reserve\r\n")
        worker.socket.shutdown(socket.SHUT_WR)
        assert worker.answer() in ("TIMED_OUT", "DEADLINE_SOON")
        assert worker.file.read() == b""


def postgres_shards_watches_are_those_of_the_client():
    """Each sequence of watch and ignore gives the tubes that one server would give."""
    dice = random.Random(SEED)
    print(f"# WHEELQ_SEED={SEED}")
    with postgres.stores(), Servers(1) as servers:
        client, producer = (servers.all[0].client() for _ in range(2))
        names = ["default", *TUBES]
        watched = ["default"]
        for _ in range(150):
            name = dice.choice(names)
            if dice.random() < 0.4 or len(watched) < 2:
                wanted = watched if name in watched else [*watched, name]
                assert client.ask(f"watch {name}") == f"WATCHING {len(wanted)}"
            else:
                wanted = [other for other in watched if other != name]
                assert client.ask(f"ignore {name}") == f"WATCHING {len(wanted)}"
            watched = wanted
            tubes = dice.sample(names, 3)
            for tube in tubes:
                producer.ask(f"use {tube}")
                producer.put(tube.encode(), ttr=history.TTR)
            got = sorted(tube for _ in tubes if isinstance(job := client.reserve(0), tuple)
                         for tube in [job[1].decode()])
            assert got == sorted(set(tubes) & set(watched)), (watched, tubes, got)
            for tube in tubes:
                producer.ask(f"use {tube}")
                producer.ask("clear-jobs ready 10")
            client.stats()
        for only in watched[1:]:
            client.ask(f"ignore {only}")
        assert client.ask(f"ignore {watched[0]}") == "NOT_IGNORED"


# Commands whose responses do not depend on the order of several shards.
COMMANDS = [b"put 0 1000 60 2\r\nabXX", b"put 0 0 60 70000\r\n" + b"x" * 70002, b"bad\r\n",
            b"x" * 300 + b"\r\n", b"peek-delayed\r\n", b"clear-jobs delayed 2\r\n",
            b"put-key a 0 1000 60 1\r\nx\r\n", b"peek-key a\r\n", b"list-tubes-watched\r\n",
            b"list-tube-used\r\n", b"reserve-with-timeout 0\r\n"]


def random_commands(dice):
    commands = []
    for number in range(dice.randrange(100)):
        tube, body = dice.choice(TUBES).encode(), b"%d" % number * dice.choice([1, 1, 1000, 30000])
        commands.append(dice.choice([b"%s %s\r\n" % (dice.choice([b"watch", b"ignore"]), tube),
                                     b"use %s\r\n" % tube, dice.choice(COMMANDS),
                                     b"put 0 1000 60 %d\r\n%s\r\n" % (len(body), body)]))
    return b"".join(commands)


def responses(server, sent, dice):
    """Send commands in pieces, and then the end. Return all responses, without ids."""
    client = harness.Client(server.port, room=dice.choice([None, 4096]))
    cuts = dice.choices(range(len(sent) + 1), k=dice.choice([0, 9, min(len(sent), 1000)]))

    def send():
        for begin, end in itertools.pairwise([0, *sorted(cuts), len(sent)]):
            client.send(sent[begin:end])
        client.socket.shutdown(socket.SHUT_WR)
    with contextlib.closing(Sender(send)):
        said = client.file.read()
    client.close()
    return re.sub(rb"(INSERTED|REPLACED|FOUND) \d+", rb"\1", said)


def postgres_shards_a_pipeline_gets_the_responses_of_one_server():
    dice = random.Random(SEED)
    print(f"# WHEELQ_SEED={SEED}")
    with postgres.stores(), harness.Server() as one, Servers(2) as servers:
        for number in range(60):
            sent = random_commands(dice)
            assert responses(one, sent, dice) == responses(servers.all[number % 2], sent, dice), sent


def postgres_shards_a_half_closed_client_gets_all_responses():
    """Also those of the last shard, while the links to the others have nothing to send."""
    with postgres.stores(), Servers(2) as servers:
        for _ in range(5):
            client = servers.all[0].client()
            client.send("".join(f"use {tube}\r\nput 0 1000 60 1\r\nx\r\n" for tube in TUBES))
            client.socket.shutdown(socket.SHUT_WR)
            for tube in TUBES:
                assert client.answer() == f"USING {tube}"
                assert client.answer().startswith("INSERTED ")
            assert client.file.read() == b""


def postgres_shards_a_slow_reader_gets_all_responses():
    """Responses of several shards fill all buffers. When the client reads them, its other commands
    run, although no event other than the free space causes it."""
    with postgres.stores(), Servers(1) as servers:
        client, other = harness.Client(servers.all[0].port, room=4096), servers.all[0].client()
        bodies = {}
        for tube in TUBES:
            other.ask(f"use {tube}")
            bodies[other.put(tube.encode() * 8000, delay=1000)] = tube.encode() * 8000
        asked = list(bodies) * 20
        client.send("".join(f"peek {number}\r\n" for number in asked))
        before = -1
        while (ran := int(other.stats()["cmd-peek"])) != before:
            before = ran
        print(f"# {ran} of {len(asked)} commands run before the client reads")
        for number in asked:
            assert client.answer()[1] == bodies[number]


def talk(servers, log):
    """Clients of random servers send commands. A client may be disconnected, because a shard has
    just moved."""
    clients = [servers[log.random.randrange(len(servers))] for _ in range(history.CLIENTS)]
    clients = [watching(server, TUBES) for server in clients]
    for client in clients:
        assert client.ask(f"use {log.random.choice(TUBES)}").startswith("USING ")
    return log.talk(clients)


@contextlib.contextmanager
def killed(server):
    """All processes of a server end at once."""
    signal_all(server, signal.SIGKILL)
    yield
    server.wait()
    server.start()


@contextlib.contextmanager
def first_process_is_killed(server):
    """The others end with it."""
    server.process.kill()
    yield
    server.wait()
    server.start()


@contextlib.contextmanager
def stopped(server):
    assert server.stop() == 0, server.said
    yield
    server.start()


@contextlib.contextmanager
def paused(server):
    signal_all(server, signal.SIGSTOP)
    yield
    signal_all(server, signal.SIGCONT)


@contextlib.contextmanager
def severed(server):
    """Its connections to PostgreSQL are cut in both directions."""
    server.wire.cut(server.wire.forth, server.wire.back)
    yield
    server.wire.heal()


@contextlib.contextmanager
def unheard(server):
    """PostgreSQL receives data, and commits, but its results do not arrive."""
    server.wire.cut(server.wire.back)
    yield
    server.wire.heal()


def postgres_shards_a_client_reaches_the_process_of_a_tube():
    """stats-tube has its address. The process rejects the tubes of other shards."""
    others = ("use {}", "watch {}", "stats-tube {}", "pause-tube {} 1", "limit-tube {} 1 1")
    of_default = ("put 0 0 60 1\r\nx", "put-key a 0 0 60 1\r\nx", "kick 1", "peek-ready",
                  "peek-key a", "delete-key a", "clear-jobs ready 1", "list-jobs ready 0 9")
    with postgres.stores(), Servers(2) as servers:
        proxied, processes, shard_of = servers.all[0].client(), {}, {}
        for tube in ["default", *TUBES]:
            proxied.ask(f"use {tube}")
            number = proxied.put(b"x", delay=100)
            said = proxied.stats(f"stats-tube {tube}")
            assert said["address"] == "127.0.0.1" and int(said["shard"]) == number >> 48
            shard_of[tube] = said["shard"]
            processes[said["shard"]] = harness.Client(int(said["port"]))
        assert len(processes) == SHARDS
        for shard, client in processes.items():
            asked = [text.format(tube) for tube in TUBES if shard_of[tube] != shard
                     for text in others]
            asked += of_default if shard_of["default"] != shard else ()
            for text in asked:
                assert client.ask(text) == "OTHER_SHARD", text
            for tube in TUBES:
                if shard_of[tube] == shard:
                    assert client.ask(f"use {tube}") == f"USING {tube}"
                    number = client.put(tube.encode())
                    assert watching(servers.all[1], [tube]).reserve() == (number, tube.encode())


def postgres_shards_a_stuck_process_is_replaced():
    """Its server lives, and starts another one for its shard."""
    with postgres.stores(), Servers(2) as servers:
        server = servers.all[0]
        shard = holders(servers.store).index(str(server.port))
        pid = int(harness.Client(server.port + 1 + shard).stats()["pid"])
        os.kill(pid, signal.SIGSTOP)
        for each in servers.all:
            harness.until(lambda each=each: responds(each))
        assert harness.Client(server.port + 1 + shard).stats()["pid"] != str(pid)


def faults(count):
    log, late, took = history.History(SEED), 0, {}
    ways = [killed, paused, severed, stopped, unheard, first_process_is_killed]
    print(f"# WHEELQ_SEED={SEED} WHEELQ_FAULTS={FAULTS}")
    with postgres.stores(), Servers(count, ("--max-loaded", "64")) as servers:
        for way in itertools.islice(itertools.cycle(ways[count - 2:] + ways[:count - 2]), FAULTS):
            old = log.random.choice(servers.all)
            others = [server for server in servers.all if server is not old]
            unread = talk(servers.all, log)
            with way(old):
                begun = time.monotonic()
                log.crashed()
                servers.hold_all(others)
                took[way] = max(took.get(way, 0), time.monotonic() - begun)
                servers.balanced(others)
                log.hear(talk(others, log))
                log.crashed()
            late += log.hear(unread)
            log.crashed()
            servers.balanced()
        guarantees.settle(watching(servers.all[0], TUBES), log, TUBES)
    print("# the others served all shards after", ", ".join(
        f"{seconds:.1f} s when one was {way.__name__}" for way, seconds in took.items()),
        f"and {late} late responses")


def on_shards(test):
    """Run a test of one server through a server with shards."""
    started = harness.Server.launch

    def launch(server):
        if "--shards" not in server.options:
            own_group(server)
        return started(server)
    harness.Server.launch = launch
    try:
        with postgres.stores():
            test()
    finally:
        harness.Server.launch = started


# Tests of limits on the number of tubes, of certain ids, and of counts of connections.
OF_ONE_SERVER = ("tube_limit_of_nonsense", "list_examines_a_limited_number_of_jobs",
                 "protocol_stats_of_a_tube", *shared.OF_A_FILE)

TESTS = [ktap.bound(f"postgres_shards_{test.__name__}", on_shards, test)
         for test in guarantees.TESTS + keys.TESTS + limits.TESTS + lists.TESTS + protocol.TESTS
         if test.__name__ not in OF_ONE_SERVER]
TESTS += [ktap.bound(f"postgres_shards_q2_q3_q4_q7_faults_of_{count}_servers", faults, count)
          for count in (2, 3, 4)]
TESTS += ktap.named(globals(), "postgres_shards_")
