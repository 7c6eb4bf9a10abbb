# SPDX-License-Identifier: GPL-2.0
"""Links that work in the HTML and on the web page of a repository: a link to PAGE.rst refers to the
page. Literals such as ``wheel_timer_arm()``, ``struct wheel_op`` or ``WHEEL_IOC_STOP`` refer to
their descriptions in the manual, which have a label with their name."""

import os
import re

from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util.nodes import make_refnode

NAME = re.compile(r"(?:struct )?(\w+)(?:\(.*\))?")


def described(env):
    """Return {name: (page, anchor)} of all labels, and of all functions with a page."""
    places = {name: place[:2] for name, place in env.get_domain("std").anonlabels.items()}
    for page in env.found_docs:
        if page.startswith("reference/functions/"):
            places[page.rpartition("/")[2]] = (page, "")
    return places


def link_page(app, reference, page):
    """Make a link to another page of the manual one of the HTML."""
    path, _, anchor = reference["refuri"].partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path))
    if target[:-4] not in app.env.found_docs:
        raise SphinxError(f"{page}: no page {path}")
    reference["refuri"] = app.builder.get_relative_uri(page, target[:-4])
    reference["refuri"] += f"#{anchor}" if anchor else ""
    reference["internal"] = True
    reference["classes"] += ["reference", "internal"]


def link(app, doctree, page):
    for reference in list(doctree.findall(nodes.reference)):
        if re.match(r"[^:]*\.rst(#|$)", reference.get("refuri", "")):
            link_page(app, reference, page)
    places = described(app.env)
    for literal in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(literal.astext())
        place = match and places.get(match[1].lower())
        if place and not isinstance(literal.parent, nodes.Referential):
            reference = make_refnode(app.builder, page, *place, literal.deepcopy())
            literal.replace_self(reference)


def setup(app):
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
