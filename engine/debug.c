// SPDX-License-Identifier: GPL-2.0
/*
 * Debugobjects: a pending timer is an active object. The fixup functions run after the report and
 * cancel the timer, so that the kernel survives the bug. They do not wait for a callback.
 */
#include <linux/debugobjects.h>
#include "engine.h"

static const struct debug_obj_descr timer_descr;

static void *timer_hint(void *addr)
{
	struct wheel_timer *timer = addr;

	return timer->function;
}

static bool timer_fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	wheel_timer_cancel(addr);
	debug_object_init(addr, &timer_descr);
	return true;
}

static bool timer_fixup_free(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	wheel_timer_cancel(addr);
	debug_object_free(addr, &timer_descr);
	return true;
}

static const struct debug_obj_descr timer_descr = {
	.name		= "wheel_timer",
	.debug_hint	= timer_hint,
	.fixup_init	= timer_fixup_init,
	.fixup_free	= timer_fixup_free,
};

void wheel_debug_init(struct wheel_timer *timer)
{
	debug_object_init(timer, &timer_descr);
}

void wheel_debug_activate(struct wheel_timer *timer)
{
	debug_object_activate(timer, &timer_descr);
}

void wheel_debug_deactivate(struct wheel_timer *timer)
{
	debug_object_deactivate(timer, &timer_descr);
}
