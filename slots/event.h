/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events: how they describe an expiry, and how periodic timers are armed again. Functions that
 * every expiry calls are inline.
 */
#ifndef _WHEEL_SLOTS_EVENT_H
#define _WHEEL_SLOTS_EVENT_H

#include "word.h"

/* Not inline, because most timers are not periodic. */
u64 wheel_event_missed(const struct wheel_slots *slots, const struct wheel_slot *slot, u64 now);
bool wheel_event_goes_on(struct wheel_slots *slots, struct wheel_slot *slot, u64 deadline,
			 u64 missed);
bool wheel_event_untaken(const struct wheel_slots *slots, const struct wheel_slot *slot);
int wheel_event_end(const struct wheel_slots *slots, struct wheel_slot *slot, u64 now);

/* Number the event of an expired timer. The caller must then queue or consume the event. */
static inline void wheel_event_fired(struct wheel_slots *slots, struct wheel_slot *slot)
{
	slot->seq = slots->seq++;
	trace_wheel_dev_event(slots, slot);
}

/* Store an event in its slot until the program reads it. */
static inline void wheel_event_queue(struct wheel_slots *slots, struct wheel_slot *slot)
{
	slot->state = WHEEL_SLOT_FIRED;
	node_insert(&slot->timer.node, &slots->fired);
	slots->unread++;
}

/* Return the slot of the oldest event, if one is unread. */
static inline struct wheel_slot *wheel_event_oldest(const struct wheel_slots *slots)
{
	return list_entry(slots->fired.next, struct wheel_slot, timer.node);
}

/* Remove the slot of an unread event. The caller must then consume the event. */
static inline void wheel_event_dequeue(struct wheel_slots *slots, struct wheel_slot *slot)
{
	node_remove(&slot->timer.node);
	slots->unread--;
}

/* Fill in an event. If periods were missed, its deadline is the latest one that has passed. */
static inline void wheel_event_describe(const struct wheel_slots *slots,
					const struct wheel_slot *slot, u64 now,
					struct wheel_event *event)
{
	const struct wheel_params *params = wheel_params(slots, slot);
	u64 deadline = wheel_timer_deadline(&slot->timer);
	u64 fired = wheel_timer_fired(&slot->timer);
	u64 missed = 0;

	if (unlikely(slot->periodic)) {
		missed = wheel_event_missed(slots, slot, now);
		deadline += missed * params->period;
		fired = max(fired, deadline);
	}
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= params->cookie,
		.deadline	= deadline,
		.fired		= fired,
		.overrun	= missed,
		.seq		= slot->seq,
		.res		= 0,
	};
}

/*
 * Update a slot after its event was read or put into the ring. A periodic timer is armed again, and
 * one with a word returns to state DISARMED. Otherwise, and after STOP, the slot is freed.
 */
static inline void wheel_event_consumed(struct wheel_slots *slots, struct wheel_slot *slot,
					const struct wheel_event *event)
{
	slots->consumed++;
	if (unlikely(slot->periodic) &&
	    wheel_event_goes_on(slots, slot, event->deadline, event->overrun))
		return;
	if (slot->word && !slots->stopping)
		wheel_scan_consumed(slots, slot);
	else
		wheel_slot_free(slot);
}

#endif
