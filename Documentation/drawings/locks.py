# SPDX-License-Identifier: GPL-2.0
"""The locks that each operation takes, from left to right."""

from shapes import arrow, box, picture, text

LOCKS = (("setup_lock", "mutex"), ("base lock", "raw spinlock"))
TAKERS = (
    ("SETUP", "program", "setup_lock"),
    ("STOP", "program", "setup_lock base lock"),
    ("SUBMIT, LIST", "program", "base lock"),
    ("read(), ENTER", "program", "base lock"),
    ("arm, push, park", "program", ""),
    ("module: arm, cancel", "done", "base lock"),
    ("module: push", "done", ""),
    ("interrupt, /dev/wheel", "kernel", "base lock"),
    ("interrupt, module", "kernel", ""),
    ("pass, claim", "kernel", "base lock"),
    ("callback of a module", "kernel", ""),
)
NAMES, COLUMN, ROW, TOP = 184, 107, 34, 74


def column(i):
    return NAMES + COLUMN * (i + 0.5)


def heads():
    for i, (lock, kind) in enumerate(LOCKS):
        yield box(column(i) - 46, 8, 92, 30, "kernel")
        yield text(column(i), 28, lock)
        yield text(column(i), 57, kind, "quiet", 13)
    for i in range(len(LOCKS) - 1):
        yield arrow([(column(i) + 46, 23), (column(i + 1) - 46, 23)], "kernel")


def row(y, name, kind, taken):
    yield box(4, y, NAMES - 8, ROW - 6, kind)
    yield text(12, y + 19, name, anchor="start")
    held = [column(i) for i, (lock, _) in enumerate(LOCKS) if lock in taken]
    middle = y + 14
    if not held:
        yield text(column(0) - 46, middle + 5, "none", "quiet", anchor="start")
        return
    yield f'<line class="arrow" x1="{held[0]}" y1="{middle}" x2="{held[-1]}" y2="{middle}"/>'
    for x in held:
        yield f'<circle class="head kernel" cx="{x}" cy="{middle}" r="6"/>'


parts = list(heads())
for i, taker in enumerate(TAKERS):
    parts += row(TOP + ROW * i, *taker)
print(picture(400, TOP + ROW * len(TAKERS), parts))
