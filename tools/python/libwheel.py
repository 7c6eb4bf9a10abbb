# SPDX-License-Identifier: MIT
"""Many timers behind one file descriptor: a binding of libwheel.

    with libwheel.Wheel() as wheel:
        wheel.arm_in(libwheel.timer_id(slot=7, generation=1), 5.0, cookie=42)
        for event in wheel.wait():
            print(event.id, event.cookie)

Times are seconds as float where the name ends in _in or is timeout, otherwise
nanoseconds of the wheel's clock as int. What the library answers with an errno is
an OSError. See libwheel(7).
"""

import collections
import ctypes
import ctypes.util
import errno
import os

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


def timer_id(slot, generation):
    """The id of a timer: its slot, and how often the slot was armed."""
    return generation << SLOT_BITS | slot


def slot_of(id):
    return id & (1 << SLOT_BITS) - 1


def generation_of(id):
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
        ("reserved", ctypes.c_uint32),
        ("tick_ns", ctypes.c_uint64),
    ]


def _u64(value):
    """What no field can hold is out of range, and not cut off."""
    if not -(2**63) <= value < 2**64:
        raise OSError(errno.ERANGE, os.strerror(errno.ERANGE))
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
            "backlogged",
            "cascaded",
            "passes",
            "wakeups",
        )
    ] + [("late", ctypes.c_uint64 * 64)]


def _load():
    """LIBWHEEL=path, or where the system finds it."""
    path = os.environ.get("LIBWHEEL") or ctypes.util.find_library("wheel")
    lib = ctypes.CDLL(path or "libwheel.so.1")
    wheel, u32, u64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
    pointer = ctypes.POINTER
    for name, result, arguments in (
        ("open", ctypes.c_int, [pointer(wheel), pointer(_Options)]),
        ("close", None, [wheel]),
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


def _checked(answer):
    if answer < 0:
        raise OSError(-answer, os.strerror(-answer))
    return answer


def _unless(errnos, answer):
    """False for the errnos that are an answer, True for success."""
    if -answer in errnos:
        return False
    return _checked(answer) >= 0


def _ns(seconds):
    return round(seconds * 1e9)


class Wheel:
    """A wheel: as many timers as it was opened for, behind one descriptor."""

    def __init__(
        self,
        clock=MONOTONIC,
        scheme=HASHED,
        tick_ns=0,
        timers=0,
        buckets=0,
        flags=0,
        backend=AUTO,
    ):
        options = _Options(
            size=ctypes.sizeof(_Options),
            flags=flags,
            backend=backend,
            clock=clock,
            scheme=scheme,
            timers=timers,
            buckets=buckets,
            tick_ns=tick_ns,
        )
        handle = ctypes.c_void_p()
        self._handle = None
        _checked(_lib.libwheel_open(ctypes.byref(handle), ctypes.byref(options)))
        self._handle = handle

    def close(self):
        """Its timers are forgotten. Closing it again does nothing."""
        if self._handle:
            _lib.libwheel_close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
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
        return _lib.libwheel_backend(self._open())

    def now(self):
        return _lib.libwheel_now(self._open())

    def _do(self, **members):
        op = _Op(**members)
        _checked(_lib.libwheel_do(self._open(), ctypes.byref(op)))
        return op

    def arm(self, id, when, slack=0, period=0, cookie=0, touch=False):
        """Start a timer. Returns its id, which with ANY_SLOT is news."""
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
        return self._do(
            op=_ARM,
            flags=_REL | (_OP_TOUCH if touch else 0),
            id=id or 0,
            when=_ns(seconds),
            slack=slack,
            period=period,
            cookie=cookie,
        ).id

    def arm_many(self, timers):
        """Start timers by one call. Returns the errno, or 0, of each."""
        ops = [
            _Op(
                op=_ARM,
                flags=_OP_TOUCH if timer.touch else 0,
                id=timer.id,
                when=timer.when,
                slack=timer.slack,
                period=timer.period,
                cookie=timer.cookie,
            )
            for timer in timers
        ]
        return self._submit(ops)

    def cancel_many(self, ids):
        return self._submit([_Op(op=_CANCEL, id=id) for id in ids])

    def _submit(self, ops):
        array = (_Op * len(ops))(*ops)
        _checked(_lib.libwheel_submit(self._open(), array, len(ops), None))
        return [-op.res for op in array]

    def rearm(self, id, when, slack=0):
        self._do(op=_REARM, id=id, when=when, slack=slack)

    def cancel(self, id):
        """True: it will not fire. False: it is not pending.

        What a periodic timer has fired already can still be taken.
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
        answer = _lib.libwheel_touch(self._open(), slot, _u64(deadline))
        return _unless([errno.ENOENT], answer)

    def park(self, slot):
        """True: it is cancelled, and can be revived."""
        return _unless([errno.ENOENT], _lib.libwheel_park(self._open(), slot))

    def revive(self, slot, deadline):
        """True: it is armed again. False: it was not parked; if it is not
        pending either, arm a newer generation."""
        answer = _lib.libwheel_revive(self._open(), slot, _u64(deadline))
        return _unless([errno.ENOENT, errno.EBUSY], answer)

    @staticmethod
    def _events(array, count):
        return [
            Event(e.id, e.cookie, e.deadline, e.fired, e.overrun, e.seq)
            for e in array[:count]
        ]

    def expirations(self, limit=256):
        """What has fired, at most limit; nothing is waited for."""
        array = (_Event * limit)()
        return self._events(
            array, _checked(_lib.libwheel_expirations(self._open(), array, limit))
        )

    def wait(self, limit=256, timeout=None):
        """What has fired; waits for the first. Empty when the timeout is up."""
        array = (_Event * limit)()
        ns = -1 if timeout is None else _ns(timeout)
        return self._events(
            array, _checked(_lib.libwheel_wait(self._open(), array, limit, ns))
        )

    def advance(self, now):
        """Move a VIRTUAL clock. Returns when the next timer is due, or NEVER."""
        following = ctypes.c_uint64()
        _checked(
            _lib.libwheel_advance(self._open(), now, ctypes.byref(following))
        )
        return following.value

    def stop(self):
        """Nothing fires any more. Returns how many timers were pending."""
        unfired = ctypes.c_uint64()
        _checked(_lib.libwheel_stop(self._open(), ctypes.byref(unfired)))
        return unfired.value

    def timers(self, take=False):
        """The pending timers, after stop() the unfired ones; take frees them."""
        array = (_Op * 256)()
        cursor = ctypes.c_uint32()
        while True:
            count = _checked(
                _lib.libwheel_list(
                    self._open(),
                    _TAKE if take else 0,
                    array,
                    len(array),
                    ctypes.byref(cursor),
                )
            )
            if not count:
                return
            for op in array[:count]:
                yield Timer(
                    op.id,
                    op.when,
                    op.slack,
                    op.period,
                    op.cookie,
                    bool(op.flags & _OP_TOUCH),
                )

    def stats(self):
        """The exact counters, by name; late is the histogram of lateness."""
        stats = _Stats()
        _checked(_lib.libwheel_stats(self._open(), ctypes.byref(stats)))
        counters = {name: getattr(stats, name) for name, _ in stats._fields_[2:-1]}
        counters["late"] = list(stats.late)
        return counters
