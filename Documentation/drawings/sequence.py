# SPDX-License-Identifier: GPL-2.0
"""Four moments of a hierarchical wheel with two levels of four buckets: arm, turn, cascade, fire."""

from shapes import arrow, box, picture, pill, text

CELL, LEVEL1, LEVEL0, TOP, STEP = 44, 12, 216, 40, 104
# The clock; what happens; the timers in the buckets of level 1 and level 0; those that expire.
MOMENTS = (
    (0, "arm timers for the ticks 2, 9 and 10", {2: (9, 10)}, {2: (2,)}, ()),
    (2, "the clock turns; timer 2 fires", {2: (9, 10)}, {2: (2,)}, (2,)),
    (9, "bucket 2 cascades: 9 fires, 10 moves down", {}, {1: (9,), 2: (10,)}, (9,)),
    (10, "timer 10 fires; the wheel is idle", {}, {2: (10,)}, (10,)),
)


def level(left, y, timers, fired, current):
    for bucket in range(4):
        x = left + CELL * bucket
        yield box(x, y, CELL - 3, 52, "kernel" if bucket == current else "")
        for i, due in enumerate(timers.get(bucket, ())):
            yield pill(x + 20.5, y + 14 + 24 * i, due, "done" if due in fired else "program", 32)


def moment(y, clock, words, level1, level0, fired):
    yield text(12, y, f"tick {clock}:", anchor="start")
    yield text(66, y, words, "quiet", anchor="start")
    yield from level(LEVEL1, y + 10, level1, fired, clock // 4)
    yield from level(LEVEL0, y + 10, level0, fired, clock % 4)


parts = [
    text(LEVEL1 + 86, 14, "level 1: 4 ticks per bucket", "quiet", 13),
    text(LEVEL0 + 86, 14, "level 0: 1 tick per bucket", "quiet", 13),
    # Timer 10 moves from level 1 to level 0.
    arrow([(LEVEL1 + CELL * 4 - 2, TOP + 2 * STEP + 36), (LEVEL0, TOP + 2 * STEP + 36)], "program"),
]
for i, one in enumerate(MOMENTS):
    parts += moment(TOP + STEP * i, *one)
print(picture(400, TOP + STEP * len(MOMENTS) - 34, parts))
