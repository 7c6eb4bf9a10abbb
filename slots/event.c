// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Events of periodic timers. A timer is armed again, at a multiple of its period, when its event
 * is consumed. A program that reads no events therefore causes no further expiries.
 */
#include "event.h"

/**
 * wheel_event_missed() - Get the number of periods that a timer has missed
 * @slots: table, locked
 * @slot: slot of a periodic timer that has expired
 * @now: current time of the clock
 *
 * Return: the number of whole periods from its deadline until @now, until the cancel if @ended, or
 * until the wheel was stopped.
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
 * wheel_event_goes_on() - Arm a periodic timer again, one period after its event's deadline
 * @slots: table, locked
 * @slot: slot of a periodic timer
 * @event: its event, which is being consumed
 *
 * Return: true if the timer was armed; false if @event is its last event.
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
 * wheel_event_untaken() - Check whether the last event of a timer is still in the ring
 * @slots: table, locked
 * @slot: slot whose timer was armed again after that event
 *
 * Events are put into the ring in the order of their sequence numbers. If a program writes an
 * @event_head beyond the tail, only its own results are wrong.
 *
 * Return: true if the program has not taken the event.
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
 * wheel_event_end() - Cancel a timer whose event is unread
 * @slots: table, locked
 * @slot: slot
 * @now: current time of the clock
 *
 * The event remains. Only the further periods of a periodic timer are cancelled.
 *
 * Return: 1 on success; -ENOENT if the timer is not periodic or was cancelled before.
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
