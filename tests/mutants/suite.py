# SPDX-License-Identifier: GPL-2.0
"""The host's tests in a copy of the sources."""

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass

RESULT = re.compile(r"(not )?ok \d+ (\S+)")
HOUR = 3600


@dataclass
class Test:
    name: str
    seconds: float = 0
    kills: int = 0

    def worth(self):
        """Kills a second, as far as is known."""
        return (self.kills + 1) / (self.seconds + 0.01)


class Suite:
    """Made in the folder build, as the words of make say, with tests whose name
    contains part."""

    def __init__(self, tree, build, make, part, **environment):
        self.program = tree / "tests/host" / build / "host"
        self.command = ["make", "-s", "-C", str(tree / "tests/host")]
        self.command += [f"B={build}", *make, f"{build}/host"]
        self.environment = os.environ | environment
        self.part = part
        self.tests = []

    def build(self):
        return subprocess.run(self.command, capture_output=True).returncode == 0

    def _start(self, part, limit):
        """The tests, each stopped after so many seconds of processor time."""

        def hold():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return subprocess.Popen(
            [self.program, part],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            env=self.environment,
            preexec_fn=hold,
        )

    def prepare(self):
        """Before the first mutant: which tests there are, and about what they take.
        All have to pass."""
        if self.tests:
            return
        if not self.build():
            raise SystemExit("without a mutant the tests do not build")
        program = self._start(self.part, HOUR)
        begun = time.monotonic()
        for line in program.stdout:
            found = RESULT.match(line)
            if found:
                if found[1]:
                    raise SystemExit(f"without a mutant {found[2]} does not pass")
                now = time.monotonic()
                self.tests.append(Test(found[2], now - begun))
                begun = now
        if program.wait() or not self.tests:
            raise SystemExit("without a mutant the tests do not run")

    def killer(self):
        """The first test that fails, the fast and lethal before the others; or
        None. A test that takes ten times its time does not end."""
        for test in sorted(self.tests, key=Test.worth, reverse=True):
            program = self._start(test.name, 2 + int(10 * test.seconds))
            program.communicate()
            if program.returncode:
                test.kills += 1
                return test
        return None
