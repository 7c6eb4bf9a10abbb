# SPDX-License-Identifier: GPL-2.0
"""Figures from the samples in measured/*.csv, which the benchmarks wrote.

The scripts generate and figures write them to the manual and to README."""

import csv
import sys
from math import log
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).parent.parent
sys.path.append(str(HERE / "drawings"))
from shapes import picture, text  # noqa: E402

TITLES = {
    "hierarchical": "/dev/wheel", "word": "libwheel, words", "heap": "user-space heap",
    "lazy heap": "lazy heap", "library": "library alone", "floor": "without timers",
    "hierarch.": "bare wheel", "queue": "queues", "field": "plain field, late",
}


# Their timers expire late or never.
UNFAIR = ("field", "floor")


class Figure(NamedTuple):
    """Rows are (name, operation), the first implementation is the wheel. A row that was not measured
    for it is left out."""

    file: str
    unit: str
    implementations: tuple
    rows: tuple
    titles: dict = {}

    def title(self, implementation):
        return {**TITLES, **self.titles}.get(implementation, implementation)

    def measured(self):
        """[(name, [value or None per implementation])]"""
        _, cells = read(self.file)
        rows = [
            (name, [cells.get((operation, one)) for one in self.implementations])
            for name, operation in self.rows
        ]
        return [(name, values) for name, values in rows if values[0] is not None]


PROGRAM = (
    ("postpone a timeout", "start at"),
    ("the same, and read the clock", "start"),
    ("cancel a timeout", "stop"),
    ("arm and cancel, by its word", "word"),
    ("the same, first since a scan", "word, rung"),
    ("postpone, with all later costs", "all costs"),
    ("arm and cancel, 256 per system call", "arm + cancel, batch 256"),
    ("arm and cancel, 1 per system call", "arm + cancel, batch 1"),
    ("expire and deliver, in a burst", "expiry, ring"),
    ("expire a lone timer, read()", "lone"),
    ("expire a lone timer, ring", "lone, ring"),
)
EXPIRY = (
    ("expire in a burst, 256 per read()", "expiry, batch 256"),
    ("expire, one per read()", "expiry, batch 1"),
    ("expire next to a busy process, ring", "expiry, busy"),
    ("expire a lone timer, ring, no system call", "lone, no call"),
    ("arm, sleep until it expires, read()", "sleep"),
    ("arm, sleep until it expires, ring", "sleep, ring"),
    ("sleep until a periodic timer expires", "periodic"),
)
PROGRAMS = ("hierarchical", "library", "timerfd", "io_uring", "heap", "lazy heap")
COUNTS = (10000, 100000, 1000000)
IDLE = ("hierarchical", "library", "timerfd", "heap", "lazy heap", "floor")
LOADS = ("word", "4-heap", "lazy 4-heap", "lazy ring", "libevent", "queue", "field", "floor")
POSTPONED = ("word", "4-heap", "lazy 4-heap", "lazy ring", "hierarch.", "libevent")
KERNEL = (
    ("arm", "mixed arm"),
    ("move to a later deadline", "mixed push"),
    ("re-arm", "mixed re-arm"),
    ("cancel", "mixed cancel"),
    ("arm, in batches", "mixed arm, batch"),
    ("cancel, in batches", "mixed cancel, batch"),
    ("expire, in a burst", "mixed burst"),
)
SCHEMES = (
    ("arm and cancel, 256 per system call", "arm + cancel, batch 256"),
    ("re-arm, 256 per system call", "re-arm, batch 256"),
    ("expire a lone timer, ring", "lone, ring"),
)
FIGURES = {
    "program": Figure("user", "instructions", PROGRAMS, PROGRAM),
    "expiries": Figure("user", "instructions", PROGRAMS, EXPIRY),
    "memory": Figure("memory", "bytes", PROGRAMS, (("memory per timer", "bytes"),)),
    "idle": Figure(
        "idle", "instructions", IDLE,
        tuple((f"{count:,} timers, {what}", f"idle, {what}, {count}")
              for count in COUNTS for what in ("postponed", "cancelled")),
    ),
    "idle-wakeups": Figure(
        "idle", "wake-ups", IDLE,
        tuple((f"{count:,} timers, {what}", f"idle, {what}, wake-ups, {count}")
              for count in COUNTS for what in ("postponed", "cancelled")),
    ),
    "schemes": Figure(
        "user", "instructions", ("hierarchical", "hashed"), SCHEMES,
        {"hierarchical": "hierarchical"},
    ),
    "kernel": Figure(
        "kernel", "instructions", ("hierarchical", "timer_list", "hrtimer"), KERNEL,
        {"hierarchical": "wheel"},
    ),
    "server": Figure(
        "load", "instructions", LOADS,
        (("a request of 1 ms", "request, short, instructions"),
         ("a request of 30 ms", "request, long, instructions")),
        {"floor": "floor"},
    ),
    "server-time": Figure(
        "load", "ns", LOADS,
        (("a request of 1 ms", "request, short, ns"), ("a request of 30 ms", "request, long, ns")),
        {"floor": "floor"},
    ),
    "postponed": Figure(
        "postponed", "instructions", POSTPONED,
        (("10 times per expiry, 30,000 timers", "postponed 10x, instructions, 30000"),
         ("once per expiry, 30,000 timers", "postponed 1x, instructions, 30000")),
    ),
    "postponed-time": Figure(
        "postponed", "ns", POSTPONED,
        (("10 times per expiry, 30,000 timers", "postponed 10x, ns, 30000"),
         ("10 times per expiry, 1,000,000 timers", "postponed 10x, ns, 1000000"),
         ("once per expiry, 30,000 timers", "postponed 1x, ns, 30000")),
    ),
    "core": Figure(
        "core", "instructions", ("hierarchical", "hashed", "wahern"),
        tuple((name, name) for name in ("arm", "re-arm", "idle", "cancel", "burst")),
        {"hierarchical": "hierarchical", "hashed": "hashed/16", "wahern": "timeout.c"},
    ),
    "wakeups": Figure(
        "wakeups", "wake-ups", ("hierarchical", "hashed"),
        tuple((name, name) for name in (
            "expire at random times within 1 s", "the same, with slack of 12.5 %",
            "push each 20 times in 2 s, none expires",
            "re-arm each 20 times in 2 s, none expires", "cancel each",
        )),
        {"hierarchical": "hierarchical"},
    ),
}


def samples(file):
    """Each sample, with the comments that apply to it: (about, row)."""
    about = {}
    with open(HERE / "measured" / f"{file}.csv", newline="", encoding="utf-8") as lines:
        for row in csv.reader(lines):
            if row[0].startswith("# "):
                key, value = ",".join(row)[2:].split(": ", 1)
                about = {**about, key: value}
            else:
                yield about, row


def read(file):
    """({"date": ..., "command": ...}, {(operation, implementation): median}). An operation is also
    found with its number of timers: "operation, timers"."""
    about, cells = {}, {}
    for about, row in samples(file):
        for operation in (row[1], f"{row[1]}, {row[2]}"):
            cells.setdefault((operation, row[3]), []).append(float(row[5]))
    return about, {cell: median(values) for cell, values in cells.items()}


def number(value):
    if value < 10:
        return f"{value:.2g}"
    return f"{value:,.0f}"


def exact(value):
    """A value of the file, with separators of thousands."""
    return f"{float(value):,}" if "." in value else f"{int(value):,}"


def ratio(value, wheel):
    times = value / wheel
    return f"{times:.0f} x" if times >= 9.95 else f"{times:.2g} x"


def table(name):
    """[heading, rows]: the values of all implementations, and their ratios to the wheel."""
    figure = FIGURES[name]
    rows = [["", *map(figure.title, figure.implementations)]]
    for title, values in figure.measured():
        rows.append([title, number(values[0])])
        rows[-1] += [
            "" if v is None else f"{number(v)} ({ratio(v, values[0])})" if values[0] else number(v)
            for v in values[1:]
        ]
    return rows


# Plots. Each implementation has a shape and a colour, the wheel the first.
LEFT, RIGHT, ROW, TOP = 12, 388, 46, 22
MARKS = (
    '<circle class="mark{i}" cx="{x:g}" cy="{y:g}" r="7"/>',
    '<rect class="mark{i}" x="{l:g}" y="{t:g}" width="10" height="10"/>',
    '<path class="mark{i}" d="M{x:g},{t2:g} l7,7 l-7,7 l-7,-7 z"/>',
    '<path class="mark{i}" d="M{x:g},{t2:g} l7,12 l-14,0 z"/>',
    '<path class="mark{i}" d="M{x:g},{b2:g} l7,-12 l-14,0 z"/>',
    '<path class="mark{i}" d="M{l:g},{t:g} l10,10 m-10,0 l10,-10"/>',
    '<path class="mark5" d="M{x:g},{t2:g} v14 m-7,-7 h14"/>',
    '<circle class="mark5" cx="{x:g}" cy="{y:g}" r="5"/>',
)


def mark(i, x, y):
    return MARKS[i].format(i=i, x=x, y=y, l=x - 5, t=y - 5, t2=y - 7, b2=y + 7)


def legend(titles):
    """Marks with names, in rows of at most three. Returns the parts and the height."""
    parts = []
    for i, title in enumerate(titles):
        x, y = LEFT + 8 + 128 * (i % 3), TOP + 22 * (i // 3)
        parts += [mark(i, x, y), text(x + 13, y + 5, title, size=13, anchor="start")]
    return parts, TOP + 22 * ((len(titles) + 2) // 3)


def scale(values):
    """(function from a value to x, ticks): logarithmic if the range is large, from 0 if not."""
    low, high = min(values), max(values)
    if high < 12 * low:
        step = next(s for s in (10, 20, 50, 100, 200, 500, 1000, 2000) if high / s <= 6)
        end = (high // step + 1) * step
        ticks = [step * i for i in range(int(end // step) + 1)]
        return lambda v: LEFT + 10 + (RIGHT - LEFT - 24) * v / end, ticks, "linear"
    first = 10 ** (len(str(int(low))) - 1)
    ticks = [first]
    while ticks[-1] < high:
        ticks.append(ticks[-1] * 10)
    span = log(ticks[-1] / first)
    return lambda v: LEFT + 10 + (RIGHT - LEFT - 24) * log(v / first) / span, ticks, "logarithmic"


def draw(name):
    """The plot as one <svg>: a line of marks per operation, with the ratios as numbers."""
    figure = FIGURES[name]
    parts, top = legend([figure.title(one) for one in figure.implementations])
    rows = figure.measured()
    shown = [values for _, values in rows]
    place, ticks, kind = scale([v for row in shown for v in row if v])
    bottom = top + ROW * len(shown) + 8
    for tick in ticks:
        x = place(tick)
        parts.append(f'<line class="grid" x1="{x:g}" y1="{top:g}" x2="{x:g}" y2="{bottom:g}"/>')
        label = f"{tick // 10**6} M" if tick >= 10**6 else number(tick)
        parts.append(text(min(x, RIGHT - 4 * len(label)), bottom + 18, label, "quiet", 13))
    for i, (title, values) in enumerate(rows):
        y = top + ROW * (i + 1)
        others = [
            v for one, v in zip(figure.implementations, values) if v and one not in UNFAIR
        ][1:]
        best = f"best other: {ratio(min(others), values[0])}" if others and values[0] else ""
        parts.append(text(LEFT, y - 20, title, size=13, anchor="start"))
        parts.append(text(RIGHT, y - 20, best, "quiet", 13, "end"))
        parts.append(f'<line class="arrow" x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}"/>')
        # The wheel's mark is the largest one, so it remains visible below others.
        marks = [(j, v) for j, v in enumerate(values) if v]
        parts += [mark(j, place(v), y) for j, v in marks[:1] + marks[:0:-1]]
    parts.append(
        text(LEFT, bottom + 40, f"{figure.unit} ({kind} axis): lower is better", "quiet", 13,
             "start")
    )
    return picture(400, bottom + 48, parts)
