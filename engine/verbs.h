/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arm, move and cancel timers. Inline, so that each of these frequent operations is compiled to
 * one function. Arming and moving may queue a timer before the time that the hrtimer is
 * programmed for, but must not queue it before the current time.
 */
#ifndef _WHEEL_ENGINE_VERBS_H
#define _WHEEL_ENGINE_VERBS_H

#include "trace.h"

void wheel_base_forward_clock(struct wheel_base *base, u64 deadline);

static inline int arm_check_time(u64 deadline, u64 slack)
{
	return deadline > WHEEL_MAX_TIME || slack > WHEEL_MAX_TIME ? -ERANGE : 0;
}

/*
 * Forward the base's clock before a timer is queued, if its deadline may have passed. Overdue
 * timers then expire in the order in which they were armed, unless a scan is late.
 */
static inline void base_forward_clock(struct wheel_base *base, u64 deadline)
{
	if (unlikely(!base->core.pending || deadline <= READ_ONCE(base->needs_clock_until)))
		wheel_base_forward_clock(base, deadline);
}

/*
 * Arm a timer on a base that is below its limit. The timer must not be pending or shut down, and
 * @deadline and @slack must be valid.
 */
static __always_inline int base_enqueue(struct wheel_base *base, struct wheel_timer *timer,
					u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	base_forward_clock(base, deadline);
	err = wheel_place(&base->core, timer, deadline, slack);
	if (unlikely(err)) {
		base->counts.refused++;
		return err;
	}
	base_wake_at(base, timer->due_tick);
	base->counts.armed++;
	debug_object_activate(timer, &wheel_timer_debug);
	trace_wheel_timer_arm(timer);
	return 0;
}

/* Arm a timer. The caller holds the lock under which WHEEL_SHUTDOWN is set. */
static __always_inline int base_arm(struct wheel_base *base, struct wheel_timer *timer,
				    u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	if (unlikely(wheel_is_queued(timer)))
		return -EBUSY;
	err = arm_check_time(deadline, slack);
	if (likely(!err) && unlikely(base->state == BASE_STOPPED || timer->base & WHEEL_SHUTDOWN))
		err = -ESHUTDOWN;
	if (likely(!err) && unlikely(base->core.pending >= base->wheel->config.limit))
		err = -EDQUOT;
	if (likely(!err))
		return base_enqueue(base, timer, deadline, slack);
	base->counts.refused++;
	return err;
}

/* Move a pending timer to a valid deadline. */
static __always_inline int base_move(struct wheel_base *base, struct wheel_timer *timer,
				     u64 deadline, u64 slack)
{
	int err;

	lockdep_assert_held(&base->lock);
	/* Otherwise, draining a stopped wheel might never end. */
	if (unlikely(base->state == BASE_STOPPED))
		return -ESHUTDOWN;
	base_forward_clock(base, deadline);
	err = wheel_move(&base->core, timer, deadline, slack);
	if (unlikely(err))
		return err;
	base_wake_at(base, timer->due_tick);
	base->counts.rearmed++;
	trace_wheel_timer_rearm(timer);
	return 0;
}

static __always_inline int base_rearm(struct wheel_base *base, struct wheel_timer *timer,
				      u64 deadline, u64 slack)
{
	int err;

	if (unlikely(!wheel_is_queued(timer)))
		return -ENOENT;
	err = arm_check_time(deadline, slack);
	if (unlikely(err))
		return err;
	return base_move(base, timer, deadline, slack);
}

static __always_inline int base_cancel(struct wheel_base *base, struct wheel_timer *timer)
{
	lockdep_assert_held(&base->lock);
	if (wheel_is_queued(timer)) {
		wheel_remove(&base->core, timer);
		base->counts.cancelled++;
		debug_object_deactivate(timer, &wheel_timer_debug);
		trace_wheel_timer_cancel(timer);
		return 0;
	}
	return -ENOENT;
}

#endif
