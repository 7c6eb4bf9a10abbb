# SPDX-License-Identifier: GPL-2.0
"""Figures as SVG in the text colour of the page, drawn by gnuplot."""

import re
import subprocess

from samples import is_ours

# Each implementation has one colour, selected by a prefix of its name, with a contrast of at least 3 on
# a light and on a dark page. The wheels have thick lines, the hashed ones dashed lines.
COLOURS = {
    "hierar": "#d9480f",
    "libwheel": "#d9480f",
    "hashed": "#b07800",
    "hashed/1": "#7f8c20",
    "word": "#c2255c",
    "one base": "#b07800",
    "WHEEL_PERCPU": "#d9480f",
    "timer_list": "#1c7ed6",
    "hrtimer": "#7048e8",
    "timerfd": "#7048e8",
    "io_uring": "#1c7ed6",
    "heap": "#2b8a3e",
    "4-heap": "#2b8a3e",
    "rbtree": "#0ca678",
    "libevent": "#1c7ed6",
    "queue": "#e64980",
    "field": "#8d6e63",
    "wahern": "#a8528f",
}
ANYBODY = "#868e96"


def colour(contestant):
    begins = (of_name for name, of_name in COLOURS.items() if contestant.startswith(name))
    return COLOURS.get(contestant) or next(begins, ANYBODY)


def width(contestant):
    return 3.5 if is_ours(contestant) else 1.8


def dash(contestant):
    """A hashed wheel may cost as much as a hierarchical one. Both lines are visible."""
    return "dt 2" if contestant.startswith(("hashed", "one base")) else "dt 1"


def draw(script, height=440):
    """One <svg> without a background. Black is replaced by the text colour of the page."""
    head = f"set terminal svg size 520,{height} dynamic font 'Helvetica,16' enhanced\n"
    svg = subprocess.run(
        ["gnuplot"], input=f"{head}{script}\n", check=True, capture_output=True, encoding="utf-8"
    ).stdout
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<title>.*?</title>|<desc>.*?</desc>", "", svg, flags=re.DOTALL)
    black = r"(stroke|fill|color)(=|:) *(['\"]?)(black|rgb\( *0, *0, *0\))"
    return re.sub(black, r"\1\2\3currentColor", svg)


def quoted(words):
    return '"' + words.replace("_", r"\\_").replace('"', "") + '"'


def block(name, lines):
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


GRID = "lc rgb '#80808060'\n"


def curve(curves, unit, count):
    """A line through the medians of each implementation, and a band of the spread."""
    script, bands, lines = "", [], []
    # Dashed lines are drawn last.
    for i, (name, points) in enumerate(sorted(curves.items(), key=lambda item: dash(item[0]))):
        script += block(f"c{i}", [f"{n} {s.low} {s.middle} {s.high}" for n, s in points])
        style = f"lc rgb '{colour(name)}'"
        bands.append(f"$c{i} u 1:2:4 w filledcurves {style} fs transparent solid 0.18 notitle")
        lines.append(
            f"$c{i} u 1:3 w linespoints {style} lw {width(name)} {dash(name)} pt 7 ps 0.5 "
            f"title {quoted(name)}"
        )
    axes = "set logscale xy\nset format x '10^{%T}'\n"
    if count != "timers":
        axes = "set logscale y\nset xtics 1\n"
    return draw(
        f"{script}{axes}set autoscale xfix\nset xlabel \"{count}\\n \" offset 0,0.2\n"
        f"set ylabel '{unit} per operation'\nset grid ytics {GRID}set tics nomirror\nset border 3\n"
        "set key below horizontal reverse Left samplen 1.2 maxcols 3\nplot "
        + ", ".join(bands + lines)
    )


def dots(found, unit, earlier):
    """The median of each implementation, the cheapest on top, and its ratio to the best wheel. A
    line reaches from the smallest sample to the largest. Hollow points are medians of an earlier run."""
    order = sorted(found, key=lambda c: -found[c].middle)
    best = min((s.middle for c, s in found.items() if is_ours(c)), default=0)
    least = min((s.middle for s in found.values() if s.middle > 0), default=1)
    most = max(s.high for s in [*found.values(), *earlier.values()]) or 1
    wide = most > 30 * least
    floor = least / 3 if wide else 0
    script = "unset key\nset border 1\nset tics nomirror\n" + "set logscale x\nset format x '10^{%T}'\n" * wide
    script += f"set grid xtics {GRID}set xrange [{floor:g}:{most * (100 if wide else 2):g}]\n"
    script += f"set yrange [-0.6:{len(order) - 0.4}]\n" + f"set xtics {most / 2:.1g}\n" * (not wide)
    script += f'set xlabel "{unit}\\nlower is better{" (log)" if wide else ""}"\n'
    names = ", ".join(f"{quoted(c)} {i}" for i, c in enumerate(order))
    script += f"set ytics scale 0 ({names})\n"
    points = []
    for i, name in enumerate(order):
        low, value, high = (max(x, floor) for x in found[name])
        middle = found[name].middle
        text = f"{middle:,.0f}" if middle >= 100 else f"{middle:.3g}"
        text += f" ({middle / best:.3g} x)" if best and middle != best else ""
        right = max(high, earlier[name].middle) if name in earlier else high
        script += f"set label '{text}' at {right:g},{i} left offset 1.2,0\n"
        script += block(f"d{i}", [f"{value} {i} {low} {high}"])
        points.append(
            f"$d{i} u 1:2:3:4 w xerrorbars pt 7 ps {0.4 * width(name):g} lw 1.5 "
            f"lc rgb '{colour(name)}'"
        )
        if name in earlier:
            script += block(f"e{i}", [f"{max(earlier[name].middle, floor)} {i}"])
            points.append(f"$e{i} u 1:2 w points pt 6 ps 1 lw 1.5 lc rgb '{colour(name)}'")
    return draw(script + "plot " + ", ".join(points), 100 + 32 * len(order))
