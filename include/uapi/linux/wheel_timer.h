/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The ABI of /dev/wheel. Each open file is a timing wheel with up to 16 million timers.
 */
#ifndef _UAPI_LINUX_WHEEL_TIMER_H
#define _UAPI_LINUX_WHEEL_TIMER_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: form
 *
 * Every ioctl takes a pointer to a struct whose first member is its size in bytes, as in the
 * header that the program was built with. Members that the kernel does not support, flags without
 * a name, and members named reserved must be zero. Times are in nanoseconds on the wheel's clock,
 * 0 .. 2^63-1.
 *
 * On failure nothing is written, except that SUBMIT and LIST report their progress. If another
 * thread unmaps the struct during the call, it fails with EFAULT although it was executed.
 *
 * The wheel's clock is that of the time namespace in which the file was set up. In a namespace
 * with another offset of this clock, SUBMIT, LIST, mmap(), read(), and ENTER with a timeout fail
 * with EOPNOTSUPP.
 *
 * Each error number has one meaning:
 *
 * ============= ============================================================
 * EINVAL        invalid flag, reserved member, operation, size, slot or
 *               other argument
 * E2BIG         members that this kernel does not support are not zero, or
 *               the size exceeds one page
 * ENOTTY        unknown command
 * EFAULT        a buffer is not readable or not writable
 * ENOMEM        out of memory
 * EINTR         interrupted by a signal
 * ENOENT        no timer with this id is pending
 * EBUSY         the slot is in use; the file is already set up; the program
 *               changed the word during the operation
 * ESTALE        the generation is not greater than the slot's last one
 * ERANGE        a time exceeds 2^63-1 ns or the range of a WHEEL_BOUNDED wheel
 * EDQUOT        the limit of the user's memory is exceeded
 * ESHUTDOWN     the wheel was stopped
 * EAGAIN        no event is available
 * EPERM         the tick is shorter than WHEEL_MIN_TICK_NS; a mapping is
 *               executable, or writable where only the kernel writes
 * EOPNOTSUPP    not supported by this wheel, kernel or time namespace
 * ============= ============================================================
 */

/**
 * DOC: names
 *
 * The id of a timer consists of a slot, 0 .. timers-1, and a 40-bit generation, from 1. Each arm
 * must specify a generation greater than the slot's last one, so an id is never reused.
 */
#define WHEEL_SLOT_BITS		24
#define WHEEL_SLOT_MASK		((1ULL << WHEEL_SLOT_BITS) - 1)
#define WHEEL_ID(slot, gen)	((__u64)(gen) << WHEEL_SLOT_BITS | (slot))
#define WHEEL_ID_SLOT(id)	((__u32)((id) & WHEEL_SLOT_MASK))
#define WHEEL_ID_GEN(id)	((__u64)(id) >> WHEEL_SLOT_BITS)

/**
 * DOC: words
 *
 * On a wheel with WHEEL_SETUP_WORDS, a program arms, moves and cancels timers without a system
 * call, by changing a word in shared memory. The words are an array of one __u64 per slot. The
 * slot of a timer that was armed with WHEEL_OP_WORD belongs to the program until CANCEL, STOP or
 * close. Its id and cookie do not change. Its word is its state:
 *
 * ======================= ===================================================
 * a deadline              armed
 * WHEEL_WORD_PARKED       disarmed: no event
 * WHEEL_WORD_IDLE         expired; only the thread that has taken the event may
 *                         exchange it for a deadline or PARKED
 * ======================= ===================================================
 *
 * The program changes a word by compare-and-swap only. It may exchange PARKED for a deadline, and
 * a deadline for a later one, an earlier one or PARKED. When the deadline has passed, the kernel
 * exchanges it for IDLE, and the event follows. If the program and the kernel change a word at
 * the same time, the exchange that succeeds decides. A word in which the program sets the IDLE
 * bit counts as PARKED. A slot that does not belong to the program has an IDLE word.
 *
 * The kernel is not notified when a word changes. It detects a later deadline and PARKED at the
 * old deadline. For other changes, the doorbells are an array of one bit per slot, and their
 * summary is an array of one bit per __u64 of doorbells. A thread that arms a timer or moves it
 * to an earlier deadline must, in this order and with a full barrier between the steps:
 *
 * 1. exchange the word;
 * 2. set the slot's bit in the doorbells, then the bit of that __u64 in the summary. If the
 *    slot's bit is already set, skip both;
 * 3. read wheel_kernel_page.next_wake and, if the deadline is earlier, call WHEEL_IOC_ENTER
 *    with WHEEL_ENTER_KICK.
 *
 * The timer then expires at the first tick boundary at or after its deadline, or at the next
 * tick if the deadline has passed. Its slack applies. Timers that are due at the same tick, or that
 * a late scan finds on a bounded wheel, may expire in any order. A deadline in a word may exceed
 * the range of a bounded wheel.
 *
 * Only one thread may own a slot at a time, for example the holder of a lock. Otherwise a
 * thread could skip step 2 because of a bit that another thread has set, but not yet in the
 * summary. If a program is killed between these steps, the kernel scans all words when the mapping
 * of the doorbells is removed.
 *
 * Map the three arrays and, read-only, the page at WHEEL_OFF_KERNEL. The mappings must be
 * MAP_SHARED and must cover a whole array::
 *
 *	bits = (timers + 63) / 64;
 *	words = mmap(NULL, timers * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *		     WHEEL_OFF_WORDS);
 *	bells = mmap(NULL, bits * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
 *		     WHEEL_OFF_BELLS);
 *	summary = mmap(NULL, (bits + 63) / 64 * 8, PROT_READ | PROT_WRITE,
 *		       MAP_SHARED, fd, WHEEL_OFF_SUMMARY);
 *
 * To avoid sharing cache lines of words and doorbells, begin the range of slots of each thread at a
 * multiple of 512, and of the summary, which is written less often, at a multiple of 32,768.
 */
#define WHEEL_OFF_WORDS		0x40000000
#define WHEEL_OFF_BELLS		0x50000000
#define WHEEL_OFF_SUMMARY	0x60000000
#define WHEEL_WORD_PARKED	0ULL
#define WHEEL_WORD_IDLE		(1ULL << 63)

/**
 * DOC: completion ring
 *
 * If wheel_setup.events is not 0, events are delivered into memory that the program maps, and
 * read() fails with EOPNOTSUPP. Map, MAP_SHARED and whole, struct wheel_kernel_page at
 * WHEEL_OFF_KERNEL and the array of struct wheel_event at WHEEL_OFF_EVENTS, both read-only, and
 * struct wheel_user_page at WHEEL_OFF_USER::
 *
 *	tail = load_acquire(&kernel->event_tail);
 *	while (head != tail)
 *		handle(&events[head++ & (setup.events - 1)]);
 *	store_release(&user->event_head, head);
 *
 * A program that waits for an edge, of epoll or of io_uring, must issue a full barrier after the
 * store, read @event_tail and @kflags again, and repeat this until @event_tail equals @event_head
 * and @kflags is 0. Otherwise an event that was published in the meantime causes no edge.
 *
 * WHEEL_RING_BACKLOG is set in kflags if timers are due whose events are not in the ring:
 * because the ring is full, or because the kernel has left the work to the program. The program
 * then calls WHEEL_IOC_ENTER, which expires these timers in the context of the caller. A program
 * that takes events without system calls reads kflags in each iteration. poll() reports EPOLLIN
 * if an event is in the ring or WHEEL_RING_BACKLOG is set.
 *
 * mmap() fails with EINVAL if the file is not set up or has no such area, or if the mapping is not
 * MAP_SHARED or does not cover the whole area. Pages of words, doorbells and their summary are
 * allocated on first access, which raises SIGBUS if it exceeds the user's memory limit, or, for a
 * task of another cgroup, that of the opener's cgroup.
 */
#define WHEEL_OFF_KERNEL	0x00000000
#define WHEEL_OFF_USER		0x10000000
#define WHEEL_OFF_EVENTS	0x20000000
#define WHEEL_RING_BACKLOG	(1U << 0)	/* call WHEEL_IOC_ENTER */

/**
 * struct wheel_kernel_page - members that only the kernel writes
 * @event_tail: number of published events, modulo 2^32
 * @kflags: WHEEL_RING_BACKLOG or 0
 * @reserved: 0
 * @next_wake: with WHEEL_SETUP_WORDS, a word with an earlier deadline needs a kick; later
 *	ones are detected in time. ~0: every deadline needs one, and after STOP the kick fails
 *	with ESHUTDOWN. 0: none needs one, for example on a VIRTUAL clock, where ADVANCE scans
 *	the words. Always 0 without WHEEL_SETUP_WORDS. On a separate cache line
 * @reserved2: 0
 *
 * Present if the file has a completion ring or words.
 */
struct wheel_kernel_page {
	__u32 event_tail;
	__u32 kflags;
	__u32 reserved[14];
	__u64 next_wake;
	__u64 reserved2[7];
};

/**
 * struct wheel_user_page - members that only the program writes
 * @event_head: number of events taken, modulo 2^32
 * @reserved: 0
 */
struct wheel_user_page {
	__u32 event_head;
	__u32 reserved;
};

/* wheel_setup.clock */
#define WHEEL_CLOCK_MONOTONIC	0	/* stops during suspend */
#define WHEEL_CLOCK_BOOTTIME	1	/* continues during suspend */
#define WHEEL_CLOCK_REALTIME	2
#define WHEEL_CLOCK_TAI		3
#define WHEEL_CLOCK_VIRTUAL	4	/* advanced only by WHEEL_IOC_ADVANCE */

/* wheel_setup.scheme */
#define WHEEL_DEFAULT		0	/* WHEEL_HASHED */
#define WHEEL_HASHED		1	/* one ring, any number of revolutions */
#define WHEEL_HIERARCHICAL	2	/* several levels of rings */
#define WHEEL_BOUNDED		3	/* one ring, @buckets ticks, else ERANGE */
#define WHEEL_OVERFLOW		4	/* one ring and a sorted list */

/* wheel_setup.flags */
#define WHEEL_SETUP_WORDS	(1U << 0)	/* timers may have words */

/* wheel_setup.features */
#define WHEEL_HAS_SCHEME(s)	(1ULL << (s))
#define WHEEL_HAS_CLOCK(c)	(1ULL << (8 + (c)))
#define WHEEL_HAS_WORDS		(1ULL << 16)
#define WHEEL_HAS_RINGS		(1ULL << 17)

/* Limits that apply to privileged users, too. */
#define WHEEL_MAX_TIMERS	(1U << WHEEL_SLOT_BITS)
#define WHEEL_MAX_BUCKETS	(1U << 20)
#define WHEEL_MAX_EVENTS	(1U << 20)
/* Limit of WHEEL_OVERFLOW: an arm may examine all timers, each in another cache line. */
#define WHEEL_OVERFLOW_TIMERS	256
#define WHEEL_MAX_TIME		((1ULL << 63) - 1)

/* Minimum tick without CAP_SYS_RESOURCE, except on a VIRTUAL clock. */
#define WHEEL_MIN_TICK_NS	50000

/**
 * struct wheel_setup - argument of WHEEL_IOC_SETUP and WHEEL_IOC_INFO
 * @size: sizeof(struct wheel_setup)
 * @flags: WHEEL_SETUP_*
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_DEFAULT, WHEEL_HASHED, WHEEL_HIERARCHICAL, WHEEL_BOUNDED or WHEEL_OVERFLOW
 * @tick_ns: exact tick length in nanoseconds. 0 selects 1 ms
 * @timers: number of slots, at most WHEEL_MAX_TIMERS, or WHEEL_OVERFLOW_TIMERS with
 *	WHEEL_OVERFLOW. 0 selects 65536, or WHEEL_OVERFLOW_TIMERS
 * @buckets: number of buckets of the ring, at most WHEEL_MAX_BUCKETS, rounded up to a power
 *	of two and to at least @timers / 32. 0 selects @timers / 16, but at least 256. Ignored
 *	by WHEEL_HIERARCHICAL, which has 704 buckets
 * @events: number of entries of the completion ring, at most WHEEL_MAX_EVENTS, rounded up to
 *	a power of two. 0 selects no ring
 * @reserved: 0
 * @features: out: WHEEL_HAS_*, the features of the loaded module
 *
 * SETUP configures the file, once, and returns the effective configuration. SUBMIT, STOP and a
 * blocking read() apply the defaults to a file that is not set up. The other calls do not set
 * it up: INFO returns the defaults, STATS zeros, and LIST no timers. poll() and a nonblocking
 * read() report no events. ADVANCE and ENTER fail with EOPNOTSUPP, and mmap() with EINVAL.
 *
 * SETUP fails with EBUSY if the file is already set up, with EINVAL if a member is out of range,
 * and with EPERM if the tick is shorter than WHEEL_MIN_TICK_NS, the clock is not VIRTUAL and the
 * caller lacks CAP_SYS_RESOURCE. It fails with EDQUOT if the files of the user who opened it would
 * exceed their memory limit, and with EOPNOTSUPP if @features lacks the clock or the scheme.
 * WHEEL_CLOCK_REALTIME and _TAI support only WHEEL_HASHED and WHEEL_BOUNDED; other schemes fail
 * with EOPNOTSUPP.
 *
 * INFO returns the effective configuration. It ignores its input, except for unknown flags.
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
#define WHEEL_OP_REL		(1U << 0)	/* when is relative to the time of the call */
#define WHEEL_OP_WORD		(1U << 1)	/* ARM: the timer has a word */

/**
 * struct wheel_op - one operation on one timer
 * @op: WHEEL_OP_*
 * @flags: ARM: WHEEL_OP_REL and _WORD; REARM: WHEEL_OP_REL; otherwise 0
 * @id: WHEEL_ID(slot, generation)
 * @when: ARM, REARM: the deadline; written by QUERY
 * @slack: ARM, REARM: maximum delay in nanoseconds that is acceptable to share wake-ups with
 *	other timers
 * @period: ARM: nanoseconds between expiries, with WHEEL_BOUNDED at most buckets - 1 ticks.
 *	0 selects a single expiry
 * @cookie: ARM: value that is returned in the event
 * @res: out: 0 or 1 on success, or a negative errno
 * @reserved: 0
 *
 * A deadline that has passed is due at the next tick, or, if a scan is late, at its own tick.
 * 2^63-1 is a tick boundary; when the clock has reached it, ARM and REARM fail with ERANGE. The
 * range of a WHEEL_BOUNDED wheel is its next @buckets tick boundaries: the first one at or after
 * the deadline must be one of them. Slack beyond the range is ignored. In the order of timers that
 * are due at the same tick, REARM and the continuation of a period count as arming.
 *
 * Members that an operation does not use must be 0, otherwise it fails with EINVAL: for REARM
 * @period and @cookie, for CANCEL all but @op and @id, for QUERY all but @op, @id and @when. An
 * operation that fails changes nothing, except for CANCEL of a timer with a word.
 *
 * =======  ==========================  ================ =====================
 * op       slot free                   pending, same id other
 * =======  ==========================  ================ =====================
 * ARM      0, or ESTALE if the         EBUSY            EBUSY
 *          generation is not greater
 * REARM    ENOENT                      0                ENOENT
 * CANCEL   ENOENT                      0, or 1 for a    ENOENT, or 1 for a
 *                                      periodic timer   periodic timer whose
 *                                      with an event    event is unread: it
 *                                      in the ring      ends after that one
 * QUERY    ENOENT                      0                ENOENT
 * =======  ==========================  ================ =====================
 *
 * After CANCEL returned 0, no event of the timer is delivered, and none is unread in the ring.
 * After STOP, ARM fails with ESHUTDOWN, the others with ENOENT.
 *
 * REARM replaces the slack, and restarts the period at the new deadline. CANCEL and ARM replace the
 * period, unless an event is unread. A periodic timer ends if,
 * when its event is read or put into the ring, its next deadline exceeds 2^63-1 ns, or the range of
 * a WHEEL_BOUNDED wheel whose clock was set back.
 *
 * WHEEL_OP_WORD fails with EINVAL if @period is not 0, and with EOPNOTSUPP without
 * WHEEL_SETUP_WORDS. With a @when of 0 and without WHEEL_OP_REL, it creates the timer parked. Any
 * other deadline of 0 is stored in the word as 1. Afterwards ARM of the slot fails with EBUSY,
 * regardless of its word. REARM and QUERY fail with ENOENT if the timer is parked or has expired,
 * REARM with EBUSY if the program changes the word at the same time. CANCEL also fails with ENOENT
 * if the timer is parked or has expired, but ends the program's ownership of the slot. An unread
 * event can still be taken; without a completion ring, the slot remains in use until then. After
 * STOP, CANCEL of such a timer has no effect.
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
 * struct wheel_submit - argument of WHEEL_IOC_SUBMIT, a batch of operations
 * @size: sizeof(struct wheel_submit)
 * @flags: 0
 * @ops: address of an array of struct wheel_op, into which the results are written
 * @op_size: sizeof(struct wheel_op), the stride of the array
 * @count: number of entries
 * @done: out: number of entries that were executed, in order from the first one
 * @failed: out: number of these whose @res is negative
 * @now: out: the time on the wheel's clock that WHEEL_OP_REL refers to
 *
 * Returns 0 if all entries were executed, including those whose @res is negative. A call that
 * fails with EFAULT, E2BIG or EINTR has executed the first @done entries and no others.
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
 * struct wheel_event - an expiry, as returned by read() and in the completion ring
 * @id: id of the timer
 * @cookie: cookie of the timer
 * @deadline: the deadline; if periods were missed, the last one before the event was read or put
 *	into the ring, the timer cancelled or the wheel stopped
 * @fired: time of the expiry on the wheel's clock; if periods were missed, at least @deadline
 * @overrun: number of periods missed before @deadline
 * @seq: number of the event in this file, from 0, modulo 2^32
 * @res: 0
 *
 * read() returns as many whole events as fit, or fewer if a signal is pending, if it has reached
 * its limit of expiries, or if a page of the buffer cannot be written. A periodic timer is armed
 * again, in phase, when its event is read or put into the ring. A program that waits for an edge,
 * of epoll or of io_uring, must call read() after each edge, because the next event may cause none
 * before.
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

/**
 * struct wheel_list - argument of WHEEL_IOC_LIST, which lists the pending timers by slot
 * @size: sizeof(struct wheel_list)
 * @flags: 0
 * @timers: address of an array of struct wheel_op, filled with operations that arm the same
 *	timers again, with absolute deadlines
 * @op_size: sizeof(struct wheel_op), the stride of the array
 * @count: number of entries of the array
 * @cursor: in: first slot to list, 0 at first; out: first slot of the next call
 * @done: out: number of entries filled; 0: no timers are left, or @count is 0
 *
 * After WHEEL_IOC_STOP it lists the timers that had not expired. A periodic timer whose event
 * is unread has expired and is not listed. A signal ends the call early; it fails with EINTR
 * only if @done is 0.
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
 * struct wheel_stop - argument of WHEEL_IOC_STOP, after which no timer of the wheel expires
 * @size: sizeof(struct wheel_stop)
 * @flags: 0
 * @unfired: out: number of timers that were pending and not parked; they count as cancelled,
 *	except for those that were never counted as armed
 *
 * A second call finds no pending timers. Older events can still be read; read() then fails with
 * ESHUTDOWN. A timer whose word is changed later does not expire: next_wake requests a kick, which
 * fails with ESHUTDOWN. If the task is killed during the call, no timer expires, but read() and
 * poll() report the end only after another call has completed it.
 */
struct wheel_stop {
	__u32 size;
	__u32 flags;
	__u64 unfired;
};

/**
 * struct wheel_advance - argument of WHEEL_IOC_ADVANCE, which moves a VIRTUAL clock
 * @size: sizeof(struct wheel_advance)
 * @flags: 0
 * @now: in: the new time; out: the time on the clock, which never goes back
 * @next: out: no pending timer is due before this time; ~0: none is pending. Later than @now,
 *	unless the ring is full. It may be earlier than the earliest timer if the ring is full, or
 *	after one was cancelled or moved
 *
 * On return, all timers that are due by @now have expired, and their events are available. If
 * the completion ring is full, the remaining timers stay pending and WHEEL_RING_BACKLOG is set.
 * Fails with ERANGE if @now exceeds 2^63-1, and with EOPNOTSUPP on any other clock.
 */
struct wheel_advance {
	__u32 size;
	__u32 flags;
	__u64 now;
	__u64 next;
};

/**
 * struct wheel_stats - argument of WHEEL_IOC_STATS, exact counters
 * @size: sizeof(struct wheel_stats)
 * @flags: 0
 * @armed: timers armed, including each further period of a periodic timer, and each time that
 *	a scan or REARM queued a timer which the program had armed by its word. A timer that is
 *	parked before it is queued is not counted
 * @fired: expiries
 * @cancelled: timers cancelled or stopped while pending; parked ones at their old deadline
 * @pending: @armed - @fired - @cancelled
 * @rearmed: number of times that REARM, or a scan of an earlier deadline, moved a queued timer
 * @requeued: number of times that a timer whose word was later was queued again
 * @refused: number of times that ARM failed with EDQUOT, ERANGE or ESHUTDOWN
 * @overruns: periods missed
 * @unread: events that were not taken
 * @deferred: number of times that an interrupt left due timers to the program
 * @cascaded: number of times that a timer was moved to a lower level, or from a list to the ring
 * @passes: number of times that the wheel was advanced
 * @wakeups: hrtimer interrupts
 * @late: histogram of the lateness of expiries, the time from the deadline to the expiry:
 *	[i] counts those in [2^i, 2^(i+1)) ns, and [0] also those of 0
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
#define WHEEL_ENTER_KICK	(1U << 0)	/* scan the words now */

/**
 * struct wheel_enter - argument of WHEEL_IOC_ENTER, which waits for events in the ring
 * @size: sizeof(struct wheel_enter)
 * @flags: WHEEL_ENTER_KICK or 0
 * @wait: number of events to wait for, at most wheel_setup.events
 * @ready: out: number of events in the ring that were not taken
 * @until: timeout, an absolute time on the wheel's clock; 0: do not wait; ~0: no timeout
 *
 * Expires the due timers that were left to the program, then waits. A caller that waits for
 * several events is woken once, when @wait events are in the ring, unless poll() is used. The
 * first event of a file wakes it up, too. If timers are left to the program meanwhile, it wakes up
 * to expire them. In both cases it continues to wait. Returns 0 with fewer than @wait events at
 * @until, or immediately if @until is 0. A wait that ends without any event fails with EINTR after
 * a signal, or with ESHUTDOWN if the wheel was stopped.
 *
 * Fails with EINVAL if @wait exceeds the size of the ring, with ERANGE if @until is 2^63 or more,
 * except for ~0, and with EOPNOTSUPP without a ring.
 *
 * WHEEL_ENTER_KICK first scans the words of the timers that the program has armed or moved to an
 * earlier deadline. It needs no ring. It fails with EOPNOTSUPP without words, and with ESHUTDOWN
 * after STOP.
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
