#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py SAMPLES.csv median|least: print the medians or minimums of samples, with a column per
implementation."""

import sys
from statistics import median

from samples import read

WIDTH = 8


def tables(cells, middle):
    """{(bench, unit): {(timers, operation): {implementation: figure}}}, in the order of the file."""
    found = {}
    for cell, samples in cells.items():
        rows = found.setdefault((cell.bench, cell.unit), {})
        row = rows.setdefault((cell.timers, cell.operation), {})
        row[cell.contestant] = middle(samples)
    return found


def print_table(bench, unit, rows):
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    first = max(len(operation) for _, operation in rows)
    print(f"\n{bench}, {unit}:\n{'timers':>9} {'':<{first}}", end="")
    print("".join(f" {name:>{WIDTH}}" for name in names))
    for (timers, operation), row in sorted(rows.items(), key=lambda item: item[0][0]):
        print(f"{timers:>9,} {operation:<{first}}", end="")
        for name in names:
            text = f"{row[name]:.1f}" if name in row else "-"
            print(f" {text:>{max(WIDTH, len(name))}}", end="")
        print()


def main(path, statistic):
    for (bench, unit), rows in tables(read(path), min if statistic == "least" else median).items():
        print_table(bench, unit, rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: table.py SAMPLES.csv median|least")
    main(*sys.argv[1:])
