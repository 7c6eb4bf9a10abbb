#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py OLD.csv NEW.csv [PERCENT]: compare two sample files of make bench, cell by cell.
The lowest and highest tenth of the samples of each side are ignored as outliers. A cell costs
more or less only if the remaining samples of both sides do not overlap, and its median changed
by more than PERCENT, by default 2. The noise is the spread of the remaining samples. Exits with
status 1 if a cell of a wheel costs more."""

import sys
from statistics import median

from samples import is_ours, read, spread

PERCENT = 2.0
COUNTED = "instructions"


def usual(samples):
    """Spread of the samples, without the lowest and the highest tenth."""
    accidents = len(samples) // 10
    return spread(samples[accidents : len(samples) - accidents])


def noise(s):
    return 100 * (s.high - s.low) / s.middle if s.middle else 0.0


def verdict(old, new, percent):
    least = old.middle * percent / 100
    if new.low > old.high and new.middle > old.middle + least:
        return "MORE"
    if new.high < old.low and new.middle < old.middle - least:
        return "less"
    return ""


def group(cell):
    """Heading of the cell."""
    return f"{cell.operation}, {cell.unit} ({cell.bench})"


def head(title):
    return f"\n{title:<38} {'old':>10} {'new':>10} {'change':>9} {'noise':>13}"


def row(cell, old, new, what):
    change = f"{100 * (new.middle - old.middle) / old.middle:+.1f} %" if old.middle else ""
    return (
        f"{cell.timers:>12,} {cell.contestant:<25} {old.middle:>10.1f} {new.middle:>10.1f} "
        f"{change:>9} {noise(old):>4.0f} and {noise(new):>2.0f} %  {what}"
    ).rstrip()


def in_order(cells):
    """Cells by operation in the order of measurement, the wheels first."""
    groups = list(dict.fromkeys(group(c) for c in cells))
    return sorted(
        cells, key=lambda c: (groups.index(group(c)), c.timers, not is_ours(c.contestant))
    )


def moved(old, new, cells):
    """Median change of the cells' times in percent; None if there are no cells."""
    ratios = [
        median(new[c]) / median(old[c])
        for c in cells
        if c.unit != COUNTED and median(old[c])
    ]
    return 100 * (median(ratios) - 1) if ratios else None


def conclude(old, new, verdicts):
    """Print a summary. Returns the cells of the wheels that cost more."""
    more = [c for c, what in verdicts.items() if what == "MORE"]
    less = [c for c, what in verdicts.items() if what == "less"]
    ours = moved(old, new, [c for c in verdicts if is_ours(c.contestant)])
    rivals = moved(old, new, [c for c in verdicts if not is_ours(c.contestant)])
    alone = len(set(old) ^ set(new))
    print(
        f"\n{len(verdicts)} cells: {len(more)} cost more, {len(less)} less, "
        f"{len(verdicts) - len(more) - len(less)} unchanged within the noise"
        + (f"; {alone} are on one side only" if alone else "")
    )
    if ours is not None and rivals is not None:
        print(
            f"the wheels' time changed by {ours:+.1f} %, that of the other implementations, "
            f"which shows the effect of the machine, by {rivals:+.1f} %"
        )
    return [c for c in more if is_ours(c.contestant)]


def main(old_path, new_path, percent=PERCENT):
    old, new = read(old_path), read(new_path)
    both = in_order([cell for cell in old if cell in new])
    if not both:
        sys.exit("compare: the two sides have no cell in common")
    verdicts, above = {}, None
    for cell in both:
        before, after = usual(old[cell]), usual(new[cell])
        if group(cell) != above:
            above = group(cell)
            print(head(above))
        verdicts[cell] = verdict(before, after, float(percent))
        print(row(cell, before, after, verdicts[cell]))
    more = conclude(old, new, verdicts)
    for cell in more:
        print(f"costs more: {group(cell)}, {cell.timers:,} timers, {cell.contestant}")
    return bool(more)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: compare.py OLD.csv NEW.csv [PERCENT]")
    sys.exit(main(*sys.argv[1:]))
