# SPDX-License-Identifier: GPL-2.0
"""The widths of Helvetica's characters. Text in SVG gets this width."""

import re
from html import escape, unescape

# In thousandths of the font size, from the space to "~".
WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 "
    "556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 "
    "556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 "
    "556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 "
    "500 500 500 334 260 334 584"
).split()
TEXT = re.compile(r'<text ([^>]*font-size="([\d.]+)"[^>]*)>([^<]+)</text>')


def width(words, size):
    return sum(int(WIDTHS[ord(c) - 32]) if " " <= c <= "~" else 600 for c in words) * size / 1000


def fit(svg):
    """Give each text the width that it has in Helvetica, so that it fits with any font."""

    def fitted(match):
        attributes, size, escaped = match.groups()
        words = unescape(escaped).strip()
        if not words:
            return ""
        return (
            f'<text {attributes} textLength="{width(words, float(size)):.0f}" '
            f'lengthAdjust="spacingAndGlyphs">{escape(words)}</text>'
        )

    return TEXT.sub(fitted, svg)
