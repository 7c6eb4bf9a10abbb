# SPDX-License-Identifier: MIT
"""CPU time per command with the largest number of loaded jobs. Ratios of one run, so that a slow machine passes."""
import os
import statistics
import tempfile

import load
import harness

LOADED = 16384
JOBS = 60000
STORED = 150000
ROUNDS = 10
SINGLE = 50
# Index of a put to its delay in seconds.
DELAYS = {
    "beyond the horizon": lambda index: load.DAY,
    "constant": lambda index: 60,
    "shrinking": lambda index: 1700 - index,
    "random": lambda index: 60 + index * 7919 % 3000,
}


def in_memory():
    """A directory for a store whose syncs take no CPU time."""
    return tempfile.mkdtemp(prefix="wheelq.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def cpu_per_put(server, client, delays):
    """CPU microseconds of the server per put, one put at a time, with these delays."""
    pid = server.process.pid
    begin = load.used_by([pid])
    for delay in delays:
        client.put(load.BODY, delay=delay)
    return (load.used_by([pid]) - begin) / len(delays) * 1e6


def loaded_full_put_does_not_reload():
    """Load the most jobs that are due within an hour. Puts that are due earlier must cost
    about as much as puts that are due beyond the horizon."""
    with harness.Server("--max-loaded", str(LOADED), directory=in_memory()) as server:
        client = server.client()
        load.pipelined(client, [60 + index * 7919 % 3500 for index in range(STORED)])
        costs = {name: [] for name in DELAYS}
        for begin in range(0, ROUNDS * SINGLE, SINGLE):
            for name, delay in DELAYS.items():
                delays = [delay(index) for index in range(begin, begin + SINGLE)]
                costs[name].append(cpu_per_put(server, client, delays))
    costs = {name: statistics.median(cost) for name, cost in costs.items()}
    print("#", ", ".join(f"{name}: {cost:.0f} us" for name, cost in costs.items()))
    assert max(costs.values()) < 1.7 * costs["beyond the horizon"]


def loaded_full_drain_costs_no_more():
    """Jobs beyond the limit are written and read once more, but not repeatedly."""
    costs = []
    for limit in (4 * JOBS, LOADED):
        with harness.Server("--max-loaded", str(limit)) as server:
            client = server.client()
            pid = server.process.pid
            load.pipelined(client, [3] * JOBS)
            begin = load.used_by([pid])
            harness.until(lambda: client.stats()["current-jobs-ready"] == str(JOBS))
            for _ in range(0, JOBS, load.PIPELINE):
                load.delete(client, load.reserved(client, load.PIPELINE))
            costs.append((load.used_by([pid]) - begin) / JOBS)
    print(f"# {costs[0] * 1e6:.0f} us with all loaded, {costs[1] * 1e6:.0f} us otherwise")
    assert costs[1] < 3 * costs[0]


def restart_does_not_read_all_jobs():
    """A restart reads the same amount from a store with few or many jobs, apart from the pages
    between the root of an index and a job."""
    with harness.Server(directory=in_memory()) as server:
        load.pipelined(server.client(), load.delays(JOBS, load.PIPELINE))
        server.stop()
        server.start()
        with open(f"/proc/{server.process.pid}/io", encoding="ascii") as counters:
            read = next(int(line.split()[1]) for line in counters if line.startswith("rchar"))
        print(f"# {read >> 10} KiB read, of {os.path.getsize(server.store) >> 10}")
        assert read < 512 << 10


TESTS = [restart_does_not_read_all_jobs, loaded_full_put_does_not_reload, loaded_full_drain_costs_no_more]
