# SPDX-License-Identifier: GPL-2.0
"""Drawings: drawings/NAME.dot and drawings/NAME.py are drawn to drawn/NAME.svg. The HTML includes
the SVG in the page, so that it follows the light or dark mode and its texts can be searched."""

import re
import subprocess
import sys
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "drawings"
sys.path.append(str(FOLDER))
from font import fit  # noqa: E402

# Attributes of all graphs. A line of 400 units is as wide as a phone.
GRAPH = [
    "-Tsvg",
    "-Gbgcolor=transparent",
    "-Gfontname=Helvetica",
    "-Gfontsize=13",
    "-Gnodesep=0.3",
    "-Granksep=0.45",
    "-Gpad=0.1",
    "-Nfontname=Helvetica",
    "-Nshape=box",
    "-Nstyle=rounded",
    "-Nmargin=0.15,0.08",
    "-Efontname=Helvetica",
    "-Efontsize=13",
    "-Earrowsize=0.8",
]


def draw(source):
    command = [sys.executable, "-B"] if source.suffix == ".py" else ["dot", *GRAPH]
    return finish(subprocess.run(
        [*command, source], check=True, capture_output=True, encoding="utf-8").stdout)


def finish(svg):
    """Return a drawing as one <svg> with its style, without comments, titles and ids. In a file,
    the paper behind it has the colour of the mode."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<title>.*?</title>| id=\"\w+\"", "", svg, flags=re.DOTALL)
    box = re.search(r'viewBox="([\d.-]+) ([\d.-]+) ([\d.]+) ([\d.]+)"', svg)
    style = (FOLDER / "drawing.css").read_text(encoding="utf-8")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" {box[0]} '
        f'style="max-width: {float(box[3]) * 1.3:.0f}px">'
        f"<style>{style}</style>"
        f'<rect class="paper" x="{box[1]}" y="{box[2]}" width="{box[3]}" height="{box[4]}"/>'
    )
    return opening + fit(svg[svg.index(">") + 1 :]).strip()


def include(app, doctree):
    from docutils import nodes

    folder = Path(app.env.doc2path(app.env.docname)).parent
    for image in list(doctree.findall(nodes.image)):
        if "/drawn/" in "/" + image["uri"]:
            app.env.note_dependency(str(folder / image["uri"]))
            svg = (folder / image["uri"]).read_text(encoding="utf-8")
            svg = re.sub(r'<rect class="paper".*?/>', "", svg, count=1)
            label = f'<svg aria-label="{escape(image["alt"])}"'
            image.replace_self(nodes.raw("", svg.replace("<svg", label, 1), format="html"))


def setup(app):
    app.connect("doctree-read", include, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
