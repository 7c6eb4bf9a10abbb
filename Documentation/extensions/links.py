# SPDX-License-Identifier: GPL-2.0
"""Link literals such as ``wheel_timer_arm()``, ``struct wheel_op`` or ``WHEEL_IOC_STOP`` to
their descriptions in the manual."""

import re

from docutils import nodes
from sphinx.util.nodes import make_refnode

FORMS = (
    (("function", "macro"), re.compile(r"(\w+)\(.*\)")),
    (("struct",), re.compile(r"struct (\w+)")),
    (("macro", "var", "type"), re.compile(r"(\w+)")),
)


def described(env):
    """Return {(kind, name): (page, anchor)} for all objects of the C domain, and all functions with
    a page."""
    places = {
        (kind, name.split(".")[-1]): (page, anchor)
        for name, _, kind, page, anchor, _ in env.get_domain("c").get_objects()
    }
    for page in env.found_docs:
        if page.startswith("reference/functions/"):
            places["function", page.rpartition("/")[2]] = (page, "")
    return places


def place_of(text, places):
    for kinds, form in FORMS:
        match = form.fullmatch(text)
        for kind in kinds if match else ():
            if (kind, match[1]) in places:
                return places[kind, match[1]]
    return None


def link(app, doctree, page):
    places = described(app.env)
    for literal in list(doctree.findall(nodes.literal)):
        place = place_of(literal.astext(), places)
        if place and not isinstance(literal.parent, nodes.Referential):
            reference = make_refnode(app.builder, page, *place, literal.deepcopy())
            literal.replace_self(reference)


def setup(app):
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
