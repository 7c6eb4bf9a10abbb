# SPDX-License-Identifier: GPL-2.0
"""Text, boxes and arrows as SVG, for the drawings that are not graphs."""

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
    """A timer with its due tick. Its center is (x, y)."""
    return box(x - width / 2, y - 11, width, 22, kind, 11) + text(x, y + 5, words)


def arrow(points, kind=""):
    """An arrow through points. The last two determine the direction of its head."""
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
