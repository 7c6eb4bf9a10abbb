# SPDX-License-Identifier: GPL-2.0
"""Open connections after a sudden load, with a clock with a rate and with a scaled deadline.

Idle timeout 600 s, minimum 60 s; the idle times are spread evenly when the load rises.
"""

from shapes import arrow, picture, text

LEFT, TOP, WIDTH, HEIGHT = 60, 20, 320, 100
SECONDS = 120


def at(seconds, share):
    return LEFT + WIDTH * seconds / SECONDS, TOP + HEIGHT * (1 - share)


def line(points, kind):
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline class="arrow {kind}" points="{path}"/>'


def axes():
    yield arrow([at(0, 0), at(SECONDS, 0)])
    yield line([at(0, 0), at(0, 1)], "")
    for seconds in (0, 60, 114):
        yield text(at(seconds, 0)[0], TOP + HEIGHT + 20, f"{seconds} s", "quiet", 13)
    for percent in (19, 50, 100):
        yield text(LEFT - 8, at(0, percent / 100)[1] + 5, f"{percent} %", "quiet", 13, "end")


print(
    picture(
        400,
        145,
        [
            *axes(),
            line([at(0, 1), at(60, 0)], "program"),
            line([at(0, 1), at(0, 0.19), at(114, 0)], "kernel"),
            text(at(30, 0)[0], at(0, 0.72)[1], "clock with a rate", "program", 13, "start"),
            text(at(62, 0)[0], at(0, 0.18)[1], "scaled deadlines", "kernel", 13, "start"),
        ],
    )
)
