# SPDX-License-Identifier: GPL-2.0
"""Mutation operators. Each yields (start, end, new text) for a function."""

from c import TYPES

SWAPS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "&=": "|=",
    "|=": "&=",
    "+=": "-=",
    "-=": "+=",
    "++": "--",
    "--": "++",
    "true": "false",
    "false": "true",
}

CALLS = {
    "min": "max",
    "max": "min",
    "min_t": "max_t",
    "max_t": "min_t",
    "list_add": "list_add_tail",
    "list_add_tail": "list_add",
}

# These can also be unary operators.
BINARY = {"+": "-", "-": "+", "&": "|", "|": "&"}

INTEGERS = {"int", "size_t", "u8", "u32", "u64", "unsigned"}


def swaps(function):
    for i, token in enumerate(function.tokens):
        if token.text in SWAPS:
            yield token.start, token.end, SWAPS[token.text]
        elif token.text in CALLS and function.text(i + 1) == "(":
            yield token.start, token.end, CALLS[token.text]
        elif token.text in BINARY and function.is_binary(i):
            yield token.start, token.end, BINARY[token.text]


def shifts(function):
    """Shift by one more: + binds tighter than a shift. constants() changes literal shifts."""
    for i, token in enumerate(function.tokens):
        shift = token.text in ("<<", ">>", "<<=", ">>=")
        if shift and function.tokens[i + 1].kind != "number":
            yield token.start, token.end, f"{token.text} 1 +"


def constants(function):
    for token in function.tokens:
        if token.kind == "number":
            digits = token.text.rstrip("uUlL")
            suffix = token.text[len(digits) :]
            yield token.start, token.end, f"{int(digits, 0) + 1}{suffix}"
            less = f"{int(digits, 0) - 1}{suffix}"
            yield token.start, token.end, f"({less})" if less[0] == "-" else less


def condition_before(function, i):
    """Return the first token of the condition before the ? at i."""
    while i and function.text(i - 1) not in ("return", "=", "(", ",", "{", ";", ":"):
        i = function.pairs[i - 1] if i - 1 in function.pairs else i - 1
    return i


def conditions(function):
    """Yield the first and last token of each condition."""
    for i, token in enumerate(function.tokens):
        if token.text in ("if", "while"):
            yield i + 2, function.pairs[i + 1] - 1
        elif token.text == "for":
            first = function.skip(i + 2, ";") + 1
            yield first, function.skip(first, ";") - 1
        elif token.text == "?":
            yield condition_before(function, i), i - 1


def negations(function):
    for first, last in conditions(function):
        if first <= last:
            yield *function.span(first, last), f"!({function.source_of(first, last)})"


def deletions(function):
    """Delete a statement that has an effect and declares nothing."""
    for first, last in function.statements():
        head = function.text(first)
        value = head == "return" and last > first + 1
        unused = head == "(" and function.text(first + 1) == "void"
        if not (head in TYPES or value or unused):
            yield *function.span(first, last), ";"


def returns(function):
    """Return another value. constants() changes literals."""
    for first, last in function.statements():
        if function.text(first) != "return" or last <= first + 2:
            continue
        start, end = function.span(first + 1, last - 1)
        value = function.source[start:end]
        if "*" in function.returns:
            yield start, end, "NULL"
        elif "bool" in function.returns:
            yield start, end, f"!({value})"
        elif INTEGERS & set(function.returns):
            yield start, end, f"({value}) + 1"
            yield start, end, f"({value}) - 1"


OPERATORS = swaps, shifts, constants, negations, deletions, returns
