# SPDX-License-Identifier: MIT
"""Runs the functions whose names begin with test_, and reports the results in KTAP."""

import traceback


# Maximum number of runs of a test that is too late.
RUNS = 10


class Skip(Exception):
    """The test cannot run here; the argument is the reason."""


class Late(Exception):
    """A deadline passed before the test was ready for it: it must start again."""


def tests_of(module, parts):
    """The tests of a module whose names contain all parts."""
    return [function for name, function in vars(module).items()
            if name.startswith("test_") and all(part in name for part in parts)]


def report(tests):
    """Runs the tests and prints the report. Returns 0 if none failed and one passed."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    print("KTAP version 1")
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        verdict, line = run(test)
        counts[verdict] += 1
        print(line.format(number=number, name=test.__name__[5:]), flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


def in_time(test):
    """Runs a test until it is in time."""
    for _ in range(RUNS - 1):
        try:
            return test()
        except Late:
            print(f"# {test.__name__[5:]}: too late, starting again", flush=True)
    return test()


def run(test):
    try:
        in_time(test)
    except Skip as reason:
        return "skipped", "ok {number} {name} # SKIP " + str(reason)
    except Exception:
        for line in traceback.format_exc().splitlines():
            print("#", line)
        return "failed", "not ok {number} {name}"
    return "passed", "ok {number} {name}"
