// SPDX-License-Identifier: GPL-2.0
/*
 * Timers: made and looked at. Kernel modules call this.
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
 * wheel_timer_init - make a timer ready to be armed
 * @timer: timer that is not pending
 * @wheel: the wheel that it belongs to from now on
 * @function: called when it fires, in softirq context or, on a WHEEL_SLEEPABLE
 *	wheel, in process context; without a lock held. It may arm, cancel or free
 *	its own timer, arm and cancel others, and free those that are neither pending
 *	nor called
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
 * wheel_timer_init_on_stack - make a timer ready that lives on the stack
 * @timer: timer that is not pending
 * @wheel: as wheel_timer_init()
 * @function: as wheel_timer_init()
 *
 * As wheel_timer_init(), for a timer of a function's own, which calls
 * wheel_timer_destroy_on_stack() before it returns. The difference is for the
 * kernel's debugobjects: they do not see how memory on the stack is freed.
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
 * wheel_timer_destroy_on_stack - a timer on the stack goes
 * @timer: timer of wheel_timer_init_on_stack() that is not pending and whose
 *	callback does not run; see wheel_timer_cancel_sync()
 *
 * Context: As wheel_timer_init_on_stack().
 */
void wheel_timer_destroy_on_stack(struct wheel_timer *timer)
{
	wheel_debug_free(timer);
}
EXPORT_SYMBOL_GPL(wheel_timer_destroy_on_stack);

/**
 * wheel_timer_wheel - the wheel that a timer belongs to
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: the wheel that wheel_timer_init() was given; NULL: the timer was not
 * initialized, which is a bug and warned of.
 */
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base_or_warn(timer);

	return likely(base) ? base->owner : NULL;
}
EXPORT_SYMBOL_GPL(wheel_timer_wheel);
