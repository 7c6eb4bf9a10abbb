# SPDX-License-Identifier: MIT
"""Misbehaving clients: only they are affected."""
import os
import random
import re
import resource
import signal
import socket
import struct
import threading

import ktap
import load
import guarantees
import harness

# The arguments of each verb: n is a name, d a number.
TAKES = {"put": "dddd", "put-at": "dddd", "put-key": "ndddd", "peek": "d", "peek-key": "n",
         "delete-key": "n", "peek-ready": "", "peek-delayed": "", "peek-buried": "", "reserve": "",
         "reserve-with-timeout": "d", "reserve-job": "d", "delete": "d", "release": "ddd",
         "bury": "dd", "touch": "d", "use": "n", "watch": "n", "ignore": "n", "kick": "d",
         "kick-job": "d", "stats": "", "stats-job": "d", "stats-tube": "n", "list-tubes": "",
         "list-tube-used": "", "list-tubes-watched": "", "pause-tube": "nd"}
# Words that are names but not numbers, and words that are neither.
NO_NUMBERS = ["x", "1x", "0x10", "1e3", "+1", "1.", ".5", "1.0000000001", "1..2",
              "18446744073709551616", "99999999999999999999999"]
NONSENSE = ["", " ", "-1", "-", "-a", "a,b", "a\tb", "\0", "\x7f", "\xff", "%n%s",
            "'; DROP TABLE job; --", "n" * 201]
REFUSALS = ("BAD_FORMAT", "UNKNOWN_COMMAND")


def memory_of(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def still_serves(server):
    client = server.client()
    number = client.put(b"still")
    assert client.ask(f"delete {number}") == "DELETED"
    client.close()


def hostile_words_of_every_verb():
    with harness.Server() as server:
        client = server.client()
        lines = 0
        for verb, takes in TAKES.items():
            # The last word is one too many.
            for place, kind in enumerate(takes + " "):
                for word in NONSENSE[kind == " ":] + NO_NUMBERS * (kind != "n"):
                    words = ["1"] * len(takes)
                    words[place:place + 1] = [word]
                    line = " ".join([verb, *words])
                    client.send(line.encode("latin-1") + b"\r\n")
                    answer = client.answer()
                    assert answer in REFUSALS, f"{line!r}: {answer!r}"
                    lines += 1
        print(f"# {lines} lines refused on one connection")
        assert client.put(b"x") == 1


def reset(raw):
    """Close the connection with a reset."""
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raw.close()


def hostile_random_bytes():
    dice = random.Random(guarantees.SEED)
    with harness.Server() as server:
        for _ in range(200):
            raw = socket.create_connection(("127.0.0.1", server.port), harness.PATIENCE)
            words = [dice.choice([*TAKES, *NONSENSE, *NO_NUMBERS, "1", "0", "\r\n", "default"])
                     for _ in range(dice.randrange(40))]
            raw.sendall(" ".join(words).encode("latin-1") + b"\r\n" +
                        dice.randbytes(dice.randrange(2000)))
            reset(raw)
        still_serves(server)


# All kinds of line ends: of commands, of bodies that contain line ends, of input that is too long.
SPLIT = (b"list-tube-used\r\n" b"put 0 9 60 4\r\n\r\n\r\r\r\n" b"put 0 0 60 5\r\n\r\n\r\n\r\r\n"
         b"put 0 0 60 2\r\nab\n\r" b"use " + b"x" * 221 + b"\r\r\n" b"nothing\r\r\n" b"\r\n"
         b"peek-ready\r\n")
SAYS = ["USING default", "INSERTED", "JOB_TOO_BIG", "EXPECTED_CRLF", "BAD_FORMAT",
        "UNKNOWN_COMMAND", "UNKNOWN_COMMAND", "NOT_FOUND"]


def hostile_line_ends_split_at_each_byte():
    with harness.Server("--max-job-size", "4") as server:
        other = server.client()

        def send_apart(client, *parts):
            for part in parts:
                client.send(part)
                # After this response, the server has read the part and all input before it.
                other.ask("list-tube-used")
            return [client.line().split()[0] if said == "INSERTED" else client.line()
                    for said in SAYS]

        for at in range(len(SPLIT)):
            client = server.client()
            assert send_apart(client, SPLIT[:at], SPLIT[at:]) == SAYS, SPLIT[:at]
            client.close()
        assert send_apart(server.client(), *(SPLIT[at:at + 1] for at in range(len(SPLIT)))) == SAYS
        assert other.stats()["total-jobs"] == str(len(SPLIT) + 1)


def hostile_body_too_long():
    with harness.Server("--max-job-size", "100") as server:
        client = server.client()
        client.send(b"put 0 0 1 4294967295\r\n" + b"x" * 100000)
        client.close()
        client = server.client()
        client.send(b"put 0 0 1 101\r\n" + b"y" * 101 + b"\r\nput 0 0 1 100\r\n" + b"z" * 100 +
                    b"\r\n")
        assert client.answer() == "JOB_TOO_BIG"
        assert client.answer() == "INSERTED 1"


def fill(server, client, data):
    """Send until the server reads no more. It must still serve other clients."""
    client.socket.setblocking(False)
    refused = 0
    while refused < 10:
        try:
            client.socket.send(data)
            refused = 0
        except BlockingIOError:
            refused += 1
            still_serves(server)


def hostile_client_that_never_reads():
    with harness.Server() as server:
        still_serves(server)
        number = server.client().put(b"x" * 65000)
        before = memory_of(server)
        deaf = [harness.Client(server.port) for _ in range(20)]
        for client in deaf:
            fill(server, client, f"peek {number}\r\n".encode() * 1000)
        more = memory_of(server) - before
        print(f"# {len(deaf)} clients that do not read: {more // len(deaf)} KiB each")
        assert more < len(deaf) * 512, f"{more} KiB"


def hostile_client_that_never_ends_its_line():
    with harness.Server() as server:
        before = memory_of(server)
        slow = [harness.Client(server.port) for _ in range(50)]
        for client in slow:
            client.send(b"x" * 1000000)
            still_serves(server)
        assert memory_of(server) - before < 50 * 256
        for client in slow:
            client.send(b"\r\n")
            assert client.answer() == "BAD_FORMAT"


def half_closed():
    with harness.Server() as server:
        client = server.client()
        client.send(b"put 0 0 60 1\r\nx\r\nreserve\r\nreserve\r\nput 0 0 60 1\r\ny\r\n")
        client.socket.shutdown(socket.SHUT_WR)
        assert client.answer() == "INSERTED 1"
        assert client.answer()[0] == "RESERVED 1 1"
        assert client.answer() == "TIMED_OUT"
        assert client.answer() == "INSERTED 2"
        assert client.file.read() == b""
        other = server.client()
        waiting = server.client()
        waiting.send(b"watch w\r\nignore default\r\nreserve\r\n")
        assert (waiting.answer(), waiting.answer()) == ("WATCHING 2", "WATCHING 1")
        harness.until(lambda: other.stats()["current-waiting"] == "1")
        waiting.socket.shutdown(socket.SHUT_WR)
        assert waiting.answer() == "TIMED_OUT"
        # The reserved jobs of the closed connection are ready again.
        assert {other.reserve()[0], other.reserve()[0]} == {1, 2}


def half_closed_in_the_middle():
    """An incomplete command has no effect."""
    with harness.Server() as server:
        for begun in (b"pu", b"put 0 0 60 3", b"put 0 0 60 3\r\n", b"put 0 0 60 3\r\nxy",
                      b"put 0 0 60 3\r\nxyz\r", b"put 0 0 60 70000\r\nx", b"x" * 1000):
            client = server.client()
            client.send(begun)
            client.socket.shutdown(socket.SHUT_WR)
            assert client.file.read() == b"", begun
        stats = server.client().stats()
        assert (stats["total-jobs"], stats["current-connections"]) == ("0", "1")


def reads_of(server):
    """The number of read(2) calls of the server."""
    with open(f"/proc/{server.process.pid}/io", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("syscr"))


def sleeps(server):
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "S"


def ends_and_never_reads(server, commands):
    """Return a client that has shut down its sending side and does not read. Its responses may
    not fit into the buffers. The server must read the end once, not repeatedly."""
    before = reads_of(server)
    deaf = harness.Client(server.port, room=4096)
    send_and_end(deaf, commands)
    still_serves(server)
    harness.until(lambda: sleeps(server))
    reads = reads_of(server) - before
    assert reads < 100, f"it reads {reads} times"
    return deaf


def answers_that_have_room(server, peek):
    """The number of unread responses after which the server stops reading a client's commands."""
    deaf = harness.Client(server.port, room=4096)
    fill(server, deaf, peek * 1000)
    deaf.close()
    return int(server.client().stats()["cmd-peek"])


def half_closed_and_never_reads():
    """A half-closed client with unsent responses causes no CPU usage. When the client closes,
    the server closes the connection."""
    if not os.path.exists("/proc/self/io"):
        raise ktap.Skip("the kernel lacks CONFIG_TASK_IO_ACCOUNTING")
    with harness.Server() as server:
        other = server.client()
        peek = f"peek {other.put(b'x' * 1000)}\r\n".encode()
        most = answers_that_have_room(server, peek)
        for asked in range(most - 40, most + 1, 10):
            ends_and_never_reads(server, peek * asked).close()
        harness.until(lambda: other.stats()["current-connections"] == "1")


def half_closed_and_reads_slowly():
    """The commands exceed the server's read-ahead and the responses exceed the buffers. All
    responses arrive, including those to commands that are read after the end was sent."""
    bodies = [bytes([letter]) * 2000 for letter in b"abcdefgh"]
    with harness.Server() as server:
        other = server.client()
        numbers = [other.put(body) for body in bodies]
        asked = [place % len(bodies) for place in range(12000)]
        client = harness.Client(server.port, room=4096)
        sender = threading.Thread(target=send_and_end, args=(client, b"".join(
            b"peek %d\r\n" % numbers[place] for place in asked[:-1]) +
            b"put 0 0 60 4\r\nlast\r\n"))
        sender.start()
        for place in asked[:-1]:
            assert client.answer()[1] == bodies[place]
        assert client.answer() == f"INSERTED {len(bodies) + 1}"
        assert client.file.read() == b""
        sender.join()


def half_closed_with_full_buffers():
    """The server reads the end while the last responses do not fit into the buffers. All arrive."""
    with harness.Server() as server:
        number = server.client().put(b"x" * 1000)
        peek = f"peek {number}\r\n".encode()
        most = answers_that_have_room(server, peek)
        for asked in range(most - 40, most + 1, 10):
            client = harness.Client(server.port, room=4096)
            send_and_end(client, peek * asked)
            still_serves(server)
            harness.until(lambda: sleeps(server))
            for place in range(asked):
                assert client.answer() == (f"FOUND {number} 1000", b"x" * 1000), place
            assert client.file.read() == b""


def send_and_end(client, data):
    client.send(data)
    client.socket.shutdown(socket.SHUT_WR)


def resets_in_the_middle_of_its_answers():
    """A closed client uses no resources, regardless of its unread responses and commands."""
    dice = random.Random(guarantees.SEED)
    print(f"# WHEELQ_SEED={guarantees.SEED}")
    with harness.Server() as server:
        other = server.client()
        peek = f"peek {other.put(b'x' * 10000)}\r\n".encode()
        for _ in range(200):
            client = server.client()
            client.send(peek * 6000)
            for _ in range(dice.randrange(12)):
                client.socket.recv(dice.randrange(1, 100000))
            client.file.close()
            reset(client.socket)
        harness.until(lambda: other.stats()["current-connections"] == "1")
        harness.until(lambda: sleeps(server))


def ran_ahead(server, other, line):
    """Twenty clients send many commands, and read no response. Return the number of these that run
    before the command of another client. All are sent while the server is stopped."""
    busy = [server.client() for _ in range(20)]
    harness.until(lambda: other.stats()["current-connections"] == str(len(busy) + 1))
    server.process.send_signal(signal.SIGSTOP)
    for client in busy:
        client.socket.setblocking(False)
        client.send(f"{line}\r\n" * (50000 // len(line)))
    other.send("stats\r\n")
    server.process.send_signal(signal.SIGCONT)
    ran = re.search(rb"cmd-%s: (\d+)" % line.split()[0].encode(), other.answer()[1])
    for client in busy:
        client.close()
    harness.until(lambda: other.stats()["current-connections"] == "1")
    return int(ran[1])


def hostile_pipelines_share_the_server():
    """A client waits for few of the 45,000 commands that others have sent before."""
    with harness.Server() as server:
        other = server.client()
        load.pipelined(other, [0] * 10000)
        assert ran_ahead(server, other, "list-jobs reserved 0 1") < 5000


def many_connections():
    wanted = int(os.environ.get("WHEELQ_CONNECTIONS", "10000"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted + 100:
        raise ktap.Skip(f"{wanted} connections need as many open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with harness.Server("--max-connections", str(wanted)) as server:
            first = server.client()
            # The response shows that the connection is counted.
            assert first.ask("list-tube-used") == "USING default"
            clients = [harness.Client(server.port) for _ in range(wanted - 1)]
            for client in clients:
                client.send(b"reserve\r\n")
            harness.until(lambda: first.stats()["current-waiting"] == str(wanted - 1))
            assert harness.Client(server.port).answer() == "OUT_OF_MEMORY"
            first.send(b"put 0 0 60 1\r\nx\r\n" * (wanted - 1))
            got = {client.answer()[0].split()[1] for client in clients}
            assert len(got) == wanted - 1
            print(f"# {wanted} connections: {memory_of(server)} KiB")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def limits_have_clear_answers():
    with harness.Server("--max-jobs", "2", "--max-tubes", "3", "--max-reserved", "1") as server:
        client = server.client()
        client.put(b"a")
        client.put(b"b")
        client.send(b"put 0 0 60 1\r\nc\r\n")
        assert client.answer() == "OUT_OF_MEMORY"
        assert client.ask("use two") == "USING two"
        assert client.ask("watch three") == "WATCHING 2"
        assert client.ask("use four") == "TOO_MANY_TUBES"
        assert client.ask("watch four") == "TOO_MANY_TUBES"
        assert client.reserve(0) == (1, b"a")
        assert client.reserve(0) == "TIMED_OUT"
        assert client.ask("reserve-job 2") == "NOT_FOUND"
        assert client.ask("delete 1") == "DELETED"
        assert client.reserve(0) == (2, b"b")


def draining_refuses_new_jobs():
    with harness.Server() as server:
        client = server.client()
        client.put(b"a")
        server.process.send_signal(10)
        harness.until(lambda: client.stats()["draining"] == "true")
        client.send(b"put 0 0 60 1\r\nc\r\n")
        assert client.answer() == "DRAINING"
        assert client.reserve(0) == (1, b"a")


def serves_in_between(other, worker, line, count=2500):
    """Send a command repeatedly, so that the server reads all of them at once. It runs a part of
    them between two commands of another client."""
    verb = "cmd-" + line.split()[0]
    ran = [int(other.stats()[verb])]
    worker.send(f"{line}\r\n" * count)
    while ran[-1] < ran[0] + count:
        ran.append(int(other.stats()[verb]))
    for _ in range(count):
        worker.answer()
    assert min(after - before for before, after in zip(ran, ran[1:]) if after > before) < count / 2


def hostile_worker_of_many_tubes():
    """To wait for many tubes costs less than to watch them. Each iteration of the event loop runs
    few commands that examine all of them, and then serves the other clients."""
    tubes = 5000
    with harness.Server() as server:
        other, worker = server.client(), server.client()
        begin = load.used_by([server.process.pid])
        worker.send("".join(f"watch t{number}\r\n" for number in range(tubes)))
        assert [worker.answer() for _ in range(tubes)][-1] == f"WATCHING {tubes + 1}"
        watched = load.used_by([server.process.pid])
        assert worker.reserve(0.001) == "TIMED_OUT"
        waited = load.used_by([server.process.pid])
        print(f"# {watched - begin:.3f} s to watch, {waited - watched:.3f} s to wait")
        assert waited - watched < watched - begin
        for line in ("reserve-with-timeout 0", f"watch t{tubes - 1}"):
            serves_in_between(other, worker, line)


def hostile_worker_of_many_jobs():
    """The same for the deadlines of many reserved jobs, and for lists of other jobs."""
    jobs = 20000
    with harness.Server() as server:
        other, worker = server.client(), server.client()
        load.pipelined(worker, [0] * jobs)
        serves_in_between(other, worker, "list-jobs reserved 0 1", 100)
        load.reserved(worker, jobs // 2)
        serves_in_between(other, worker, "list-jobs ready 0 1", 100)
        load.reserved(worker, jobs // 2)
        serves_in_between(other, worker, "reserve-with-timeout 0")


TESTS = ktap.named(globals(), "hostile_", "half_closed", "resets_", "many_", "limits_", "draining_")
