# SPDX-License-Identifier: GPL-2.0
"""The same timers in a hashed and in a hierarchical wheel, at tick 0."""

from shapes import box, picture, pill, text

CELL, LEFT = 47, 12
TIMERS = (2, 5, 10, 13, 18, 21, 34, 37)
HASHED, HIERARCHY, BUCKETS = 8, 4, 4


def ring(y, count, timers):
    """A row of buckets. A bucket is as high as its timers need."""
    height = 10 + 25 * max(1, max(map(len, timers.values()), default=1))
    for bucket in range(count):
        x = LEFT + CELL * bucket
        yield box(x, y, CELL - 3, height, "kernel" if bucket == 0 else "")
        for i, due in enumerate(timers.get(bucket, ())):
            yield pill(x + 22, y + 17 + 25 * i, due, "program" if due == TIMERS[0] else "")


def by(key):
    found = {}
    for due in TIMERS:
        found.setdefault(key(due), []).append(due)
    return found


def level_of(due):
    return max(i for i in range(3) if due >> 2 * i)


parts = [
    text(LEFT, 18, "hashed: 8 buckets, each with timers of all revolutions", anchor="start"),
    *ring(28, HASHED, by(lambda due: due % HASHED)),
    text(LEFT, 192, "hierarchical: 3 levels of 4 buckets, one revolution each", anchor="start"),
]
y = 204
for level in (2, 1, 0):
    here = {
        bucket: [due for due in found if level_of(due) == level]
        for bucket, found in by(lambda due, level=level: due >> 2 * level & 3).items()
    }
    parts += ring(y, BUCKETS, here)
    ticks = 4**level
    words = f"level {level}: {ticks} tick{'s' * (ticks > 1)} per bucket"
    parts.append(text(LEFT + 4 * CELL + 8, y + 22, words, "quiet", 13, "start"))
    y += 20 + 25 * max(1, max(map(len, here.values()), default=1))
parts.append(text(LEFT, y + 14, "To expire timer 2, hashed walks past the three other timers of", "", 13, "start"))
parts.append(text(LEFT, y + 32, "its bucket. Hierarchical finds it alone in a bucket.", "", 13, "start"))
print(picture(400, y + 40, parts))
