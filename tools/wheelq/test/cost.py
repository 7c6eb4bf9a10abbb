# SPDX-License-Identifier: MIT
"""CPU time per command with a full window. Ratios of one run, so that a slow machine passes."""
import load
import rig

WINDOW = 16384
JOBS = 60000
SINGLE = 300


def cpu_per_put(server, client, delay):
    """CPU seconds of the server per put, one put at a time. @delay maps the index to seconds."""
    pid = server.process.pid
    begin = load.used_by([pid])
    for index in range(SINGLE):
        client.put(load.BODY, delay=delay(index))
    return (load.used_by([pid]) - begin) / SINGLE


def window_full_put_does_not_reload():
    """Fill the window with jobs that are due in 1800 s. Puts that are due earlier must cost
    about as much as puts that are due beyond the horizon."""
    with rig.Server("--window", str(WINDOW)) as server:
        client = server.client()
        load.pipelined(client, [1800] * JOBS)
        beyond = cpu_per_put(server, client, lambda index: load.DAY)
        costs = {"constant": cpu_per_put(server, client, lambda index: 60),
                 "shrinking": cpu_per_put(server, client, lambda index: 1700 - index),
                 "random": cpu_per_put(server, client, lambda index: 60 + index * 7919 % 3000)}
        for name, cost in costs.items():
            print(f"# {name}: {cost * 1e6:.0f} us, beyond the horizon: {beyond * 1e6:.0f} us")
            assert cost < 3 * beyond, name


def window_full_drain_costs_no_more():
    """Jobs that exceed the window are written and read once more, but not repeatedly."""
    costs = []
    for window in (4 * JOBS, WINDOW):
        with rig.Server("--window", str(window)) as server:
            client = server.client()
            pid = server.process.pid
            load.pipelined(client, [3] * JOBS)
            begin = load.used_by([pid])
            rig.until(lambda: client.stats()["current-jobs-ready"] == str(JOBS))
            for _ in range(0, JOBS, load.PIPELINE):
                load.delete(client, load.reserved(client, load.PIPELINE))
            costs.append((load.used_by([pid]) - begin) / JOBS)
    print(f"# {costs[0] * 1e6:.0f} us with all in the window, {costs[1] * 1e6:.0f} us otherwise")
    assert costs[1] < 3 * costs[0]


TESTS = [window_full_put_does_not_reload, window_full_drain_costs_no_more]
