/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * struct wheel_timer, and the functions that only read it. The data structure, which also compiles
 * in user space, needs no other header of this directory.
 */
#ifndef _LINUX_WHEEL_TIMER_TYPES_H
#define _LINUX_WHEEL_TIMER_TYPES_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/types.h>
#endif

/* No deadline. */
#define WHEEL_NEVER	(~(u64)0)

/* Result of a claim function: what happens to a timer at the time it was queued for. */
enum wheel_claim {
	WHEEL_FIRE,	/* the timer expires */
	WHEEL_LATER,	/* the deadline was moved: queue the timer again */
	WHEEL_GONE,	/* the timer counts as cancelled; no callback is called */
};

struct wheel_timer;

typedef void (*wheel_timer_fn)(struct wheel_timer *timer);

/**
 * struct wheel_timer - Timer on a wheel, to be embedded in an object; all members are private
 * @node: links the timer to its bucket; after wheel_stop(), to the caller's list
 * @deadline: deadline in nanoseconds on the wheel's clock; bit WHEEL_IDLE is set if not pending
 * @due_tick: due tick while pending
 * @fired: time of the expiry in nanoseconds; valid only after the timer has expired
 * @place: number of its bucket, or WHEEL_UNFILED if it is not pending; from bit WHEEL_ORDER_SHIFT,
 *	its order: the due tick may be rounded up to a multiple of 2^order within the slack.
 *	Accessed without a lock
 * @hint: distance to a timer that is queued several places later, in units of 8 bytes
 * @function: callback; not accessed if the wheel has an owner, which may use its place
 * @base: base of the wheel, and state in the low bits
 *
 * The wheel accesses the members before @function. These 40 bytes occupy 1.5 cache lines on
 * average, and all 56 bytes 1.75.
 */
struct wheel_timer {
	struct list_head	node;
	u64			deadline;
	union {
		u64		due_tick;
		u64		fired;
	};
	u32			place;
	s32			hint;
	wheel_timer_fn		function;
	unsigned long		base;
};

#define WHEEL_ORDER_SHIFT	24
#define WHEEL_UNFILED	(((u32)1 << WHEEL_ORDER_SHIFT) - 1)

/* Bit of @deadline: the timer is not pending, and wheel_timer_push() must not change @deadline. */
#define WHEEL_IDLE	((u64)1 << 63)

/**
 * wheel_timer_pending() - Check whether a timer is pending
 * @timer: initialized timer
 *
 * The result may be out of date, unless the caller excludes concurrent operations.
 *
 * Context: Any.
 *
 * Return: true if the timer is pending.
 */
static inline bool wheel_timer_pending(const struct wheel_timer *timer)
{
	/* Not @place, which is invalid for a short time while the timer is moved. */
	return !(READ_ONCE(timer->deadline) & WHEEL_IDLE);
}

/**
 * wheel_timer_deadline() - Get the deadline of a timer
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: deadline set by the last arm, move, push or claim function, in nanoseconds on the
 * wheel's clock.
 */
static inline u64 wheel_timer_deadline(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->deadline) & ~WHEEL_IDLE;
}

/**
 * wheel_timer_fired() - Get the time at which a timer expired
 * @timer: timer that has expired and was not armed since
 *
 * Context: Any; typically its callback.
 *
 * Return: time of the wheel's clock when the timer expired, not less than its deadline, in
 * nanoseconds.
 */
static inline u64 wheel_timer_fired(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->fired);
}

#endif
