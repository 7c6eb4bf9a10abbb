# SPDX-License-Identifier: MIT
"""Results in KTAP, the kernel's test protocol: one line per test."""
import functools
import sys
import traceback


class Skip(Exception):
    """The test cannot run here, for the reason in the argument."""


def named(module, *prefixes):
    """The tests of a module: its functions whose names begin with one of these."""
    return [value for name, value in module.items() if name.startswith(prefixes)]


def bound(name, test, *arguments):
    """A test with this name and these arguments."""
    bound_test = functools.partial(test, *arguments)
    bound_test.__name__ = name
    return bound_test


def run(tests, parts=()):
    """Run the tests whose name contains one of the parts, or all if there are no parts."""
    chosen = [t for t in tests if not parts or any(p in t.__name__ for p in parts)]
    failed = 0
    print(f"1..{len(chosen)}", flush=True)
    for number, test in enumerate(chosen, 1):
        try:
            test()
            print(f"ok {number} {test.__name__}", flush=True)
        except Skip as reason:
            print(f"ok {number} {test.__name__} # SKIP {reason}", flush=True)
        except Exception:
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {number} {test.__name__}", flush=True)
            failed += 1
    return failed


def main(tests):
    sys.exit(1 if run(tests, sys.argv[1:]) else 0)
