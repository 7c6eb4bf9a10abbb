# SPDX-License-Identifier: GPL-2.0
"""The host's tests in a copy of the sources."""

import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass

PASSED = re.compile(r"ok \d+ (\S+)")
HOUR = 3600


@dataclass
class Test:
    name: str
    seconds: float = 0
    kills: int = 0

    def worth(self):
        """Estimated number of kills per second."""
        return (self.kills + 1) / (self.seconds + 0.01)


class Suite:
    """A build of the tests in the directory build, with the arguments make, limited to tests
    whose names contain part."""

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
        """Start the tests with a limit of processor time, in seconds."""

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
        """List the tests and measure their time, once, without a mutant. All tests must
        pass."""
        if self.tests:
            return
        if not self.build():
            raise SystemExit("the tests do not build without a mutant")
        program = self._start(self.part, HOUR)
        begun = time.monotonic()
        for line in program.stdout:
            found = PASSED.match(line)
            if found:
                now = time.monotonic()
                self.tests.append(Test(found[1], now - begun))
                begun = now
        if program.wait() or not self.tests:
            raise SystemExit("the tests fail without a mutant")

    def killer(self):
        """Run the tests, those with the most kills per second first. Return the first one
        that fails, or None. A test that takes ten times its usual time fails."""
        for test in sorted(self.tests, key=Test.worth, reverse=True):
            program = self._start(test.name, 2 + int(10 * test.seconds))
            program.communicate()
            if program.returncode:
                test.kills += 1
                return test
        return None
