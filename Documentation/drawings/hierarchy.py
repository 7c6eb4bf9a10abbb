# SPDX-License-Identifier: GPL-2.0
"""Three levels of eight buckets, and the way of a timer: 85 = 1 * 64 + 2 * 8 + 5."""

from shapes import arrow, box, picture, pill, text

BUCKETS = 8
CELL = 47
LEFT = 12
TIMERS = (70, 83, 85)


def middle(bucket):
    return LEFT + CELL * (bucket + 0.5)


def level(y, name, used, timers):
    """A row of buckets with its name above, and the timers of one bucket below."""
    yield text(LEFT, y - 9, name, "quiet", anchor="start")
    for bucket in range(BUCKETS):
        kind = "kernel" if bucket == used else ""
        yield box(LEFT + CELL * bucket, y, CELL - 3, 34, kind)
        yield text(middle(bucket) - 1.5, y + 22, bucket, "" if kind else "quiet")
    for i, due in enumerate(timers):
        kind = "program" if due == TIMERS[-1] else ""
        yield pill(middle(used) + 42 * i, y + 52, due, kind)


def step(y, old, new, above, words):
    """An arrow from a bucket of the level above to a bucket of this level."""
    x1 = middle(old) + 42 * (above - 1)
    x2 = middle(new)
    yield arrow([(x1, y), (x1, y + 22), (x2, y + 22), (x2, y + 76)], "program")
    if words[1]:
        yield text(x2 + 12, y + 42, words[0], "program", anchor="start")
        yield text(x2 + 12, y + 60, words[1], "program", anchor="start")


print(
    picture(
        400,
        478,
        list(level(40, "level 2: 64 ticks per bucket", 1, TIMERS))
        + list(step(106, 1, 2, 3, ("tick 70: 70 fires,", "83 and 85 move down")))
        + list(level(206, "level 1: 8 ticks per bucket", 2, TIMERS[1:]))
        + list(step(272, 2, 5, 2, ("tick 83: 83 fires,", "85 moves down")))
        + list(level(372, "level 0: 1 tick per bucket", 5, TIMERS[2:]))
        + [text(middle(5), 462, "fires at tick 85", "program")],
    )
)
