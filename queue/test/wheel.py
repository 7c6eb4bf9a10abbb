# SPDX-License-Identifier: MIT
"""The timers of a server: /dev/wheel if it exists, a timing wheel in user space otherwise."""
import os
import subprocess
import time

import ktap
import harness
from operation import refusal

MODULE = os.environ.get("WHEEL_MODULE")
OWN, KERNEL = "a wheel in the program", "/dev/wheel"


def module(*command):
    """Run insmod or rmmod, and return whether it succeeds."""
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def timers_of(server):
    return server.client().stats()["wheel"]


def wheel_absent_takes_its_own():
    if os.path.exists(KERNEL):
        raise ktap.Skip("this machine has /dev/wheel")
    with harness.Server() as server:
        assert timers_of(server) == OWN


def wheel_that_is_wanted_and_absent_is_one_line():
    if os.path.exists(KERNEL):
        raise ktap.Skip("this machine has /dev/wheel")
    said, _ = refusal(env={"LIBWHEEL_BACKEND": "kernel"})
    assert KERNEL in said, said


def wheel_comes_and_goes():
    """The module is loaded and unloaded between restarts. No job is early or lost."""
    if not MODULE:
        raise ktap.Skip("WHEEL_MODULE= is not set to a module file")
    with harness.Server() as server:
        asked = time.clock_gettime(time.CLOCK_BOOTTIME)
        client = server.client()
        delays = [n / 5 for n in range(1, 41)]
        due = {client.put(b"x", delay=delay): asked + delay for delay in delays}
        for command, wheel in ((["insmod", MODULE], KERNEL), (["rmmod", "wheel_timer"], OWN),
                               (["insmod", MODULE], KERNEL), (["rmmod", "wheel_timer"], OWN)):
            server.kill()
            assert module(*command), command
            client = server.start().client()
            assert timers_of(server) == wheel
            # A module in use cannot be unloaded.
            assert wheel == OWN or not module("rmmod", "wheel_timer")
            for _ in range(8):
                number = client.reserve()[0]
                assert time.clock_gettime(time.CLOCK_BOOTTIME) >= due.pop(number)
                assert client.ask(f"delete {number}") == "DELETED"
        while due:
            number = client.reserve()[0]
            assert time.clock_gettime(time.CLOCK_BOOTTIME) >= due.pop(number)


TESTS = ktap.named(globals(), "wheel_")
