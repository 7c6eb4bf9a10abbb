# SPDX-License-Identifier: MIT
"""Jobs by key: one job per key and tube, which can be replaced, cancelled and read."""
import load
import harness
import ktap

KEYS = 20000


def put_key(client, key, body=b"x", delay=0, pri=0):
    """The response, as (word, id)."""
    client.send(b"put-key %s %d %d 60 %d\r\n%s\r\n" % (key.encode(), pri, delay, len(body), body))
    word, number = client.answer().split()
    return word, int(number)


def key_is_inserted_and_replaced():
    with harness.Server() as server:
        client = server.client()
        word, first = put_key(client, "a", b"one", delay=1000)
        assert word == "INSERTED"
        assert client.ask("peek-key a") == (f"FOUND {first} 3", b"one")
        word, second = put_key(client, "a", b"three", delay=2000)
        assert word == "REPLACED" and second != first
        assert client.ask(f"peek {first}") == "NOT_FOUND"
        assert client.ask("peek-key a") == (f"FOUND {second} 5", b"three")
        assert client.stats("stats-tube default")["current-jobs-delayed"] == "1"
        assert client.ask("delete-key a") == "DELETED"
        assert client.ask("delete-key a") == "NOT_FOUND"
        assert client.ask("peek-key a") == "NOT_FOUND"
        assert put_key(client, "a")[0] == "INSERTED"


def key_with_an_upper_bound_is_due_in_time():
    """Each put would move the due time. With a bound, the job is due at most so long after the
    first of the jobs that replaced one another."""
    with harness.Server() as server:
        client = server.client()

        def put(delay, bound, key="a"):
            client.send(f"put-key {key} 0 {delay} 60 1 {bound}\r\nx\r\n")
            word, number = client.answer().split()
            return word, client.stats(f"stats-job {number}")

        assert put(1000, 5000)[0] == "INSERTED"
        word, said = put(1000, 2000)
        assert word == "REPLACED" and 900 < int(said["time-left"]) < 1000
        word, said = put(5000, 2000)
        assert word == "REPLACED" and 1900 < int(said["time-left"]) < 2000, said
        assert int(put(5000, 0)[1]["time-left"]) > 4900
        harness.until(lambda: int(client.stats(f"stats-job {client.ask('peek-key a')[0].split()[1]}")
                                  ["age"]) >= 1)
        server.kill()
        client = server.start().client()
        assert put(5000, 0.5)[1]["state"] == "ready"
        assert client.reserve(0)[1] == b"x"
        word, said = put(1000, 0.25)
        assert word == "INSERTED" and said["state"] == "delayed"
        assert client.reserve(harness.PATIENCE)[1] == b"x"
        for wrong in ("x", "-1", "1 2"):
            assert client.ask(f"put-key a 0 0 60 1 {wrong}") == "BAD_FORMAT", wrong


def key_belongs_to_its_tube():
    with harness.Server() as server:
        client = server.client()
        _, first = put_key(client, "a", b"one")
        client.ask("use other")
        assert client.ask("peek-key a") == "NOT_FOUND"
        assert client.ask("delete-key a") == "NOT_FOUND"
        assert put_key(client, "a", b"two")[0] == "INSERTED"
        client.ask("use default")
        assert client.ask("peek-key a") == (f"FOUND {first} 3", b"one")


def key_of_a_reserved_job_moves_to_the_next_job():
    """The worker keeps its job. The new job is separate, and only it has the key."""
    with harness.Server() as server:
        client, worker = server.client(), server.client()
        _, first = put_key(client, "a", b"one")
        assert worker.reserve(0) == (first, b"one")
        assert client.ask("delete-key a") == "NOT_FOUND"
        word, second = put_key(client, "a", b"two", delay=1000)
        assert word == "INSERTED"
        assert client.ask("peek-key a") == (f"FOUND {second} 3", b"two")
        assert worker.ask(f"release {first} 0 0") == "RELEASED"
        assert client.ask("delete-key a") == "DELETED"
        assert worker.reserve(0) == (first, b"one")
        assert worker.ask(f"delete {first}") == "DELETED"


def key_is_removed_with_its_job():
    with harness.Server() as server:
        client = server.client()
        _, number = put_key(client, "a")
        assert client.reserve(0)[0] == number
        assert client.ask(f"delete {number}") == "DELETED"
        assert client.ask("peek-key a") == "NOT_FOUND"
        assert put_key(client, "a")[0] == "INSERTED"


def key_survives_a_crash():
    """Use more keys than can be loaded."""
    with harness.Server("--max-loaded", "1024") as server:
        client = server.client()
        for kind, body in (("INSERTED", b"old"), ("REPLACED", b"new")):
            for at in range(0, KEYS, load.PIPELINE):
                client.send(b"".join(b"put-key k%d 0 1000 60 3\r\n%s\r\n" % (n, body)
                                     for n in range(at, at + load.PIPELINE)))
                for _ in range(load.PIPELINE):
                    assert client.line().startswith(kind)
        assert client.ask("delete-key k7") == "DELETED"
        server.kill()
        client = server.start().client()
        assert client.stats("stats-tube default")["current-jobs-delayed"] == str(KEYS - 1)
        assert client.ask("peek-key k7") == "NOT_FOUND"
        for number in range(0, KEYS, 999):
            answer = client.ask(f"peek-key k{number}")
            assert answer == "NOT_FOUND" if number == 7 else answer[1] == b"new", answer


def key_of_nonsense():
    with harness.Server("--max-jobs", "1") as server:
        client = server.client()
        for line in ("put-key", "put-key a", "put-key a 0 0 1", "put-key -a 0 0 1 1",
                     f"put-key {'a' * 129} 0 0 1 1", "peek-key", "peek-key a b", "delete-key",
                     "delete-key a,b"):
            assert client.ask(line) == "BAD_FORMAT", line
        name = "a" * 128
        _, number = put_key(client, name)
        # The limit is reached: the job with the key is kept.
        client.send(f"put-key {name} 4294967295 99999999 99999999 1\r\ny\r\n")
        assert client.answer() == "OUT_OF_MEMORY"
        assert client.ask(f"peek-key {name}") == (f"FOUND {number} 1", b"x")


TESTS = ktap.named(globals(), "key_")
