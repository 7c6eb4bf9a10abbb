/* SPDX-License-Identifier: MIT */
/*
 * libwheel: many timers behind one file descriptor. Uses /dev/wheel if it is available, and
 * otherwise the same timing wheel in user space.
 *
 *	#include <libwheel.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		struct wheel_event event;
 *		struct libwheel *wheel;
 *
 *		if (libwheel_open(&wheel, NULL) ||
 *		    libwheel_arm_in(wheel, WHEEL_ID(7, 1), 50000000, 42) ||
 *		    libwheel_wait(wheel, &event, 1, -1) != 1)
 *			return 1;
 *		printf("timer %llu fired\n", event.cookie);
 *		libwheel_close(wheel);
 *	}
 *
 * Times are in nanoseconds on the wheel's clock. The id of a timer consists of a slot and a
 * generation. The program chooses the slot, for example the index of a connection. The
 * generation must increase with each arm of the slot. See linux/wheel_timer.h, whose structs are
 * used as is.
 *
 * Functions that can fail return a negative error number as listed in that header. No function
 * prints, aborts or modifies errno.
 *
 * Any number of threads may use a wheel concurrently, but not during or after
 * libwheel_close(). A signal handler may only call libwheel_word_push() with a later deadline, and
 * libwheel_word_park(). After fork() the wheel belongs to the parent. The child may call
 * libwheel_close(), _backend(), _fd(), _info(), _now(), and _list() without flags. It must not
 * call the inline functions libwheel_word_*(). With LIBWHEEL_ONE_THREAD, it must not call
 * libwheel_timeout_start_at() or _stop(). All other functions fail with -ECHILD.
 *
 * This header needs C99 or C++11, and the __atomic functions of gcc or clang.
 */
#ifndef LIBWHEEL_H
#define LIBWHEEL_H

#include <errno.h>
#include <stdint.h>
#include <linux/wheel_timer.h>

#ifndef __SIZEOF_INT128__
#error "libwheel is for 64-bit programs; 32-bit ones use /dev/wheel directly"
#endif

/* Ignoring the result loses a timer, an event or an error: the compiler warns. */
#define LIBWHEEL_MUST_CHECK	__attribute__((__warn_unused_result__))

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct libwheel - an open wheel
 * @words: words, one per slot
 * @timers: number of words; 0 without WHEEL_SETUP_WORDS
 * @bells: doorbells, one bit per slot
 * @summary: one bit for each 64 bits of @bells
 * @next_wake: time of the next scan of the words
 *
 * Only the members that inline functions use are public.
 */
struct libwheel {
	__u64 *words;
	__u64 timers;
	__u64 *bells;
	__u64 *summary;
	const __u64 *next_wake;
};

/* libwheel_options.backend */
#define LIBWHEEL_AUTO	0	/* the kernel if it supports the options */
#define LIBWHEEL_KERNEL	1	/* /dev/wheel */
#define LIBWHEEL_USER	2	/* in user space, with a timerfd */

/*
 * libwheel_options.mode, for event loops that sleep until the time of libwheel_next(). It needs
 * the user backend: LIBWHEEL_AUTO selects it, and with LIBWHEEL_KERNEL libwheel_open() fails
 * with -EOPNOTSUPP.
 */
#define LIBWHEEL_NO_FD		(1U << 0)
/*
 * libwheel_options.mode, if one thread calls all functions of a set of timeouts. With the user
 * backend, libwheel_timeout_start_at() and _stop() then usually take a load and a store instead of
 * a compare-and-swap. The results are the same. /dev/wheel, and wheels that are not sets of
 * timeouts, ignore this flag.
 */
#define LIBWHEEL_ONE_THREAD	(1U << 1)

/**
 * struct libwheel_options - configuration of a wheel
 * @size: sizeof(struct libwheel_options)
 * @flags: WHEEL_SETUP_*
 * @backend: LIBWHEEL_*; LIBWHEEL_AUTO is overridden by the environment variable
 *	LIBWHEEL_BACKEND: "kernel", "user", "auto" or empty
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_DEFAULT, WHEEL_HASHED, WHEEL_HIERARCHICAL, WHEEL_BOUNDED or WHEEL_OVERFLOW
 * @timers: number of slots, as wheel_setup.timers
 * @buckets: number of buckets, as wheel_setup.buckets
 * @mode: LIBWHEEL_NO_FD and LIBWHEEL_ONE_THREAD, or 0
 * @tick_ns: tick length in nanoseconds. 0 selects 1 ms
 *
 * For all members but @size, 0 selects the default. The default scheme of the library is
 * WHEEL_HIERARCHICAL, or WHEEL_HASHED if the clock can be set. A program that was built with an
 * older header passes a smaller struct, one built with a newer header a larger one. Members that
 * the library does not support must be 0.
 */
struct libwheel_options {
	__u32 size;
	__u32 flags;
	__u32 backend;
	__u32 clock;
	__u32 scheme;
	__u32 timers;
	__u32 buckets;
	__u32 mode;
	__u64 tick_ns;
};

/*
 * The version of this header. libwheel_version() returns the version of the library at run
 * time, which is usually the same or newer.
 */
#define LIBWHEEL_VERSION_OF(major, minor, patch)	\
	((major) << 16 | (minor) << 8 | (patch))
#define LIBWHEEL_VERSION	LIBWHEEL_VERSION_OF(1, 0, 0)

uint32_t libwheel_version(void);

/*
 * Message for a return value of this library. See libwheel(7) for the error numbers that it
 * describes; other numbers get the message of strerror(3). The message for -EINVAL names the
 * argument that the library has rejected last in this thread.
 */
const char *libwheel_strerror(int err);

/*
 * Open a wheel. If @options is NULL, all options have their defaults. *@wheel is set only on
 * success. Fails as WHEEL_IOC_SETUP and open(2). Also -ENODEV: /dev/wheel does not exist;
 * -EPROTOTYPE: the scheme does not support a clock that can be set; -ENOPROTOOPT: LIBWHEEL_BACKEND
 * is invalid.
 */
LIBWHEEL_MUST_CHECK int libwheel_open(struct libwheel **wheel,
				      const struct libwheel_options *options);
/* Close a wheel and discard its timers. NULL is allowed. */
void libwheel_close(struct libwheel *wheel);
/* Return LIBWHEEL_KERNEL or LIBWHEEL_USER. */
int libwheel_backend(const struct libwheel *wheel);
/* Return the effective configuration in *@info. */
int libwheel_info(const struct libwheel *wheel, struct wheel_setup *info);
/* Return the time on the wheel's clock. 0: a VIRTUAL clock in a child of fork(). */
uint64_t libwheel_now(const struct libwheel *wheel);

/*
 * Return a file descriptor for event loops. It is readable while libwheel_expirations() has
 * events or -ESHUTDOWN to return. It may also be readable without an event: then
 * libwheel_expirations() returns 0, and libwheel_wait() blocks. Do not read, write or close it.
 * -EOPNOTSUPP with LIBWHEEL_NO_FD.
 */
int libwheel_fd(const struct libwheel *wheel);

/*
 * Return in *@when the time at which libwheel_expirations() must be called next, for loops that
 * sleep with a timeout. 0: now; ~0: no timer is pending. It can be earlier than the earliest
 * timer, because words must be scanned or because a timer was cancelled or moved, but
 * never later. Call this before each sleep. -EOPNOTSUPP on /dev/wheel, where the kernel
 * keeps the time and makes the descriptor readable.
 */
LIBWHEEL_MUST_CHECK int libwheel_next(const struct libwheel *wheel, uint64_t *when);

/*
 * Allocate a slot, for programs that do not number their timers themselves. *@id is set to an id
 * that was never used before, with which the slot can be armed. -EDQUOT: all slots are in use;
 * -ENOMEM. All slots of the wheel must be allocated in this way, or none. Any number of threads
 * may call these functions, but no signal handler. Both take constant time.
 */
LIBWHEEL_MUST_CHECK int libwheel_slot_get(struct libwheel *wheel, uint64_t *id);
/*
 * Return a slot whose timer has ended, once. @id is its last id, which need not have been armed.
 * After libwheel_cancel() has returned 0, no event follows. Otherwise the slot must be returned
 * by the thread that takes the timer's last event, after taking it. A timer with a word must first
 * be cancelled.
 */
void libwheel_slot_put(struct libwheel *wheel, uint64_t id);

/* Operations on one timer. For the return values see the table of struct wheel_op. */
LIBWHEEL_MUST_CHECK int libwheel_arm(struct libwheel *wheel, uint64_t id, uint64_t when,
				     uint64_t cookie);
LIBWHEEL_MUST_CHECK int libwheel_arm_in(struct libwheel *wheel, uint64_t id, uint64_t delay,
					uint64_t cookie);
/* Arm with a slack: the timer may expire up to @slack later, to share a wake-up with others. */
LIBWHEEL_MUST_CHECK int libwheel_arm_within(struct libwheel *wheel, uint64_t id, uint64_t when,
					    uint64_t slack, uint64_t cookie);
/* Arm a periodic timer, which expires at @when and then after each @period. */
LIBWHEEL_MUST_CHECK int libwheel_arm_every(struct libwheel *wheel, uint64_t id, uint64_t when,
					   uint64_t period, uint64_t cookie);
LIBWHEEL_MUST_CHECK int libwheel_rearm(struct libwheel *wheel, uint64_t id, uint64_t when);
LIBWHEEL_MUST_CHECK int libwheel_rearm_in(struct libwheel *wheel, uint64_t id, uint64_t delay);
/*
 * Move a pending timer, or arm it with the next generation, which is written to *@id. The
 * generation of an id that was never armed is 0. A timer that is moved keeps its cookie.
 * -EBUSY: the timer has expired and its event was not taken.
 */
LIBWHEEL_MUST_CHECK int libwheel_rearm_or_arm(struct libwheel *wheel, uint64_t *id,
					      uint64_t when, uint64_t cookie);
int libwheel_cancel(struct libwheel *wheel, uint64_t id);
LIBWHEEL_MUST_CHECK int libwheel_query(struct libwheel *wheel, uint64_t id, uint64_t *when);
/* Execute any operation, including flags, slack and period. Returns its res. */
int libwheel_do(struct libwheel *wheel, struct wheel_op *op);

/*
 * Execute a batch of operations in order, with one system call and one clock read. Each
 * operation returns its result in res. Returns the number of operations that failed, or a
 * negative error number if the call ended early. The first *@done operations were executed.
 * @done may be NULL.
 */
int libwheel_submit(struct libwheel *wheel, struct wheel_op *ops,
		    uint32_t count, uint32_t *done);

/*
 * Take the events of expired timers, without waiting. Returns the number of events, which is
 * less than @count if no others are available, or if a signal or the limit of read() has ended the
 * call; then the descriptor remains readable. 0: no event; -ESHUTDOWN: the wheel was stopped and
 * no event is left.
 */
LIBWHEEL_MUST_CHECK int libwheel_expirations(struct libwheel *wheel,
					     struct wheel_event *events, uint32_t count);
/*
 * As libwheel_expirations(), but wait up to @timeout_ns for the first event. A negative timeout
 * waits indefinitely, so check a computed timeout for being negative. 0: the timeout has
 * expired; -EINTR: interrupted by a signal.
 */
LIBWHEEL_MUST_CHECK int libwheel_wait(struct libwheel *wheel, struct wheel_event *events,
				      uint32_t count, int64_t timeout_ns);

/**
 * struct libwheel_time - a time on the clock of a set of timeouts
 * @ns: nanoseconds
 *
 * The compiler rejects a time in place of a delay, and a delay in place of a time.
 */
struct libwheel_time {
	uint64_t ns;
};

/* Return the time that is @delay nanoseconds after @time, or UINT64_MAX if it is out of range. */
inline struct libwheel_time libwheel_time_after(struct libwheel_time time, uint64_t delay);

/**
 * struct libwheel_timeouts - a set of timeouts
 *
 * One timeout per slot, for the requests and connections of a server. The slot is the number of
 * the request or connection in the program, such as its file descriptor, and has one owner at a
 * time. Starting or stopping a timeout takes one compare-and-swap, or usually one load and one
 * store with LIBWHEEL_ONE_THREAD and the user backend. A system call is made only for the first
 * start of a slot, and if the next scan of the words would be too late.
 *
 * After a timeout has expired, its slot is in use until its event was taken.
 *
 * @slots: number of slots, with LIBWHEEL_ONE_THREAD on the user backend; otherwise 0. Their words
 *	follow
 *
 * Only the member that inline functions use is public.
 */
struct libwheel_timeouts {
	__u64 slots;
};

/*
 * Open a set of timeouts with the slots 0 to @slots - 1. If @options is NULL, all options have
 * their defaults. Its @timers is ignored, and its @flags may be 0. Fails as libwheel_open().
 */
LIBWHEEL_MUST_CHECK int libwheel_timeout_open(struct libwheel_timeouts **timeouts, uint32_t slots,
					      const struct libwheel_options *options);
/* Close a set and discard its timeouts. NULL is allowed. */
void libwheel_timeout_close(struct libwheel_timeouts *timeouts);

/*
 * Start a timeout that expires after @delay nanoseconds, or at a time. If it was started before, it
 * gets the new deadline, which may be earlier or later. libwheel_timeout_start() reads the clock. A
 * program that starts many timeouts reads it once after each wait, with libwheel_timeout_now().
 * -EBUSY: the timeout has expired and its event follows; -EINVAL: no such slot; -ERANGE: the
 * deadline exceeds WHEEL_MAX_TIME. The first start of a slot may also fail with -ENOMEM or -EDQUOT.
 */
LIBWHEEL_MUST_CHECK int libwheel_timeout_start(struct libwheel_timeouts *timeouts, uint32_t slot,
					       uint64_t delay);
LIBWHEEL_MUST_CHECK inline int
libwheel_timeout_start_at(struct libwheel_timeouts *timeouts, uint32_t slot,
			  struct libwheel_time deadline);
/*
 * Stop a timeout. 0: it was stopped, and no event follows; -EBUSY: it has expired, and its event
 * follows; -ENOENT: it is not started, and no event follows; -EINVAL: no such slot.
 */
LIBWHEEL_MUST_CHECK inline int
libwheel_timeout_stop(struct libwheel_timeouts *timeouts, uint32_t slot);
/*
 * libwheel_timeout_start_at() and _stop() if the inline functions cannot complete them: if threads
 * share the slots, or the timeout must be queued on the wheel, or with an error.
 */
LIBWHEEL_MUST_CHECK int libwheel_timeout_do_start(struct libwheel_timeouts *timeouts,
						  uint32_t slot, struct libwheel_time deadline);
LIBWHEEL_MUST_CHECK int libwheel_timeout_do_stop(struct libwheel_timeouts *timeouts,
						 uint32_t slot);
/*
 * Read the clock. With both backends, timeouts that are due have expired on return, and starting
 * or stopping them fails with -EBUSY. libwheel_timeout_start() and _wait() do the same. The other
 * functions do not read the clock. In the user backend, a timeout that has become due since can
 * therefore still be started again or stopped.
 */
struct libwheel_time libwheel_timeout_now(struct libwheel_timeouts *timeouts);
/*
 * Take the events of expired timeouts, up to @count, and wait up to @timeout_ns for the first one;
 * if negative, indefinitely. The cookie of an event is its slot. On return, the slots of all
 * these events can be used again, even while the program handles the first event. Returns the
 * number of events. 0: none has expired in this time; -EINTR: interrupted by a signal, no event
 * was taken.
 */
LIBWHEEL_MUST_CHECK int libwheel_timeout_wait(struct libwheel_timeouts *timeouts,
					      struct wheel_event *events, uint32_t count,
					      int64_t timeout_ns);
/*
 * Return a file descriptor for epoll_pwait2(2), ppoll(2) and other loops. While it is readable,
 * call libwheel_timeout_wait() with a @timeout_ns of 0. Do not read, write or close it.
 */
int libwheel_timeout_fd(const struct libwheel_timeouts *timeouts);
/* Move a VIRTUAL clock, as libwheel_advance(). */
int libwheel_timeout_advance(struct libwheel_timeouts *timeouts, struct libwheel_time now);
/*
 * Return the wheel, for libwheel_backend(), _info(), _next(), _stats() and _list(). Functions that
 * change or take timers must not be used, which the const states.
 */
const struct libwheel *libwheel_timeout_wheel(const struct libwheel_timeouts *timeouts);

/* Stop all timers. *@unfired, unless NULL, is set to the number of pending timers. */
int libwheel_stop(struct libwheel *wheel, uint64_t *unfired);
/*
 * List the pending timers, or after libwheel_stop() those that had not expired, as operations
 * that arm them again. Returns the number of operations; 0: no timers are left. *@cursor must be
 * 0 at first. @flags: 0.
 *
 * In a child of fork(), the user backend lists the timers that were pending at the time of
 * fork(), /dev/wheel those that are pending now. -EBUSY: another thread was in the library at
 * that time.
 */
LIBWHEEL_MUST_CHECK int libwheel_list(const struct libwheel *wheel, uint32_t flags,
				      struct wheel_op *ops, uint32_t count, uint32_t *cursor);
/* Read the counters. */
int libwheel_stats(const struct libwheel *wheel, struct wheel_stats *stats);
/*
 * Move a VIRTUAL clock. *@next, unless NULL, is set to a time before which no pending timer is
 * due, or ~0 if none is pending. Expired timers whose events were not taken are not included: a
 * loop that sleeps until *@next must take all events first, or call libwheel_next() instead.
 */
int libwheel_advance(struct libwheel *wheel, uint64_t now, uint64_t *next);

/* The library also contains these as functions, for languages that cannot inline them. */
#ifndef LIBWHEEL_INLINE
#define LIBWHEEL_INLINE	inline
#endif

LIBWHEEL_INLINE struct libwheel_time libwheel_time_after(struct libwheel_time time, uint64_t delay)
{
	/* The sum must not wrap around. */
	time.ns = (time.ns | delay) > WHEEL_MAX_TIME ? UINT64_MAX : time.ns + delay;
	return time;
}

#include "libwheel_word.h"

/*
 * A set with private words, which only one thread uses. The word of a started timeout is its
 * deadline. In that of a stopped timeout, which the wheel may still examine at this time,
 * WHEEL_WORD_IDLE is also set. All bits are set if the wheel does not examine it. A postponed
 * timeout is examined at its old deadline, and then at the new one.
 */
struct libwheel_private {
	__u64 slots;
	__u64 words[1ULL << 32];
};

LIBWHEEL_INLINE int libwheel_timeout_start_at(struct libwheel_timeouts *timeouts, uint32_t slot,
					      struct libwheel_time deadline)
{
	struct libwheel_private *set = (struct libwheel_private *)timeouts;

	if (slot < set->slots &&
	    (int64_t)deadline.ns > (int64_t)(set->words[slot] & WHEEL_MAX_TIME)) {
		set->words[slot] = deadline.ns;
		return 0;
	}
	return libwheel_timeout_do_start(timeouts, slot, deadline);
}

LIBWHEEL_INLINE int libwheel_timeout_stop(struct libwheel_timeouts *timeouts, uint32_t slot)
{
	struct libwheel_private *set = (struct libwheel_private *)timeouts;

	if (slot < set->slots && LIBWHEEL_IS_DEADLINE(set->words[slot])) {
		set->words[slot] |= WHEEL_WORD_IDLE;
		return 0;
	}
	return libwheel_timeout_do_stop(timeouts, slot);
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
