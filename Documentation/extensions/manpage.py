# SPDX-License-Identifier: GPL-2.0
""".. man-page:: FILE includes a man page."""

import os
import subprocess

from docutils import nodes
from docutils.parsers.rst import Directive


class ManPage(Directive):
    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        page = os.path.join(env.config.kerneldoc_srctree, self.arguments[0])
        env.note_dependency(page)
        html = subprocess.run(
            ["mandoc", "-Thtml", "-Ofragment", page],
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout
        return [nodes.raw(html, html, format="html")]


def setup(app):
    app.add_directive("man-page", ManPage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
