// SPDX-License-Identifier: GPL-2.0
/*
 * Exported functions that initialize timers.
 */
#include <linux/export.h>
#include "debug.h"

static void timer_init(struct wheel_timer *timer, struct wheel *wheel,
		       wheel_timer_fn function)
{
	INIT_LIST_HEAD(&timer->node);
	timer->deadline = WHEEL_IDLE;
	timer->fired = 0;
	timer->function = function;
	timer->base = (unsigned long)wheel->base;
	timer->bucket = WHEEL_UNFILED;
	timer->order = 0;
}

/**
 * wheel_timer_init() - Initialize a timer
 * @timer: timer that is not pending
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
	timer_init(timer, wheel, function);
}
EXPORT_SYMBOL_GPL(wheel_timer_init);

/**
 * wheel_timer_init_on_stack() - Initialize a timer on the stack
 * @timer: timer that is not pending
 * @wheel: same as wheel_timer_init()
 * @function: same as wheel_timer_init()
 *
 * The caller must call wheel_timer_destroy_on_stack() before the function that contains the
 * timer returns, because debugobjects does not detect the release of stack memory.
 *
 * Context: Process context.
 */
void wheel_timer_init_on_stack(struct wheel_timer *timer, struct wheel *wheel,
			       wheel_timer_fn function)
{
	wheel_debug_init_on_stack(timer);
	timer_init(timer, wheel, function);
}
EXPORT_SYMBOL_GPL(wheel_timer_init_on_stack);

/**
 * wheel_timer_destroy_on_stack() - Release a timer on the stack
 * @timer: timer of wheel_timer_init_on_stack() that is not pending and whose
 *	callback is not running; see wheel_timer_cancel_sync()
 *
 * Context: Same as wheel_timer_init_on_stack().
 */
void wheel_timer_destroy_on_stack(struct wheel_timer *timer)
{
	wheel_debug_free(timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_destroy_on_stack);

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
