# SPDX-License-Identifier: GPL-2.0
"""A change of some lines, written down so that it outlives the code around them:

	Why, in prose.

	Any: field

	-	the lines as they are
	+	the lines as they become
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
        """How often the lines occur in a text."""
        return ("\n" + text).count("\n" + self.old)

    def apply(self, text):
        return ("\n" + text).replace("\n" + self.old, "\n" + self.new)[1:]


def side(lines, sign):
    return "".join(line[1:] + "\n" for line in lines if line[0] == sign)


def parse(text):
    """All substitutions of a file, which may hold several."""
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
