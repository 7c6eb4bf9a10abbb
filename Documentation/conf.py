# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx, for Documentation/build."""

import os
import sys

sys.path.insert(0, os.path.abspath("extensions"))
extensions = ["svg", "links"]

project = "wheel_timer"
with open("../VERSION", encoding="ascii") as file:
    version = release = file.read().strip()
highlight_language = "none"
smartquotes = False

html_theme = "alabaster"
html_static_path = ["theme"]
templates_path = ["templates"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {
    "description": f"Version {version}",
    "fixed_sidebar": True,
    "footer_text": "#595f65",
    "show_relbar_bottom": True,
    "show_relbar_top": True,
    "page_width": "1200px",
    "body_max_width": "none",
    "sidebar_width": "230px",
}
html_sidebars = {"**": ["about.html", "localtoc.html", "navigation.html", "searchbox.html"]}
