# SPDX-License-Identifier: GPL-2.0
"""Who takes which lock; locks are taken from left to right."""

from shapes import arrow, box, picture, text

LOCKS = (("whole", "mutex"), ("file", "spinlock"), ("base", "raw spinlock"))
WHO = (
    ("SETUP", "program", "whole"),
    ("STOP", "program", "whole file base"),
    ("SUBMIT, LIST", "program", "file base"),
    ("read()", "program", "file base"),
    ("touch, park, revive", "program", ""),
    ("a module: arm, cancel", "done", "base"),
    ("a module: push", "done", ""),
    ("hrtimer's interrupt", "kernel", ""),
    ("pass, claim", "kernel", "base"),
    ("callback of a module", "kernel", ""),
    ("callback of /dev/wheel", "kernel", "file"),
)
NAMES, COLUMN, ROW, TOP = 166, 78, 34, 74


def column(i):
    return NAMES + COLUMN * (i + 0.5)


def heads():
    for i, (lock, kind) in enumerate(LOCKS):
        yield box(column(i) - 33, 8, 66, 30, "kernel")
        yield text(column(i), 28, lock)
        yield text(column(i), 57, kind, "quiet", 13)
    for i in range(len(LOCKS) - 1):
        yield arrow([(column(i) + 33, 23), (column(i + 1) - 33, 23)], "kernel")


def row(y, name, kind, taken):
    yield box(4, y, NAMES - 8, ROW - 6, kind)
    yield text(12, y + 19, name, anchor="start")
    held = [column(i) for i, (lock, _) in enumerate(LOCKS) if lock in taken.split()]
    middle = y + 14
    if not held:
        yield text(column(0) - 33, middle + 5, "no lock of ours", "quiet", anchor="start")
        return
    yield f'<line class="arrow" x1="{held[0]}" y1="{middle}" x2="{held[-1]}" y2="{middle}"/>'
    for x in held:
        yield f'<circle class="head kernel" cx="{x}" cy="{middle}" r="6"/>'


parts = list(heads())
for i, who in enumerate(WHO):
    parts += row(TOP + ROW * i, *who)
print(picture(400, TOP + ROW * len(WHO), parts))
