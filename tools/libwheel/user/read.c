// SPDX-License-Identifier: MIT
/*
 * Events are taken. The timer that fired is the storage of its own event until
 * then, and a periodic one goes on afterwards.
 */
#include <limits.h>

#include "user.h"

/**
 * slot_missed - how many periods passed since the deadline of a slot
 * @slot: slot with a period
 * @now: the clock
 *
 * Return: periods.
 */
u64 slot_missed(const struct slot *slot, u64 now)
{
	u64 deadline = slot->timer.deadline;

	return now > deadline ? (now - deadline) / slot->period : 0;
}

/* If periods were missed the event speaks of the newest that is due. */
static void describe(const struct slot *slot, u64 now,
		     struct wheel_event *event)
{
	u64 missed = 0;

	if (slot->period)
		missed = slot->ended ? slot->missed : slot_missed(slot, now);
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= slot->cookie,
		.deadline	= slot->timer.deadline + missed * slot->period,
		.fired		= slot->timer.fired,
		.overrun	= missed,
		.seq		= slot->seq,
	};
}

static bool goes_on(struct user *u, struct slot *slot, u64 deadline, u64 now)
{
	if (!slot->period || slot->ended || u->stopped ||
	    slot->period > WHEEL_MAX_TIME - deadline)
		return false;
	tell_time(u, now);
	return !wheel_place(&u->core, &slot->timer, deadline + slot->period,
			    slot->slack);
}

static void over(struct user *u, struct slot *slot,
		 const struct wheel_event *event, u64 now)
{
	u->counts.overruns += event->overrun;
	if (goes_on(u, slot, event->deadline, now)) {
		slot->state = SLOT_ARMED;
		u->counts.armed++;
	} else {
		slot_free(u, slot);
	}
}

/**
 * user_take - libwheel_expirations()
 * @handle: of a wheel
 * @events: filled
 * @count: at most so many
 *
 * Return: how many; -ESHUTDOWN: there will be none.
 */
int user_take(struct handle *handle, struct wheel_event *events, u32 count)
{
	struct user *u = user_of(handle);
	u64 now = user_enter(u);
	struct slot *slot;
	u32 taken = 0;
	int ret;

	while (taken < min_t(u32, count, INT_MAX)) {
		slot = queue_pop(u, &u->fired);
		if (!slot)
			break;
		describe(slot, now, &events[taken]);
		over(u, slot, &events[taken++], now);
	}
	ret = !taken && u->stopped ? -ESHUTDOWN : (int)taken;
	watch_again(u, now);
	pthread_mutex_unlock(&u->lock);
	return ret;
}
