# SPDX-License-Identifier: GPL-2.0
"""The figures of the page, and their notes."""

from typing import NamedTuple

import plot
from samples import curves, largest, spread


class Figure(NamedTuple):
    title: str
    note: str
    svg: str


# The figures for the largest number of timers: heading, title, bench, operation, note.
DOTS = (
    (
        "Five questions",
        "Push a timeout",
        "counted",
        "push",
        "A program moves a pending timer to a later deadline. The wheel uses a word.",
    ),
    (
        "Five questions",
        "Arm and cancel",
        "counted",
        "arm + cancel, batch 256",
        "256 per system call if supported, or one; heap and words need no system call.",
    ),
    (
        "Five questions",
        "One expiry",
        "counted",
        "expiry, batch 1",
        "The program takes one event per system call. The heap and io_uring need no system "
        "call for it.",
    ),
    (
        "Five questions",
        "A burst",
        "counted",
        "expiry, ring",
        "All are due at one time. The wheel's events through the ring.",
    ),
    (
        "Five questions",
        "Memory",
        "counted",
        "bytes",
        "Per armed timer, including the memory of the program.",
    ),
    *(
        (
            "A server",
            f"A request of {life}: {unit}",
            "load",
            f"request, {load}, {unit}",
            "A million requests per second arm and cancel one timer each, with a timeout of a "
            "second. Each point includes the work of the server itself, which the floor shows "
            "alone. The field is up to 10 ms late.",
        )
        for load, life in (("short", "a millisecond"), ("long", "30 milliseconds"))
        for unit in ("ns", "instructions")
    ),
    (
        "A server",
        "An echo server that closes idle connections",
        "echo",
        "CPU time",
        "CPU time per request. The column of timers is the number of connections. Nearly all "
        "of the time is spent in TCP.",
    ),
)

# Additional points, for other methods: operation, implementation, name of the point.
OTHER_WAYS = {
    "Arm and cancel": (
        ("word", "hierarchical", "word"),
        ("arm + cancel, batch 1", "hierarchical", "hierar., 1 per call"),
    ),
}

# The cost by number of timers or CPUs: bench, operation, title, note.
COSTS = (
    ("core", "arm", "arm", "The data structures alone, inside and outside of the cache."),
    ("core", "re-arm", "push or move", "Moves each pending timer to another deadline."),
    ("core", "idle", "push by one timeout", "To 60 s from now."),
    ("core", "cancel", "cancel", "In random order."),
    ("core", "sweep", "expire, spread out", "At each due tick. The field is scanned once, late."),
    ("core", "burst", "expire, all at once", "Equal keys: the best case of a tree or heap."),
    ("kernel", "mixed arm", "arm", "timer_list rounds far deadlines, wheels do not."),
    ("kernel", "mixed push", "push", "Without a lock for the wheels; mod_timer() for timer_list."),
    ("kernel", "mixed cancel", "cancel", "In random order."),
    ("kernel", "mixed burst", "expire, all at once", "At one jiffy. hrtimer is not measured."),
    ("counted", "push", "push", "Word; the others use a system call, or their heap."),
    ("counted", "arm, batch 256", "arm", "256 per system call if supported."),
    ("counted", "park", "cancel", "The wheel uses a word."),
    ("counted", "expiry, ring", "expire", "All at once; the wheel's events through the ring."),
    *(
        (
            "cpus",
            operation,
            operation,
            "Time per operation on one CPU of a guest. A level line means no contention. With more "
            "CPUs than this machine has, compare with nothing shared.",
        )
        for operation in ("arm", "push", "cancel")
    ),
)
PLACES = {
    "core": "Data structures on this machine",
    "kernel": "In the kernel",
    "counted": "From a program, in instructions",
    "timed": "From a program",
    "cpus": "On several CPUs at once",
}


def at_hand(cells, bench):
    """Use the measured time if no instructions were counted."""
    benches = {cell.bench for cell in cells}
    return "timed" if bench == "counted" and bench not in benches else bench


def answers(cells):
    """Yield heading, title, note and the result of largest() for each figure of DOTS."""
    for heading, title, bench, operation, note in DOTS:
        bench = at_hand(cells, bench)
        found = largest(cells, bench, operation)
        for other, contestant, name in OTHER_WAYS.get(title, ()) if found else ():
            samples = cells.get((bench, other, found[0], contestant, found[1]))
            if samples:
                found[2][name] = spread(samples)
        yield heading, title, note, found


def all_of(cells, earlier):
    """{heading: [Figure]}, without figures that have no samples. The cells of an earlier run are
    shown if they have as many timers."""
    parts = {}
    before = {title: found for _, title, _, found in answers(earlier) if found}
    for heading, title, note, found in answers(cells):
        if found:
            timers, unit, by_contestant = found
            old = before.get(title, (0, "", {}))
            svg = plot.dots(
                by_contestant,
                unit + (" per timer" if unit == "bytes" else " per operation"),
                old[2] if old[:2] == (timers, unit) else {},
            )
            parts.setdefault(heading, []).append(Figure(title, f"{note} {timers:,} timers.", svg))
    for bench, operation, title, note in COSTS:
        bench = at_hand(cells, bench)
        found = curves(cells, bench, operation)
        if any(len(points) > 1 for points in found.values()):
            unit = next(c.unit for c in cells if c[:2] == (bench, operation))
            svg = plot.curve(found, unit, "running CPUs" if bench == "cpus" else "timers")
            figure = Figure(f"{PLACES[bench]}: {title}", note, svg)
            parts.setdefault("Cost by number of timers or CPUs", []).append(figure)
    return parts
