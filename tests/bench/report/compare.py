#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py OLD.csv NEW.csv: what changed, cell by cell, between two files of samples of
make bench. A cell is slower or faster only if all samples of one side lie beyond all samples
of the other; the noise is how far apart the samples of a side were. Ends with 1 if a cell of
ours is slower."""

import sys

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
    return (
        f"{cell.bench:<8} {cell.operation:<24} {cell.timers:>8} {cell.contestant:<14}"
        f"{old.middle:>11.1f}{new.middle:>11.1f}{ratio:>7.2f}"
        f"{noise(old):>7.0f} %{noise(new):>5.0f} %  {verdict(old, new)}"
    )


def main(old_path, new_path):
    old, new = read(old_path), read(new_path)
    both = [cell for cell in old if cell in new]
    if not both:
        sys.exit("compare: the two files have no cell in common")
    print(
        f"{'bench':<8} {'operation':<24} {'timers':>8} {'contestant':<14}"
        f"{'old':>11}{'new':>11}{'ratio':>7}{'noise':>9}{'':>7}"
    )
    slower = 0
    changed = {"slower": 0, "faster": 0, "": 0}
    for cell in both:
        before, after = spread(old[cell]), spread(new[cell])
        what = verdict(before, after)
        changed[what] += 1
        slower += what == "slower" and is_ours(cell.contestant)
        print(row(cell, before, after).rstrip())
    print(
        f"{len(both)} cells: {changed['slower']} slower, {changed['faster']} faster, "
        f"{changed['']} within the noise; {len(set(old) ^ set(new))} in one file alone"
    )
    return slower > 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: compare.py OLD.csv NEW.csv")
    sys.exit(main(*sys.argv[1:]))
