# SPDX-License-Identifier: GPL-2.0
"""A ring of eight buckets at tick 10, and timers of three revolutions."""

from math import cos, pi, sin

from shapes import picture, pill, text

BUCKETS = 8
CLOCK = 10
DUE = (11, 12, 14, 16, 17, 19, 20, 24, 28, 34)
CENTER, INNER, OUTER = 200, 58, 190
KINDS = ("program", "kernel", "")
ROUNDS = ("this revolution", "the next one", "the one after")


def at(radius, bucket):
    """A position on the ring. Bucket 0 is at the top; fractions are allowed."""
    angle = 2 * pi * bucket / BUCKETS - pi / 2
    return CENTER + radius * cos(angle), CENTER + radius * sin(angle)


def sector(bucket):
    kind = "done" if bucket == CLOCK % BUCKETS else ""
    (x1, y1), (x2, y2) = at(OUTER, bucket - 0.5), at(OUTER, bucket + 0.5)
    (x3, y3), (x4, y4) = at(INNER, bucket + 0.5), at(INNER, bucket - 0.5)
    x, y = at(INNER + 15, bucket)
    return (
        f'<path class="shape {kind}" d="M{x1:.1f},{y1:.1f} '
        f"A{OUTER},{OUTER} 0 0 1 {x2:.1f},{y2:.1f} L{x3:.1f},{y3:.1f} "
        f'A{INNER},{INNER} 0 0 0 {x4:.1f},{y4:.1f} Z"/>'
        + text(x, y + 5, bucket, "quiet", 13)
    )


def timers():
    filled = [0] * BUCKETS
    for due in DUE:
        bucket = due % BUCKETS
        x, y = at(OUTER - 20 - 35 * filled[bucket], bucket)
        filled[bucket] += 1
        yield pill(x, y, due, KINDS[(due - CLOCK - 1) // BUCKETS])


def hand():
    x, y = at(INNER - 6, CLOCK % BUCKETS)
    return (
        f'<line class="arrow kernel" x1="{CENTER + 34}" y1="{CENTER}" x2="{x:.1f}" '
        f'y2="{y:.1f}"/><polygon class="head kernel" '
        f'points="{x:.1f},{y:.1f} {x - 8:.1f},{y - 4:.1f} {x - 8:.1f},{y + 4:.1f}"/>'
    )


def key():
    for i, (kind, words) in enumerate(zip(KINDS, ROUNDS)):
        y = 424 + 28 * i
        first = CLOCK + 1 + BUCKETS * i
        yield pill(74, y, "due", kind, 44)
        yield text(106, y + 5, f"{words}: ticks {first} to {first + 7}", anchor="start")


print(
    picture(
        400,
        506,
        [sector(bucket) for bucket in range(BUCKETS)]
        + list(timers())
        + [text(CENTER - 8, CENTER - 4, "clock"), text(CENTER - 8, CENTER + 15, CLOCK)]
        + [hand()]
        + list(key()),
    )
)
