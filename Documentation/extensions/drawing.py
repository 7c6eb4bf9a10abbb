# SPDX-License-Identifier: GPL-2.0
""".. drawing:: NAME includes the SVG of drawings/NAME.dot or drawings/NAME.py in the page, so
that the drawing follows the light or dark mode of the page. The content is the caption. The
option :alt: is required; it describes the drawing for screen readers."""

import re
import subprocess
import sys
from html import escape
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive, directives

FOLDER = Path(__file__).parent.parent / "drawings"
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


def source_of(name):
    for kind in (".dot", ".py"):
        if (FOLDER / (name + kind)).exists():
            return FOLDER / (name + kind)
    raise FileNotFoundError(f"neither drawings/{name}.dot nor drawings/{name}.py")


def draw(name, alt=""):
    source = source_of(name)
    command = [sys.executable, "-B"] if source.suffix == ".py" else ["dot", *GRAPH]
    svg = subprocess.run(
        [*command, source], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    return finish(svg, alt)


def finish(svg, alt):
    """Return a drawing as one <svg> with its style, without comments, titles and ids."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<title>.*?</title>| id=\"\w+\"", "", svg, flags=re.DOTALL)
    width = float(re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+)', svg)[1])
    viewbox = re.search(r'viewBox="[^"]*"', svg)[0]
    style = (FOLDER / "drawing.css").read_text(encoding="utf-8")
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="img" {viewbox} '
        f'aria-label="{escape(alt)}" style="max-width: {width * 1.3:.0f}px">'
        f"<style>{style}</style>"
    )
    return opening + fit(svg[svg.index(">") + 1 :])


class Drawing(Directive):
    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required}

    def run(self):
        env = self.state.document.settings.env
        for source in FOLDER.iterdir():
            env.note_dependency(str(source))
        self.assert_has_content()
        if "alt" not in self.options:
            raise self.error("the option :alt: is required")
        svg = draw(self.arguments[0], self.options["alt"])
        words = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, words)
        caption = nodes.caption("", "", *words[0].children)
        return [nodes.figure("", nodes.raw(svg, svg, format="html"), caption)]


def setup(app):
    app.add_directive("drawing", Drawing)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
