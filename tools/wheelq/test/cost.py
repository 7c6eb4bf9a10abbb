# SPDX-License-Identifier: MIT
"""CPU time per command with the largest number of loaded jobs. Ratios of one run, so that a slow machine passes."""
import load
import rig

LOADED = 16384
JOBS = 60000
SINGLE = 300


def cpu_per_put(server, client, delay):
    """CPU seconds of the server per put, one put at a time. @delay maps the index to seconds."""
    pid = server.process.pid
    begin = load.used_by([pid])
    for index in range(SINGLE):
        client.put(load.BODY, delay=delay(index))
    return (load.used_by([pid]) - begin) / SINGLE


def loaded_full_put_does_not_reload():
    """Load the most jobs that are due in 1800 s. Puts that are due earlier must cost
    about as much as puts that are due beyond the horizon."""
    with rig.Server("--max-loaded", str(LOADED)) as server:
        client = server.client()
        load.pipelined(client, [1800] * JOBS)
        beyond = cpu_per_put(server, client, lambda index: load.DAY)
        costs = {"constant": cpu_per_put(server, client, lambda index: 60),
                 "shrinking": cpu_per_put(server, client, lambda index: 1700 - index),
                 "random": cpu_per_put(server, client, lambda index: 60 + index * 7919 % 3000)}
        for name, cost in costs.items():
            print(f"# {name}: {cost * 1e6:.0f} us, beyond the horizon: {beyond * 1e6:.0f} us")
            assert cost < 3 * beyond, name


def loaded_full_drain_costs_no_more():
    """Jobs beyond the limit are written and read once more, but not repeatedly."""
    costs = []
    for limit in (4 * JOBS, LOADED):
        with rig.Server("--max-loaded", str(limit)) as server:
            client = server.client()
            pid = server.process.pid
            load.pipelined(client, [3] * JOBS)
            begin = load.used_by([pid])
            rig.until(lambda: client.stats()["current-jobs-ready"] == str(JOBS))
            for _ in range(0, JOBS, load.PIPELINE):
                load.delete(client, load.reserved(client, load.PIPELINE))
            costs.append((load.used_by([pid]) - begin) / JOBS)
    print(f"# {costs[0] * 1e6:.0f} us with all loaded, {costs[1] * 1e6:.0f} us otherwise")
    assert costs[1] < 3 * costs[0]


TESTS = [loaded_full_put_does_not_reload, loaded_full_drain_costs_no_more]
