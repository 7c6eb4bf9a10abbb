/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The ABI of /dev/wheel: one file descriptor, one wheel, millions of timers.
 */
#ifndef _UAPI_LINUX_WHEEL_TIMER_H
#define _UAPI_LINUX_WHEEL_TIMER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: form
 *
 * Every command takes one struct whose first member is its size in bytes. A
 * program built against an older header passes a smaller size, one built
 * against a newer header a larger one: what the kernel does not know must be
 * zero. Times are nanoseconds on the wheel's clock, 0 .. 2^63-1.
 *
 * A call that fails writes nothing, but for the progress of SUBMIT and LIST. That
 * its struct can be written is found out before anything is done; where another
 * thread takes the page away meanwhile, a call that was made may answer EFAULT.
 *
 * One errno, one meaning:
 *
 * ============= ============================================================
 * EINVAL        flag, pad, op, size, slot or tick
 * E2BIG         a tail that this kernel does not know is not zero, or a size
 *               beyond a page
 * ENOTTY        unknown command
 * EFAULT        a buffer that cannot be read or written
 * ENOMEM        no memory
 * EINTR         a signal came first
 * ENOENT        no such timer is pending
 * EBUSY         the slot is not free; the file is set up already; the program
 *               changed the touch word during the operation
 * ESTALE        the generation is not newer than the slot's last one
 * ERANGE        past 2^63-1 ns, or beyond the revolution of WHEEL_BOUNDED
 * EDQUOT        a limit: of timers, or of a user's memory
 * ESHUTDOWN     the wheel was stopped
 * EAGAIN        nothing to read
 * EPERM         a tick below the unprivileged floor; a mapping that is
 *               executable, or writable where only the kernel writes
 * EOPNOTSUPP    known, but not by this wheel, kernel or time namespace
 * ============= ============================================================
 */

/**
 * DOC: names
 *
 * A timer is named by a slot and a generation. The slots are 0 .. timers-1;
 * each arm names a generation greater than the slot's last one, so an id is
 * never used twice and a stale id never reaches another timer. Generations start
 * at 1 and have 40 bits: a counter for each slot, not a time. A slot that the kernel
 * picks is not picked again after its last generation.
 */
#define WHEEL_SLOT_BITS		24
#define WHEEL_SLOT_MASK		((1ULL << WHEEL_SLOT_BITS) - 1)
#define WHEEL_ID(slot, gen)	((__u64)(gen) << WHEEL_SLOT_BITS | (slot))
#define WHEEL_ID_SLOT(id)	((__u32)((id) & WHEEL_SLOT_MASK))
#define WHEEL_ID_GEN(id)	((__u64)(id) >> WHEEL_SLOT_BITS)

/**
 * DOC: touch words
 *
 * On a wheel with WHEEL_SETUP_TOUCH a program may map an array of one __u64 a
 * slot: MAP_SHARED, whole, from its start::
 *
 *	mmap(NULL, (timers * 8 + page - 1) / page * page,
 *	     PROT_READ | PROT_WRITE, MAP_SHARED, fd, WHEEL_OFF_TOUCH)
 *
 * The word of a timer that was armed with WHEEL_OP_TOUCH is its deadline. The
 * program changes it by compare-and-swap alone, without a call:
 *
 * ======================= ===================================================
 * to a later deadline     touched: no event before it
 * to an earlier deadline  seen when the kernel looks at the timer next, at its
 *                         old time; WHEEL_OP_REARM makes sure
 * to WHEEL_TOUCH_PARKED   cancelled, decisively
 * from PARKED to a time   revived: armed again; if it is earlier than before, it is
 *                         seen at the old time
 * ======================= ===================================================
 *
 * When the timer's time comes the kernel exchanges a deadline that has passed for
 * WHEEL_TOUCH_IDLE, and the event follows. It exchanges PARKED for IDLE, too, and
 * the slot is free. The winner of the exchange is right. While a word is IDLE the
 * program leaves it alone: to arm the slot is the kernel's. A word with that bit
 * set by the program counts as PARKED.
 *
 * The words are times of the wheel's clock itself: in a time namespace that shifts
 * this clock WHEEL_SETUP_TOUCH is EOPNOTSUPP.
 */
#define WHEEL_OFF_TOUCH		0x40000000
#define WHEEL_TOUCH_IDLE	(1ULL << 63)
#define WHEEL_TOUCH_PARKED	0ULL

/**
 * DOC: kept timers
 *
 * A timer that was armed with WHEEL_OP_KEEP is the program's until CANCEL, STOP or
 * close: its id and its cookie stay, and the program arms, moves and cancels it again
 * and again without a call. Its touch word says what it is:
 *
 * ======================= ===================================================
 * a deadline              armed
 * WHEEL_TOUCH_PARKED      not armed; the program may exchange it for a deadline
 * WHEEL_TOUCH_IDLE        it has fired. The thread that has taken its event may
 *                         exchange this for a deadline or PARKED, no other before
 * ======================= ===================================================
 *
 * The kernel does not see a word change. So a thread that arms a timer, or moves it
 * earlier, then does two things more, each after the one before (a full barrier):
 *
 * 1. The slot's bit is set in the doorbells, an array of bits in __u64s, a slot each;
 *    then the bit of that __u64 in the summary, an array of the same form. A bit that is
 *    set already need not be set, and if that is the slot's, nor need the summary's.
 * 2. wheel_kernel_page.next_wake is read, and if the deadline is earlier, there is a
 *    kick: WHEEL_IOC_ENTER with WHEEL_ENTER_KICK.
 *
 * A timer that was armed so fires as one that was armed by ARM: at the first tick
 * boundary at or after its deadline; one whose deadline had passed, at the next tick.
 * Timers that are due at the same tick may fire in any order. A slot has one owner at a
 * time, a thread or the holder of a lock: while one thread is between the exchange and
 * the kick, another one may rely on a bit that does not tell the kernel anything yet.
 * If a program is killed there, and others share the file, the kernel looks at all timers
 * when the mapping of the doorbells goes with the program, and this one is found.
 *
 * Map MAP_SHARED and whole, and a page for reading at WHEEL_OFF_KERNEL::
 *
 *	words = (timers + 63) / 64;
 *	bells = mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *		     WHEEL_OFF_BELLS);
 *	summary = mmap(NULL, (words + 63) / 64 * 8, PROT_READ | PROT_WRITE,
 *		       MAP_SHARED, fd, WHEEL_OFF_SUMMARY);
 *
 * The slots of one __u64 share its cache line with others: threads that have ranges of
 * 512 slots each do not disturb each other.
 */
#define WHEEL_OFF_BELLS		0x50000000
#define WHEEL_OFF_SUMMARY	0x60000000

/**
 * DOC: completion ring
 *
 * On a file with wheel_setup.events events come into memory that the program maps,
 * and read() is EOPNOTSUPP. Map, MAP_SHARED and whole, a struct wheel_kernel_page at
 * WHEEL_OFF_KERNEL and the struct wheel_event array at WHEEL_OFF_EVENTS, both
 * read-only, and a struct wheel_user_page at WHEEL_OFF_USER::
 *
 *	tail = load_acquire(&kernel->event_tail);
 *	while (head != tail)
 *		handle(&events[head++ & (setup.events - 1)]);
 *	store_release(&user->event_head, head);
 *
 * A program that waits for an edge, of epoll or of io_uring, repeats this until a full barrier
 * after the store is followed by an @event_tail that equals @event_head, and by @kflags of 0.
 * Otherwise an event that was published meanwhile causes no edge.
 *
 * WHEEL_RING_BACKLOG is set in kflags if timers are due whose events are not in the ring:
 * because the ring is full, or because the kernel has left the work to the program. The program
 * then calls WHEEL_IOC_ENTER, which expires these timers in the context of the caller. A program
 * that takes events without system calls reads kflags in each iteration. poll() reports EPOLLIN
 * if an event is in the ring or WHEEL_RING_BACKLOG is set. A periodic timer is armed again when
 * its event is put into the ring.
 *
 * mmap() is EINVAL for an area that the file does not have, that is not asked for
 * whole or not MAP_SHARED.
 */
#define WHEEL_OFF_KERNEL	0x00000000
#define WHEEL_OFF_USER		0x10000000
#define WHEEL_OFF_EVENTS	0x20000000
#define WHEEL_RING_BACKLOG	(1U << 0)	/* call WHEEL_IOC_ENTER */

/**
 * struct wheel_kernel_page - written by the kernel alone
 * @event_tail: events published, modulo 2^32
 * @kflags: WHEEL_RING_BACKLOG
 * @reserved: 0
 * @next_wake: with WHEEL_SETUP_TOUCH, a deadline that is earlier needs a kick; for
 *	others the kernel looks in time. ~0: all need one, as after STOP; 0: none does,
 *	as on a VIRTUAL clock, where ADVANCE looks. Without WHEEL_SETUP_TOUCH 0. On a
 *	cache line of its own
 * @reserved2: 0
 *
 * Files with a completion ring and those with touch words have it.
 */
struct wheel_kernel_page {
	__u32 event_tail;
	__u32 kflags;
	__u32 reserved[14];
	__u64 next_wake;
	__u64 reserved2[7];
};

/**
 * struct wheel_user_page - written by the program alone
 * @event_head: events taken, modulo 2^32
 * @reserved: 0
 */
struct wheel_user_page {
	__u32 event_head;
	__u32 reserved;
};

/* wheel_setup.clock */
#define WHEEL_CLOCK_MONOTONIC	0	/* stops over suspend */
#define WHEEL_CLOCK_BOOTTIME	1	/* goes on over suspend */
#define WHEEL_CLOCK_REALTIME	2
#define WHEEL_CLOCK_TAI		3
#define WHEEL_CLOCK_VIRTUAL	4	/* moved by WHEEL_IOC_ADVANCE alone */

/* wheel_setup.scheme */
#define WHEEL_HASHED		0	/* one ring, many rounds */
#define WHEEL_HIERARCHICAL	1	/* levels of rings */
#define WHEEL_BOUNDED		2	/* one ring, one round: else ERANGE */
#define WHEEL_OVERFLOW		3	/* one ring and a sorted list */

/* wheel_setup.flags */
#define WHEEL_SETUP_ANY_SLOT	(1U << 0)	/* the kernel picks the slots */
#define WHEEL_SETUP_TOUCH	(1U << 1)	/* touch words */

/* wheel_setup.features */
#define WHEEL_HAS_SCHEME(s)	(1ULL << (s))
#define WHEEL_HAS_CLOCK(c)	(1ULL << (8 + (c)))
#define WHEEL_HAS_TOUCH		(1ULL << 16)
#define WHEEL_HAS_RINGS		(1ULL << 17)
#define WHEEL_HAS_KEEP		(1ULL << 18)

/* Limits that no privilege lifts. */
#define WHEEL_MAX_TIMERS	(1U << WHEEL_SLOT_BITS)
#define WHEEL_MAX_BUCKETS	(1U << 20)
#define WHEEL_MAX_EVENTS	(1U << 20)
/* WHEEL_OVERFLOW: an arm examines them all, with interrupts disabled. */
#define WHEEL_OVERFLOW_TIMERS	2048
#define WHEEL_MAX_TIME		((1ULL << 63) - 1)

/* Without CAP_SYS_RESOURCE a tick of a running clock is at least this long. */
#define WHEEL_MIN_TICK_NS	50000

/**
 * struct wheel_setup - WHEEL_IOC_SETUP, WHEEL_IOC_INFO
 * @size: sizeof(struct wheel_setup)
 * @flags: WHEEL_SETUP_*
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED or another scheme
 * @tick_ns: nanoseconds a tick, exact; 0: 1 ms
 * @timers: how many timers the file can hold, at most 2^24, with WHEEL_OVERFLOW
 *	WHEEL_OVERFLOW_TIMERS; 0: 65536, or that
 * @buckets: of the ring, at most 2^20; rounded up to a power of two and to at
 *	least @timers / 32; 0: @timers / 16, at least 256. WHEEL_HIERARCHICAL has 704,
 *	whatever is asked for
 * @events: entries of the completion ring, at most 2^20; rounded up to a power of
 *	two; 0: none
 * @reserved: 0
 * @features: out: WHEEL_HAS_*, what this kernel's module can do
 *
 * SETUP configures the wheel, once, and returns what is in force. A file that is
 * not set up is given the defaults by SUBMIT, STOP, or a read() that may block. To
 * look configures nothing: INFO tells what is in force, or what the defaults would
 * be, STATS counts zeros, LIST finds no timers, poll() and a read() that may not
 * block find no events. ADVANCE and ENTER are EOPNOTSUPP with the defaults, and so
 * they are without.
 *
 * SETUP fails with EBUSY when the file is set up, EINVAL for a flag, clock,
 * scheme, tick, timers, buckets or events out of range, which for timers is
 * WHEEL_OVERFLOW_TIMERS with WHEEL_OVERFLOW, EPERM for a tick below
 * WHEEL_MIN_TICK_NS where the caller has no CAP_SYS_RESOURCE, EDQUOT where the user's
 * files would take more memory than they may, EOPNOTSUPP for what
 * @features does not list, for WHEEL_CLOCK_REALTIME and _TAI with a scheme other than
 * WHEEL_HASHED and WHEEL_BOUNDED, and for touch words in a time namespace that shifts
 * the clock. INFO ignores what it is given, but for flags that there are not.
 */
struct wheel_setup {
	__u32 size;
	__u32 flags;
	__u32 clock;
	__u32 scheme;
	__u64 tick_ns;
	__u32 timers;
	__u32 buckets;
	__u32 events;
	__u32 reserved;
	__u64 features;
};

/* wheel_op.op */
#define WHEEL_OP_ARM		1
#define WHEEL_OP_REARM		2
#define WHEEL_OP_CANCEL		3
#define WHEEL_OP_QUERY		4

/* wheel_op.flags */
#define WHEEL_OP_REL		(1U << 0)	/* when counts from the call's now */
#define WHEEL_OP_TOUCH		(1U << 1)	/* ARM: the slot's word governs; once */
#define WHEEL_OP_KEEP		(1U << 2)	/* ARM: the same, again and again */

/**
 * struct wheel_op - one operation on one timer
 * @op: WHEEL_OP_*
 * @flags: WHEEL_OP_REL for ARM and REARM, WHEEL_OP_TOUCH or _KEEP for ARM, otherwise 0
 * @id: WHEEL_ID(slot, generation); with WHEEL_SETUP_ANY_SLOT ARM writes it
 * @when: ARM, REARM: the deadline; QUERY writes it
 * @slack: ARM, REARM: how much later is as good; wake-ups are shared
 * @period: ARM: nanoseconds between expiries, 0: once; with WHEEL_BOUNDED at most
 *	buckets - 1 ticks
 * @cookie: ARM: handed back with the event
 * @res: out: 0 or more, or a negative errno
 * @reserved: 0
 *
 * A deadline that has passed is due at the next tick. A member that an operation does
 * not use must be 0: of REARM @period and @cookie, of CANCEL and QUERY all but @op and @id,
 * except for @when of QUERY, which is written. An operation that fails changes nothing,
 * except for timers that are parked or kept, see below.
 *
 * =======  ==========================  ================ =====================
 * op       slot free                   pending, same id other
 * =======  ==========================  ================ =====================
 * ARM      0, or ESTALE if the         EBUSY            EBUSY
 *          generation is not newer
 * REARM    ENOENT                      0                ENOENT
 * CANCEL   ENOENT                      0, or 1 for a    ENOENT; 1 for a
 *                                      periodic timer   periodic timer whose
 *                                      of which an      event is unread: it
 *                                      event lies in    stops after that one
 *                                      the ring
 * QUERY    ENOENT                      0                ENOENT
 * =======  ==========================  ================ =====================
 *
 * After CANCEL answered 0 no event of the timer comes and none lies in the ring.
 *
 * A parked timer counts as free: ARM reclaims its slot, even if it then fails with
 * ERANGE, CANCEL does and answers ENOENT, and to REARM and QUERY it is ENOENT whatever
 * else they ask for. With WHEEL_SETUP_ANY_SLOT it keeps its slot until its old time
 * comes or CANCEL. REARM is EBUSY if the program changes the word at the same time.
 *
 * REARM moves the grid of a periodic timer, and replaces the slack.
 * A periodic timer is over when its event is read, if its next time is past 2^63-1 ns or,
 * with WHEEL_BOUNDED, the clock was set back so far that it is beyond the revolution.
 *
 * WHEEL_OP_TOUCH is EINVAL with a period, and without one EOPNOTSUPP where there is
 * no WHEEL_SETUP_TOUCH. WHEEL_OP_KEEP is so, too, and includes it.
 *
 * A slot that is kept is EBUSY to ARM, whatever its word is. With WHEEL_OP_KEEP a @when of
 * 0, without WHEEL_OP_REL, arms nothing: the timer is parked. REARM and QUERY answer ENOENT
 * for one that is parked or has fired. So does CANCEL, which ends the keeping in any case;
 * an event that is unread can still be read, and then the slot is free.
 */
struct wheel_op {
	__u32 op;
	__u32 flags;
	__u64 id;
	__u64 when;
	__u64 slack;
	__u64 period;
	__u64 cookie;
	__s32 res;
	__u32 reserved[3];
};

/**
 * struct wheel_submit - WHEEL_IOC_SUBMIT: a batch of operations, in order
 * @size: sizeof(struct wheel_submit)
 * @flags: 0
 * @ops: address of the struct wheel_op array; answers are written into it
 * @op_size: sizeof(struct wheel_op), the stride of the array
 * @count: entries
 * @done: out: entries answered, the first ones
 * @failed: out: of these, with a negative res
 * @now: out: the wheel's clock, from which WHEEL_OP_REL counted
 *
 * Returns 0 when each entry has its answer. A call that stops earlier (EFAULT,
 * E2BIG, EINTR) has done the first @done entries and nothing else.
 */
struct wheel_submit {
	__u32 size;
	__u32 flags;
	__u64 ops;
	__u32 op_size;
	__u32 count;
	__u32 done;
	__u32 failed;
	__u64 now;
};

/**
 * struct wheel_event - what read() returns, as many whole ones as fit
 * @id: of the timer
 * @cookie: of the timer
 * @deadline: the newest deadline that is due
 * @fired: the wheel's clock when it fired; where periods were missed, no less than
 *	the @deadline that the event speaks of
 * @overrun: periods missed before @deadline; after STOP none is missed any more
 * @seq: counts the events of the file, from 0
 * @res: 0
 *
 * A periodic timer goes on, on its grid, when its event is read: a program that
 * does not read makes no work.
 */
struct wheel_event {
	__u64 id;
	__u64 cookie;
	__u64 deadline;
	__u64 fired;
	__u64 overrun;
	__u32 seq;
	__s32 res;
};

/* wheel_list.flags */
#define WHEEL_LIST_TAKE		(1U << 0)	/* after STOP: free what is listed */

/**
 * struct wheel_list - WHEEL_IOC_LIST: the pending timers, by slot
 * @size: sizeof(struct wheel_list)
 * @flags: WHEEL_LIST_TAKE or 0
 * @timers: address of a struct wheel_op array, filled with operations that arm
 *	the same timers again
 * @op_size: sizeof(struct wheel_op), the stride of the array
 * @count: entries of the array
 * @cursor: in: the slot to start at, 0 first; out: the slot to go on from
 * @done: out: entries filled; 0: the end, or @count is 0
 *
 * After WHEEL_IOC_STOP it lists the timers that had not fired. A periodic timer
 * whose event is unread is not among them: it has fired. The operations arm by
 * absolute times. WHEEL_LIST_TAKE is EINVAL before WHEEL_IOC_STOP.
 */
struct wheel_list {
	__u32 size;
	__u32 flags;
	__u64 timers;
	__u32 op_size;
	__u32 count;
	__u32 cursor;
	__u32 done;
};

/**
 * struct wheel_stop - WHEEL_IOC_STOP: no timer of this wheel fires any more
 * @size: sizeof(struct wheel_stop)
 * @flags: 0
 * @unfired: out: timers that were pending and not parked; they count as cancelled, but
 *	for kept ones that had never been counted as armed
 *
 * Idempotent: a second call finds nothing pending. Events that fired before
 * can still be read; after them read() fails with ESHUTDOWN. A kept timer that is armed
 * later does not fire: its kick, which next_wake asks for, is ESHUTDOWN.
 */
struct wheel_stop {
	__u32 size;
	__u32 flags;
	__u64 unfired;
};

/**
 * struct wheel_advance - WHEEL_IOC_ADVANCE: move a VIRTUAL clock
 * @size: sizeof(struct wheel_advance)
 * @flags: 0
 * @now: in: the time to move to; out: the clock, which never goes back
 * @next: out: no pending timer is due before this time, ~0: none is pending. It may
 *	be earlier than the earliest timer after one was cancelled or moved
 *
 * When it returns, everything due by then has fired and can be read. EOPNOTSUPP on any
 * other clock, ERANGE for a time past 2^63-1.
 */
struct wheel_advance {
	__u32 size;
	__u32 flags;
	__u64 now;
	__u64 next;
};

/**
 * struct wheel_stats - WHEEL_IOC_STATS: exact counters
 * @size: sizeof(struct wheel_stats)
 * @flags: 0
 * @armed: arms, each period that a periodic timer went on, and each time that the kernel
 *	took notice of a kept timer which the program had armed. Most live and die without
 * @fired: expiries
 * @cancelled: cancelled or stopped while pending; parked, once it is reclaimed
 * @pending: @armed - @fired - @cancelled
 * @rearmed: deadlines moved while pending
 * @requeued: touched timers placed again
 * @refused: arms that failed with EDQUOT, ERANGE or ESHUTDOWN
 * @overruns: periods missed
 * @unread: events not yet taken
 * @deferred: number of times that an interrupt left due timers to the program
 * @cascaded: placements in a lower level
 * @passes: times that the wheel was advanced
 * @wakeups: hrtimer interrupts
 * @late: [i]: expiries with fired - deadline in [2^i, 2^(i+1)) ns; [0]: 0, too
 */
struct wheel_stats {
	__u32 size;
	__u32 flags;
	__u64 armed;
	__u64 fired;
	__u64 cancelled;
	__u64 pending;
	__u64 rearmed;
	__u64 requeued;
	__u64 refused;
	__u64 overruns;
	__u64 unread;
	__u64 deferred;
	__u64 cascaded;
	__u64 passes;
	__u64 wakeups;
	__u64 late[64];
};

/* wheel_enter.flags */
#define WHEEL_ENTER_KICK	(1U << 0)	/* look at kept timers now */

/**
 * struct wheel_enter - WHEEL_IOC_ENTER: wait for events in the ring
 * @size: sizeof(struct wheel_enter)
 * @flags: WHEEL_ENTER_KICK or 0
 * @wait: how many events shall be there, at most wheel_setup.events
 * @ready: out: events in the ring that were not taken
 * @until: give up at this time of the wheel's clock; 0: at once; ~0: never
 *
 * First moves what waits in the kernel to the ring. A caller that waits for many is
 * woken once, when they are there. Returns 0 with fewer than @wait when the time has
 * come, or at once if @until is 0. When it has waited and there is no event, a signal
 * is EINTR, a wheel that was stopped ESHUTDOWN. EINVAL for more than the ring holds,
 * ERANGE for an @until from 2^63 on but ~0, EOPNOTSUPP without a ring, or for a time
 * in a time namespace that shifts the clock.
 *
 * WHEEL_ENTER_KICK first looks at the kept timers that the program has armed or moved
 * earlier. It needs touch words, without which it is EOPNOTSUPP, and no ring; after STOP it
 * is ESHUTDOWN.
 */
struct wheel_enter {
	__u32 size;
	__u32 flags;
	__u32 wait;
	__u32 ready;
	__u64 until;
};

#define WHEEL_IOC_TYPE		0xBB
#define WHEEL_IOC_SETUP		_IO(WHEEL_IOC_TYPE, 0x00)
#define WHEEL_IOC_INFO		_IO(WHEEL_IOC_TYPE, 0x01)
#define WHEEL_IOC_SUBMIT	_IO(WHEEL_IOC_TYPE, 0x02)
#define WHEEL_IOC_LIST		_IO(WHEEL_IOC_TYPE, 0x03)
#define WHEEL_IOC_STOP		_IO(WHEEL_IOC_TYPE, 0x04)
#define WHEEL_IOC_STATS		_IO(WHEEL_IOC_TYPE, 0x05)
#define WHEEL_IOC_ADVANCE	_IO(WHEEL_IOC_TYPE, 0x06)
#define WHEEL_IOC_ENTER		_IO(WHEEL_IOC_TYPE, 0x07)

#endif
