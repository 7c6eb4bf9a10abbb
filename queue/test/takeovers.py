# SPDX-License-Identifier: MIT
"""Takeovers: three servers share a store in PostgreSQL. The serving one is stopped, and the
responses of all servers are verified."""
import contextlib
import itertools
import os
import select
import signal
import time
import urllib.error
import urllib.request

import ktap
import load
import postgres
import guarantees
import harness
from history import CLIENTS, History
from guarantees import SEED
from namespace import cable
from shared import (commits_held_up, is_available, on_standby, stand_by, stopped_postgres,
                    transaction, waits_for_a_lock)
from wire import Wire

# Number of times that a server is stopped, in each way in turn.
TAKEOVERS = int(os.environ.get("WHEELQ_TAKEOVERS", "5"))


def put_on_a_wire(server, store, make_wire=Wire):
    server.wire = make_wire(postgres.started().socket)
    server.store = postgres.through(server.wire.host, server.wire.port, store)


class Servers:
    """Three servers with one store, each with its own Wire. One serves, others are on standby."""

    def __init__(self, make_wire):
        self.all = [harness.Server() for _ in range(3)]
        self.serving = self.all[0]
        store = self.all[0].store
        for server in self.all:
            put_on_a_wire(server, store, make_wire)

    def successor(self):
        """Wait until another one serves."""
        others = {server.process.stdout: server for server in self.all
                  if server is not self.serving}
        ready = select.select(list(others), [], [], harness.PATIENCE)[0]
        assert len(ready) == 1, "exactly one server must take over"
        self.serving = others[ready[0]].serves()

    def __enter__(self):
        self.all[0].start()
        for server in self.all[1:]:
            stand_by(server)
        return self

    def __exit__(self, *_):
        for server in self.all:
            server.process.send_signal(signal.SIGCONT)
            server.__exit__()


def talk(server, history):
    return history.talk([server.client() for _ in range(CLIENTS)])


def finds_out(server):
    """It has lost PostgreSQL or not. When it connects again, it detects the other server."""
    assert server.wait() == 0
    lines = server.said.decode().splitlines()
    assert "another server has taken over; exiting" in lines[-1], lines
    assert len(lines) == 1 or "connecting again" in lines[0] and len(lines) == 2, lines


@contextlib.contextmanager
def killed(server):
    server.process.send_signal(signal.SIGKILL)
    yield
    server.wait()


@contextlib.contextmanager
def paused(server):
    server.process.send_signal(signal.SIGSTOP)
    yield
    server.process.send_signal(signal.SIGCONT)
    finds_out(server)


@contextlib.contextmanager
def cut_off(server, *directions):
    """Cut the connection to PostgreSQL. Commands that are sent from now on get no response that
    depends on the store."""
    server.wire.cut(*directions)
    clients = [server.client() for _ in ("put", "reserve", "delete")]
    clients[0].send(b"put 0 0 60 1\r\nx\r\n")
    clients[1].send(b"reserve-with-timeout 0\r\n")
    clients[2].send(b"delete 1\r\n")
    yield
    for client in clients:
        with contextlib.suppress(harness.Gone, OSError):
            answer = client.answer()
            assert answer in ("OUT_OF_MEMORY", "TIMED_OUT"), answer


@contextlib.contextmanager
def unheard(server):
    """PostgreSQL receives data, and commits. Its results arrive late or too late."""
    with cut_off(server, server.wire.back):
        yield
        server.wire.heal()
        finds_out(server)


@contextlib.contextmanager
def severed(server):
    """The network is repaired after the server has lost PostgreSQL."""
    with cut_off(server, server.wire.forth, server.wire.back):
        yield
        assert b"connecting again" in server.process.stderr.readline()
        server.wire.heal()
        finds_out(server)


@contextlib.contextmanager
def half_heard(server):
    """PostgreSQL has received a part of a transaction, and waits for the rest of a statement."""
    server.wire.cut_within(5000)
    client = server.client()
    client.send(b"put 0 0 60 100\r\n%s\r\n" % (b"x" * 100) * 1000)
    harness.until(lambda: server.wire.is_cut)
    yield
    assert b"connecting again" in server.process.stderr.readline()
    server.wire.heal()
    finds_out(server)


def take_over(ways, make_wire):
    """Stop the serving one in each of these ways, one after the other."""
    history, late, took = History(SEED), 0, {}
    # cut_off() deletes it. If only the responses are cut off, PostgreSQL does.
    history.maybe_deleted.add(1)
    with postgres.stores(), Servers(make_wire) as servers:
        for way in ways:
            old = servers.serving
            unread = talk(old, history)
            with way(old):
                begun = time.monotonic()
                history.crashed()
                servers.successor()
                took[way] = max(took.get(way, 0), time.monotonic() - begun)
                history.hear(talk(servers.serving, history))
                history.crashed()
            late += history.hear(unread)
            stand_by(old)
        guarantees.settle(servers.serving.client(), history)
    print("# the next one served after", ", ".join(
        f"{seconds:.1f} s when one was {way.__name__}" for way, seconds in took.items()),
        f"and {late} late responses")


def postgres_q2_q3_q4_q7_takeovers():
    print(f"# WHEELQ_SEED={SEED} WHEELQ_TAKEOVERS={TAKEOVERS}")
    ways = itertools.cycle([severed, killed, paused, unheard, half_heard])
    take_over(itertools.islice(ways, TAKEOVERS), Wire)


def postgres_q2_q3_q4_q7_packets_are_dropped():
    """A firewall drops packets, so that TCP gives the connection up."""
    print(f"# WHEELQ_SEED={SEED}")
    with cable() as make_wire:
        take_over([severed, unheard], make_wire)


def postgres_that_is_slow_is_waited_for():
    """The server waits for longer than the lease, because PostgreSQL can be reached."""
    with postgres.stores(), harness.Server() as server:
        server.stop()
        direct = server.store
        put_on_a_wire(server, direct)
        client = server.start().client()
        before = server.wire.accepted
        with commits_held_up(direct):
            client.send("put 0 0 60 1\r\nx\r\n")
            harness.until(lambda: server.wire.accepted > before)
        assert client.answer() == "INSERTED 1"


def postgres_bodies_are_read_in_batches():
    """Neither a pipeline of reserves nor one of deletes waits for PostgreSQL once per job."""
    with postgres.stores(), harness.Server() as server:
        load.pipelined(server.client(), [0] * 2000)
        server.stop()
        put_on_a_wire(server, server.store)
        client = server.start().client()
        before = server.wire.requests
        numbers = load.reserved(client, 1000)
        between = server.wire.requests
        load.delete(client, numbers)
        print(f"# {between - before} requests for 1000 reserved jobs,"
              f" {server.wire.requests - between} for as many deleted ones")
        assert numbers == sorted(numbers)
        assert between - before < 100 and server.wire.requests - between < 50


def postgres_bodies_of_any_size_are_read():
    """Also if they exceed what is read ahead, or what is kept in memory."""
    with postgres.stores(), harness.Server("--max-job-size", str(20 << 20)) as server:
        client = server.client()
        sizes = [0, 1, 600000, 600000, 0, 9 << 20, 10, 1 << 20, 5]
        put = [(client.put(bytes([n]) * size), bytes([n]) * size) for n, size in enumerate(sizes)]
        for again in (False, True):
            if again:
                server.stop()
                client = server.start().client()
            assert [client.reserve(0) for _ in put] == put
            for number, _ in put:
                assert client.ask(f"release {number} 0 0") == "RELEASED"


def postgres_silence_is_survived():
    """A server that no other one replaces connects again when the network is repaired."""
    with postgres.stores(), harness.Server() as server:
        client = server.client()
        number = client.put(b"x")
        server.stop()
        put_on_a_wire(server, server.store)
        client = server.start().client()
        server.wire.cut(server.wire.back)
        client.send("put 0 0 60 1\r\ny\r\n")
        assert b"connecting again" in server.process.stderr.readline()
        assert client.file.read() == b""
        idle = server.client()
        assert idle.ask("peek 1") == "OUT_OF_MEMORY"
        server.wire.heal()
        harness.until(lambda: is_available(idle))
        assert idle.reserve(0) == (number, b"x")


def postgres_paused_while_it_creates_the_store():
    """Another server takes over, although the paused one has an open transaction."""
    with postgres.stores(), harness.Server() as first, harness.Server() as other:
        first.stop()
        other.stop()
        first.store = other.store = harness.new_store(None)
        with transaction(first.store, "CREATE TABLE wheelq_store()"):
            first.launch()
            harness.until(lambda: waits_for_a_lock(first.store))
            first.process.send_signal(signal.SIGSTOP)
        stand_by(other)
        assert select.select([other.process.stdout], [], [], harness.PATIENCE)[0]
        assert other.serves().client().put(b"x") == 1


def postgres_session_is_never_silent():
    """A server without clients also sends statements, more often than its lease ends."""
    with postgres.stores(), harness.Server() as server:
        changes = set()
        while len(changes) < 4:
            silent, change = postgres.sql(
                server.store, "SELECT extract(epoch FROM clock_timestamp() - state_change),"
                " state_change FROM pg_stat_activity WHERE application_name = 'wheelq'"
                " AND datname = current_database()").split("|")
            assert float(silent) < 3, silent
            changes.add(change)


def postgres_silence_is_survived_on_standby():
    with postgres.stores(), harness.Server() as serving, harness.Server() as other:
        other.stop()
        put_on_a_wire(other, serving.store)
        stand_by(other)
        other.wire.cut(other.wire.back)
        assert b"connecting again" in other.process.stderr.readline()
        other.wire.heal()
        number = serving.client().put(b"x")
        serving.stop()
        assert other.serves().client().reserve(0) == (number, b"x")


def http_status(server, path):
    """The status and the body of the response on --http-port."""
    url = f"http://127.0.0.1:{server.options[1]}{path}"
    try:
        with urllib.request.urlopen(url, timeout=harness.PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def postgres_health_on_standby():
    """The port for HTTP is served on standby, and serves nothing else afterwards."""
    options = "--http-port", str(harness.free_port())
    with postgres.stores(), harness.Server() as serving, on_standby(serving, *options) as other:
        silent = harness.Client(int(other.options[1]))
        assert http_status(other, "/health") == (503, "")
        assert "\nwheelq_serving 0\n" in http_status(other, "/metrics")[1]
        serving.stop()
        other.serves()
        assert http_status(other, "/health") == (200, "serving\n")
        assert "\nwheelq_serving 1\n" in http_status(other, "/metrics")[1]
        with stopped_postgres(other):
            assert http_status(other, "/health") == (503, "")
        raw = harness.Client(int(other.options[1]))
        raw.send("stats\r\n")
        assert raw.file.read() == silent.file.read() == b""


def postgres_who_stands_by_may_be_told_to_drain():
    with postgres.stores(), harness.Server() as serving, on_standby(serving) as other:
        other.process.send_signal(signal.SIGUSR1)
        serving.stop()
        client = other.serves().client()
        assert client.ask("put 0 0 60 1\r\nx") == "DRAINING"


TESTS = ktap.named(globals(), "postgres_")
