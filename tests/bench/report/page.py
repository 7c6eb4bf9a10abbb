#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""page.py DIRECTORY: create index.html and one SVG file per figure from samples.csv and two
files with one "key: value" per line: about.txt (date, machine, kernel, commit) and parts.txt (when
each part ran, or why it failed). Prints a summary."""

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
figcaption small { color: #66727f }
svg { width: 100%; max-width: 600px; height: auto }
.figures { display: grid; gap: 1em;
       grid-template-columns: repeat(auto-fit, minmax(min(100%, 22em), 1fr)) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1em }
dd { margin: 0; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { color: #e6eaee; background: #14181c }
       figcaption small { color: #9aa7b4 } a { color: #6fb1f5 } }
"""


def pairs(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.split(": ", 1) for line in lines if ": " in line]


def table(rows):
    inner = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows)
    return f"<dl>{inner}</dl>"


def figure(one):
    return (
        f'<figure id="{one.name}"><figcaption><b>{escape(one.title)}</b><br>'
        f'{escape(one.note)} <small><a href="{one.name}.svg">SVG</a></small>'
        f"</figcaption>{one.svg}</figure>"
    )


def page(parts, about, took):
    body = [
        "<h1>wheel_timer: benchmark results</h1>",
        table(about),
        '<p>Points are medians. Bands reach from the '
        "smallest sample to the largest; a tall band indicates a noisy machine. All samples: "
        '<a href="samples.csv">samples.csv</a>. Both axes of curves are logarithmic, and the '
        "axis of other figures if their range is large. Numbers in parentheses are ratios to the best wheel.</p>",
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


def summary(cells):
    """Print the medians and spreads of the summary figures as text."""
    for _, title, _, found in figures.answers(cells):
        if not found:
            print(f"{title:<22} not measured")
            continue
        timers, unit, by_contestant = found
        print(f"{title:<22} {unit}, {timers:,} timers")
        for contestant, s in sorted(by_contestant.items(), key=lambda item: item[1].middle):
            noise = f"{s.low:.4g} to {s.high:.4g}" if s.high > s.low else ""
            print(f"    {contestant:<22} {s.middle:>10.4g}   {noise}".rstrip())


def main(folder):
    cells = read(folder / "samples.csv")
    parts = figures.all_of(cells)
    for found in parts.values():
        for one in found:
            (folder / f"{one.name}.svg").write_text(one.svg, encoding="utf-8")
    html = page(parts, pairs(folder / "about.txt"), pairs(folder / "parts.txt"))
    (folder / "index.html").write_text(html, encoding="utf-8")
    summary(cells)
    print(f"{sum(len(found) for found in parts.values())} figures: {folder / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1], "samples.csv").exists():
        sys.exit("usage: page.py DIRECTORY, which contains the samples.csv of make bench")
    main(Path(sys.argv[1]))
