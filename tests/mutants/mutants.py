# SPDX-License-Identifier: GPL-2.0
"""The mutants of the wheel's core: small changes, each of which should cause a
test to fail."""

import os
import pathlib
import random
import time
from dataclasses import dataclass

import c
import operators

TOP = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["wheel.[ch]", "core/core.h", "core/*.c"]


@dataclass
class Mutant:
    file: str
    function: str
    source: str
    start: int
    end: int
    new: str

    @property
    def text(self):
        return self.source[: self.start] + self.new + self.source[self.end :]

    @property
    def lines(self):
        """The changed lines, old and new."""
        begin = self.source.rfind("\n", 0, self.start) + 1
        stop = self.source.index("\n", self.end) + 1
        old = self.source[begin:stop]
        return old, self.source[begin : self.start] + self.new + self.source[self.end : stop]

    @property
    def name(self):
        line = self.source.count("\n", 0, self.start) + 1
        old = self.source[self.start : self.end]
        what = " ".join(f"{old} -> {self.new}".split())
        return f"{self.file}:{line}: {self.function}: {what}"

    @property
    def diff(self):
        return "".join(
            sign + line
            for sign, side in zip("-+", self.lines)
            for line in side.splitlines(keepends=True)
        )


def is_for_tests(function):
    return function.name.endswith("_check")


def of_file(path, name):
    source = path.read_text()
    for function in c.functions_of(source):
        if is_for_tests(function):
            continue
        for operator in operators.OPERATORS:
            for start, end, new in operator(function):
                yield Mutant(name, function.name, source, start, end, new)


def every():
    return [
        mutant
        for pattern in SOURCES
        for path in sorted(TOP.glob(pattern))
        for mutant in of_file(path, str(path.relative_to(TOP)))
    ]


def chosen(pattern):
    """Return the seed and the selected mutants: COUNT= at random, all with ALL=1, or with
    a pattern those whose names contain it."""
    seed = int(os.environ.get("SEED") or time.time_ns() // 1000)
    mutants = [mutant for mutant in every() if pattern in mutant.name]
    count = int(os.environ.get("COUNT") or 120)
    if pattern or os.environ.get("ALL") or count >= len(mutants):
        return seed, mutants
    picks = sorted(random.Random(seed).sample(range(len(mutants)), count))
    return seed, [mutants[i] for i in picks]
