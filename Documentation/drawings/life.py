# SPDX-License-Identifier: GPL-2.0
"""The states of a slot and of its timer."""

from shapes import arrow, box, picture, text


def state(x, y, width, name, words="", kind=""):
    yield box(x, y, width, 48, kind, 10)
    yield text(x + width / 2, y + (21 if words else 29), name)
    yield text(x + width / 2, y + 39, words, "quiet", 13)


def change(points, words, x, y, anchor, kind="program"):
    yield arrow(points, kind)
    for i, line in enumerate(words):
        yield text(x, y + 17 * i, line, kind, 13, anchor)


print(
    picture(
        400,
        340,
        [
            *state(130, 4, 140, "FREE"),
            *state(130, 138, 140, "PENDING", "queued on a wheel", "kernel"),
            *state(130, 272, 140, "FIRED", "stores its event", "done"),
            *state(314, 138, 82, "STOPPED"),
            *change([(166, 52), (166, 138)], ("ARM, newer", "generation"), 158, 92, "end"),
            *change([(234, 138), (234, 52)], ("CANCEL", "returns 0"), 242, 92, "start"),
            *change([(130, 154), (98, 154), (98, 170), (130, 170)], ("REARM",), 92, 167, "end"),
            *change([(166, 186), (166, 272)], ("due tick",), 158, 234, "end", "kernel"),
            *change([(234, 272), (234, 186)], ("event read,", "periodic: next"), 242, 226, "start"),
            *change([(130, 296), (20, 296), (20, 28), (130, 28)], ("event read",), 30, 288, "start"),
            *change([(270, 162), (314, 162)], ("STOP",), 291, 154, "middle"),
        ],
    )
)
