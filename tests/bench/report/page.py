#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""page.py DIRECTORY: create index.html from samples.csv, from earlier.csv with the samples of an
earlier run, if it exists, and from two files with one "key: value" per line:
about.txt (date, machine, kernel, commit) and parts.txt (when each part ran, or why it failed)."""

import sys
from html import escape
from pathlib import Path

import figures
from samples import read

STYLE = """
:root { color-scheme: light dark }
body { font: 17px/1.5 Helvetica, Arial, sans-serif; margin: 0 auto; max-width: 1340px;
       padding: 1em; color: #1f2933; background: #fff }
figure { margin: 0 }
figcaption { margin: 1em 0 0; max-width: 36em; min-height: 4.5em }
svg { width: 100%; max-width: 600px; height: auto }
.figures { display: grid; gap: 1em;
       grid-template-columns: repeat(auto-fit, minmax(min(100%, 22em), 1fr)) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em }
dd { margin: 0; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { color: #e6eaee; background: #14181c }
       a { color: #6fb1f5 } }
"""


def pairs(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.split(": ", 1) for line in lines if ": " in line]


def table(rows):
    inner = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows)
    return f"<dl>{inner}</dl>"


def figure(one):
    return (
        f"<figure><figcaption><b>{escape(one.title)}</b><br>{escape(one.note)}"
        f"</figcaption>{one.svg}</figure>"
    )


def page(parts, about, took, compared):
    body = [
        "<h1>wheel_timer: benchmark results</h1>",
        table(about),
        '<p>Points are medians. Bands reach from the '
        "smallest sample to the largest; a tall band indicates a noisy machine. All samples: "
        '<a href="samples.csv">samples.csv</a>. Both axes of curves are logarithmic, and the '
        "axis of other figures if their range is large. Numbers in parentheses are ratios to the best wheel. "
        "Lower is better."
        + (" Hollow points are medians of the earlier run in <a href=earlier.csv>earlier.csv</a>."
           if compared else "")
        + "</p>",
    ]
    for heading, found in parts.items():
        shown = "".join(map(figure, found))
        body.append(f'<h2>{heading}</h2><div class="figures">{shown}</div>')
    if took:
        body.append("<h2>When each part was measured</h2>" + table(took))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>wheel_timer: benchmarks</title><style>{STYLE}</style>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def main(directory):
    cells = read(directory / "samples.csv")
    before = directory / "earlier.csv"
    earlier = read(before) if before.exists() else {}
    parts = figures.all_of(cells, earlier)
    html = page(parts, pairs(directory / "about.txt"), pairs(directory / "parts.txt"),
                bool(earlier))
    (directory / "index.html").write_text(html, encoding="utf-8")
    print(f"{sum(len(found) for found in parts.values())} figures: {directory / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1], "samples.csv").exists():
        sys.exit("usage: page.py DIRECTORY, which contains the samples.csv of make bench")
    main(Path(sys.argv[1]))
