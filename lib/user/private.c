// SPDX-License-Identifier: MIT
/*
 * Private words: those of a set of timeouts that only one thread uses. Nothing happens between a
 * load and a store of a word, so it is not exchanged:
 *
 *	word			timer
 *
 *	all bits set		neither recent nor queued, or its event was not taken
 *	deadline		recent, or queued at this time or earlier
 *	deadline and IDLE	stopped, but the same
 *
 * The inline functions postpone and stop a timeout. The timer is queued again when it is dequeued
 * at its old time. All other changes are made here.
 *
 * A timer that is started becomes recent: its slot is appended to a list. Most timeouts are stopped
 * long before they expire, but a queued timer is dequeued at its deadline, and wakes up the
 * program. At the earliest deadline of the list, or if the list is full, the recent timers that are
 * still started are queued. This is the scan of a set with private words. A slot can be in the list
 * twice, if its timer was queued and dequeued since it was appended.
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

/* Queue a recent timer if it is still started, and forget it otherwise. */
static inline void settle(struct user *u, struct wheel_slot *slot, u64 *word)
{
	struct wheel_core *core = &u->wheel.core;
	struct wheel_due due;

	if (!LIBWHEEL_IS_DEADLINE(*word)) {
		*word = PRIVATE_UNQUEUED;
	} else if (unlikely(wheel_admit(core, *word, 0, &due))) {
		queue(core, slot, *word);
	} else {
		wheel_put(core, &slot->timer, *word, due, false);
		u->wheel.counts.armed++;
		slot->state = WHEEL_SLOT_ARMED;
	}
}

/* Settle all recent timers. */
void private_scan(struct user *u)
{
	u32 i;

	for (i = 0; i < u->recent_count; i++) {
		u32 nr = u->recent[i];
		struct wheel_slot *slot = wheel_slot_named(&u->slots, nr);

		if (likely(slot->state == WHEEL_SLOT_DISARMED))
			settle(u, slot, &u->handle.timeouts.words[nr]);
	}
	u->recent_count = 0;
	u->recent_first = WHEEL_NEVER;
	wheel_scan_at(&u->wheel, WHEEL_NEVER);
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
		return err ?: private_start(&u->handle, nr, deadline);
	}
	if (slot->state == WHEEL_SLOT_FIRED)
		return -EBUSY;
	lock_for_queue(u);
	if (u->recent_count == RECENT)
		private_scan(u);
	queue(&u->wheel.core, slot, deadline);
	u->handle.timeouts.words[nr] = deadline;
	user_leave(u);
	return 0;
}

/*
 * libwheel_timeout_start_at() of a timer that is neither recent nor queued, or not early enough. If
 * another one is due earlier, neither the lull nor the timerfd changes.
 */
int private_start(struct handle *handle, __u32 nr, __u64 deadline)
{
	struct user *u = user_of(handle);
	struct wheel_slot *slot = wheel_slot_named(&u->slots, nr);
	u64 *word = &handle->timeouts.words[nr];

	if (unlikely(!slot || slot->state != WHEEL_SLOT_DISARMED || !u->lull->known ||
		     deadline < u->lull->end || u->recent_count == RECENT))
		return start_slow(u, nr, deadline);
	if (likely(*word == PRIVATE_UNQUEUED))
		u->recent[u->recent_count++] = nr;
	*word = deadline;
	if (unlikely(deadline < u->recent_first)) {
		u->recent_first = deadline;
		wheel_scan_at(&u->wheel, deadline);
	}
	return 0;
}

/* libwheel_timeout_stop() of a timeout that is not started */
int private_stop(struct handle *handle, __u32 nr)
{
	const struct wheel_slot *slot = wheel_slot_named(&user_of(handle)->slots, nr);

	return slot && slot->state == WHEEL_SLOT_FIRED ? -EBUSY : -ENOENT;
}
