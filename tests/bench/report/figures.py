# SPDX-License-Identifier: GPL-2.0
"""The figures of the page, and their notes."""

from typing import NamedTuple

import plot
from samples import curves, largest, spread


class Figure(NamedTuple):
    name: str
    title: str
    note: str
    svg: str


# The summary figures: title, bench, operation, note.
QUESTIONS = (
    (
        "Push a timeout",
        "counted",
        "touch",
        "A program moves a pending timer to a later deadline. The wheel uses a touch word.",
    ),
    (
        "Arm and cancel",
        "counted",
        "arm + cancel, batch 256",
        "256 per system call if supported, or one; heap and kept timers need no system call.",
    ),
    (
        "One expiry",
        "counted",
        "expiry, batch 1",
        "The program takes one event per system call. The heap and io_uring need no system "
        "call for it. The field expires late.",
    ),
    (
        "A burst",
        "counted",
        "expiry, ring",
        "All are due at one time. The wheel's events through the ring. The field expires late.",
    ),
    ("Memory", "counted", "bytes", "Per armed timer, including the memory of the program."),
    (
        "Wake-ups in silence",
        "loop",
        "wake-ups in 2 s, here, idle",
        "Wake-ups of an event loop whose timers are all due in an hour.",
    ),
)

# Additional bars of a summary figure, for other methods: operation, implementation, name of the
# bar.
OTHER_WAYS = {
    "Arm and cancel": (
        ("kept", "hierarchical", "kept"),
        ("arm + cancel, batch 1", "hierarchical", "hierarchical, 1 a call"),
    ),
}

# Suffix of a unit that is not per operation.
PER = {"bytes": " per timer", "wake-ups": ""}

# Cost by number of timers: bench, operation, title, note.
COSTS = (
    ("core", "arm", "arm", "The data structures alone, inside and outside of the cache."),
    ("core", "re-arm", "push or move", "Moves each pending timer to another deadline."),
    ("core", "idle", "push by one timeout", "To 60 s from now: the best case of queues."),
    ("core", "cancel", "cancel", "In random order."),
    ("core", "sweep", "expire, spread out", "At each due tick. The field is scanned once, late."),
    ("core", "burst", "expire, all at once", "Equal keys: the best case of a tree or heap."),
    ("kernel", "mixed arm", "arm", "timer_list rounds far deadlines, wheels do not."),
    ("kernel", "mixed push", "push", "Without a lock for the wheels; mod_timer() for timer_list."),
    ("kernel", "mixed cancel", "cancel", "In random order."),
    ("kernel", "mixed burst", "expire, all at once", "At one jiffy. hrtimer is not measured."),
    ("counted", "touch", "push", "Touch word; the others use a system call, or their heap."),
    ("counted", "arm, batch 256", "arm", "256 per system call if supported."),
    ("counted", "park", "cancel", "The wheel uses a touch word."),
    ("counted", "expiry, ring", "expire", "All at once; the wheel's events through the ring."),
)
PLACES = {
    "core": "Data structures on this machine",
    "kernel": "In the kernel",
    "counted": "From a program, in instructions",
    "timed": "From a program",
}


def at_hand(cells, bench):
    """Use the measured time if no instructions were counted."""
    benches = {cell.bench for cell in cells}
    return "timed" if bench == "counted" and bench not in benches else bench


def other_ways(cells, bench, title, timers):
    return {
        name: spread(samples)
        for operation, contestant, name in OTHER_WAYS.get(title, ())
        for cell, samples in cells.items()
        if cell[:4] == (bench, operation, timers, contestant)
    }


def answers(cells):
    """Yield title, note and the result of largest() for each summary figure."""
    for title, bench, operation, note in QUESTIONS:
        bench = at_hand(cells, bench)
        found = largest(cells, bench, operation)
        if found:
            timers, _, by_contestant = found
            by_contestant.update(other_ways(cells, bench, title, timers))
        yield title, note, found


def questions(cells):
    for title, note, found in answers(cells):
        if found:
            timers, unit, by_contestant = found
            yield Figure(
                f"question-{title.lower().replace(' ', '-')}",
                title,
                f"{note} {timers:,} timers.",
                plot.bars(by_contestant, unit + PER.get(unit, " per operation")),
            )


def costs(cells):
    for bench, operation, title, note in COSTS:
        bench = at_hand(cells, bench)
        found = curves(cells, bench, operation)
        unit = next((c.unit for c in cells if c.bench == bench), "")
        if any(len(points) > 1 for points in found.values()):
            yield Figure(
                f"{bench}-{operation.replace(', ', '-').replace(' ', '-')}",
                f"{PLACES[bench]}: {title}",
                note,
                plot.by_count(found, unit),
            )


def lateness(cells):
    for place in ("here, idle", "here, busy", "in a guest"):
        found = {
            cell.contestant: samples
            for cell, samples in cells.items()
            if cell.operation == f"lateness, {place}"
        }
        if found:
            yield Figure(
                f"late-{place.replace(', ', '-').replace(' ', '-')}",
                f"Expiry latency in an event loop, {place}",
                "1000 timers within 2 s. A wheel with ticks of 1 ms adds up to one tick; timerfd "
                "does not.",
                plot.distribution(found, "us"),
            )


def cpus(cells):
    """Cost by number of CPUs, which the samples have in the column of timers."""
    for operation, what in (("arm", "Arm"), ("push", "Push"), ("cancel", "Cancel")):
        found = curves(cells, "cpus", operation)
        if found:
            yield Figure(
                f"cpus-{operation}",
                f"{what}, on several CPUs at once",
                "Time per operation on one CPU of a guest. A level line means no "
                "contention. With more CPUs than this machine has, compare with nothing shared.",
                plot.by_cpus(found, "ns"),
            )


def busy_server(cells):
    for load, life in (("short", "a millisecond"), ("long", "30 milliseconds")):
        for unit in ("ns", "instructions"):
            found = largest(cells, "load", f"request, {load}, {unit}")
            if found:
                yield Figure(
                    f"load-{load}-{unit}",
                    f"A request of {life}, with a timeout of a second",
                    "A million requests per second arm and cancel one timer each. Each bar "
                    "includes the work of the server itself, which the floor shows alone. The "
                    f"field is up to 10 ms late. {found[0]:,} requests in flight.",
                    plot.bars(found[2], f"{unit} per request"),
                )


def echo(cells):
    found = {
        cell.contestant: (cell.timers, spread(samples))
        for cell, samples in cells.items()
        if cell.bench == "echo"
    }
    if found:
        yield Figure(
            "echo",
            "An echo server that closes idle connections",
            f"CPU time per request, with {max(n for n, _ in found.values()):,} connections. "
            "Nearly all of it is spent in TCP.",
            plot.bars({c: s for c, (_, s) in found.items()}, "us of CPU time per request"),
        )


def all_of(cells):
    """[(heading, [Figure])], without figures that have no samples."""
    parts = (
        ("Six questions", questions(cells)),
        ("Cost by number of timers", costs(cells)),
        ("Lateness", lateness(cells)),
        ("Several CPUs", cpus(cells)),
        ("A server", [*busy_server(cells), *echo(cells)]),
    )
    return [(heading, found) for heading, figures in parts if (found := list(figures))]
