# SPDX-License-Identifier: GPL-2.0
"""The build directories in which mutants are tested."""

import contextlib
import pathlib
import shutil

from mutants import TOP
from suite import Suite

FAST = ["SANITIZE=", "WARNINGS=-w", "CFLAGS=-std=gnu11 -O1"]
SANITIZED = ["WARNINGS=-w"]


class Laboratory:
    """A copy of the sources with two builds of the tests: a fast one, and one with
    sanitizers for the mutants that survive the first."""

    def __init__(self, scratch, seed, part):
        self.tree = pathlib.Path(scratch, "tree")
        shutil.copytree(TOP, self.tree, ignore=shutil.ignore_patterns(".git", "build"))
        told = {"SEED": str(seed), "ASAN_OPTIONS": "symbolize=0"}
        self.fast = Suite(self.tree, "fast", FAST, part, OPS="5000", LENGTH="5", **told)
        self.sanitized = Suite(
            self.tree, "sanitized", SANITIZED, part, OPS="50000", LENGTH="4", **told
        )

    @contextlib.contextmanager
    def _injected(self, mutant):
        file = self.tree / mutant.file
        file.write_text(mutant.text)
        try:
            yield
        finally:
            file.write_text(mutant.source)

    def try_on(self, mutant, suites):
        """Return the test that kills the mutant, None, or False if it does not compile."""
        for suite in suites:
            suite.prepare()
            with self._injected(mutant):
                if not suite.build():
                    return False
                test = suite.killer()
                if test:
                    return test
        return None
