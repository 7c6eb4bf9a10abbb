// SPDX-License-Identifier: GPL-2.0
/*
 * Debugobjects: a pending timer is an active object. The fixup functions run after the report and
 * cancel the timer, so that the kernel survives the bug. They do not wait for a callback.
 */
#include "verbs.h"

static void *timer_hint(void *addr)
{
	struct wheel_timer *timer = addr;

	return timer->function;
}

static void fixup_cancel(struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base(timer);
	unsigned long flags;

	raw_spin_lock_irqsave(&base->lock, flags);
	base_cancel(base, timer);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

static bool timer_fixup_init(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	fixup_cancel(addr);
	debug_object_init(addr, &wheel_timer_debug);
	return true;
}

static bool timer_fixup_free(void *addr, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	fixup_cancel(addr);
	debug_object_free(addr, &wheel_timer_debug);
	return true;
}

const struct debug_obj_descr wheel_timer_debug = {
	.name		= "wheel_timer",
	.debug_hint	= timer_hint,
	.fixup_init	= timer_fixup_init,
	.fixup_free	= timer_fixup_free,
};
