# SPDX-License-Identifier: MIT
"""folder.py PREFIX: where modules for this Python belong under PREFIX.
folder.py --searched FOLDER: succeeds if this Python looks there by itself.

A distribution has its own opinion of that, and of several such folders this Python
may search one. If it searches none, the most specific one.
"""

import site
import sys

if sys.argv[1] == "--searched":
    sys.exit(sys.argv[2] not in sys.path)
prefix = sys.argv[1].rstrip("/")
folders = [
    folder
    for folder in site.getsitepackages([prefix])
    if folder.startswith(prefix + "/lib")
]
print(next((folder for folder in folders if folder in sys.path), folders[-1]))
