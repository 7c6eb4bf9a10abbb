# SPDX-License-Identifier: GPL-2.0
"""rst.py PAGE...: parses pages strictly; what only Sphinx knows is let pass."""

import sys

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.utils import SystemMessage

SPHINX_DIRECTIVES = ["kernel-doc", "toctree", "flat-table", "c:function", "c:struct", "c:macro"]
SPHINX_ROLES = ["c:func", "c:type", "c:struct", "c:macro", "doc", "ref", "manpage"]


class Anything(Directive):
    """A directive of Sphinx: taken as it is, without being looked into."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = None

    def run(self):
        return []


def anything(name, rawtext, text, lineno, inliner, options=None, content=None):
    """A role of Sphinx: its text is all we see."""
    return [nodes.literal(rawtext, text)], []


def main():
    for name in SPHINX_DIRECTIVES:
        directives.register_directive(name, Anything)
    for name in SPHINX_ROLES:
        roles.register_local_role(name, anything)

    wrong = False
    for page in sys.argv[1:]:
        with open(page, encoding="utf-8") as text:
            try:
                publish_doctree(
                    text.read(),
                    source_path=page,
                    settings_overrides={"report_level": 2, "halt_level": 2},
                )
            except SystemMessage:
                wrong = True
    return wrong


sys.exit(main())
