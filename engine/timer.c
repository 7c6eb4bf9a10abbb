// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that initialize a timer and return its wheel.
 */
#include <linux/export.h>
#include "debug.h"

/**
 * wheel_timer_init() - Initialize a timer
 * @timer: timer that is not pending; not on the stack, which debugobjects reports
 * @wheel: wheel that the timer belongs to from now on
 * @function: callback, called when the timer expires, without a lock held; in softirq
 *	context or, on a WHEEL_SLEEPABLE wheel, in process context. It may arm, cancel or
 *	free its own timer, arm and cancel other timers, and free timers that are not
 *	pending and whose callback is not running
 *
 * Context: Any.
 */
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function)
{
	wheel_debug_init(timer);
	INIT_LIST_HEAD(&timer->node);
	timer->deadline = WHEEL_IDLE;
	timer->fired = 0;
	timer->function = function;
	timer->base = (unsigned long)wheel->base;
	timer->bucket = WHEEL_UNFILED;
	timer->order = 0;
}
EXPORT_SYMBOL_GPL(wheel_timer_init);

/**
 * wheel_timer_wheel() - Get the wheel that a timer belongs to
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: the wheel passed to wheel_timer_init(); NULL, with a warning, if the timer was not
 * initialized.
 */
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	return likely(base) ? base->owner : NULL;
}
EXPORT_SYMBOL_GPL(wheel_timer_wheel);
