// SPDX-License-Identifier: MIT
/*
 * Private words: those of a set of timeouts that only one thread uses. Nothing happens between a
 * load and a store of a word, so it is not exchanged:
 *
 *	word			timer
 *
 *	all bits set		not queued, or its event was not taken; or as the last one
 *	deadline		queued at this time or earlier
 *	deadline and IDLE	stopped, still queued at this time or earlier
 *
 * The inline functions postpone and stop a timeout. The timer is queued again when it is dequeued
 * at its old time. All other changes are made here, where a timer is queued at once. Consequently
 * there are neither doorbells nor scans.
 */
#include "user.h"

/* Decide about a timer that was dequeued: wheel_claim_fn. */
enum wheel_claim private_claim(void *data, struct wheel_timer *timer, u64 due, u64 *deadline)
{
	struct user *u = container_of(data, struct user, slots);
	struct wheel_slot *slot = wheel_slot_of(timer);
	u64 *word = &u->handle.timeouts.words[wheel_slot_nr(slot)];

	*deadline = *word & WHEEL_MAX_TIME;
	if (*word == *deadline) {
		if (*deadline > due && due < WHEEL_MAX_TIME)
			return WHEEL_LATER;
		*word = PRIVATE_UNQUEUED;
		return WHEEL_FIRE;
	}
	*word = PRIVATE_UNQUEUED;
	slot->state = WHEEL_SLOT_DISARMED;
	return WHEEL_GONE;
}

/* Create the timer of a slot. */
static int create(struct user *u, u32 nr)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .flags = WHEEL_OP_WORD, .id = WHEEL_ID(nr, 1), .cookie = nr,
	};
	int err = op_do(&u->handle, &op);

	u->handle.timeouts.words[nr] = PRIVATE_UNQUEUED;
	return err;
}

/*
 * Queue a timer at a deadline or earlier. A deadline beyond the range of the scheme is read again
 * at the end of the range.
 */
static void queue(const struct wheel_core *core, struct wheel_slot *slot, u64 deadline)
{
	struct wheel_timer *timer = &slot->timer;

	if (slot->state != WHEEL_SLOT_ARMED) {
		if (wheel_timer_arm_locked(timer, deadline, 0))
			wheel_timer_arm_locked(timer, wheel_time_of(core, core->latest), 0);
		slot->state = WHEEL_SLOT_ARMED;
	} else if (deadline < wheel_timer_deadline(timer)) {
		if (wheel_timer_rearm_locked(timer, deadline, 0))
			wheel_timer_rearm_locked(timer, wheel_time_of(core, core->latest), 0);
	}
}

/*
 * Lock the wheel. The clock is read if it may have been set back, and if the range of the scheme
 * begins at the current time. No timer expires, so that one that is due may be started again.
 */
static void lock_for_queue(struct user *u)
{
	if (wheel_settable(u->handle.setup.clock) || u->wheel.core.scheme->follow)
		user_lock(u);
	else
		lock_take(&u->lock);
}

/* Start a timeout that may be the next one, or that is queued too late. Its timer may not exist. */
static noinline int start_slow(struct user *u, u32 nr, u64 deadline)
{
	struct wheel_slot *slot = wheel_slot_named(&u->slots, nr);
	int err;

	if (!slot || slot->state == WHEEL_SLOT_FREE) {
		err = create(u, nr);
		if (err)
			return err;
		slot = wheel_slot_named(&u->slots, nr);
	}
	if (slot->state == WHEEL_SLOT_FIRED)
		return -EBUSY;
	lock_for_queue(u);
	queue(&u->wheel.core, slot, deadline);
	u->handle.timeouts.words[nr] = deadline;
	user_leave(u);
	return 0;
}

/*
 * libwheel_timeout_start_at() of a timer that is not queued, or not early enough. If another one is
 * due earlier, neither the lull nor the timerfd changes.
 */
int private_start(struct handle *handle, __u32 nr, __u64 deadline)
{
	struct user *u = user_of(handle);
	struct wheel_slot *slot = wheel_slot_named(&u->slots, nr);
	struct wheel_due due;

	if (unlikely(!slot || slot->state != WHEEL_SLOT_DISARMED || !u->lull->known ||
		     deadline < u->lull->end || wheel_admit(&u->wheel.core, deadline, 0, &due)))
		return start_slow(u, nr, deadline);
	wheel_put(&u->wheel.core, &slot->timer, deadline, due, false);
	u->wheel.counts.armed++;
	slot->state = WHEEL_SLOT_ARMED;
	handle->timeouts.words[nr] = deadline;
	return 0;
}

/* libwheel_timeout_stop() of a timeout that is not started */
int private_stop(struct handle *handle, __u32 nr)
{
	const struct wheel_slot *slot = wheel_slot_named(&user_of(handle)->slots, nr);

	return slot && slot->state == WHEEL_SLOT_FIRED ? -EBUSY : -ENOENT;
}
