# SPDX-License-Identifier: GPL-2.0
"""Figures as SVG in the text colour of the page, drawn by gnuplot."""

import re
import subprocess

# Each implementation has one colour, selected by a prefix of its name. OURS have thick lines.
OURS = ("hierar", "libwheel", "kept", "hashed", "one base", "WHEEL_PERCPU")
COLOURS = {
    "hierar": "#d9480f",
    "libwheel": "#d9480f",
    "hashed": "#e8a200",
    "hashed/1": "#b59f00",
    "kept": "#c2255c",
    "one base": "#e8a200",
    "WHEEL_PERCPU": "#d9480f",
    "timer_list": "#1c7ed6",
    "hrtimer": "#7048e8",
    "timerfd": "#7048e8",
    "posix": "#0ca678",
    "io_uring": "#1c7ed6",
    "heap": "#2b8a3e",
    "4-heap": "#2b8a3e",
    "rbtree": "#0ca678",
    "libevent": "#1c7ed6",
    "libuv": "#7048e8",
    "queues": "#e64980",
    "field": "#8d6e63",
    "wahern": "#94a33b",
}
ANYBODY = "#868e96"


def is_ours(contestant):
    return contestant.startswith(OURS)


def colour(contestant):
    begins = (of_name for name, of_name in COLOURS.items() if contestant.startswith(name))
    return COLOURS.get(contestant) or next(begins, ANYBODY)


def width(contestant):
    return 3.5 if is_ours(contestant) else 1.8


def draw(script, height=440):
    """One <svg> without a background. Black is replaced by the text colour of the page."""
    head = f"set terminal svg size 520,{height} dynamic font 'Helvetica,16' enhanced\n"
    svg = subprocess.run(
        ["gnuplot"], input=head + script, check=True, capture_output=True, encoding="utf-8"
    ).stdout
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<title>.*?</title>|<desc>.*?</desc>", "", svg, flags=re.DOTALL)
    black = r"(stroke|fill|color)(=|:) *(['\"]?)(black|rgb\( *0, *0, *0\))"
    return re.sub(black, r"\1\2\3currentColor", svg)


def quoted(words):
    return '"' + words.replace("_", r"\\_").replace('"', "") + '"'


def block(name, lines):
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def curve(curves, axes):
    """A line through the medians of each implementation, and a band of the spread."""
    script, bands, lines = "", [], []
    for i, (contestant, points) in enumerate(curves.items()):
        rows = [f"{n} {s.low} {s.middle} {s.high}" for n, s in points]
        script += block(f"c{i}", rows)
        style = f"lc rgb '{colour(contestant)}'"
        bands.append(f"$c{i} u 1:2:4 w filledcurves {style} fs transparent solid 0.18 notitle")
        lines.append(
            f"$c{i} u 1:3 w linespoints {style} lw {width(contestant)} pt 7 ps 0.5 "
            f"title {quoted(contestant)}"
        )
    return draw(
        script
        + axes
        + "set grid ytics lc rgb '#80808060'\n"
        + "set key below horizontal reverse Left samplen 1.2 maxcols 3\n"
        + "set border 3\nset tics nomirror\n"
        + "plot "
        + ", ".join(bands + lines)
        + "\n"
    )


def by_count(curves, unit):
    """Cost by number of timers, with logarithmic axes."""
    return curve(
        curves,
        "set logscale xy\nset autoscale xfix\nset format x '10^{%T}'\n"
        f"set xlabel \"timers\\n \" offset 0,0.8\nset ylabel '{unit} per operation'\n",
    )


def by_cpus(curves, unit):
    return curve(
        curves,
        "set logscale y\nset autoscale xfix\nset xtics 1\n"
        f"set xlabel \"running CPUs\\n \" offset 0,0.8\nset ylabel '{unit} per operation'\n",
    )


def bars(found, unit):
    """One bar per implementation, the cheapest on top, with its median on the right. A line
    in each bar reaches from the smallest sample to the largest."""
    order = sorted(found, key=lambda c: -found[c].middle)
    positive = [s.middle for s in found.values() if s.middle > 0]
    least = min(positive, default=1)
    wide = positive and max(positive) > 30 * least
    floor = least / 3 if wide else 0
    most = max((s.high for s in found.values()), default=1) or 1
    script = "unset key\nunset border\nunset xtics\n"
    script += "set logscale x\n" if wide else ""
    script += f"set xrange [{floor:g}:{most * (6 if wide else 1.25):g}]\n"
    script += f"set yrange [-0.6:{len(order) - 0.4}]\n"
    script += f"set xlabel '{unit}{' (log)' if wide else ''}'\n"
    names = ", ".join(f"{quoted(c)} {i}" for i, c in enumerate(order))
    script += f"set ytics ({names})\nset ytics scale 0\n"
    for i, contestant in enumerate(order):
        low, value, high = (max(x, floor) for x in found[contestant])
        middle = found[contestant].middle
        figure = f"{middle:,.0f}" if middle >= 100 else f"{middle:.3g}"
        solid = 0.95 if is_ours(contestant) else 0.55
        script += (
            f"set object {i + 1} rect from {floor:g},{i - 0.36} to {value:g},{i + 0.36} "
            f"fc rgb '{colour(contestant)}' fs solid {solid} noborder\n"
            f"set arrow {i + 1} from {low:g},{i} to {high:g},{i} nohead lw 1.5 lc rgb 'black'\n"
            f"set label {i + 1} '{figure}' at {high:g},{i} left offset 0.6,0\n"
        )
    return draw(script + "plot NaN notitle\n", 60 + 36 * len(order))


def distribution(found, unit):
    """Percentage of samples that are at least x, which shows the tail."""
    script, lines = "", []
    for i, (contestant, samples) in enumerate(found.items()):
        n = len(samples)
        rows = [f"{x} {100 * (n - k) / n}" for k, x in enumerate(samples)]
        script += block(f"d{i}", rows)
        lines.append(
            f"$d{i} u 1:2 w steps lc rgb '{colour(contestant)}' lw {width(contestant)} "
            f"title {quoted(contestant)}"
        )
    return draw(
        script
        + "set logscale xy\nset yrange [0.1:100]\nset format x '%.0f'\nset format y '%g %%'\n"
        + f"set xlabel '{unit} or more'\nset ylabel 'of all timers'\n"
        + "set grid lc rgb '#80808060'\nset border 3\nset tics nomirror\n"
        + "set key below horizontal reverse Left samplen 1.2 maxcols 3\n"
        + "plot "
        + ", ".join(lines)
        + "\n"
    )
