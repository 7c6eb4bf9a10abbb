/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The three operations of the engine that batches and scans call for each timer. In the kernel they
 * are inline functions of the engine. Wheels whose timers are in slots have one base.
 */
#ifndef _WHEEL_SLOTS_VERBS_H
#define _WHEEL_SLOTS_VERBS_H

#include "slots.h"

#ifdef __KERNEL__
#include "../engine/verbs.h"

/*
 * wheel_timer_arm_locked() for an idle timer and valid times. The limit of the wheel cannot be
 * exceeded, because it is the number of slots. The wheel cannot be stopped, because the table of
 * slots is stopped before it, under the lock that is held here.
 */
static __always_inline int wheel_timer_enqueue(struct wheel *wheel, struct wheel_timer *timer,
					       u64 deadline, u64 slack)
{
	return base_enqueue(wheel->base, timer, deadline, slack);
}

/* wheel_timer_rearm_locked() for a pending timer and valid times. */
static __always_inline int wheel_timer_move(struct wheel *wheel, struct wheel_timer *timer,
					    u64 deadline, u64 slack)
{
	return base_move(wheel->base, timer, deadline, slack);
}

/* wheel_timer_cancel_locked() */
static __always_inline int wheel_timer_remove(struct wheel *wheel, struct wheel_timer *timer)
{
	return base_cancel(wheel->base, timer);
}

#else

#define wheel_timer_enqueue(wheel, timer, deadline, slack) \
	((void)(wheel), wheel_timer_arm_locked(timer, deadline, slack))
#define wheel_timer_move(wheel, timer, deadline, slack) \
	((void)(wheel), wheel_timer_rearm_locked(timer, deadline, slack))
#define wheel_timer_remove(wheel, timer) \
	((void)(wheel), wheel_timer_cancel_locked(timer))

#endif

#endif
