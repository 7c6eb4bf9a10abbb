#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""publish.py [-l] [-c COUNT]... [-o PATTERN] [-x PATTERN] FILE.csv COMMAND MACHINE SAMPLES.csv:
write the medians of samples to a file of Documentation/measured, with the date of today, the command
and the machine. With -l, write the least samples, which depend less on other programs. -c selects numbers of timers, by default the largest; -o operations that
match a regular expression, -x those that do not."""

import argparse
import csv
import re
import sys
from datetime import date
from statistics import median

from samples import read


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-l", action="store_true")
    parser.add_argument("-c", type=int, action="append")
    parser.add_argument("-o", default="")
    parser.add_argument("-x", default="(?!)")
    for name in ("file", "command", "machine", "samples"):
        parser.add_argument(name)
    args = parser.parse_args()
    cells = {
        cell: values for cell, values in read(args.samples).items()
        if re.search(args.o, cell.operation) and not re.search(args.x, cell.operation)
    }
    if not cells:
        sys.exit(f"{args.samples}: no sample matches")
    counts = args.c or [max(cell.timers for cell in cells)]
    with open(args.file, "w", newline="", encoding="utf-8") as file:
        file.write(f"# date: {date.today()}\n# command: {args.command}\n# machine: {args.machine}\n")
        writer = csv.writer(file, lineterminator="\n")
        for cell, values in cells.items():
            if cell.timers in counts:
                writer.writerow([*cell, f"{(min if args.l else median)(values):.1f}"])


if __name__ == "__main__":
    main()
