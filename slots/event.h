/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Events: how they describe an expiry, and how their timers go on. Inline is what each
 * expiry does.
 */
#ifndef _WHEEL_SLOTS_EVENT_H
#define _WHEEL_SLOTS_EVENT_H

#include "keep.h"
#include "slots.h"

/* Out of line, as most timers are over when they have fired. */
u64 wheel_event_missed(const struct wheel_slots *slots,
		       const struct wheel_slot *slot, u64 now);
bool wheel_event_goes_on(struct wheel_slots *slots, struct wheel_slot *slot,
			 const struct wheel_event *event);
bool wheel_event_untaken(const struct wheel_slots *slots,
			 const struct wheel_slot *slot);
int wheel_event_end(const struct wheel_slots *slots, struct wheel_slot *slot,
		    u64 now);

/**
 * wheel_event_fired - a timer is due
 * @slots: table, locked
 * @slot: slot whose timer the wheel took
 *
 * Its event has a number now. It is to be described at once, or to be queued by
 * wheel_event_queue().
 */
static inline void wheel_event_fired(struct wheel_slots *slots,
				     struct wheel_slot *slot)
{
	slot->seq = slots->seq++;
	wheel_slots_trace_event(slot);
}

/* The event waits in its slot. */
static inline void wheel_event_queue(struct wheel_slots *slots,
				     struct wheel_slot *slot)
{
	slot->state = WHEEL_SLOT_FIRED;
	wheel_slot_push(slots, &slots->fired, slot);
}

/**
 * wheel_event_describe - an event as it stands now
 * @slots: table, locked
 * @slot: slot that fired
 * @now: the clock
 * @event: filled; if periods were missed it speaks of the newest deadline that is
 *	due, and says that it fired no earlier
 */
static inline void wheel_event_describe(const struct wheel_slots *slots,
					const struct wheel_slot *slot, u64 now,
					struct wheel_event *event)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);
	u64 fired = wheel_timer_fired(&slot->timer);
	u64 missed = 0;

	if (unlikely(slot->period)) {
		missed = wheel_event_missed(slots, slot, now);
		deadline += missed * slot->period;
		fired = max(fired, deadline);
	}
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= slot->cookie,
		.deadline	= deadline,
		.fired		= fired,
		.overrun	= missed,
		.seq		= slot->seq,
		.res		= 0,
	};
}

/**
 * wheel_event_consumed - an event was read, or put into the completion ring
 * @slots: table, locked
 * @slot: slot of the event
 * @event: the event
 *
 * A periodic timer goes on, one that is kept rests, any other is over.
 */
static inline void wheel_event_consumed(struct wheel_slots *slots,
					struct wheel_slot *slot,
					const struct wheel_event *event)
{
	slots->consumed++;
	if (unlikely(slot->period) && wheel_event_goes_on(slots, slot, event))
		return;
	if (slot->keep)
		wheel_keep_over(slots, slot);
	else
		wheel_slot_free(slots, slot);
}

#endif
