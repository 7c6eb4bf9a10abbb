# SPDX-License-Identifier: GPL-2.0
""".. opening:: FILE includes the first comment of a source file."""

import os
import re

from docutils import nodes
from docutils.parsers.rst import Directive

COMMENT = re.compile(r"^/\*\n(.*?)^ \*/", re.DOTALL | re.MULTILINE)


class Opening(Directive):
    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        path = os.path.join(env.config.kerneldoc_srctree, self.arguments[0])
        env.note_dependency(path)
        with open(path, encoding="utf-8") as source:
            comment = COMMENT.search(source.read())[1]
        text = re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE)
        return [nodes.literal_block(text, text.expandtabs())]


def setup(app):
    app.add_directive("opening", Opening)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
