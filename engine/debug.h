/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instrumentation: tracepoints, and debugobjects, which report a pending timer that is freed or
 * initialized. Without debugobjects, each function is a nop while its tracepoint is disabled.
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
void wheel_debug_activate(struct wheel_timer *timer);
void wheel_debug_deactivate(struct wheel_timer *timer);
#else
static inline void wheel_debug_init(struct wheel_timer *timer) {}
static inline void wheel_debug_activate(struct wheel_timer *timer) {}
static inline void wheel_debug_deactivate(struct wheel_timer *timer) {}
#endif

/* A timer was armed. The caller holds the lock of its base, also for the functions below. */
static inline void debug_arm(struct wheel_timer *timer)
{
	wheel_debug_activate(timer);
	if (trace_wheel_timer_arm_enabled())
		wheel_trace_arm(timer);
}

/* The deadline of a pending timer was moved. */
static inline void debug_rearm(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_rearm_enabled())
		wheel_trace_rearm(timer);
}

/* A timer was dequeued. Called before the claim, after which it may be initialized again. */
static inline void debug_pop(struct wheel_timer *timer)
{
	wheel_debug_deactivate(timer);
}

/* A dequeued timer was queued again, because its deadline had been moved. */
static inline void debug_requeue(struct wheel_timer *timer)
{
	wheel_debug_activate(timer);
	if (trace_wheel_timer_requeue_enabled())
		wheel_trace_requeue(timer);
}

/* A dequeued timer was dropped by WHEEL_GONE. Its owner may already be using it again. */
static inline void debug_gone(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_cancel_enabled())
		wheel_trace_cancel(timer);
}

/* A timer was cancelled. */
static inline void debug_cancel(struct wheel_timer *timer)
{
	wheel_debug_deactivate(timer);
	if (trace_wheel_timer_cancel_enabled())
		wheel_trace_cancel(timer);
}

/* A timer expires. */
static inline void debug_expire(const struct wheel_timer *timer)
{
	if (trace_wheel_timer_expire_enabled())
		wheel_trace_expire(timer);
}

#endif
