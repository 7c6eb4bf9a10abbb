# SPDX-License-Identifier: GPL-2.0
"""A change of some lines, independent of the lines around them:

	The reason, as text.

	Any: field

	-	the old lines
	+	the new lines
"""

import re
from dataclasses import dataclass

FIELD = re.compile(r"(\w+): +(.*)")


@dataclass
class Substitution:
    why: str
    fields: dict
    old: str
    new: str

    def count(self, text):
        """Number of occurrences of the old lines in a text."""
        return ("\n" + text).count("\n" + self.old)

    def apply(self, text):
        return ("\n" + text).replace("\n" + self.old, "\n" + self.new)[1:]


def side(lines, sign):
    return "".join(line[1:] + "\n" for line in lines if line[0] == sign)


def parse(text):
    """Yield all substitutions of a file."""
    why, fields, lines = [], {}, []
    for line in text.splitlines() + ["."]:
        if line[:1] in ("-", "+"):
            lines.append(line)
            continue
        if lines and line.strip():
            yield Substitution(" ".join(why), fields, side(lines, "-"), side(lines, "+"))
            why, fields, lines = [], {}, []
        field = FIELD.fullmatch(line)
        if field:
            fields[field[1]] = field[2]
        elif line and line[0] != "#":
            why.append(line)
