#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""modules [NAME...]: prints the files that the tests and these modules import.

They are copied to a machine without Python.
"""

import encodings.ascii  # noqa: F401
import encodings.idna  # noqa: F401
import encodings.latin_1  # noqa: F401
import importlib
import os
import sys

sys.dont_write_bytecode = True
import cases  # noqa: E402,F401
import databases  # noqa: E402,F401
import lag  # noqa: E402,F401
import transactions  # noqa: E402,F401

DIRECTORY = os.path.dirname(os.path.abspath(__file__))
for name in sys.argv[1:]:
    importlib.import_module(name)
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None)
    if path and not path.startswith(DIRECTORY):
        print(path)
