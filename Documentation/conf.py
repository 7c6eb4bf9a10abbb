# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx, for Documentation/build."""

import os
import sys

# The extensions and the script kernel-doc are read from the kernel source.
kernel = os.environ["KERNEL_SOURCE"]
sys.path[:0] = [os.path.abspath("extensions"), kernel + "/Documentation/sphinx"]
extensions = ["kerneldoc", "automarkup", "drawing", "links", "manpage", "measured", "opening"]
kerneldoc_bin = kernel + "/scripts/kernel-doc"
kerneldoc_srctree = os.path.abspath("..")

project = "wheel_timer"
with open("../VERSION", encoding="ascii") as file:
    version = release = file.read().strip()
primary_domain = "c"
highlight_language = "none"
smartquotes = False

# Each name must have a description, except for common types of the kernel.
nitpicky = True
nitpick_ignore_regex = [("c:identifier", r"[us]\d+|\w+_t|list_head|hrtimer_restart")]

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
