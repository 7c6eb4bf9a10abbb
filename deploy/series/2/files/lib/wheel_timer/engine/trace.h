/* SPDX-License-Identifier: GPL-2.0 */
/*
 * No tracepoints.
 */
#ifndef _WHEEL_ENGINE_TRACE_H
#define _WHEEL_ENGINE_TRACE_H

#include "engine.h"

#define NO_TRACE(name, ...)	static inline void trace_##name(__VA_ARGS__) { }

NO_TRACE(wheel_timer_arm, const struct wheel_timer *timer)
NO_TRACE(wheel_timer_rearm, const struct wheel_timer *timer)
NO_TRACE(wheel_timer_requeue, const struct wheel_timer *timer)
NO_TRACE(wheel_timer_cancel, const struct wheel_timer *timer)
NO_TRACE(wheel_timer_expire, const struct wheel_timer *timer)
NO_TRACE(wheel_wakeup, const struct wheel_base *base)
NO_TRACE(wheel_pass_begin, const struct wheel_base *base)
NO_TRACE(wheel_pass_end, const struct wheel_base *base, u64 until, u64 fired, unsigned int work,
	 bool more)

#endif
