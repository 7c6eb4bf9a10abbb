# SPDX-License-Identifier: GPL-2.0
"""Programs and modules, the wheel and its hrtimer."""

from shapes import arrow, box, picture, pill, text

PROGRAM, DEVICE, WHEEL, CLOCK = 8, 140, 226, 352
BUCKETS = ((16,), (17,), (), (), (12, 20), (), (14,), ())
BUCKET = 46

parts = [
    box(8, PROGRAM, 258, 34, "program"),
    text(137, PROGRAM + 22, "a program, with libwheel"),
    box(282, PROGRAM, 110, 34, "done"),
    text(337, PROGRAM + 22, "a module"),
    # From the program to the device and back.
    arrow([(18, PROGRAM + 34), (18, DEVICE)], "program"),
    text(26, 64, "system", anchor="start"),
    text(26, 81, "call: arm,", anchor="start"),
    text(26, 98, "cancel", anchor="start"),
    text(26, 115, "many", anchor="start"),
    box(106, 52, 88, 68, "program"),
    text(150, 72, "memory:"),
    text(150, 90, "postpone,"),
    text(150, 108, "cancel"),
    arrow([(150, PROGRAM + 34), (150, 52)], "program"),
    arrow([(150, DEVICE), (150, 120)], "kernel"),
    arrow([(206, DEVICE), (206, PROGRAM + 34)], "kernel"),
    text(214, 73, "events:", anchor="start"),
    text(214, 90, "read()", anchor="start"),
    text(214, 107, "or ring", anchor="start"),
    box(8, DEVICE, 258, 34, "kernel"),
    text(137, DEVICE + 22, "/dev/wheel"),
    # To the wheel.
    arrow([(96, DEVICE + 34), (96, WHEEL)], "program"),
    arrow([(178, WHEEL), (178, DEVICE + 34)], "kernel"),
    arrow([(290, PROGRAM + 34), (290, WHEEL)], "program"),
    arrow([(384, WHEEL), (384, PROGRAM + 34)], "kernel"),
    text(337, 126, "arm,"),
    text(337, 144, "cancel;"),
    text(337, 162, "callback"),
    box(8, WHEEL, 384, 90, "kernel"),
    text(200, WHEEL + 18, "the wheel: each timer is in the bucket of its tick"),
    # What drives it.
    arrow([(200, CLOCK), (200, WHEEL + 90)], "kernel"),
    box(60, CLOCK, 280, 30, "kernel"),
    text(200, CLOCK + 20, "one hrtimer, set to the earliest tick"),
]
for i, timers in enumerate(BUCKETS):
    x = 16 + BUCKET * i
    parts.append(box(x, WHEEL + 28, BUCKET - 2, 54))
    parts += [pill(x + 22, WHEEL + 43 + 24 * row, due, "program") for row, due in enumerate(timers)]
print(picture(400, CLOCK + 38, parts))
