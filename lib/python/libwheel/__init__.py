# SPDX-License-Identifier: MIT
"""Binding of libwheel: many timers behind one file descriptor.

It works with and without the kernel module wheel_timer::

    import libwheel

    with libwheel.Wheel() as wheel:
        wheel.arm_in(libwheel.timer_id(slot=7, generation=1), 0.05, cookie=42)
        for event in wheel.wait():
            print("timer", event.cookie)

With asyncio, a wheel is an asynchronous iterable of its events, which ends when the
wheel is stopped::

    import asyncio
    import libwheel

    async def main():
        with libwheel.Wheel() as wheel:
            wheel.arm_in(libwheel.timer_id(slot=7, generation=1), 0.05, cookie=42)
            async for event in wheel:
                print("timer", event.cookie)
                wheel.stop()

    asyncio.run(main())

Timeouts has one timeout per connection or request, which a server starts, postpones and
stops. Callbacks calls functions later in an asyncio loop::

    import libwheel

    with libwheel.Timeouts(1024) as timeouts:  # slots 0 to 1023
        timeouts.start(7, 0.01)
        timeouts.start(7, 0.05)  # postponed
        for slot in timeouts.wait():
            print("the timeout of slot", slot, "has expired")

A timer is named by a slot, which the program chooses, and a generation, which increases
with each arm of that slot. arm_in() and timeouts take seconds as a float. All other times
are nanoseconds of the wheel's clock as an int.

An error of the library raises OSError. A call on a closed wheel raises ValueError, also
in a thread that waits while another thread closes the wheel. Threads may share a wheel.
See libwheel(7).
"""

from __future__ import annotations

import collections
import contextvars
import ctypes
import errno
import operator
import os
import struct
import time
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

__all__ = [
    "AUTO", "Result", "BOOTTIME", "BOUNDED", "Callback", "Callbacks", "Event", "Events", "HASHED",
    "HIERARCHICAL", "KERNEL", "MONOTONIC", "NEVER", "OVERFLOW", "REALTIME", "TAI",
    "Timeouts", "Timer", "USER", "VIRTUAL", "WORDS", "Wheel", "generation_of", "slot_of",
    "timer_id",
]  # fmt: skip

MONOTONIC, BOOTTIME, REALTIME, TAI, VIRTUAL = range(5)
HASHED, HIERARCHICAL, BOUNDED, OVERFLOW = range(1, 5)
AUTO, KERNEL, USER = range(3)
WORDS = 1

_SONAME = "libwheel.so.1"
SLOT_BITS = 24
NEVER = 2**64 - 1

_ARM, _REARM, _CANCEL = range(1, 4)
_REL, _WORD = 1, 2


class Event(NamedTuple):
    """An expired timer.

    fired is the time of expiry on the wheel's clock, overrun the number of missed
    periods, and seq a number that counts the wheel's events from 0.
    """

    id: int
    cookie: int
    deadline: int
    fired: int
    overrun: int
    seq: int


class Timer(NamedTuple):
    """The arguments that arm a timer: see Wheel.arm()."""

    id: int
    when: int
    slack: int = 0
    period: int = 0
    cookie: int = 0
    word: bool = False


class Result(NamedTuple):
    """The result of one operation of a batch: the timer's id, and 0 or an errno."""

    id: int
    error: int


def _error(number: int, message: Optional[str] = None) -> OSError:
    return OSError(number, message or _lib.libwheel_strerror(-number).decode())


def timer_id(slot: int, generation: int) -> int:
    """Return the id of a timer from its slot and the slot's generation."""
    if not (0 <= slot < 1 << SLOT_BITS and 0 <= generation < 1 << 64 - SLOT_BITS):
        raise _error(errno.EINVAL, "slot %r, generation %r" % (slot, generation))
    return generation << SLOT_BITS | slot


def slot_of(id: int) -> int:
    """Return the slot of an id."""
    return id & (1 << SLOT_BITS) - 1


def generation_of(id: int) -> int:
    """Return the generation of an id."""
    return id >> SLOT_BITS


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("backend", ctypes.c_uint32),
        ("clock", ctypes.c_uint32),
        ("scheme", ctypes.c_uint32),
        ("timers", ctypes.c_uint32),
        ("buckets", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("tick_ns", ctypes.c_uint64),
    ]


def _u64(value: int) -> int:
    """Return a number that fits its field; ctypes would truncate others."""
    if not 0 <= value < 2**64:
        raise _error(errno.ERANGE, "a number is not from 0 to 2^64 - 1")
    return value


def _u32(name: str, value: int) -> int:
    """Return an option that fits its field."""
    try:
        number = operator.index(value)
    except TypeError:
        known = ", such as libwheel.HASHED" if name == "scheme" else ""
        raise TypeError(f"{name}={value!r}: not an int{known}") from None
    if not 0 <= number < 2**32:
        raise _error(errno.EINVAL, f"{name}={value!r}: not from 0 to 2^32 - 1")
    return number


def _limit(value: int) -> int:
    """Return a limit on events; each slot has one event at most."""
    if not 0 < value <= 1 << SLOT_BITS:
        raise _error(errno.EINVAL, "%r: not a limit from 1 to 2^24" % value)
    return value


class _Op(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("id", ctypes.c_uint64),
        ("when", ctypes.c_uint64),
        ("slack", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
        ("cookie", ctypes.c_uint64),
        ("res", ctypes.c_int32),
        ("reserved", ctypes.c_uint32 * 3),
    ]

    def __init__(
        self,
        op: int,
        flags: int,
        id: int,
        when: int = 0,
        slack: int = 0,
        period: int = 0,
        cookie: int = 0,
    ) -> None:
        # One comparison for all: the result of | is too large or negative if any of them is.
        _u64(id | when | slack | period | cookie)
        super().__init__(op, flags, id, when, slack, period, cookie)


# The same structure for many operations at once.
_OP = struct.Struct("=IIQQQQQi12x")


class _Event(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint64),
        ("cookie", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("fired", ctypes.c_uint64),
        ("overrun", ctypes.c_uint64),
        ("seq", ctypes.c_uint32),
        ("res", ctypes.c_int32),
    ]


class _Stats(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64)
        for name in (
            "armed",
            "fired",
            "cancelled",
            "pending",
            "rearmed",
            "requeued",
            "refused",
            "overruns",
            "unread",
            "deferred",
            "cascaded",
            "passes",
            "wakeups",
        )
    ] + [("late", ctypes.c_uint64 * 64)]


class _Shared(ctypes.Structure):
    """The public head of struct libwheel."""

    _fields_ = [("words", ctypes.c_void_p), ("timers", ctypes.c_uint64)]


def _open_library() -> ctypes.CDLL:
    """Load the file $LIBWHEEL, or the library next to this file, or that of the system.

    No other directory is searched, because other users may write to it.
    """
    path = os.environ.get("LIBWHEEL")
    if not path:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), _SONAME)
        if not os.path.exists(path):
            path = _SONAME
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            "libwheel.so.1 cannot be loaded (%s): install libwheel, run ldconfig, or "
            "set LIBWHEEL to the path of the file" % error
        ) from error


def _load() -> Any:
    lib = _open_library()
    wheel, u32, u64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    pointer = ctypes.POINTER
    for name, result, arguments in (
        ("open", ctypes.c_int, [pointer(wheel), pointer(_Options)]),
        ("close", None, [wheel]),
        ("strerror", ctypes.c_char_p, [ctypes.c_int]),
        ("backend", ctypes.c_int, [wheel]),
        ("fd", ctypes.c_int, [wheel]),
        ("now", u64, [wheel]),
        ("slot_get", ctypes.c_int, [wheel, pointer(u64)]),
        ("slot_put", None, [wheel, u64]),
        ("arm", ctypes.c_int, [wheel, u64, u64, u64]),
        ("arm_in", ctypes.c_int, [wheel, u64, u64, u64]),
        ("cancel", ctypes.c_int, [wheel, u64]),
        ("query", ctypes.c_int, [wheel, u64, pointer(u64)]),
        ("do", ctypes.c_int, [wheel, pointer(_Op)]),
        ("submit", ctypes.c_int, [wheel, pointer(_Op), u32, pointer(u32)]),
        ("expirations", ctypes.c_int, [wheel, pointer(_Event), u32]),
        ("wait", ctypes.c_int, [wheel, pointer(_Event), u32, ctypes.c_int64]),
        ("stop", ctypes.c_int, [wheel, pointer(u64)]),
        ("list", ctypes.c_int, [wheel, u32, pointer(_Op), u32, pointer(u32)]),
        ("stats", ctypes.c_int, [wheel, pointer(_Stats)]),
        ("advance", ctypes.c_int, [wheel, u64, pointer(u64)]),
        ("word_arm", ctypes.c_int, [wheel, u64, u64]),
        ("word_push", ctypes.c_int, [wheel, u64, u64]),
        ("word_park", ctypes.c_int, [wheel, u64]),
        ("word_restart", ctypes.c_int, [wheel, u64, u64]),
        ("word_reset", ctypes.c_int, [wheel, u64]),
    ):
        function = getattr(lib, "libwheel_" + name)
        function.restype = result
        function.argtypes = arguments
    return lib


_lib = _load()


class _Handle(ctypes.c_void_p):
    """An open wheel. It is closed when the last reference to it is deleted."""

    def __del__(self, close: Callable[[Any], None] = _lib.libwheel_close) -> None:
        close(self)


def _checked(result: int) -> int:
    if result < 0:
        raise _error(-result)
    return result


def _unless(errnos: Iterable[int], result: int) -> bool:
    """Return True for success, False for the errnos, and raise all others."""
    if -result in errnos:
        return False
    return _checked(result) >= 0


def _ns(seconds: float) -> int:
    """Convert seconds to nanoseconds; infinity and NaN are out of range."""
    if not abs(seconds) < 2**64:
        raise _error(errno.ERANGE)
    return round(seconds * 1e9)


# The clock of Timeouts.
_clock = time.monotonic_ns

# The longest timeout of libwheel_wait(), in seconds: 285 years.
_LONGEST_WAIT = 9e9


class Wheel:
    """A timing wheel with a fixed number of slots and one file descriptor.

    clock     MONOTONIC, BOOTTIME, REALTIME, TAI or VIRTUAL
    scheme    HIERARCHICAL, HASHED, BOUNDED or OVERFLOW; 0 selects HIERARCHICAL, or
              HASHED for a clock that can be set
    tick_ns   tick length in nanoseconds; 0 selects 1 ms
    timers    number of slots, at most 2^24; 0 selects 65536
    buckets   ring size of HASHED, BOUNDED and OVERFLOW; 0 derives it from timers
    flags     WORDS enables timers with a word: word_arm() and so on
    backend   AUTO, KERNEL (/dev/wheel) or USER (in this process)

    A wheel is a context manager and an asynchronous iterable of its events. It can be
    passed to select and selectors.
    """

    def __init__(
        self,
        *,
        clock: int = MONOTONIC,
        scheme: int = 0,
        tick_ns: int = 0,
        timers: int = 0,
        buckets: int = 0,
        flags: int = 0,
        backend: int = AUTO,
    ) -> None:
        self._handle: Optional[_Handle] = None
        self._taken: collections.deque[Event] = collections.deque()
        self._sleepers: Dict[Any, List[Any]] = {}
        options = _Options(
            size=ctypes.sizeof(_Options),
            flags=_u32("flags", flags),
            backend=_u32("backend", backend),
            clock=_u32("clock", clock),
            scheme=_u32("scheme", scheme),
            timers=_u32("timers", timers),
            buckets=_u32("buckets", buckets),
            tick_ns=_u64(tick_ns),
        )
        handle = _Handle()
        _checked(_lib.libwheel_open(ctypes.byref(handle), ctypes.byref(options)))
        self._handle = handle

    def close(self) -> None:
        """Close the wheel and discard its timers. Closing it again has no effect."""
        handle, self._handle = self._handle, None
        if handle:
            # Threads and loops that wait in the wheel return; the last one closes it.
            _lib.libwheel_stop(handle, None)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a wheel can be neither copied nor pickled")

    def __enter__(self) -> Wheel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _open(self) -> _Handle:
        if not self._handle:
            raise ValueError("the wheel is closed")
        return self._handle

    def fileno(self) -> int:
        """Return the descriptor, which is readable when expirations() has events."""
        return _lib.libwheel_fd(self._open())  # type: ignore[no-any-return]

    @property
    def backend(self) -> int:
        """The effective backend: KERNEL or USER."""
        return _lib.libwheel_backend(self._open())  # type: ignore[no-any-return]

    @property
    def words(self) -> memoryview:
        """The words, one per slot, as a memoryview of 64-bit integers.

        The word of an armed timer is its deadline, below 2^63. Storing a later deadline
        postpones the timer, like word_push(), but the store does not report whether the
        timer had fired. Only the owner of a slot that was armed with word=True may store
        one. A timer that had fired has an event with the old deadline, and fires again at
        the new one. Without WORDS the view is empty.

        The memory is released after the wheel and all views of it are closed.
        """
        handle = self._open()
        shared = _Shared.from_address(handle.value or 0)
        if not shared.words:
            return memoryview(b"").cast("Q")
        array = (ctypes.c_uint64 * shared.timers).from_address(shared.words)
        array.handle = handle  # keeps the memory mapped
        return memoryview(array).cast("B").cast("Q")

    def now(self) -> int:
        """Return the time of the wheel's clock, in nanoseconds."""
        return _lib.libwheel_now(self._handle or self._open())  # type: ignore[no-any-return]

    def slot_get(self) -> int:
        """Allocate a slot, and return an id with which it can be armed.

        All slots of the wheel must be allocated in this way, or none.
        """
        id = ctypes.c_uint64()
        _checked(_lib.libwheel_slot_get(self._open(), id))
        return id.value

    def slot_put(self, id: int) -> None:
        """Return the slot of a timer after it was cancelled or its last event was taken."""
        _lib.libwheel_slot_put(self._open(), _u64(id))

    def _do(self, op: _Op) -> _Op:
        _checked(_lib.libwheel_do(self._open(), op))
        return op

    def arm(
        self,
        id: int,
        when: int,
        *,
        slack: int = 0,
        period: int = 0,
        cookie: int = 0,
        word: bool = False,
    ) -> int:
        """Arm a timer for the deadline when, and return its id.

        The timer may expire up to slack nanoseconds later. It repeats every period
        nanoseconds unless period is 0. The event has the cookie. With word=True, the
        slot belongs to the program until cancel(); if when is 0, the timer is parked.
        """
        if slack or period or word:
            flags = _WORD if word else 0
            self._do(_Op(_ARM, flags, id, when, slack, period, cookie))
            return id
        try:
            _u64(id | when | cookie)
        except TypeError:
            raise TypeError(
                "id, when and cookie are ints, when in nanoseconds; arm_in() takes seconds"
            ) from None
        result = _lib.libwheel_arm(self._handle or self._open(), id, when, cookie)
        if result:
            raise _error(-result)
        return id

    def arm_in(
        self,
        id: int,
        seconds: float,
        *,
        slack: float = 0,
        period: float = 0,
        cookie: int = 0,
        word: bool = False,
    ) -> int:
        """Arm a timer that expires after a delay; slack and period are seconds, too."""
        when = _ns(seconds)
        if slack or period or word:
            flags = _REL | (_WORD if word else 0)
            self._do(_Op(_ARM, flags, id, when, _ns(slack), _ns(period), cookie))
            return id
        _u64(id | when | cookie)
        result = _lib.libwheel_arm_in(self._handle or self._open(), id, when, cookie)
        if result:
            raise _error(-result)
        return id

    def arm_many(self, timers: Iterable[Timer]) -> List[Result]:
        """Arm timers with one system call, and return a Result for each."""
        return self._submit(
            [
                (_ARM, _WORD if word else 0, id, when, slack, period, cookie, 0)
                for id, when, slack, period, cookie, word in timers
            ]
        )

    def cancel_many(self, ids: Iterable[int]) -> List[Result]:
        """Cancel timers with one system call, and return a Result for each."""
        return self._submit([(_CANCEL, 0, id, 0, 0, 0, 0, 0) for id in ids])

    def _submit(self, ops: List[Tuple[int, ...]]) -> List[Result]:
        try:
            buffer = bytearray().join([_OP.pack(*op) for op in ops])
        except struct.error as error:
            raise _error(errno.ERANGE, str(error)) from None
        done = 0
        while done < len(ops):
            part = ctypes.c_uint32()
            rest = (_Op * (len(ops) - done)).from_buffer(buffer, done * _OP.size)
            result = _lib.libwheel_submit(
                self._open(), rest, len(rest), ctypes.byref(part)
            )
            done += part.value
            if result != -errno.EINTR:
                _checked(result)
        return [
            Result(id, -res if res < 0 else 0)
            for _, _, id, _, _, _, _, res in _OP.iter_unpack(buffer)
        ]

    def rearm(self, id: int, when: int, *, slack: int = 0) -> bool:
        """Move a pending timer to another deadline. Return False if it is not pending."""
        op = _Op(_REARM, 0, id, when, slack)
        return _unless((errno.ENOENT,), _lib.libwheel_do(self._open(), op))

    def rearm_in(self, id: int, seconds: float, *, slack: float = 0) -> bool:
        """Move a pending timer: it expires after a delay. Return False if not pending."""
        op = _Op(_REARM, _REL, id, _ns(seconds), _ns(slack))
        return _unless((errno.ENOENT,), _lib.libwheel_do(self._open(), op))

    def cancel(self, id: int) -> bool:
        """Cancel a timer. Return True if it will not fire, False if it is not pending.

        The events of a periodic timer that have not been taken remain.
        """
        result = _lib.libwheel_cancel(self._handle or self._open(), _u64(id))
        return result == 0 or _unless((errno.ENOENT,), result)

    def query(self, id: int) -> Optional[int]:
        """Return the deadline of a timer, or None if it is not pending."""
        when = ctypes.c_uint64()
        result = _lib.libwheel_query(self._open(), _u64(id), when)
        return when.value if _unless((errno.ENOENT,), result) else None

    def word_arm(self, slot: int, deadline: int) -> bool:
        """Arm a parked timer with a word, or move an armed one.

        Needs no system call, unless the deadline is before the kernel's next scan. Return
        False if the timer has fired or has no word.
        """
        _u64(slot | deadline)
        result = _lib.libwheel_word_arm(self._handle or self._open(), slot, deadline)
        return result == 0 or _unless((errno.ENOENT,), result)

    def word_push(self, slot: int, deadline: int) -> bool:
        """Move a timer with a word. Return False if it is not armed."""
        _u64(slot | deadline)
        result = _lib.libwheel_word_push(self._handle or self._open(), slot, deadline)
        return result == 0 or _unless((errno.ENOENT,), result)

    def word_park(self, slot: int) -> bool:
        """Cancel a timer with a word: no event follows. Return False if it is not armed."""
        result = _lib.libwheel_word_park(self._open(), _u64(slot))
        return _unless((errno.ENOENT,), result)

    def word_restart(self, slot: int, deadline: int) -> bool:
        """Arm a fired timer with a word, whose event the caller has taken."""
        _u64(slot | deadline)
        result = _lib.libwheel_word_restart(self._open(), slot, deadline)
        return _unless((errno.ENOENT,), result)

    def word_reset(self, slot: int) -> bool:
        """Park a fired timer with a word, whose event the caller has taken."""
        result = _lib.libwheel_word_reset(self._open(), _u64(slot))
        return _unless((errno.ENOENT,), result)

    def _leftover(self, limit: int) -> List[Event]:
        """Return events that asynchronous iterations took; threads share them."""
        events: List[Event] = []
        try:
            while len(events) < limit:
                events.append(self._taken.popleft())
        except IndexError:
            pass
        return events

    def _take(self, call: Any, limit: int, *arguments: int) -> List[Event]:
        """Return leftover events, or else those of the library."""
        events = self._leftover(_limit(limit))
        if events:
            return events
        array = (_Event * limit)()
        count = call(self._open(), array, limit, *arguments)
        if count < 0:
            self._open()  # another thread may have closed it
        _checked(count)
        return [
            Event(e.id, e.cookie, e.deadline, e.fired, e.overrun, e.seq)
            for e in array[:count]
        ]

    def expirations(self, *, limit: int = 256) -> List[Event]:
        """Return up to limit events of expired timers, without waiting."""
        return self._take(_lib.libwheel_expirations, limit)

    def wait(self, *, timeout: Optional[float] = None, limit: int = 256) -> List[Event]:
        """Wait for events, and return up to limit of them.

        The list is empty after the timeout, in seconds. A negative timeout does not wait.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _LONGEST_WAIT if until is None else until - time.monotonic()
            ns = max(_ns(min(left, _LONGEST_WAIT)), 0)
            try:
                return self._take(_lib.libwheel_wait, limit, ns)
            except InterruptedError:
                continue  # Python has called the signal handler: see PEP 475

    def __aiter__(self) -> Events:
        return Events(self)

    async def _readable(self) -> None:
        """Wait for the descriptor. A loop has one reader, which wakes all iterations."""
        import asyncio  # most programs do not need it

        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        handle = self._open()  # stays open until the loop has removed its descriptor
        fd = _lib.libwheel_fd(handle)
        sleepers = self._sleepers.setdefault(loop, [])
        sleepers.append(ready)
        loop.add_reader(fd, self._wake, loop)
        try:
            await ready
        finally:
            sleepers.remove(ready)
            if not sleepers:
                del self._sleepers[loop]
                loop.remove_reader(fd)

    def _wake(self, loop: Any) -> None:
        for ready in self._sleepers[loop]:
            if not ready.done():
                ready.set_result(None)

    def advance(self, now: int) -> int:
        """Advance a VIRTUAL clock, and return when the next timer is due, or NEVER."""
        following = ctypes.c_uint64()
        _checked(
            _lib.libwheel_advance(self._open(), _u64(now), ctypes.byref(following))
        )
        return following.value

    def stop(self) -> int:
        """Stop all timers, and return the number of pending ones."""
        unfired = ctypes.c_uint64()
        _checked(_lib.libwheel_stop(self._open(), ctypes.byref(unfired)))
        return unfired.value

    def _page(self, cursor: ctypes.c_uint32) -> List[_Op]:
        array = (_Op * 256)()
        count = _checked(
            _lib.libwheel_list(
                self._open(),
                0,
                array,
                len(array),
                ctypes.byref(cursor),
            )
        )
        return array[:count]

    def timers(self) -> List[Timer]:
        """Return the pending timers, or after stop() the unfired ones."""
        cursor = ctypes.c_uint32()
        timers: List[Timer] = []
        while True:
            page = self._page(cursor)
            if not page:
                return timers
            for op in page:
                word = bool(op.flags & _WORD)
                timers.append(
                    Timer(op.id, op.when, op.slack, op.period, op.cookie, word)
                )

    def stats(self) -> Dict[str, Any]:
        """Return the exact counters by name; late is the histogram of lateness."""
        stats = _Stats()
        _checked(_lib.libwheel_stats(self._open(), ctypes.byref(stats)))
        counters = {name: getattr(stats, name) for name, _ in stats._fields_[2:-1]}
        counters["late"] = list(stats.late)
        return counters


class Events:
    """Asynchronous iterator of a wheel's events, until the wheel is stopped.

    A cancelled __anext__() takes no event, so asyncio.wait_for() may limit each step.
    """

    def __init__(self, wheel: Wheel) -> None:
        self._wheel = wheel

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        """Return the next event; nothing is awaited after the event was taken."""
        wheel = self._wheel
        while True:
            events = wheel._leftover(1)
            if events:
                return events[0]
            try:
                wheel._taken.extend(wheel.expirations())
            except OSError as error:
                if error.errno == errno.ESHUTDOWN:
                    raise StopAsyncIteration from None
                raise
            if not wheel._taken:
                await wheel._readable()


class Timeouts:
    """One timeout per slot, for the connections and requests of a server.

    A slot is a number below slots, such as the file descriptor of a connection, and has
    one user at a time. Starting and stopping a timeout rarely makes a system call.

    A set is a context manager. It can be passed to select and selectors; Callbacks is for
    asyncio. Threads may share a set.
    """

    def __init__(self, slots: int, *, backend: int = AUTO) -> None:
        if not 0 < slots <= 1 << SLOT_BITS:
            raise _error(errno.EINVAL, "%r slots: not from 1 to 2^24" % slots)
        self._count = slots
        self._known = bytearray(slots)
        self._wheel = Wheel(timers=slots, flags=WORDS, backend=backend)

    def close(self) -> None:
        """Close the set and discard its timeouts. Closing it again has no effect."""
        self._wheel.close()

    def __enter__(self) -> Timeouts:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the descriptor, which is readable when expirations() has slots."""
        return self._wheel.fileno()

    def _outside(self, slot: int) -> OSError:
        return _error(errno.EINVAL, "slot %r of %d" % (slot, self._count))

    def start(self, slot: int, seconds: float) -> bool:
        """Start a timeout, or postpone or advance one that was started before.

        Return False if it has expired, and its slot was not taken yet. In user space, a
        timeout that is due can be started again until expirations() or wait() is called.
        """
        # The usual case has few calls. A negative index would be valid in Python.
        if slot < 0 or slot >= self._count:
            raise self._outside(slot)
        try:
            when = _clock() + int(seconds * 1e9)
        except (OverflowError, ValueError):
            raise _error(errno.ERANGE) from None
        if when <= 0 or when >= 2**63:
            if when > 0:
                raise _error(errno.ERANGE)
            when = 1
        wheel = self._wheel
        if self._known[slot]:
            result = _lib.libwheel_word_arm(wheel._handle or wheel._open(), slot, when)
            return result == 0 or _unless((errno.ENOENT,), result)
        wheel.arm(timer_id(slot, 1), when, cookie=slot, word=True)
        self._known[slot] = 1
        return True

    def stop(self, slot: int) -> bool:
        """Stop a timeout. Return False if it is not started or has expired."""
        if slot < 0 or slot >= self._count:
            raise self._outside(slot)
        wheel = self._wheel
        result = _lib.libwheel_word_park(wheel._handle or wheel._open(), slot)
        return result == 0 or _unless((errno.ENOENT,), result)

    def _slots(self, events: List[Event]) -> List[int]:
        for event in events:
            self._wheel.word_reset(event.cookie)
        return [event.cookie for event in events]

    def expirations(self, *, limit: int = 256) -> List[int]:
        """Return up to limit slots whose timeout has expired, without waiting.

        A returned slot can be started again.
        """
        return self._slots(self._wheel.expirations(limit=limit))

    def wait(self, *, timeout: Optional[float] = None, limit: int = 256) -> List[int]:
        """Wait for timeouts to expire, and return up to limit of their slots.

        The list is empty after the timeout, in seconds.
        """
        return self._slots(self._wheel.wait(timeout=timeout, limit=limit))


class Callback:
    """A call that Callbacks.call_later() has scheduled."""

    __slots__ = ("_all", "_slot", "_function", "_arguments", "_context", "_handle")

    def __init__(
        self, all: Callbacks, function: Callable[..., Any], arguments: Tuple[Any, ...]
    ) -> None:
        self._all = all
        self._slot = -1
        self._function = function
        self._arguments = arguments
        self._context = contextvars.copy_context()
        self._handle: Any = None

    def cancel(self) -> bool:
        """Cancel the call. Return False if it was made or cancelled before."""
        handle, self._handle = self._handle, None
        if handle:
            handle.cancel()
            return True
        slot, self._slot = self._slot, -1
        if slot < 0:
            return False
        self._all._put(slot)
        return True

    def _call(self) -> None:
        self._handle = None
        self._function(*self._arguments)

    def restart(self, seconds: float) -> None:
        """Make the call after this delay instead, or again if it was made or cancelled.

        This is what a server does at each message of a connection.
        """
        timeouts = self._all._timeouts
        if self._slot >= 0 and timeouts.start(self._slot, seconds):
            return
        self.cancel()
        slot = self._all._get(self)
        try:
            timeouts.start(slot, seconds)
        except BaseException:
            self._all._drop(slot)
            raise
        self._slot = slot


class Callbacks:
    """Calls of functions at a later time, in the asyncio loop that runs now.

    Create it in a coroutine, because it belongs to the running loop. Only the thread of the
    loop may use it. Restarting a call is cheaper than TimerHandle.cancel() and call_later()
    of the loop::

        import asyncio
        import libwheel

        async def main():
            with libwheel.Callbacks() as callbacks:
                idle = callbacks.call_later(30, print, "the connection is idle")
                idle.restart(0.05)  # at each message of the connection
                await asyncio.sleep(1)

        asyncio.run(main())
    """

    def __init__(self, slots: int = 65536, *, backend: int = AUTO) -> None:
        import asyncio

        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                "no loop is running: create Callbacks in a coroutine, such as main()"
            ) from None
        self._timeouts = Timeouts(slots, backend=backend)
        self._slots = slots
        self._free: List[int] = []
        # The call of each slot that is in use. None: it was cancelled after the expiry.
        self._calls: List[Optional[Callback]] = []
        self._loop.add_reader(self._timeouts.fileno(), self._run)

    def close(self) -> None:
        """Discard the calls. Closing it again has no effect."""
        if self._loop is not None:
            self._loop.remove_reader(self._timeouts.fileno())
            self._loop = None  # type: ignore[assignment]
            self._timeouts.close()

    def __enter__(self) -> Callbacks:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def call_later(
        self, seconds: float, function: Callable[..., Any], *arguments: Any
    ) -> Callback:
        """Call function(*arguments) after a delay, in the current context."""
        callback = Callback(self, function, arguments)
        callback.restart(seconds)
        return callback

    def _get(self, callback: Callback) -> int:
        if self._free:
            slot = self._free.pop()
            self._calls[slot] = callback
        elif len(self._calls) < self._slots:
            slot = len(self._calls)
            self._calls.append(callback)
        else:
            raise _error(errno.EDQUOT, "all %d slots are in use" % self._slots)
        return slot

    def _drop(self, slot: int) -> None:
        self._calls[slot] = None
        self._free.append(slot)

    def _put(self, slot: int) -> None:
        if self._timeouts.stop(slot):
            self._drop(slot)
        else:
            self._calls[slot] = None  # it has expired, and _run() will take it

    def _run(self) -> None:
        for slot in self._timeouts.expirations():
            callback = self._calls[slot]
            self._drop(slot)
            if callback:
                callback._slot = -1
                callback._handle = self._loop.call_soon(
                    callback._call, context=callback._context
                )
