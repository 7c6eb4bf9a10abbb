/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Others watch a timer's life: tracepoints, and debugobjects, which know the
 * timers that are pending and report one that is freed or initialized. Without
 * both this is nothing, and with tracepoints that are off a nop.
 */
#ifndef _WHEEL_ENGINE_DEBUG_H
#define _WHEEL_ENGINE_DEBUG_H

#include "trace.h"

void wheel_trace_arm(const struct wheel_timer *timer);
void wheel_trace_rearm(const struct wheel_timer *timer);
void wheel_trace_requeue(const struct wheel_timer *timer);
void wheel_trace_cancel(const struct wheel_timer *timer);
void wheel_trace_expire(const struct wheel_timer *timer);

#ifdef CONFIG_DEBUG_OBJECTS
void wheel_debug_init(struct wheel_timer *timer);
void wheel_debug_init_on_stack(struct wheel_timer *timer);
void wheel_debug_activate(struct wheel_timer *timer);
void wheel_debug_deactivate(struct wheel_timer *timer);
void wheel_debug_free(struct wheel_timer *timer);
#else
static inline void wheel_debug_init(struct wheel_timer *timer) {}
static inline void wheel_debug_init_on_stack(struct wheel_timer *timer) {}
static inline void wheel_debug_activate(struct wheel_timer *timer) {}
static inline void wheel_debug_deactivate(struct wheel_timer *timer) {}
static inline void wheel_debug_free(struct wheel_timer *timer) {}
#endif

/* With the lock of its base held: a timer was armed, ... */
static inline void debug_arm(struct wheel_timer *timer)
{
	wheel_debug_activate(timer);
	if (trace_wheel_timer_arm_enabled())
		wheel_trace_arm(timer);
}

/* ... was moved while it was pending, ... */
static inline void debug_rearm(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_rearm_enabled())
		wheel_trace_rearm(timer);
}

/* ... was popped (its claimer may let others initialize it anew at once), ... */
static inline void debug_pop(struct wheel_timer *timer)
{
	wheel_debug_deactivate(timer);
}

/* ... and filed again since it had been pushed, ... */
static inline void debug_requeue(struct wheel_timer *timer)
{
	wheel_debug_activate(timer);
	if (trace_wheel_timer_requeue_enabled())
		wheel_trace_requeue(timer);
}

/* ... or is gone, and perhaps its owner's again already, ... */
static inline void debug_gone(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_cancel_enabled())
		wheel_trace_cancel(timer);
}

/* ... was cancelled, ... */
static inline void debug_cancel(struct wheel_timer *timer)
{
	wheel_debug_deactivate(timer);
	if (trace_wheel_timer_cancel_enabled())
		wheel_trace_cancel(timer);
}

/* ... or fires. */
static inline void debug_expire(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_expire_enabled())
		wheel_trace_expire(timer);
}

#endif
