// SPDX-License-Identifier: GPL-2.0
/*
 * Looks: an owner who lets timers be armed without the wheel learns of them.
 */
#include <linux/export.h>
#include <linux/sched.h>
#include "engine.h"

/**
 * wheel_look_at_locked - have the owner look at a time
 * @wheel: wheel with a look function, locked by wheel_lock()
 * @time: nanoseconds on its clock, which may have passed; WHEEL_NEVER: not at all
 *
 * It takes the place of what was said before.
 *
 * Context: As wheel_timer_arm_locked().
 */
void wheel_look_at_locked(struct wheel *wheel, u64 time)
{
	struct wheel_base *base = wheel->base;

	lockdep_assert_held(&base->lock);
	/* As timers, a look is due at tick 1 at the earliest. */
	base->look = time == WHEEL_NEVER ? WHEEL_NO_TICK :
		     wheel_tick_ceil(&base->core.tick, clamp_t(u64, time, 1, WHEEL_MAX_TIME));
	if (base->look < base->programmed)
		wheel_base_program(base, base->look);
}
EXPORT_SYMBOL_GPL(wheel_look_at_locked);

/**
 * wheel_look_at - have the owner look at a time
 * @wheel: wheel with a look function
 * @time: as wheel_look_at_locked()
 *
 * Context: As wheel_timer_arm().
 */
void wheel_look_at(struct wheel *wheel, u64 time)
{
	unsigned long flags = wheel_lock(wheel);

	wheel_look_at_locked(wheel, time);
	wheel_unlock(wheel, flags);
}
EXPORT_SYMBOL_GPL(wheel_look_at);

/**
 * wheel_base_look - let the owner look
 * @base: base in a pass, locked; not while the owner looks
 * @now: the clock
 * @until: the tick that it shows
 *
 * Of that tick no timer was taken yet, so what is found is filed as if it had not begun.
 *
 * Return: so many timers were looked at.
 */
unsigned int wheel_base_look(struct wheel_base *base, u64 now, u64 until)
{
	struct wheel *wheel = base->owner;
	unsigned int looks;

	lockdep_assert_held(&base->lock);
	base->present = until - 1;
	base->looker = current;
	raw_spin_unlock_irq(&base->lock);

	lock_map_acquire_read(&wheel->calling);
	looks = wheel->config.look(wheel, now);
	lock_map_release(&wheel->calling);

	raw_spin_lock_irq(&base->lock);
	base->looker = NULL;
	return looks;
}
