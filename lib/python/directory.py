# SPDX-License-Identifier: MIT
"""directory.py PREFIX: prints the directory for modules of this Python under PREFIX.
directory.py --searched DIRECTORY: succeeds if this Python searches it by default.

Distributions use different directories. If this Python searches none of the candidates,
the most specific one is printed.
"""

import site
import sys

if sys.argv[1] == "--searched":
    sys.exit(sys.argv[2] not in sys.path)
prefix = sys.argv[1].rstrip("/")
candidates = [
    directory
    for directory in site.getsitepackages([prefix])
    if directory.startswith(prefix + "/lib")
]
print(next((found for found in candidates if found in sys.path), candidates[-1]))
