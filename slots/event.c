// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The events of periodic timers: a timer goes on, on its grid, when its event is
 * consumed. A program that does not read makes no work.
 */
#include "event.h"

/**
 * wheel_event_missed - how many periods has a timer missed?
 * @slots: table, locked
 * @slot: slot with a period that fired
 * @now: the clock
 *
 * Return: periods that passed since its deadline, as long as it could go on.
 */
u64 wheel_event_missed(const struct wheel_slots *slots,
		       const struct wheel_slot *slot, u64 now)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);

	if (slot->ended)
		return slot->missed;
	now = min(now, slots->stopped_at);
	return now > deadline ? div64_u64(now - deadline, slot->period) : 0;
}

/**
 * wheel_event_goes_on - arm a periodic timer again, on its grid
 * @slots: table, locked
 * @slot: slot with a period
 * @event: its event, which is consumed
 *
 * Return: false if that was its last.
 */
bool wheel_event_goes_on(struct wheel_slots *slots, struct wheel_slot *slot,
			 const struct wheel_event *event)
{
	slots->overruns += event->overrun;
	slot->state = WHEEL_SLOT_ARMED;
	slot->again = true;
	return !slot->ended && !slots->stopping &&
	       slot->period <= WHEEL_MAX_TIME - event->deadline &&
	       !wheel_timer_arm_locked(&slot->timer, event->deadline + slot->period,
				       slot->slack);
}

/**
 * wheel_event_untaken - does an event of a timer lie in the completion ring?
 * @slots: table, locked
 * @slot: slot whose timer went on after that event
 *
 * The events come into the ring in the order of their numbers. A program that says it
 * has taken more than there are fools itself alone.
 *
 * Return: true if the program has not taken it.
 */
bool wheel_event_untaken(const struct wheel_slots *slots,
			 const struct wheel_slot *slot)
{
	u32 taken;

	if (!slots->taken)
		return false;
	taken = READ_ONCE(*slots->taken);
	return slot->seq - taken < (u32)slots->consumed - taken;
}

/**
 * wheel_event_end - cancel a timer whose event is unread
 * @slots: table, locked
 * @slot: slot
 * @now: the clock
 *
 * Only its periods can end.
 *
 * Return: 1, or -ENOENT: it has none, or they have ended.
 */
int wheel_event_end(const struct wheel_slots *slots, struct wheel_slot *slot,
		    u64 now)
{
	if (!slot->period || slot->ended)
		return -ENOENT;
	slot->missed = wheel_event_missed(slots, slot, now);
	slot->ended = true;
	wheel_slots_trace_cancel(slot);
	return 1;
}
