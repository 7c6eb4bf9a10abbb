// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Events of periodic timers. A timer is armed again, at a multiple of its period, when its event
 * is consumed. A program that reads no events therefore causes no further expiries.
 */
#include "event.h"

/* Returns the number of periods that an expired timer has missed by @now, its cancel or STOP. */
u64 wheel_event_missed(const struct wheel_slots *slots, const struct wheel_slot *slot, u64 now)
{
	const struct wheel_params *params = wheel_params(slots, slot);
	u64 deadline = wheel_timer_deadline(&slot->timer);

	if (slot->ended)
		return params->missed;
	now = min(now, slots->stopped_at);
	return now > deadline ? div64_u64(now - deadline, params->period) : 0;
}

/*
 * Arm a periodic timer again, one period after the deadline of its event, which is being consumed
 * and reports @missed periods. Returns false if it is the last event of the timer.
 */
bool wheel_event_goes_on(struct wheel_slots *slots, struct wheel_slot *slot, u64 deadline,
			 u64 missed)
{
	const struct wheel_params *params = wheel_params(slots, slot);

	slots->overruns += missed;
	slot->state = WHEEL_SLOT_ARMED;
	slot->again = true;
	return !slot->ended && !slots->stopping &&
	       params->period <= WHEEL_MAX_TIME - deadline &&
	       !wheel_timer_arm_locked(&slot->timer, deadline + params->period, params->slack);
}

/*
 * Check whether the last event of a timer, which was armed again since, is still in the ring.
 * Events are put into the ring in the order of their sequence numbers. If a program writes an
 * @event_head beyond the tail, only its own results are wrong.
 */
bool wheel_event_untaken(const struct wheel_slots *slots, const struct wheel_slot *slot)
{
	u32 taken;

	if (!slots->taken)
		return false;
	taken = READ_ONCE(*slots->taken);
	return slot->seq - taken < (u32)slots->consumed - taken;
}

/*
 * Cancel a timer whose event is unread. The event remains, only the further periods of a periodic
 * timer are cancelled. Returns 1, or -ENOENT if the timer is not periodic or was cancelled before.
 */
int wheel_event_end(const struct wheel_slots *slots, struct wheel_slot *slot, u64 now)
{
	struct wheel_params *params = wheel_params(slots, slot);

	if (!slot->periodic || slot->ended)
		return -ENOENT;
	params->missed = wheel_event_missed(slots, slot, now);
	slot->ended = true;
	trace_wheel_dev_cancel(slots, slot);
	return 1;
}
