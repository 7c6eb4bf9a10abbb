# SPDX-License-Identifier: GPL-2.0
"""A minimal C parser: the functions of a file and their tokens."""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<nothing> \s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<quoted>  "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' )
  | (?P<number>  \d\w* )
  | (?P<name>    [A-Za-z_]\w* )
  | (?P<mark>    <<= | >>= | -> | \+\+ | -- | && | \|\| | << | >>
               | [-+*/%&|^<>=!]= | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

TYPES = set("bool char const int long size_t struct u8 u32 u64 unsigned void".split())
HEADERS = {"if", "for", "while", "switch"}
CLOSES = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokens_of(source):
    return [
        Token(found.lastgroup, found.group(), found.start(), found.end())
        for found in TOKEN.finditer(source)
        if found.lastgroup != "nothing"
    ]


def pairs_of(tokens):
    """Map each bracket to the index of its counterpart."""
    pairs, open_ones = {}, []
    for i, token in enumerate(tokens):
        if token.text in CLOSES:
            open_ones.append(i)
        elif token.text in CLOSES.values():
            pairs[i] = open_ones.pop()
            pairs[pairs[i]] = i
    return pairs


class Function:
    """A function: its name, its return type, and its body without the braces."""

    def __init__(self, name, returns, source, tokens):
        self.name = name
        self.returns = returns
        self.source = source
        self.tokens = tokens
        self.pairs = pairs_of(tokens)

    def text(self, i):
        """The text of token i; empty before the first token."""
        return self.tokens[i].text if i >= 0 else ""

    def span(self, first, last):
        """Start and end offset in the file of the tokens first .. last."""
        return self.tokens[first].start, self.tokens[last].end

    def source_of(self, first, last):
        start, end = self.span(first, last)
        return self.source[start:end]

    def skip(self, i, *stops):
        """Index of the next token in stops at this bracket level."""
        while i < len(self.tokens) and self.text(i) not in stops:
            i = self.pairs[i] + 1 if self.text(i) in CLOSES else i + 1
        return i

    def statements(self):
        """Yield the first and last token of each statement that ends with a semicolon."""
        i = 0
        while i < len(self.tokens):
            if self.text(i) in HEADERS:
                i = self.pairs[i + 1] + 1
            elif self.text(i) in ("{", "}", "else", "do", ";"):
                i += 1
            else:
                end = self.skip(i, ";")
                yield i, end
                i = end + 1

    def is_binary(self, i):
        """Check whether the operator at i is binary."""
        before = self.tokens[i - 1] if i else None
        if not before or before.text == "return":
            return False
        if before.text == ")":
            opening = self.pairs[i - 1]
            return self.text(opening - 1) == "sizeof" or self.text(opening + 1) not in TYPES
        return before.kind in ("name", "number") or before.text == "]"


def functions_of(source):
    """The functions that a file defines."""
    tokens = tokens_of(source)
    pairs = pairs_of(tokens)
    i = begin = 0
    while i < len(tokens):
        if tokens[i].text == "{":
            end = pairs[i]
            if tokens[i - 1].text == ")":
                name = pairs[i - 1] - 1
                returns = [token.text for token in tokens[begin:name]]
                yield Function(tokens[name].text, returns, source, tokens[i + 1 : end])
            i = begin = end + 1
        elif tokens[i].text == ";":
            i = begin = i + 1
        else:
            i += 1
