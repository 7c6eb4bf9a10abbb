/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's verbs in line, for slots/op.c alone, which needs one for each operation of a
 * batch. Elsewhere the device uses the exported API. Its wheels have one base.
 */
#ifndef _WHEEL_DEV_VERBS_ENV_H
#define _WHEEL_DEV_VERBS_ENV_H

#include "../engine/verbs.h"

/*
 * wheel_timer_arm_locked() of a timer that is idle, for times that there are. There is room
 * for it, since a wheel's limit is how many slots its file has; and before a wheel is stopped its
 * table of slots is, under the lock that is held here.
 */
static __always_inline int wheel_timer_file(struct wheel *wheel, struct wheel_timer *timer,
					    u64 deadline, u64 slack)
{
	return base_file(wheel->base, timer, deadline, slack);
}

/* wheel_timer_rearm_locked() of a timer that is pending, to times that there are. */
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
