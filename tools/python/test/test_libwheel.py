# SPDX-License-Identifier: MIT
"""Tests of the binding, in KTAP: LIBWHEEL=libwheel.so.1 test_libwheel.py"""

import errno
import os
import re
import selectors
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))

import libwheel  # noqa: E402
from libwheel import Timer, Wheel, timer_id  # noqa: E402

MS = 1000000


def raises(number, function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        assert error.errno == number, error
        return
    raise AssertionError("nothing was raised")


def test_never_early():
    with Wheel() as wheel:
        begun = time.monotonic_ns()
        wheel.arm_in(timer_id(1, 1), 0.02, cookie=99)
        (event,) = wheel.wait()
        assert time.monotonic_ns() >= begun + 20 * MS
        assert (event.id, event.cookie) == (timer_id(1, 1), 99)
        assert event.fired >= event.deadline >= begun + 20 * MS


def test_in_order_and_exactly_once():
    with Wheel(clock=libwheel.VIRTUAL, timers=1000) as wheel:
        timers = [
            Timer(timer_id(i, 1), (i * 7919 % 500 + 1) * MS, 0, 0, i, False)
            for i in range(1000)
        ]
        assert wheel.arm_many(timers) == [0] * 1000
        assert wheel.advance(0) == MS
        wheel.advance(600 * MS)
        events = []
        while batch := wheel.expirations(limit=77):
            events += batch
        want = sorted(timers, key=lambda timer: timer.when)
        assert [event.id for event in events] == [timer.id for timer in want]
        assert [event.seq for event in events] == list(range(1000))


def test_what_no_field_holds_is_out_of_range():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        id = timer_id(1, 1)
        raises(errno.ERANGE, wheel.arm, id, 2**64 + 5)
        raises(errno.ERANGE, wheel.arm_in, id, 1e30)
        raises(errno.ERANGE, wheel.arm_in, id, -1)
        raises(errno.ERANGE, wheel.arm, id, MS, 0, 0, 2**64 + 1)
        assert wheel.query(id) is None


def test_cancel_and_query():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        id = wheel.arm(timer_id(3, 1), 10 * MS)
        assert wheel.query(id) == 10 * MS
        wheel.rearm(id, 20 * MS)
        assert wheel.query(id) == 20 * MS
        assert wheel.cancel(id)
        assert not wheel.cancel(id)
        assert wheel.query(id) is None
        raises(errno.ENOENT, wheel.rearm, id, MS)
        raises(errno.ESTALE, wheel.arm, id, MS)
        assert wheel.advance(100 * MS) == libwheel.NEVER
        assert wheel.expirations() == []
        assert wheel.cancel_many([id, id]) == [errno.ENOENT] * 2
        raises(errno.EINVAL, wheel.cancel, timer_id(65536, 1))


def test_any_slot():
    with Wheel(timers=3, flags=libwheel.ANY_SLOT) as wheel:
        ids = {wheel.arm_in(None, 3600) for _ in range(3)}
        assert {libwheel.slot_of(id) for id in ids} == {0, 1, 2}
        raises(errno.EDQUOT, wheel.arm_in, None, 1)


def test_period():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm(timer_id(0, 1), 10 * MS, period=10 * MS)
        wheel.advance(10 * MS)
        wheel.advance(45 * MS)
        (event,) = wheel.expirations()
        assert (event.deadline, event.overrun) == (40 * MS, 3)
        assert wheel.query(event.id) == 50 * MS


def test_touch():
    with Wheel(clock=libwheel.VIRTUAL, flags=libwheel.TOUCH) as wheel:
        wheel.arm(timer_id(5, 1), 10 * MS, touch=True)
        assert wheel.touch(5, 20 * MS)
        assert wheel.park(5)
        assert not wheel.park(5)
        assert wheel.revive(5, 30 * MS)
        wheel.advance(29 * MS)
        assert wheel.expirations() == []
        wheel.advance(30 * MS)
        (event,) = wheel.expirations()
        assert event.deadline == 30 * MS
        assert not wheel.touch(5, 40 * MS)
        raises(errno.ERANGE, wheel.touch, 5, 0)


def test_selectors():
    with Wheel() as wheel, selectors.DefaultSelector() as selector:
        selector.register(wheel, selectors.EVENT_READ)
        wheel.arm_in(timer_id(1, 1), 0.005)
        assert len(selector.select()) == 1
        assert len(wheel.expirations()) == 1
        assert selector.select(0) == []


def test_stop_hands_back():
    with Wheel(clock=libwheel.VIRTUAL) as old:
        with Wheel(clock=libwheel.VIRTUAL) as new:
            for i in range(600):
                old.arm(timer_id(i, 1), (i + 1) * MS, cookie=i)
            assert old.stop() == 600
            raises(errno.ESHUTDOWN, old.expirations)
            timers = list(old.timers(take=True))
            assert len(timers) == 600
            assert new.arm_many(timers) == [0] * 600
            assert list(new.timers()) == timers


def test_counters():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm(timer_id(1, 1), MS)
        wheel.arm(timer_id(2, 1), MS)
        wheel.cancel(timer_id(2, 1))
        wheel.advance(2 * MS)
        stats = wheel.stats()
        names = ("armed", "fired", "cancelled", "pending", "unread")
        assert [stats[name] for name in names] == [2, 1, 1, 0, 1]
        assert sum(stats["late"]) == 1


def test_wait_and_its_timeout():
    with Wheel() as wheel:
        assert wheel.wait(timeout=0) == []
        assert wheel.wait(timeout=0.002) == []


def test_closed():
    wheel = Wheel()
    wheel.close()
    wheel.close()
    try:
        wheel.now()
    except ValueError:
        pass
    else:
        raise AssertionError("a closed wheel has no clock")
    raises(errno.EINVAL, Wheel, 5)


def test_layout_is_that_of_the_header():
    """Members and their order, as the C header has them."""
    header = os.path.join(here, "../../../include/uapi/linux/wheel_timer.h")
    with open(header, encoding="utf-8") as text:
        source = text.read()
    for name, mine in (
        ("wheel_op", libwheel._Op),
        ("wheel_event", libwheel._Event),
        ("wheel_stats", libwheel._Stats),
    ):
        body = re.search(r"struct %s \{(.*?)\}" % name, source, re.S)[1]
        members = re.findall(r"__[us](?:32|64) (\w+)", body)
        assert members == [member for member, _ in mine._fields_], name


def main():
    tests = [item for item in globals().items() if item[0].startswith("test_")]
    failures = 0
    print("KTAP version 1\n1..%d" % len(tests))
    for number, (name, run) in enumerate(tests, 1):
        try:
            run()
            verdict = "ok"
        except Exception:
            print(re.sub("^", "# ", traceback.format_exc().rstrip(), flags=re.M))
            verdict = "not ok"
            failures += 1
        print(verdict, number, name, flush=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
