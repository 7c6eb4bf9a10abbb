// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints. The functions below are not inline, so that a disabled tracepoint costs their
 * callers one nop, but no register.
 */
#include "debug.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

void wheel_trace_arm(const struct wheel_timer *timer)
{
	trace_wheel_timer_arm(timer);
}

void wheel_trace_rearm(const struct wheel_timer *timer)
{
	trace_wheel_timer_rearm(timer);
}

void wheel_trace_requeue(const struct wheel_timer *timer)
{
	trace_wheel_timer_requeue(timer);
}

void wheel_trace_cancel(const struct wheel_timer *timer)
{
	trace_wheel_timer_cancel(timer);
}

void wheel_trace_expire(const struct wheel_timer *timer)
{
	trace_wheel_timer_expire(timer);
}
