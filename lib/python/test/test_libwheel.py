# SPDX-License-Identifier: MIT
"""Tests of the binding, in KTAP: LIBWHEEL=libwheel.so.1 test_libwheel.py"""

import asyncio
import concurrent.futures
import contextvars
import copy
import errno
import inspect
import os
import pickle
import re
import select
import selectors
import signal
import socket
import sys
import threading
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))

import libwheel  # noqa: E402
from libwheel import Result, Timer, Wheel, timer_id  # noqa: E402

MS = 1000000


def raises(number, function, *arguments, **named):
    try:
        function(*arguments, **named)
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
        results = wheel.arm_many(timers)
        assert results == [Result(timer.id, 0) for timer in timers]
        assert wheel.advance(0) == MS
        wheel.advance(600 * MS)
        events = []
        while batch := wheel.expirations(limit=77):
            events += batch
        want = sorted(timers, key=lambda timer: timer.when)
        assert [event.id for event in events] == [timer.id for timer in want]
        assert [event.seq for event in events] == list(range(1000))


def test_number_that_no_field_holds_is_out_of_range():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        id = timer_id(1, 1)
        raises(errno.ERANGE, wheel.arm, id, 2**64 + 5)
        raises(errno.ERANGE, wheel.arm_in, id, 1e30)
        for seconds in (-1, 1e300, float("inf"), float("nan")):
            raises(errno.ERANGE, wheel.arm_in, id, seconds)
        for cookie in (2**64 + 1, -1):
            raises(errno.ERANGE, wheel.arm, id, MS, cookie=cookie)
        raises(errno.ERANGE, wheel.arm_many, [Timer(id, 2**64)])
        raises(errno.ERANGE, wheel.cancel_many, [-1])
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
        assert not wheel.rearm(id, MS)
        raises(errno.ESTALE, wheel.arm, id, MS)
        assert wheel.advance(100 * MS) == libwheel.NEVER
        assert wheel.expirations() == []
        assert wheel.cancel_many([id, id]) == [Result(id, errno.ENOENT)] * 2
        raises(errno.EINVAL, wheel.cancel, timer_id(65536, 1))


def test_slot_out_of_range_is_rejected():
    assert timer_id(2**24 - 1, 3) == 2**26 - 1
    for slot, generation in ((2**24, 1), (-1, 1), (0, -1), (0, 2**40)):
        raises(errno.EINVAL, timer_id, slot, generation)


def test_slots_are_allocated():
    with Wheel(timers=3) as wheel:
        ids = {wheel.arm_in(wheel.slot_get(), 3600) for _ in range(3)}
        assert {libwheel.slot_of(id) for id in ids} == {0, 1, 2}
        raises(errno.EDQUOT, wheel.slot_get)
        old = ids.pop()
        wheel.cancel(old)
        wheel.slot_put(old)
        new = wheel.slot_get()
        assert libwheel.slot_of(new) == libwheel.slot_of(old) and new > old
        assert wheel.arm_many([Timer(new, 2**62, 0, 0, 0, False)]) == [Result(new, 0)]
        assert wheel.query(new) == 2**62 and wheel.query(old) is None
        raises(errno.ERANGE, wheel.slot_put, 2**64)
    for call in (wheel.slot_get, lambda: wheel.slot_put(new)):
        try:
            call()
        except ValueError:
            continue
        raise AssertionError("a slot of a closed wheel")


def test_period():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm(timer_id(0, 1), 10 * MS, period=10 * MS)
        wheel.advance(10 * MS)
        wheel.advance(45 * MS)
        (event,) = wheel.expirations()
        assert (event.deadline, event.overrun) == (40 * MS, 3)
        assert wheel.query(event.id) == 50 * MS


def test_timer_with_a_word():
    with Wheel(clock=libwheel.VIRTUAL, flags=libwheel.WORDS) as wheel:
        wheel.arm(timer_id(5, 1), 10 * MS, word=True)
        assert wheel.word_push(5, 20 * MS)
        assert wheel.word_park(5)
        assert not wheel.word_park(5)
        assert not wheel.word_push(5, 20 * MS)
        assert wheel.word_arm(5, 30 * MS)
        wheel.advance(29 * MS)
        assert wheel.expirations() == []
        wheel.advance(30 * MS)
        (event,) = wheel.expirations()
        assert event.deadline == 30 * MS
        assert not wheel.word_arm(5, 40 * MS)
        raises(errno.ERANGE, wheel.word_arm, 5, 0)
        assert wheel.word_restart(5, 40 * MS)
        assert not wheel.word_reset(5)
        wheel.advance(40 * MS)
        assert len(wheel.expirations()) == 1
        assert wheel.word_reset(5)
        assert not wheel.cancel(timer_id(5, 1))
        wheel.arm(timer_id(5, 2), 0, word=True)
        assert wheel.query(timer_id(5, 2)) is None


def test_options_are_keyword_only():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        id = timer_id(1, 1)
        for call in (
            lambda: wheel.wait(5),
            lambda: wheel.expirations(5),
            lambda: wheel.arm(id, MS, 0),
            lambda: wheel.arm_in(id, 1, 42),
            lambda: wheel.rearm(id, MS, 0),
            lambda: wheel.timers(True),
            lambda: Wheel(libwheel.VIRTUAL),
        ):
            try:
                call()
            except TypeError:
                continue
            raise AssertionError("a positional option was accepted")


def test_words_postpone():
    with Wheel(clock=libwheel.VIRTUAL, flags=libwheel.WORDS, timers=8) as wheel:
        words = wheel.words
        assert len(words) == 8
        wheel.arm(timer_id(5, 1), 10 * MS, word=True)
        assert words[5] == 10 * MS
        words[5] = 20 * MS
        assert wheel.query(timer_id(5, 1)) == 20 * MS
        wheel.advance(19 * MS)
        assert wheel.expirations() == []
        wheel.advance(20 * MS)
        words[5] = 30 * MS  # too late: the timer has fired, and fires again
        (event,) = wheel.expirations()
        assert event.deadline == 20 * MS
        wheel.advance(40 * MS)
        (event,) = wheel.expirations()
        assert event.deadline == 30 * MS


def test_words_outlive_the_wheel():
    wheel = Wheel(clock=libwheel.VIRTUAL, flags=libwheel.WORDS, timers=8)
    words = wheel.words
    wheel.close()
    words[7] = 1
    assert words[7] == 1
    raises_closed(lambda: wheel.words)


def test_wheel_without_words():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        assert len(wheel.words) == 0


def raises_closed(call):
    try:
        call()
    except ValueError as error:
        assert str(error) == "the wheel is closed"
        return
    raise AssertionError("the wheel is open")


def test_every_public_function_has_type_hints():
    functions = [getattr(libwheel, name) for name in ("timer_id", "slot_of", "generation_of")]
    functions += [
        thing
        for name, thing in vars(Wheel).items()
        if inspect.isfunction(thing) and not name.startswith("_")
    ]
    for function in functions:
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, function
        for name, parameter in signature.parameters.items():
            assert name == "self" or parameter.annotation is not parameter.empty, function
    package = os.path.dirname(libwheel.__file__)
    assert os.path.exists(os.path.join(package, "py.typed"))


def test_selectors():
    with Wheel() as wheel, selectors.DefaultSelector() as selector:
        selector.register(wheel, selectors.EVENT_READ)
        wheel.arm_in(timer_id(1, 1), 0.005)
        assert len(selector.select()) == 1
        assert len(wheel.expirations()) == 1
        assert selector.select(0) == []


def test_stop_returns_the_pending_timers():
    with Wheel(clock=libwheel.VIRTUAL) as old:
        with Wheel(clock=libwheel.VIRTUAL) as new:
            for i in range(600):
                old.arm(timer_id(i, 1), (i + 1) * MS, cookie=i)
            assert old.stop() == 600
            raises(errno.ESHUTDOWN, old.expirations)
            timers = old.timers()
            assert len(timers) == 600
            assert {result.error for result in new.arm_many(timers)} == {0}
            assert new.timers() == timers


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


def test_wait_with_a_negative_timeout_returns():
    with Wheel() as wheel:
        wheel.arm_in(timer_id(1, 1), 3600)
        assert wheel.wait(timeout=-1) == []
        assert wheel.wait(timeout=-1e-9) == []


def test_wait_has_no_longest_timeout():
    for timeout in (2**64 / 1e9 + 0.01, 1e300, float("inf")):
        with Wheel() as wheel:
            wheel.arm_in(timer_id(1, 1), 0.1)
            assert len(wheel.wait(timeout=timeout)) == 1


def test_wait_continues_after_a_signal():
    called = []
    signal.signal(signal.SIGALRM, lambda *_: called.append(True))
    with Wheel() as wheel:
        wheel.arm_in(timer_id(1, 1), 0.05)
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        assert len(wheel.wait()) == 1
        assert called


def test_arm_in_takes_seconds():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm_in(timer_id(0, 1), 1, slack=0.25, period=2)
        (timer,) = wheel.timers()
        assert timer == Timer(timer_id(0, 1), 1000 * MS, 250 * MS, 2000 * MS, 0, False)


def test_option_is_not_truncated():
    for name in ("timers", "buckets", "scheme", "clock", "flags", "backend"):
        raises(errno.EINVAL, lambda name=name: Wheel(**{name: 2**32 + 1}))
        raises(errno.EINVAL, lambda name=name: Wheel(**{name: -1}))
    raises(errno.ERANGE, lambda: Wheel(tick_ns=2**64 + 1))
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        raises(errno.ERANGE, wheel.advance, 2**64 + 5)


def test_option_of_another_type_is_named():
    for name in ("timers", "buckets", "scheme", "clock", "flags", "backend"):
        for value in ("hashed", 1.5, None):
            try:
                Wheel(**{name: value})
            except TypeError as error:
                assert str(error).startswith("%s=%r: not an int" % (name, value))
            else:
                raise AssertionError("no TypeError")


def test_time_as_a_float_is_explained():
    with Wheel() as wheel:
        try:
            wheel.arm(timer_id(1, 1), time.monotonic() + 1)
        except TypeError as error:
            assert "arm_in() takes seconds" in str(error), error
        else:
            raise AssertionError("no TypeError")


def test_callbacks_without_a_loop_are_explained():
    try:
        libwheel.Callbacks()
    except RuntimeError as error:
        assert "create Callbacks in a coroutine" in str(error), error
    else:
        raise AssertionError("no RuntimeError")


def test_rearm_reports_whether_the_timer_was_pending():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        id = wheel.arm(timer_id(1, 1), MS)
        assert wheel.rearm(id, 5 * MS) and wheel.query(id) == 5 * MS
        assert wheel.rearm_in(id, 0.007) and wheel.query(id) == 7 * MS
        wheel.cancel(id)
        assert not wheel.rearm(id, MS) and not wheel.rearm_in(id, 1)


def test_timeouts_start_and_stop():
    with libwheel.Timeouts(100) as timeouts:
        assert timeouts.start(7, 0.001) and timeouts.start(8, 3600)
        assert timeouts.start(99, 0) and not timeouts.stop(50)
        found = []
        while len(found) < 2:
            found += timeouts.wait()
        assert sorted(found) == [7, 99]
        assert timeouts.stop(8) and not timeouts.stop(8) and not timeouts.stop(7)
        assert timeouts.wait(timeout=0) == []


def test_timeout_that_is_due_is_taken_or_started_again():
    """In user space, a timeout expires when the library reads the clock."""
    with libwheel.Timeouts(2) as timeouts, selectors.DefaultSelector() as selector:
        selector.register(timeouts, selectors.EVENT_READ)
        for _ in range(50):
            timeouts.start(1, 0)
            assert selector.select(300)
            if timeouts.start(1, 3600):
                assert timeouts.expirations() == [] and timeouts.stop(1)
            else:
                assert not timeouts.stop(1) and timeouts.expirations() == [1]
            assert timeouts.start(1, 0) and timeouts.wait() == [1]


def test_timeouts_are_postponed_and_advanced():
    with libwheel.Timeouts(2) as timeouts:
        timeouts.start(0, 0)
        while not timeouts.start(0, 3600):
            timeouts.expirations()
        assert timeouts.wait(timeout=0.01) == []
        assert timeouts.start(0, 0.001) and timeouts.wait() == [0]


def test_timeouts_reject_what_is_out_of_range():
    for slots in (0, -1, 2**24 + 1):
        raises(errno.EINVAL, libwheel.Timeouts, slots)
    with libwheel.Timeouts(8) as timeouts:
        for slot in (-1, 8, 2**64):
            raises(errno.EINVAL, timeouts.start, slot, 1)
            raises(errno.EINVAL, timeouts.stop, slot)
        raises(errno.ERANGE, timeouts.start, 1, float("inf"))
        assert timeouts.start(1, 1) and timeouts.stop(1)


def in_callbacks(slots, program):
    """Run a coroutine function with Callbacks of that number of slots."""

    async def run():
        with libwheel.Callbacks(slots) as callbacks:
            await program(callbacks)

    asyncio.run(asyncio.wait_for(run(), 300))


def test_callbacks_are_called_in_their_context():
    variable = contextvars.ContextVar("variable")

    async def program(callbacks):
        done = asyncio.get_running_loop().create_future()
        variable.set("mine")
        call = callbacks.call_later(
            0.001, lambda *values: done.set_result((variable.get(), *values)), 1, 2
        )
        variable.set("other")
        assert await done == ("mine", 1, 2)
        assert not call.cancel()

    in_callbacks(1, program)


def test_callbacks_are_cancelled_and_restarted():
    async def program(callbacks):
        called = []
        calls = [callbacks.call_later(0 if i == 0 else 3600, called.append, i) for i in range(3)]
        raises(errno.EDQUOT, callbacks.call_later, 1, called.append, 4)
        calls[1].restart(3600)
        assert calls[2].cancel() and not calls[2].cancel()
        while called != [0]:
            await asyncio.sleep(0.001)
        calls[1].restart(0)
        calls[0].restart(0)
        while len(called) < 3:
            await asyncio.sleep(0.001)
        assert sorted(called) == [0, 0, 1]

    in_callbacks(3, program)


def test_callback_that_has_expired_can_be_cancelled():
    """The wheel has expired it, but the loop has not called it."""

    async def program(callbacks):
        called = []
        for _ in range(50):
            first = callbacks.call_later(0, called.append, "cancelled")
            assert select.select([callbacks._timeouts], [], [], 300)[0]
            assert first.cancel() and not first.cancel()
            await asyncio.sleep(0)
        second = callbacks.call_later(0, called.append, "restarted")
        assert select.select([callbacks._timeouts], [], [], 300)[0]
        second.restart(0.001)
        while not called:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        assert called == ["restarted"]

    in_callbacks(2, program)


def test_exception_of_a_callback_is_reported_to_the_loop():
    async def program(callbacks):
        loop = asyncio.get_running_loop()
        reported = loop.create_future()
        loop.set_exception_handler(lambda _, it: reported.set_result(it["exception"]))
        callbacks.call_later(0, int, "x")
        assert isinstance(await reported, ValueError)

    in_callbacks(1, program)


def test_limit_is_a_number_of_events():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm(timer_id(1, 1), MS)
        wheel.advance(MS)
        for limit in (-1, 0, 2**24 + 1, 2**32, 2**64):
            raises(errno.EINVAL, wheel.expirations, limit=limit)
            raises(errno.EINVAL, wheel.wait, limit=limit)
        assert len(wheel.expirations(limit=2**24)) == 1


def test_error_has_a_message():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        wheel.arm(timer_id(1, 1), MS)
        try:
            wheel.arm(timer_id(1, 2), MS)
        except OSError as error:
            assert error.errno == errno.EBUSY
            assert error.strerror == "the slot is not free"
        else:
            raise AssertionError("nothing was raised")


def test_default_scheme():
    with Wheel() as wheel, Wheel(scheme=libwheel.HIERARCHICAL) as other:
        assert options_of(wheel) == options_of(other)
    for clock in (libwheel.REALTIME, libwheel.TAI):
        Wheel(clock=clock).close()


def options_of(wheel):
    """Return the effective options as bytes."""
    info = (libwheel.ctypes.c_uint32 * 64)()
    assert libwheel._lib.libwheel_info(wheel._open(), info) == 0
    return bytes(info)


def iterate(wheel, most):
    async def events():
        taken = []
        async for event in wheel:
            taken.append(event)
            if len(taken) == most:
                break
        return taken

    return asyncio.run(asyncio.wait_for(events(), 300))


def test_asyncio():
    with Wheel() as wheel:
        for i in range(5):
            wheel.arm_in(timer_id(i, 1), 0.001 * i, cookie=i)
        assert [event.cookie for event in iterate(wheel, 5)] == list(range(5))


def test_asyncio_keeps_events_when_a_loop_breaks():
    with Wheel(clock=libwheel.VIRTUAL) as wheel:
        for i in range(6):
            wheel.arm(timer_id(i, 1), MS, cookie=i)
        wheel.advance(MS)
        assert [event.cookie for event in iterate(wheel, 2)] == [0, 1]
        assert [event.cookie for event in wheel.expirations(limit=1)] == [2]
        assert [event.cookie for event in iterate(wheel, 2)] == [3, 4]
        assert [event.cookie for event in wheel.wait()] == [5]


def test_asyncio_wakes_all_iterations():
    """All iterations sleep at first; an event goes to one of them."""

    async def take(wheel, seen):
        async for event in wheel:
            seen.append(event.cookie)
            if len(seen) == 2:
                wheel.stop()
            else:
                wheel.arm_in(timer_id(2, 1), 0.02, cookie=2)

    async def run():
        seen = []
        with Wheel() as wheel:
            takers = [asyncio.create_task(take(wheel, seen)) for _ in range(3)]
            await asyncio.sleep(0)
            wheel.arm_in(timer_id(1, 1), 0.02, cookie=1)
            await asyncio.wait_for(asyncio.gather(*takers), 60)
        assert seen == [1, 2]

    asyncio.run(run())


def test_asyncio_step_can_time_out():
    """Each step of an iteration may have a timeout; the next step continues."""

    async def run():
        with Wheel() as wheel:
            events = aiter_of(wheel)
            for _ in range(3):
                try:
                    await asyncio.wait_for(events.__anext__(), 0.001)
                except asyncio.TimeoutError:
                    continue
                raise AssertionError("an event without a timer")
            wheel.arm_in(timer_id(1, 1), 0.001, cookie=5)
            event = await asyncio.wait_for(events.__anext__(), 60)
            assert event.cookie == 5
            wheel.stop()
            for _ in range(2):
                try:
                    await events.__anext__()
                except StopAsyncIteration:
                    continue
                raise AssertionError("an event of a stopped wheel")

    asyncio.run(run())


def aiter_of(wheel):
    return type(wheel).__aiter__(wheel)


def test_asyncio_ends_when_the_wheel_is_stopped():
    async def both(wheel):
        events = []
        async for event in wheel:
            events.append(event)
            asyncio.get_running_loop().call_later(0.01, wheel.stop)
        return events

    with Wheel() as wheel:
        wheel.arm_in(timer_id(1, 1), 0.001)
        wheel.arm_in(timer_id(2, 1), 3600)
        assert len(asyncio.run(asyncio.wait_for(both(wheel), 300))) == 1


def test_asyncio_in_threads():
    """Loops of several threads share a wheel."""
    seen = []

    async def take(wheel):
        async for event in wheel:
            seen.append(event.cookie)
            if len(seen) == 500:
                wheel.stop()

    with Wheel() as wheel:
        loops = [
            threading.Thread(target=lambda: asyncio.run(take(wheel), debug=True))
            for _ in range(3)
        ]
        for loop in loops:
            loop.start()
        for i in range(500):
            wheel.arm_in(timer_id(i, 1), 0.0001 * i, cookie=i)
        for loop in loops:
            loop.join(60)
            assert not loop.is_alive()
    assert sorted(seen) == list(range(500))


def test_asyncio_is_notified_of_a_close():
    """The loop continues with other files, which may reuse the descriptor."""

    async def take(wheel):
        async for _ in wheel:
            pass

    async def run():
        wheel = Wheel()
        taker = asyncio.create_task(take(wheel))
        await asyncio.sleep(0)
        wheel.close()
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            theirs.send(b"x")
            assert await asyncio.wait_for(reader.read(1), 60) == b"x"
            writer.close()
            await writer.wait_closed()
        (refusal,) = await asyncio.gather(taker, return_exceptions=True)
        assert isinstance(refusal, ValueError), refusal

    asyncio.run(run())


def test_every_public_name_is_documented():
    for name in libwheel.__all__:
        thing = getattr(libwheel, name)
        assert not callable(thing) or thing.__doc__, name
    for name, thing in vars(Wheel).items():
        if not name.startswith("_"):
            assert thing.__doc__, name


def test_closed():
    wheel = Wheel()
    wheel.close()
    wheel.close()
    try:
        wheel.now()
    except ValueError:
        pass
    else:
        raise AssertionError("a closed wheel returned its clock")
    raises(errno.EINVAL, Wheel, clock=5)


def test_wheel_cannot_be_copied():
    with Wheel() as wheel:
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            try:
                copied(wheel)
            except TypeError:
                pass
            else:
                raise AssertionError("it was copied")


def until_closed(wheel, call, begun):
    """Return true if the call ends with the documented ValueError."""
    begun.wait()
    while True:
        try:
            call(wheel)
        except ValueError as error:
            return str(error) == "the wheel is closed"


def test_close_ends_the_calls_of_other_threads():
    """Some threads wait, some are busy, and a new wheel may reuse the descriptor."""
    calls = (
        Wheel.wait,
        Wheel.wait,
        Wheel.expirations,
        Wheel.stats,
        lambda wheel: wheel.cancel(timer_id(1, 1)),
    )
    for _ in range(50):
        wheel = Wheel()
        wheel.arm_in(timer_id(1, 1), 3600)
        begun = threading.Barrier(len(calls) + 1)
        with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
            ends = [pool.submit(until_closed, wheel, call, begun) for call in calls]
            begun.wait()
            wheel.close()
            with Wheel() as other:
                other.arm_in(timer_id(1, 1), 0.001)
                assert len(other.wait()) == 1
        assert all(future.result() for future in ends)


def test_close_closes_the_descriptor():
    wheel = Wheel()
    fd = wheel.fileno()
    wheel.close()
    raises(errno.EBADF, os.fstat, fd)
    fd = Wheel().fileno()
    raises(errno.EBADF, os.fstat, fd)


def test_layout_is_that_of_the_header():
    """Compare members and their order with the C header."""
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
