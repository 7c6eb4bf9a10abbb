# SPDX-License-Identifier: GPL-2.0
"""What the drawings that are no graphs are made of: text, boxes, arrows, as SVG."""

from xml.sax.saxutils import escape


def text(x, y, words, kind="", size=14, anchor="middle"):
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size}" '
        f'text-anchor="{anchor}">{escape(str(words))}</text>'
    )


def box(x, y, width, height, kind="", round_by=4):
    return (
        f'<rect class="shape {kind}" x="{x:g}" y="{y:g}" width="{width:g}" '
        f'height="{height:g}" rx="{round_by}"/>'
    )


def pill(x, y, words, kind="kernel", width=36):
    """A timer: what it is due at, in the middle of (x, y)."""
    return box(x - width / 2, y - 11, width, 22, kind, 11) + text(x, y + 5, words)


def arrow(points, kind=""):
    """Through some points; the last two give the head's direction, down or across."""
    (x1, y1), (x2, y2) = points[-2:]
    along = ((x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1))
    back = (x2 - 8 * along[0], y2 - 8 * along[1])
    wing = (4 * along[1], 4 * along[0])
    path = " ".join(f"{x:g},{y:g}" for x, y in points[:-1] + [back])
    head = [
        (x2, y2),
        (back[0] + wing[0], back[1] + wing[1]),
        (back[0] - wing[0], back[1] - wing[1]),
    ]
    tip = " ".join(f"{x:g},{y:g}" for x, y in head)
    return (
        f'<polyline class="arrow {kind}" points="{path}"/>'
        f'<polygon class="head {kind}" points="{tip}"/>'
    )


def picture(width, height, parts):
    return f'<svg viewBox="0 0 {width} {height}">' + "\n".join(parts) + "</svg>"
