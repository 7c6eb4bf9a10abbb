# SPDX-License-Identifier: MIT
"""List the jobs of a tube by state, and clear them."""
import random

import load
import harness
import ktap
from guarantees import SEED

STATES = ("ready", "delayed", "reserved", "buried")


def pages(client, state, size):
    """The ids of all jobs of a state, read in pages."""
    ids, cursor = [], "0"
    while True:
        lines = client.ask(f"list-jobs {state} {cursor} {size}")[1].decode().splitlines()
        assert lines[0] == "---" and lines[2] == "jobs:", lines
        page = [int(line.removeprefix("- ")) for line in lines[3:]]
        assert len(page) <= size
        ids += page
        cursor = lines[1].removeprefix("next: ")
        if cursor == "0":
            return ids


def filled(client, count):
    """Put jobs, and change the state of some of them. Return all ids."""
    dice = random.Random(SEED)
    ids = [client.put(b"x", pri=dice.randrange(3), delay=dice.choice([0, 0.001, 1000]))
           for _ in range(count)]
    client.send("put-at 0 99999999999999 60 1\r\nx\r\nput-at 0 1 60 1\r\nx\r\n")
    ids += [int(client.answer().split()[1]) for _ in range(2)]
    harness.until(lambda: client.stats()["current-jobs-ready"] > str(count // 2))
    for _ in range(count // 3):
        number, _ = client.reserve(0)
        how = dice.choice(["keep", "release {} 1 0", "release {} 1 1000", "bury {} 1", "delete {}"])
        if how != "keep":
            client.ask(how.format(number))
    return ids


def by_state(client, ids):
    said = {number: client.stats(f"stats-job {number}") for number in ids}
    return {state: {number for number, job in said.items()
                    if isinstance(job, dict) and job["state"] == state} for state in STATES}


def list_has_each_job_once():
    """The pages have the jobs that stats-job reports, with all or few of them in memory."""
    print(f"# WHEELQ_SEED={SEED}")
    for loaded in ("16", "1000"):
        with harness.Server("--max-loaded", loaded) as server:
            client = server.client()
            wanted = by_state(client, filled(client, 300))
            for state in STATES:
                assert wanted[state], state
                for size in (1, 7, 1000):
                    listed = pages(client, state, size)
                    assert len(listed) == len(set(listed)), state
                    assert set(listed) == wanted[state], (state, size)
            client.ask("use other")
            assert all(pages(client, state, 10) == [] for state in STATES)


def list_is_in_order():
    with harness.Server("--max-loaded", "16") as server:
        client = server.client()
        dice = random.Random(SEED)
        jobs = [(pri, client.put(b"x", pri=pri)) for pri in dice.choices(range(9), k=100)]
        assert pages(client, "ready", 9) == [number for _, number in sorted(jobs)]


def list_examines_a_limited_number_of_jobs():
    """A page ends early if most jobs have another state. The next pages have the rest."""
    jobs = 10000
    with harness.Server() as server:
        client = server.client()
        load.pipelined(client, [0] * jobs)
        numbers = load.reserved(client, load.RESERVED) + [jobs]
        assert client.ask(f"reserve-job {jobs}")[0] == f"RESERVED {jobs} {len(load.BODY)}"
        for size in (1, 1000):
            assert pages(client, "reserved", size) == numbers
        first = client.ask("list-jobs reserved 0 1000")[1].decode().splitlines()
        assert first[1] != "next: 0" and len(first) == 3 + load.RESERVED


def clear_deletes_one_state():
    for loaded in ("16", "1000"):
        with harness.Server("--max-loaded", loaded) as server:
            client = server.client()
            wanted = by_state(client, filled(client, 300))
            for state in ("buried", "ready", "delayed"):
                count = len(wanted[state])
                assert client.ask(f"clear-jobs {state} 5") == "CLEARED 5"
                assert client.ask(f"clear-jobs {state} 1000") == f"CLEARED {count - 5}"
                assert pages(client, state, 100) == []
            assert client.ask("clear-jobs reserved 1000") == "CLEARED 0"
            assert set(pages(client, "reserved", 100)) == wanted["reserved"]
            server.kill()
            client = server.start().client()
            count = str(len(wanted["reserved"]))
            harness.until(lambda client=client, count=count:
                      client.stats()["current-jobs-ready"] == count)


def clear_serves_others_in_between():
    """The commands of one client that clear 50,000 jobs take many iterations of the event loop,
    and each one serves all clients."""
    jobs = 50000
    with harness.Server() as server:
        client = server.client()
        load.pipelined(client, [1000] * jobs)
        before = int(client.stats()["store-commits"])
        client.send("clear-jobs delayed 1000\r\n" * (jobs // 1000))
        for _ in range(jobs // 1000):
            assert client.answer() == "CLEARED 1000"
        after = client.stats()
        assert after["current-jobs-delayed"] == "0"
        assert int(after["store-commits"]) - before > 15, after["store-commits"]


def list_of_nonsense():
    with harness.Server() as server:
        client = server.client()
        client.put(b"x")
        for line in ("list-jobs", "list-jobs ready", "list-jobs ready 0", "list-jobs none 0 1",
                     "list-jobs ready x 1", "list-jobs ready 1. 1", "list-jobs ready 1.2.3.4.5 1",
                     "list-jobs ready 0 x", "list-jobs ready 0 1 1", "clear-jobs",
                     "clear-jobs ready", "clear-jobs none 1", "clear-jobs ready -1"):
            assert client.ask(line) == "BAD_FORMAT", line
        most = 2**64 - 1
        for state in STATES:
            for cursor in (f"{most}.{most}.{most}.{most}", "6", "1", "3.1", f"3.0.0.{most}"):
                assert client.ask(f"list-jobs {state} {cursor} {most}")[0].startswith("OK")
        assert client.ask("clear-jobs ready 0") == "CLEARED 0"


TESTS = ktap.named(globals(), "list_", "clear_")
