# SPDX-License-Identifier: GPL-2.0
"""The completion ring: eight entries and two positions."""

from shapes import arrow, box, picture, text

ENTRIES = 8
CELL, LEFT, TOP = 47, 12, 128
HEAD, TAIL = 10, 14


def middle(position):
    return LEFT + CELL * (position % ENTRIES + 0.5) - 1.5


def page(y, title, words, kind):
    yield box(LEFT, y, 373, 52, kind)
    yield text(LEFT + 12, y + 21, title, anchor="start")
    yield text(LEFT + 12, y + 41, words, "quiet", anchor="start")


def entries():
    unread = {position % ENTRIES: position for position in range(HEAD, TAIL)}
    for entry in range(ENTRIES):
        yield box(LEFT + CELL * entry, TOP, CELL - 3, 40, "kernel" if entry in unread else "")
        yield text(middle(entry), TOP + 26, unread.get(entry, ""))
        yield text(middle(entry), TOP + 58, entry, "quiet", 13)


print(
    picture(
        400,
        420,
        list(page(8, "kernel page", f"event_tail = {TAIL}: events published", "kernel"))
        + [arrow([(middle(TAIL), 62), (middle(TAIL), TOP - 2)], "kernel")]
        + [text(middle(TAIL) - 10, 102, "the kernel writes here", "kernel", anchor="end")]
        + list(entries())
        + [text(middle(HEAD) + 10, 226, "the program reads here", "program", anchor="start")]
        + [arrow([(middle(HEAD), 246), (middle(HEAD), TOP + 66)], "program")]
        + list(page(248, "program's page", f"event_head = {HEAD}: events taken", "program"))
        + [text(LEFT, 334, "Entry = position & 7: event 10 is in entry 2.", anchor="start")]
        + [text(LEFT, 356, "tail - head = 4 events are unread.", anchor="start")]
        + [text(LEFT, 384, "With 8 unread events, the ring is full. Due", anchor="start")]
        + [text(LEFT, 406, "timers stay pending, and BACKLOG is set.", anchor="start")],
    )
)
