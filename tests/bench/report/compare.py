#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py OLD.csv NEW.csv: what changed, cell by cell, between two files of samples of
make bench. A cell is slower or faster only if all samples of one side lie beyond all samples
of the other; the noise is how far apart the samples of a side were. Ends with 1 if a cell of
ours is slower."""

import sys
from statistics import median

from plot import is_ours
from samples import read, spread


def noise(s):
    return 100 * (s.high - s.low) / s.middle if s.middle else 0.0


def verdict(old, new):
    if new.low > old.high:
        return "slower"
    if new.high < old.low:
        return "faster"
    return ""


def row(cell, old, new):
    ratio = new.middle / old.middle if old.middle else float(new.middle != old.middle)
    line = (
        f"{'':<33} {cell.timers:>8} {cell.contestant:<14}"
        f"{old.middle:>11.1f}{new.middle:>11.1f}{ratio:>7.2f}"
        f"{noise(old):>6.0f} %{noise(new):>5.0f} %  {verdict(old, new)}"
    )
    return line.rstrip()


def head(bench, operation):
    return (
        f"\n{bench + ', ' + operation:<33} {'timers':>8} {'':<14}"
        f"{'old':>11}{'new':>11}{'ratio':>7}{'noise':>8}"
    )


def in_order(cells):
    """By operation, as they were measured; the wheels before their rivals."""
    operations = list(dict.fromkeys((c.bench, c.operation) for c in cells))
    return sorted(
        cells,
        key=lambda c: (
            operations.index((c.bench, c.operation)),
            c.timers,
            not is_ours(c.contestant),
        ),
    )


def middle_of(ratios):
    return f"{median(ratios):.2f}" if ratios else "not measured"


def main(old_path, new_path):
    old, new = read(old_path), read(new_path)
    both = in_order([cell for cell in old if cell in new])
    if not both:
        sys.exit("compare: the two files have no cell in common")
    changed = {"slower": [], "faster": [], "": []}
    ratios = {True: [], False: []}
    above = None
    for cell in both:
        before, after = spread(old[cell]), spread(new[cell])
        ours = is_ours(cell.contestant)
        if (cell.bench, cell.operation) != above:
            above = (cell.bench, cell.operation)
            print(head(*above))
        print(row(cell, before, after))
        changed[verdict(before, after)].append(cell)
        if before.middle:
            ratios[ours].append(after.middle / before.middle)
    print(
        f"\n{len(both)} cells: {len(changed['slower'])} slower, {len(changed['faster'])} faster, "
        f"{len(changed[''])} within the noise; {len(set(old) ^ set(new))} in one file alone"
    )
    print(
        f"the middle ratio of the wheels is {middle_of(ratios[True])}; of all others, which "
        f"tell what the machine did, {middle_of(ratios[False])}"
    )
    slower = [cell for cell in changed["slower"] if is_ours(cell.contestant)]
    for cell in slower:
        print(f"slower: {cell.bench}, {cell.operation}, {cell.timers} timers, {cell.contestant}")
    return bool(slower)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py OLD.csv NEW.csv")
    sys.exit(main(*sys.argv[1:]))
