/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inline functions of the engine for slots/op.c, which calls one of them for each operation of a
 * batch. The other files of the device use the exported API. The wheels of the device have one
 * base.
 */
#ifndef _WHEEL_DEV_VERBS_ENV_H
#define _WHEEL_DEV_VERBS_ENV_H

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
static __always_inline int wheel_timer_take(struct wheel *wheel, struct wheel_timer *timer)
{
	return base_cancel(wheel->base, timer);
}

#endif
