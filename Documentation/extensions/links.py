# SPDX-License-Identifier: GPL-2.0
"""What a page says as ``wheel_timer_arm()``, ``struct wheel_op`` or ``WHEEL_IOC_STOP``
leads to where the manual describes it."""

import re

from docutils import nodes
from sphinx.util.nodes import make_refnode

NAME = re.compile(r"(?:(?P<struct>struct) )?(?P<name>[A-Za-z_]\w+)(?P<function>\(.*\))?")


def described(env):
    """{(name, is it a type?): (page, anchor)} of all that is in the C domain."""
    places = {}
    for name, _, kind, page, anchor, _ in env.get_domain("c").get_objects():
        if kind in ("struct", "type", "function", "macro", "var"):
            places[name.split(".")[-1], kind in ("struct", "type")] = page, anchor
    return places


def place_of(text, places):
    match = NAME.fullmatch(text)
    if not match:
        return None
    if match["struct"] or match["function"]:
        return places.get((match["name"], bool(match["struct"])))
    return places.get((match["name"], False)) or places.get((match["name"], True))


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
