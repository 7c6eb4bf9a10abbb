/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of timers and passes. Each one is a nop until it is enabled. All times are in
 * nanoseconds on the wheel's clock; no tracepoint reads a clock. See
 * Documentation/reference/tracing.rst.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM wheel_timer

#if !defined(_WHEEL_ENGINE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _WHEEL_ENGINE_TRACE_H

#include <linux/tracepoint.h>
#include "engine.h"

DECLARE_EVENT_CLASS(wheel_timer,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(void *,		function)
		__field(u64,		deadline)
		__field(u64,		due)
		__field(u32,		wheel)
		__field(u8,		order)
	),

	TP_fast_assign(
		const struct wheel_base *base = timer_base(timer);

		__entry->timer		= timer;
		__entry->function	= base->wheel->owner->context ? timer->function : NULL;
		__entry->deadline	= wheel_timer_deadline(timer);
		__entry->due		= wheel_time_of(&base->core, timer->due_tick);
		__entry->wheel		= base->wheel->id;
		__entry->order		= timer_order(timer);
	),

	TP_printk("wheel=%u timer=%p function=%ps deadline=%llu due=%llu order=%u",
		__entry->wheel, __entry->timer, __entry->function,
		__entry->deadline, __entry->due, __entry->order)
);

/* A timer that was not pending was armed. */
DEFINE_EVENT(wheel_timer, wheel_timer_arm,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer));

/* The deadline of a pending timer was moved. */
DEFINE_EVENT(wheel_timer, wheel_timer_rearm,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer));

/* A timer was dequeued and queued again, because its deadline had been moved. */
DEFINE_EVENT(wheel_timer, wheel_timer_requeue,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer));

/* A timer will not expire: it was cancelled, returned by wheel_stop(), or dropped by WHEEL_GONE. */
DEFINE_EVENT(wheel_timer, wheel_timer_cancel,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer));

/* A timer has expired; its callback follows. */
TRACE_EVENT(wheel_timer_expire,
	TP_PROTO(const struct wheel_timer *timer), TP_ARGS(timer),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(void *,		function)
		__field(u64,		deadline)
		__field(u64,		fired)
		__field(u64,		late)
		__field(u32,		wheel)
	),

	TP_fast_assign(
		const struct wheel_base *base = timer_base(timer);

		__entry->timer		= timer;
		__entry->function	= base->wheel->owner->context ? timer->function : NULL;
		__entry->deadline	= wheel_timer_deadline(timer);
		__entry->fired		= timer->fired;
		__entry->late		= __entry->fired - __entry->deadline;
		__entry->wheel		= base->wheel->id;
	),

	TP_printk("wheel=%u timer=%p function=%ps deadline=%llu fired=%llu late=%llu",
		__entry->wheel, __entry->timer, __entry->function,
		__entry->deadline, __entry->fired, __entry->late)
);

DECLARE_EVENT_CLASS(wheel_base,
	TP_PROTO(const struct wheel_base *base), TP_ARGS(base),

	TP_STRUCT__entry(
		__field(u32,		wheel)
		__field(u32,		base)
	),

	TP_fast_assign(
		__entry->wheel	= base->wheel->id;
		__entry->base	= base - base->wheel->base;
	),

	TP_printk("wheel=%u base=%u", __entry->wheel, __entry->base)
);

/* The hrtimer of a base has expired and starts a pass. */
DEFINE_EVENT(wheel_base, wheel_wakeup,
	TP_PROTO(const struct wheel_base *base), TP_ARGS(base));

/* A pass begins. */
DEFINE_EVENT(wheel_base, wheel_pass_begin,
	TP_PROTO(const struct wheel_base *base), TP_ARGS(base));

/* A pass ends, or yields and is continued later. */
TRACE_EVENT(wheel_pass_end,
	TP_PROTO(const struct wheel_base *base, u64 until, u64 fired, unsigned int work, bool more),
	TP_ARGS(base, until, fired, work, more),

	TP_STRUCT__entry(
		__field(u64,		until)
		__field(u64,		fired)
		__field(u64,		pending)
		__field(s64,		next)
		__field(u32,		wheel)
		__field(u32,		base)
		__field(u32,		work)
		__field(bool,		more)
	),

	TP_fast_assign(
		__entry->until		= until;
		__entry->fired		= fired;
		__entry->pending	= base->core.pending;
		__entry->next		= base_next(base);
		__entry->wheel		= base->wheel->id;
		__entry->base		= base - base->wheel->base;
		__entry->work		= work;
		__entry->more		= more;
	),

	TP_printk("wheel=%u base=%u until=%llu fired=%llu work=%u more=%d pending=%llu next=%lld",
		__entry->wheel, __entry->base, __entry->until, __entry->fired,
		__entry->work, __entry->more, __entry->pending, __entry->next)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH engine
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
