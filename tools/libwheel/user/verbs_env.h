/* SPDX-License-Identifier: MIT */
/*
 * The operations of the engine for slots/op.c. In the kernel they are inline functions.
 */
#ifndef LIBWHEEL_VERBS_ENV_H
#define LIBWHEEL_VERBS_ENV_H

#include "engine.h"

static inline int wheel_timer_enqueue(struct wheel *wheel, struct wheel_timer *timer,
				      u64 deadline, u64 slack)
{
	(void)wheel;
	return wheel_timer_arm_locked(timer, deadline, slack);
}

static inline int wheel_timer_move(struct wheel *wheel, struct wheel_timer *timer,
				   u64 deadline, u64 slack)
{
	(void)wheel;
	return wheel_timer_rearm_locked(timer, deadline, slack);
}

static inline int wheel_timer_take(struct wheel *wheel, struct wheel_timer *timer)
{
	(void)wheel;
	return wheel_timer_cancel_locked(timer);
}

#endif
