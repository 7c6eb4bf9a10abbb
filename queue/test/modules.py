#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""modules: print the Python files that the tests import, to copy to a machine without them."""
import encodings.ascii  # noqa: F401
import encodings.idna  # noqa: F401
import encodings.latin_1  # noqa: F401
import importlib
import os
import sys

sys.dont_write_bytecode = True
ROOM = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, ROOM)
for name in sorted(os.listdir(ROOM)):
    if name.endswith(".py"):
        importlib.import_module(name.removesuffix(".py"))
for module in list(sys.modules.values()):
    path = getattr(module, "__file__", None)
    if path and not path.startswith(ROOM):
        print(path)
