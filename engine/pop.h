/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pop due timers, and claim them: for wheel_step(), and for an owner that takes one timer per lock
 * hold. Inline, because both call these functions for each timer.
 */
#ifndef _WHEEL_ENGINE_POP_H
#define _WHEEL_ENGINE_POP_H

#include <linux/atomic.h>
#include "trace.h"

void wheel_base_keep(struct wheel_base *base, struct wheel_timer *timer, enum wheel_claim claim,
		     u64 deadline, unsigned int *budget);

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
static inline enum wheel_claim claim_own(struct wheel_timer *timer, u64 due, u64 *deadline)
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
static inline enum wheel_claim claim_owners(struct wheel_base *base, wheel_claim_fn decide,
					    struct wheel_timer *timer, u64 due, u64 *deadline)
{
	enum wheel_claim claim = decide(base->data, timer, due, &base->claimed);

	*deadline = base->claimed;
	if (likely(claim == WHEEL_FIRE))
		WRITE_ONCE(timer->deadline, *deadline | WHEEL_IDLE);
	else if (claim == WHEEL_LATER)
		WRITE_ONCE(timer->deadline, *deadline);
	else
		WRITE_ONCE(timer->deadline, READ_ONCE(timer->deadline) | WHEEL_IDLE);
	return claim;
}

/* Claim a timer that was dequeued. Returns true if it expires. */
static __always_inline bool base_claim(struct wheel_base *base, struct wheel_timer *timer,
				       wheel_claim_fn decide, u64 now, unsigned int *budget)
{
	u64 due = wheel_time_of(&base->core, timer->due_tick);
	enum wheel_claim claim;
	u64 deadline;

	/* After the claim, the owner of a dropped timer may initialize it again. */
	debug_object_deactivate(timer, &wheel_timer_debug);
	if (decide)
		claim = claim_owners(base, decide, timer, due, &deadline);
	else
		claim = claim_own(timer, due, &deadline);
	if (unlikely(claim != WHEEL_FIRE)) {
		wheel_base_keep(base, timer, claim, deadline, budget);
		return false;
	}
	base->counts.fired++;
	base->counts.late[__fls((now - deadline) | 1)]++;
	timer->fired = now;
	trace_wheel_timer_expire(timer);
	return true;
}

/*
 * Pop the next timer that expires, or return NULL. @decide is the claim function of the wheel, and
 * @last is explained at wheel_pop_next().
 */
static __always_inline struct wheel_timer *base_pop(struct wheel_base *base, wheel_claim_fn decide,
						    u64 now, u64 until, unsigned int *budget,
						    bool last)
{
	struct wheel_timer *timer;

	do {
		timer = wheel_pop_next(&base->core, until, budget, last);
	} while (timer && unlikely(!base_claim(base, timer, decide, now, budget)));
	return timer;
}

/*
 * Begin a pass of a base that is not stopped. Until base_settle() is called, the hrtimer is not
 * started. The clock is forwarded before a timer is armed for @time or earlier.
 */
static inline void base_begin(struct wheel_base *base, u64 time)
{
	lockdep_assert_held(&base->lock);
	base->state = BASE_UNTIMED;
	base->reprogram = false;
	base_need_clock(base, time);
	base->counts.passes++;
	trace_wheel_pass_begin(base);
}

#endif
