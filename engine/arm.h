/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arming a timer and moving one have this in common: both may file it before the
 * time that the hrtimer is set to, and both must not file it before the present.
 */
#ifndef _WHEEL_ENGINE_ARM_H
#define _WHEEL_ENGINE_ARM_H

#include "debug.h"

void wheel_base_forward_clock(struct wheel_base *base, u64 deadline);
void wheel_timer_to_this_cpu(struct wheel_timer *timer);

static inline int arm_check_time(u64 deadline, u64 slack)
{
	return deadline > WHEEL_MAX_TIME || slack > WHEEL_MAX_TIME ? -ERANGE : 0;
}

/*
 * Before a timer is filed: a deadline that may have passed needs the present, so
 * that overdue timers come in the order in which they were armed.
 */
static inline void base_forward_clock(struct wheel_base *base, u64 deadline)
{
	if (unlikely(!base->core.pending ||
		     deadline <= READ_ONCE(base->needs_clock_until)))
		wheel_base_forward_clock(base, deadline);
}

/* Afterwards: the hrtimer has to come earlier if this timer is the earliest now. */
static inline void base_reprogram(struct wheel_base *base,
				  const struct wheel_timer *timer)
{
	if (timer->due_tick < base->programmed)
		wheel_base_program(base, timer->due_tick);
}

/* Lock the base that a timer will be armed on. */
static inline struct wheel_base *arm_lock(struct wheel_timer *timer,
					  unsigned long *flags)
{
	if (unlikely(timer_base(timer)->percpu))
		wheel_timer_to_this_cpu(timer);
	return timer_lock(timer, flags);
}

#endif
