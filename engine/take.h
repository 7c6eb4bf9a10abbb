/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expire due timers: in passes of work items, pass.c, and in steps of an owner, owner.c. Inline,
 * because both call these functions for each timer.
 */
#ifndef _WHEEL_ENGINE_TAKE_H
#define _WHEEL_ENGINE_TAKE_H

#include <linux/atomic.h>
#include "debug.h"

/*
 * Claim a timer by its own deadline, which wheel_timer_push() may have changed. The side whose
 * exchange succeeds decides:
 *
 *	this				wheel_timer_push()
 *
 *	read: not later than its tick	read: earlier than the new one
 *	exchange for WHEEL_IDLE		exchange for the new one
 *	won: the timer expires		won: it does not expire before
 *	lost: read again		lost: read again
 */
static inline enum wheel_claim claim_own(struct wheel_timer *timer, u64 due,
					 u64 *deadline)
{
	u64 old = READ_ONCE(timer->deadline);

	do {
		*deadline = old;
		if (old > due)
			return WHEEL_LATER;
	} while (!try_cmpxchg(&timer->deadline, &old, old | WHEEL_IDLE));
	return WHEEL_FIRE;
}

/* Claim a timer by the claim function, and store its deadline for lockless readers. */
static inline enum wheel_claim
claim_owners(wheel_claim_fn decide, struct wheel_timer *timer, u64 due, u64 *deadline)
{
	enum wheel_claim claim = decide(timer, due, deadline);

	if (likely(claim == WHEEL_FIRE))
		WRITE_ONCE(timer->deadline, *deadline | WHEEL_IDLE);
	else if (claim == WHEEL_LATER)
		WRITE_ONCE(timer->deadline, *deadline);
	else
		WRITE_ONCE(timer->deadline, READ_ONCE(timer->deadline) | WHEEL_IDLE);
	return claim;
}

static inline void count_expiry(struct wheel_stats *counts, u64 late)
{
	counts->fired++;
	counts->late[ilog2(late | 1)]++;
}

/* Claim a timer that was dequeued. Returns true if it expires. */
static inline bool base_claim(struct wheel_base *base, struct wheel_timer *timer,
			      u64 now)
{
	const struct wheel_config *config = &base->owner->config;
	u64 due = wheel_time_of(&base->core, timer->due_tick);
	enum wheel_claim claim;
	u64 deadline;

	debug_pop(timer);
	if (config->claim)
		claim = claim_owners(config->claim, timer, due, &deadline);
	else
		claim = claim_own(timer, due, &deadline);
	if (likely(claim == WHEEL_FIRE)) {
		count_expiry(&base->counts, now - deadline);
		timer->fired = now;
		debug_expire(timer);
		return true;
	}
	if (claim == WHEEL_LATER) {
		base->counts.requeued++;
		wheel_requeue(&base->core, timer, deadline);
		debug_requeue(timer);
	} else {
		base->counts.cancelled++;
		debug_gone(timer);
	}
	return false;
}

/* Budget of queueing a timer again: 1, or a whole lock hold if that walks a list. */
static inline unsigned int requeue_cost(const struct wheel_base *base)
{
	return WHEEL_BATCH / wheel_batch_max(base->owner);
}

/* Take up to @room due timers, in order, into base->running. Returns their number. */
static inline unsigned int base_collect(struct wheel_base *base, u64 now, u64 until,
					unsigned int room, unsigned int *budget)
{
	unsigned int n = 0;

	while (n < room) {
		struct wheel_timer *timer = wheel_pop(&base->core, until, budget);

		if (!timer)
			break;
		if (base_claim(base, timer, now))
			base->running[n++] = timer;
		else
			*budget -= min(*budget, requeue_cost(base));
	}
	return n;
}

/* Begin a callback: from now on, a cancel of its timers returns -EALREADY, or waits for it. */
static inline void base_begin_call(struct wheel_base *base, unsigned int n)
{
	lockdep_assert_held(&base->lock);
	WRITE_ONCE(base->calls, base->calls + 1);
	WRITE_ONCE(base->running_n, n);
}

#endif
