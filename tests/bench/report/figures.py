# SPDX-License-Identifier: GPL-2.0
"""Which figures there are, and what each one leaves out."""

from typing import NamedTuple

import plot
from samples import curves, largest, spread


class Figure(NamedTuple):
    name: str
    title: str
    note: str
    svg: str


# The questions of a reader: title, bench, operation, and what is not in the figure.
QUESTIONS = (
    (
        "Push a timeout",
        "counted",
        "touch",
        "A program moves a pending timer to a later deadline. The wheel by a touch word.",
    ),
    (
        "Arm and cancel",
        "counted",
        "arm + cancel, batch 256",
        "By calls of 256 where there are such, or one by one; heap and kept timers need none.",
    ),
    (
        "One expiry",
        "counted",
        "expiry, batch 1",
        "The program takes one event by a call. The heap and io_uring need no call for it, and "
        "the field is late.",
    ),
    (
        "A burst",
        "counted",
        "expiry, ring",
        "All are due at one time; the wheel's events come by the ring. The field is late.",
    ),
    ("Memory", "counted", "bytes", "Of a timer that is armed. The program's own included."),
    (
        "Wake-ups in silence",
        "loop",
        "wake-ups in 2 s, here, idle",
        "Of an event loop whose timers are all an hour away.",
    ),
)

# Bars beside those of a question, for a contestant that has other ways: operation, contestant,
# name of the bar.
OTHER_WAYS = {
    "Arm and cancel": (
        ("kept", "hierarchical", "kept"),
        ("arm + cancel, batch 1", "hierarchical", "hierarchical, 1 a call"),
    ),
}

# What a unit is counted by, where that is no operation.
PER = {"bytes": " per timer", "wake-ups": ""}

# Cost by number of timers: title, bench and its operation, unit, note.
COSTS = (
    ("core", "arm", "arm", "The bare structures, in the cache and out of it."),
    ("core", "re-arm", "push or move", "Each pending timer to another deadline."),
    ("core", "idle", "push by one timeout", "All move to 60 s from now: the best case of queues."),
    ("core", "cancel", "cancel", "In random order."),
    ("core", "sweep", "expire, spread out", "From due tick to due tick. The field looks once, late."),
    ("core", "burst", "expire, all at once", "A tree's and a heap's best case: equal keys."),
    ("kernel", "mixed arm", "arm", "timer_list rounds far deadlines, wheels do not."),
    ("kernel", "mixed push", "push", "Without a lock for the wheels; mod_timer() for timer_list."),
    ("kernel", "mixed cancel", "cancel", "In random order."),
    ("kernel", "mixed burst", "expire, all at once", "On one jiffy. hrtimer does not take part."),
    ("counted", "touch", "push", "By a touch word; the rivals by a call, or in their heap."),
    ("counted", "arm, batch 256", "arm", "By calls of 256 where there are such."),
    ("counted", "park", "cancel", "The wheel by a touch word."),
    ("counted", "expiry, ring", "expire", "All at once; the wheel's events come by the ring."),
)
PLACES = {
    "core": "Bare structures on this machine",
    "kernel": "In the kernel",
    "counted": "From a program, in instructions",
    "timed": "From a program",
}


def at_hand(cells, bench):
    """Where no instructions were counted, the time that was taken stands for them."""
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
    """Of each question: its title, its note, and what largest() found."""
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
                f"How late an event loop learns of a timer, {place}",
                "Of 1000 timers within 2 s. A wheel of 1 ms ticks is late by up to a tick, "
                "and timerfd is not.",
                plot.distribution(found, "us"),
            )


def cpus(cells):
    """By how many CPUs are at work, which stands where others have their timers."""
    for operation, what in (("arm", "Arm"), ("push", "Push"), ("cancel", "Cancel")):
        found = curves(cells, "cpus", operation)
        if found:
            yield Figure(
                f"cpus-{operation}",
                f"{what}, on several CPUs at once",
                "As one CPU of a guest sees it. Nobody hinders another where a line is level; "
                "beyond the processors of this machine, where it rises as that of nothing shared.",
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
                    "A million requests a second arm and cancel one each. What the server "
                    "itself does is in each bar, and is all of the floor. The field is late by "
                    f"up to 10 ms. {found[0]:,} under way.",
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
            f"Its CPU time for a request, once all of {max(n for n, _ in found.values()):,} "
            "are connected. Nearly all of it is TCP.",
            plot.bars({c: s for c, (_, s) in found.items()}, "us of CPU time per request"),
        )


def all_of(cells):
    """[(heading, [Figure])], only of what was measured."""
    parts = (
        ("Six questions", questions(cells)),
        ("Cost by number of timers", costs(cells)),
        ("Lateness", lateness(cells)),
        ("Several CPUs", cpus(cells)),
        ("A server", [*busy_server(cells), *echo(cells)]),
    )
    return [(heading, found) for heading, figures in parts if (found := list(figures))]
