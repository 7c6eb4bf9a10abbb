/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of /dev/wheel. They report a timer's id and cookie, by which its program identifies
 * it. The timer's address relates them to the tracepoints of the engine.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM wheel_timer

#if !defined(_WHEEL_SLOTS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _WHEEL_SLOTS_TRACE_H

#include <linux/tracepoint.h>
#include <linux/wheel_timer.h>

struct wheel_slot;
struct wheel_slots;

DECLARE_EVENT_CLASS(wheel_dev,
	TP_PROTO(const struct wheel_slots *slots, const struct wheel_slot *slot),
	TP_ARGS(slots, slot),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(u64,		id)
		__field(u64,		cookie)
		__field(u64,		deadline)
		__field(u64,		period)
		__field(u32,		seq)
	),

	TP_fast_assign(
		const struct wheel_params *params = wheel_params(slots, slot);

		__entry->timer		= &slot->timer;
		__entry->id		= slot->id;
		__entry->cookie		= params->cookie;
		__entry->deadline	= wheel_timer_deadline(&slot->timer);
		__entry->period		= params->period;
		__entry->seq		= slot->seq;
	),

	TP_printk("timer=%p id=0x%llx slot=%u gen=%llu cookie=0x%llx deadline=%llu period=%llu seq=%u",
		__entry->timer, __entry->id, WHEEL_ID_SLOT(__entry->id),
		WHEEL_ID_GEN(__entry->id), __entry->cookie,
		__entry->deadline, __entry->period, __entry->seq)
);

/* A timer was armed by ARM, or a scan queued a timer; seq is that of an earlier timer. */
DEFINE_EVENT(wheel_dev, wheel_dev_arm,
	TP_PROTO(const struct wheel_slots *slots, const struct wheel_slot *slot),
	TP_ARGS(slots, slot));

/* A timer was cancelled by CANCEL. */
DEFINE_EVENT(wheel_dev, wheel_dev_cancel,
	TP_PROTO(const struct wheel_slots *slots, const struct wheel_slot *slot),
	TP_ARGS(slots, slot));

/* A timer has expired, and its event was numbered. */
DEFINE_EVENT(wheel_dev, wheel_dev_event,
	TP_PROTO(const struct wheel_slots *slots, const struct wheel_slot *slot),
	TP_ARGS(slots, slot));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH slots
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
