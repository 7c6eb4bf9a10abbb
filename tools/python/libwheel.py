# SPDX-License-Identifier: MIT
"""Many timers behind one file descriptor: a binding of libwheel.

It works with and without the kernel's module wheel_timer::

    import libwheel

    with libwheel.Wheel() as wheel:
        wheel.arm_in(libwheel.timer_id(slot=7, generation=1), 0.05, cookie=42)
        for event in wheel.wait():
            print("timer", event.cookie)

With asyncio the events come to a loop of their own, which ends when the wheel is
stopped::

    import asyncio
    import libwheel

    async def main():
        with libwheel.Wheel() as wheel:
            wheel.arm_in(libwheel.timer_id(slot=7, generation=1), 0.05, cookie=42)
            async for event in wheel:
                print("timer", event.cookie)
                wheel.stop()

    asyncio.run(main())

A timer is named by a slot, which the program chooses, and a generation, which is
greater each time that the slot is armed. Times are seconds as float in arm_in() and
where they are called timeout; otherwise nanoseconds of the wheel's clock as int.
A refusal of the library is an OSError that says why, and a wheel that was closed a
ValueError, also for a thread that waits in it when another one closes it: threads may
share a wheel. See libwheel(7).
"""

import collections
import ctypes
import ctypes.util
import errno
import os
import time

__all__ = [
    "ANY_SLOT", "AUTO", "Answer", "BOOTTIME", "BOUNDED", "Event", "HASHED",
    "HIERARCHICAL", "KERNEL", "MONOTONIC", "NEVER", "OVERFLOW", "REALTIME", "TAI",
    "TOUCH", "Timer", "USER", "VIRTUAL", "Wheel", "generation_of", "slot_of",
    "timer_id",
]  # fmt: skip

MONOTONIC, BOOTTIME, REALTIME, TAI, VIRTUAL = range(5)
HASHED, HIERARCHICAL, BOUNDED, OVERFLOW = range(4)
AUTO, KERNEL, USER = range(3)
ANY_SLOT, TOUCH = 1, 2

SLOT_BITS = 24
NEVER = 2**64 - 1

_ARM, _REARM, _CANCEL, _QUERY = range(1, 5)
_REL, _OP_TOUCH = 1, 2
_TAKE = 1

Event = collections.namedtuple("Event", "id cookie deadline fired overrun seq")
Timer = collections.namedtuple("Timer", "id when slack period cookie touch")
Answer = collections.namedtuple("Answer", "id error")

Event.__doc__ = """A timer has fired: its id and cookie; its deadline and when it
fired, on the wheel's clock; periods that were missed; a number counted from 0."""
Timer.__doc__ = """What arms a timer: its id and deadline; how much later is as good;
its period, 0: once; a cookie that comes back with the event; touch words govern it."""
Answer.__doc__ = """What became of one timer of many: its id, and 0 or an errno."""


def _error(number, words=None):
    return OSError(number, words or _lib.libwheel_strerror(-number).decode())


def timer_id(slot, generation):
    """The id of a timer: its slot, and how often the slot was armed."""
    if not (0 <= slot < 1 << SLOT_BITS and 0 <= generation < 1 << 64 - SLOT_BITS):
        raise _error(errno.EINVAL, "slot %r, generation %r" % (slot, generation))
    return generation << SLOT_BITS | slot


def slot_of(id):
    """The slot of a timer's id."""
    return id & (1 << SLOT_BITS) - 1


def generation_of(id):
    """The generation of a timer's id."""
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


def _u64(value):
    """What no field can hold is out of range, and not cut off."""
    if not 0 <= value < 2**64:
        raise _error(errno.ERANGE, "%r: a number from 0 to 2^64 - 1" % value)
    return value


def _u32(value):
    """The same for the small fields: no option is as large."""
    if not 0 <= value < 2**32:
        raise _error(errno.EINVAL, "%r: an option is a number below 2^32" % value)
    return value


def _limit(value):
    """Each slot has one event at most."""
    if not 0 < value <= 1 << SLOT_BITS:
        raise _error(errno.EINVAL, "%r: a limit is a number from 1 to 2^24" % value)
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

    def __init__(self, **fields):
        super().__init__(**{name: _u64(value) for name, value in fields.items()})


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


def _beside():
    """The library under the prefix that this module was installed under."""
    folder = os.path.dirname(os.path.abspath(__file__))
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, "libwheel.so.1")
        if os.path.exists(path):
            return path
    return None


def _open_library():
    """LIBWHEEL=path, or beside this module, or where the system finds it."""
    path = os.environ.get("LIBWHEEL") or _beside() or ctypes.util.find_library("wheel")
    try:
        return ctypes.CDLL(path or "libwheel.so.1")
    except OSError as error:
        raise ImportError(
            "libwheel.so.1 cannot be loaded (%s): install libwheel, run ldconfig, or "
            "have LIBWHEEL name the file" % error
        ) from error


def _load():
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
        ("do", ctypes.c_int, [wheel, pointer(_Op)]),
        ("submit", ctypes.c_int, [wheel, pointer(_Op), u32, pointer(u32)]),
        ("expirations", ctypes.c_int, [wheel, pointer(_Event), u32]),
        ("wait", ctypes.c_int, [wheel, pointer(_Event), u32, ctypes.c_int64]),
        ("stop", ctypes.c_int, [wheel, pointer(u64)]),
        ("list", ctypes.c_int, [wheel, u32, pointer(_Op), u32, pointer(u32)]),
        ("stats", ctypes.c_int, [wheel, pointer(_Stats)]),
        ("advance", ctypes.c_int, [wheel, u64, pointer(u64)]),
        ("touch", ctypes.c_int, [wheel, u64, u64]),
        ("park", ctypes.c_int, [wheel, u64]),
        ("revive", ctypes.c_int, [wheel, u64, u64]),
    ):
        function = getattr(lib, "libwheel_" + name)
        function.restype = result
        function.argtypes = arguments
    return lib


_lib = _load()


class _Handle(ctypes.c_void_p):
    """An open wheel: closed when the last thread that calls the library with it is back."""

    def __del__(self, close=_lib.libwheel_close):
        close(self)


def _checked(answer):
    if answer < 0:
        raise _error(-answer)
    return answer


def _unless(errnos, answer):
    """False for the errnos that are an answer, True for success."""
    if -answer in errnos:
        return False
    return _checked(answer) >= 0


def _ns(seconds):
    """Neither an infinity nor what is not a number at all is a time."""
    if not abs(seconds) < 2**64:
        raise _error(errno.ERANGE)
    return round(seconds * 1e9)


# Nobody waits for longer: 285 years.
_LONGEST_WAIT = 9e9


class Wheel:
    """A wheel: as many timers as it was opened for, behind one descriptor.

    clock     MONOTONIC, BOOTTIME, REALTIME, TAI or VIRTUAL
    scheme    HIERARCHICAL, HASHED, BOUNDED or OVERFLOW; by default HIERARCHICAL,
              and HASHED on the clocks that can be set
    tick_ns   nanoseconds that times are rounded up to; 0: 1 ms
    timers    how many it can hold, at most 2^24; 0: 65536
    buckets   of the rings of HASHED, BOUNDED and OVERFLOW; 0: what timers need
    flags     ANY_SLOT: the wheel picks the slots; TOUCH: touch(), park(), revive()
    backend   AUTO, KERNEL: /dev/wheel, or USER: in this process

    It is a context manager, may be given to select and selectors, and is an
    asynchronous iterator of its events.
    """

    def __init__(
        self,
        clock=MONOTONIC,
        scheme=None,
        tick_ns=0,
        timers=0,
        buckets=0,
        flags=0,
        backend=AUTO,
    ):
        self._handle = None
        self._taken = collections.deque()
        self._sleepers = {}
        if scheme is None:
            scheme = HASHED if clock in (REALTIME, TAI) else HIERARCHICAL
        options = _Options(
            size=ctypes.sizeof(_Options),
            flags=_u32(flags),
            backend=_u32(backend),
            clock=_u32(clock),
            scheme=_u32(scheme),
            timers=_u32(timers),
            buckets=_u32(buckets),
            tick_ns=_u64(tick_ns),
        )
        handle = _Handle()
        answer = _lib.libwheel_open(ctypes.byref(handle), ctypes.byref(options))
        if answer == -errno.ENOENT:
            raise _error(errno.ENOENT, "there is no /dev/wheel: is wheel_timer loaded?")
        _checked(answer)
        self._handle = handle

    def close(self):
        """Its timers are forgotten. Closing it again does nothing."""
        handle, self._handle = self._handle, None
        if handle:
            # Threads and loops that wait in it come back, and the last one closes it.
            _lib.libwheel_stop(handle, None)

    def __reduce_ex__(self, protocol):
        raise TypeError("a wheel is neither copied nor pickled")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _open(self):
        if not self._handle:
            raise ValueError("the wheel is closed")
        return self._handle

    def fileno(self):
        """For select, selectors and asyncio: readable when expirations() is due."""
        return _lib.libwheel_fd(self._open())

    @property
    def backend(self):
        """KERNEL or USER: which one serves this wheel."""
        return _lib.libwheel_backend(self._open())

    def now(self):
        """The wheel's clock, in nanoseconds."""
        return _lib.libwheel_now(self._open())

    def _do(self, **members):
        op = _Op(**members)
        _checked(_lib.libwheel_do(self._open(), ctypes.byref(op)))
        return op

    def arm(self, id, when, slack=0, period=0, cookie=0, touch=False):
        """Start a timer that is due at when. Returns its id, which with ANY_SLOT,
        where id may be None, is news.

        slack and period are nanoseconds, too: so much later is as good; 0: once.
        """
        return self._do(
            op=_ARM,
            flags=_OP_TOUCH if touch else 0,
            id=id or 0,
            when=when,
            slack=slack,
            period=period,
            cookie=cookie,
        ).id

    def arm_in(self, id, seconds, slack=0, period=0, cookie=0, touch=False):
        """The same, due after so many seconds; slack and period are seconds, too."""
        return self._do(
            op=_ARM,
            flags=_REL | (_OP_TOUCH if touch else 0),
            id=id or 0,
            when=_ns(seconds),
            slack=_ns(slack),
            period=_ns(period),
            cookie=cookie,
        ).id

    def arm_many(self, timers):
        """Start timers by one call. Returns an Answer for each, with its id."""
        ops = [
            _Op(
                op=_ARM,
                flags=_OP_TOUCH if timer.touch else 0,
                id=timer.id or 0,
                when=timer.when,
                slack=timer.slack,
                period=timer.period,
                cookie=timer.cookie,
            )
            for timer in timers
        ]
        return self._submit(ops)

    def cancel_many(self, ids):
        """Cancel timers by one call. Returns an Answer for each."""
        return self._submit([_Op(op=_CANCEL, id=id) for id in ids])

    def _submit(self, ops):
        array = (_Op * len(ops))(*ops)
        done = ctypes.c_uint32()
        while done.value < len(ops):
            part = ctypes.c_uint32()
            answer = _lib.libwheel_submit(
                self._open(),
                ctypes.cast(ctypes.byref(array, done.value * ctypes.sizeof(_Op)),
                            ctypes.POINTER(_Op)),
                len(ops) - done.value,
                ctypes.byref(part),
            )
            done.value += part.value
            if answer != -errno.EINTR:
                _checked(answer)
        return [Answer(op.id, -op.res if op.res < 0 else 0) for op in array]

    def rearm(self, id, when, slack=0):
        """Move a pending timer to another deadline."""
        self._do(op=_REARM, id=id, when=when, slack=slack)

    def cancel(self, id):
        """True: it will not fire. False: it is not pending.

        The events of a periodic timer that has fired already can still be taken.
        """
        op = _Op(op=_CANCEL, id=id)
        answer = _lib.libwheel_do(self._open(), ctypes.byref(op))
        return _unless([errno.ENOENT], answer)

    def query(self, id):
        """Its deadline, or None: it is not pending."""
        op = _Op(op=_QUERY, id=id)
        answer = _lib.libwheel_do(self._open(), ctypes.byref(op))
        return op.when if _unless([errno.ENOENT], answer) else None

    def touch(self, slot, deadline):
        """True: a timer armed with touch=True is moved, without a system call."""
        answer = _lib.libwheel_touch(self._open(), _u64(slot), _u64(deadline))
        return _unless([errno.ENOENT], answer)

    def park(self, slot):
        """True: it is cancelled, and can be revived."""
        return _unless([errno.ENOENT], _lib.libwheel_park(self._open(), _u64(slot)))

    def revive(self, slot, deadline):
        """True: it is armed again. False: it was not parked; if it is not
        pending either, arm a newer generation."""
        answer = _lib.libwheel_revive(self._open(), _u64(slot), _u64(deadline))
        return _unless([errno.ENOENT, errno.EBUSY], answer)

    def _leftover(self, limit):
        """What asynchronous iterations have taken and not told of; threads share it."""
        events = []
        try:
            while len(events) < limit:
                events.append(self._taken.popleft())
        except IndexError:
            """There is no more."""
        return events

    def _take(self, call, limit, *arguments):
        """What an asynchronous iteration that was left took along comes first."""
        if events := self._leftover(_limit(limit)):
            return events
        array = (_Event * limit)()
        count = call(self._open(), array, limit, *arguments)
        if count < 0:
            self._open()  # It may have been closed meanwhile.
        _checked(count)
        return [
            Event(e.id, e.cookie, e.deadline, e.fired, e.overrun, e.seq)
            for e in array[:count]
        ]

    def expirations(self, limit=256):
        """What has fired, at most limit; nothing is waited for."""
        return self._take(_lib.libwheel_expirations, limit)

    def wait(self, limit=256, timeout=None):
        """What has fired; waits for the first, or until the timeout, in seconds, is
        up: then it is empty. A timeout of less than 0 is up already."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _LONGEST_WAIT if until is None else until - time.monotonic()
            ns = max(_ns(min(left, _LONGEST_WAIT)), 0)
            try:
                return self._take(_lib.libwheel_wait, limit, ns)
            except InterruptedError:
                """Python has called the signal's handler: PEP 475."""

    async def __aiter__(self):
        """The events, as they come, until the wheel is stopped."""
        import asyncio  # Only here: most programs do not need it.

        loop = asyncio.get_running_loop()
        while True:
            try:
                self._taken.extend(self.expirations())
            except OSError as error:
                if error.errno == errno.ESHUTDOWN:
                    return
                raise
            if not self._taken:
                await self._readable(loop)
            while events := self._leftover(1):
                yield events[0]

    async def _readable(self, loop):
        """A loop has one reader a descriptor, which wakes all who iterate there."""
        ready = loop.create_future()
        handle = self._open()  # It stays open as long as the loop knows its descriptor.
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

    def _wake(self, loop):
        for ready in self._sleepers[loop]:
            if not ready.done():
                ready.set_result(None)

    def advance(self, now):
        """Move a VIRTUAL clock. Returns when the next timer is due, or NEVER."""
        following = ctypes.c_uint64()
        _checked(
            _lib.libwheel_advance(self._open(), _u64(now), ctypes.byref(following))
        )
        return following.value

    def stop(self):
        """Nothing fires any more. Returns how many timers were pending."""
        unfired = ctypes.c_uint64()
        _checked(_lib.libwheel_stop(self._open(), ctypes.byref(unfired)))
        return unfired.value

    def _page(self, take, cursor):
        array = (_Op * 256)()
        count = _checked(
            _lib.libwheel_list(
                self._open(),
                _TAKE if take else 0,
                array,
                len(array),
                ctypes.byref(cursor),
            )
        )
        return array[:count]

    def timers(self, take=False):
        """A list of the pending timers, after stop() of the unfired ones; there take
        frees their slots, so that it is told once."""
        cursor = ctypes.c_uint32()
        timers = []
        while page := self._page(take, cursor):
            for op in page:
                touch = bool(op.flags & _OP_TOUCH)
                timers.append(
                    Timer(op.id, op.when, op.slack, op.period, op.cookie, touch)
                )
        return timers

    def stats(self):
        """The exact counters, by name; late is the histogram of lateness."""
        stats = _Stats()
        _checked(_lib.libwheel_stats(self._open(), ctypes.byref(stats)))
        counters = {name: getattr(stats, name) for name, _ in stats._fields_[2:-1]}
        counters["late"] = list(stats.late)
        return counters
