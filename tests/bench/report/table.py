#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py SAMPLES.csv median|least: print the medians or minimums of samples, with a column per
implementation, and mark the figures of the wheels that miss a target of the file targets."""

import math
import sys
from pathlib import Path
from statistics import median

from samples import is_ours, read

WIDTH = 8
# Implementations whose timers expire late or never.
UNFAIR = ("floor", "field")
TARGETS = [
    [column.strip() for column in line.split("|")]
    for line in Path(__file__).with_name("targets").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def tables(cells, middle):
    """{(bench, unit): {(timers, operation): {implementation: figure}}}, in the order of the file."""
    found = {}
    for cell, samples in cells.items():
        rows = found.setdefault((cell.bench, cell.unit), {})
        row = rows.setdefault((cell.timers, cell.operation), {})
        row[cell.contestant] = middle(samples)
    return found


def figure_of(rows, timers, operation, term, name):
    """Figure of a term of a target; infinite if it was not measured."""
    contestant, _, other = term.strip().partition(":")
    row = rows.get((timers, other or operation), {})
    if contestant == "fastest":
        fair = (f for c, f in row.items() if not is_ours(c) and c not in UNFAIR)
        return min(fair, default=math.inf)
    return row.get(name if contestant == "own" else contestant, math.inf)


def misses(bench, rows, timers, operation, name):
    size = sum(timers > limit for limit in (10_000, 100_000, 1_000_000))
    for of_bench, of_operation, limits, *of in TARGETS:
        if (of_bench, of_operation) != (bench, operation) or not is_ours(name):
            continue
        limit = float((limits.split() + 3 * limits.split()[-1:])[size])
        if of:
            terms = (figure_of(rows, timers, operation, t, name) for t in of[0].split("+"))
            limit *= sum(terms)
        if rows[timers, operation][name] > limit:
            return True
    return False


def print_table(bench, unit, rows):
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    first = max(len(operation) for _, operation in rows)
    missed = 0
    print(f"\n{bench}, {unit}:\n{'timers':>9} {'':<{first}}", end="")
    print("".join(f" {name:>{WIDTH}} " for name in names))
    for (timers, operation), row in sorted(rows.items(), key=lambda item: item[0][0]):
        print(f"{timers:>9,} {operation:<{first}}", end="")
        for name in names:
            text = f"{row[name]:.1f}" if name in row else "-"
            miss = name in row and misses(bench, rows, timers, operation, name)
            missed += miss
            print(f" {text:>{max(WIDTH, len(name))}}{'!' if miss else ' '}", end="")
        print()
    if missed:
        print(f"! {missed} figures miss a target of tests/bench/report/targets")


def main(path, statistic):
    for (bench, unit), rows in tables(read(path), min if statistic == "least" else median).items():
        print_table(bench, unit, rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: table.py SAMPLES.csv median|least")
    main(*sys.argv[1:])
