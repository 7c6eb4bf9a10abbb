# SPDX-License-Identifier: GPL-2.0
"""The expiry of 100 timers of /dev/wheel: interrupt, wake-up and read, from top to bottom."""

from shapes import arrow, box, picture, text

LANES = ((66, "interrupt", "kernel"), (200, "the file", ""), (334, "the program", "program"))
HEIGHT = 400


def message(y, start, end, words, kind):
    x1, x2 = LANES[start][0], LANES[end][0]
    side = 1 if x2 > x1 else -1
    yield arrow([(x1 + 7 * side, y), (x2 - 7 * side, y)], kind)
    for i, line in enumerate(words):
        yield text((x1 + x2) / 2, y - 8 - 17 * (len(words) - 1 - i), line, kind, 13)


def run(lane, y1, y2, kind):
    """The time in which a lane runs."""
    return box(LANES[lane][0] - 7, y1, 14, y2 - y1, kind, 2)


parts = [
    f'<line class="arrow" x1="{x}" y1="38" x2="{x}" y2="{HEIGHT - 4}"/>' for x, _, _ in LANES
]
for x, name, kind in LANES:
    parts += [box(x - 58, 6, 116, 32, kind), text(x, 27, name)]
parts += [
    run(0, 64, 176, "kernel"),
    run(2, 218, 376, "program"),
    *message(108, 0, 1, ("100 are due:", "8 expire"), "kernel"),
    *message(158, 0, 1, ("92 are left:", "deferred"), "kernel"),
    *message(210, 1, 2, ("wake-up,", "POLLIN"), "kernel"),
    *message(262, 2, 1, ("read()",), "program"),
    *message(316, 2, 1, ("a pass expires", "the other 92"), "program"),
    *message(366, 1, 2, ("100 events,", "in order"), "kernel"),
]
print(picture(400, HEIGHT, parts))
