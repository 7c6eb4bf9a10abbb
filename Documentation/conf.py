# SPDX-License-Identifier: GPL-2.0
"""How Sphinx makes a manual of these pages, for Documentation/build."""

import os
import sys

# The kernel's own extensions and script, from its source: none of it is kept here.
kernel = os.environ["KERNEL_SOURCE"]
sys.path[:0] = [os.path.abspath("extensions"), kernel + "/Documentation/sphinx"]
extensions = ["kerneldoc", "automarkup", "drawing", "links", "manpage", "opening"]
kerneldoc_bin = kernel + "/scripts/kernel-doc"
kerneldoc_srctree = os.path.abspath("..")

project = "wheel_timer"
primary_domain = "c"
highlight_language = "none"
smartquotes = False

# Each name leads somewhere, but for types that the kernel has for everybody.
nitpicky = True
nitpick_ignore_regex = [("c:identifier", r"[us]\d+|\w+_t|list_head|hrtimer_restart")]

html_theme = "alabaster"
html_static_path = ["theme"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {
    "description": "Timers for those who have many",
    "fixed_sidebar": True,
    "page_width": "1200px",
    "body_max_width": "none",
    "sidebar_width": "230px",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
