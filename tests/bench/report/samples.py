# SPDX-License-Identifier: GPL-2.0
"""The file named by BENCH_CSV=, to which benchmarks append one line per sample.

bench, operation, timers, implementation, unit, sample
"""

import csv
from collections import defaultdict
from statistics import median
from typing import NamedTuple

# The implementations of this project, selected by a prefix of their names.
OURS = ("hierar", "libwheel", "word", "hashed", "one base", "WHEEL_PERCPU")


def is_ours(contestant):
    return contestant.startswith(OURS)


class Cell(NamedTuple):
    """One measured quantity: one number of timers, one implementation."""

    bench: str
    operation: str
    timers: int
    contestant: str
    unit: str


class Spread(NamedTuple):
    low: float
    middle: float
    high: float


def read(path):
    """{Cell: sorted samples}, in the order of the file."""
    cells = defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.reader(file), 1):
            try:
                bench, operation, timers, contestant, unit, sample = row
                cell = Cell(bench, operation, int(timers), contestant, unit)
                cells[cell].append(float(sample))
            except ValueError as error:
                raise SystemExit(
                    f"{path}, line {number}: not bench, operation, timers, implementation, "
                    f"unit, sample: {error}"
                ) from error
    return {cell: sorted(samples) for cell, samples in cells.items()}


def spread(samples):
    return Spread(samples[0], median(samples), samples[-1])


def curves(cells, bench, operation):
    """{implementation: [(timers, Spread), ...]} of one operation."""
    found = defaultdict(list)
    for cell, samples in cells.items():
        if (cell.bench, cell.operation) == (bench, operation):
            found[cell.contestant].append((cell.timers, spread(samples)))
    return {contestant: sorted(points) for contestant, points in found.items()}


def largest(cells, bench, operation):
    """(timers, unit, {implementation: Spread}) for the largest number of timers."""
    here = [c for c in cells if (c.bench, c.operation) == (bench, operation)]
    if not here:
        return None
    timers = max(cell.timers for cell in here)
    return (
        timers,
        here[0].unit,
        {c.contestant: spread(cells[c]) for c in here if c.timers == timers},
    )
