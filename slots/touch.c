// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations on timers whose deadline is a touch word. The program may change the word at any
 * time; the wheel's lock does not prevent that. Therefore operations of the wheel that can fail
 * come first, and the word is exchanged last.
 */
#include "slots.h"
#include "word.h"

/* Exchanges that a claim attempts. If all fail, the timer is claimed again at the next tick. */
#define TRIES	3

/* Arm a timer in a free slot, whose word's page exists. Returns what wheel_timer_arm() returns. */
int wheel_touch_arm(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr,
		    u64 deadline, u64 slack)
{
	int err;

	/* 0 is WHEEL_TOUCH_PARKED. */
	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_arm_locked(&slot->timer, deadline, slack);
	if (err)
		return err;
	slot->touch = true;
	wheel_word_arm(slots, nr, deadline);
	return 0;
}

/*
 * Free a slot for a new timer if the program has parked the old one. The program may revive the
 * timer at the same time: the exchange of the word decides. Returns 0, -EBUSY if the timer is not
 * parked, or -ESTALE if @id is not newer.
 */
int wheel_touch_take(struct wheel_slots *slots, struct wheel_slot *slot, u64 id)
{
	u32 nr = wheel_slot_nr(slot);
	u64 word;

	if (slot->state != WHEEL_SLOT_ARMED || !slot->touch || slot->keep)
		return -EBUSY;
	word = wheel_word_read(slots, nr);
	if (!wheel_word_parked(word))
		return -EBUSY;
	if (id <= slot->id)
		return -ESTALE;
	if (!wheel_word_swap(slots, nr, word, WHEEL_TOUCH_IDLE))
		return -EBUSY;
	wheel_timer_cancel_locked(&slot->timer);
	wheel_slot_free(slot);
	return 0;
}

/*
 * Move the deadline of a pending timer. @word is the value that was read from its word. Returns 0;
 * -ENOENT if the program has just parked the timer; -EBUSY if it has just moved it; or -ERANGE.
 */
int wheel_touch_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		      u64 word, u64 deadline, u64 slack)
{
	u64 queued = wheel_timer_deadline(&slot->timer);
	u32 nr = wheel_slot_nr(slot);
	int err;

	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_rearm_locked(&slot->timer, deadline, slack);
	if (err || wheel_word_swap(slots, nr, word, deadline))
		return err;
	/* Restore the old time. If it is out of range now, the timer is claimed earlier instead. */
	wheel_timer_rearm_locked(&slot->timer, queued, slot->slack);
	return wheel_word_parked(wheel_word_read(slots, nr)) ? -ENOENT : -EBUSY;
}

/**
 * wheel_touch_cancel() - Cancel a timer, regardless of its word
 * @slots: table, locked
 * @slot: slot that is armed with a touch word
 *
 * The slot is freed, with one exception: if the wheel is being stopped and has drained the timer,
 * the slot belongs to STOP.
 *
 * Return: 0 on success; -ENOENT if the timer has expired, or if the program had cancelled it by
 * parking it.
 */
int wheel_touch_cancel(struct wheel_slots *slots, struct wheel_slot *slot)
{
	bool parked = wheel_word_parked(wheel_word_end(slots, wheel_slot_nr(slot)));
	int err = wheel_timer_cancel_locked(&slot->timer);

	if (!err || (err == -ENOENT && !slots->stopping))
		wheel_slot_free(slot);
	if (err || parked)
		return -ENOENT;
	wheel_slots_trace_cancel(slot);
	return 0;
}

/*
 * Reclaim a parked timer. A kept one returns to state DISARMED. Another one's slot is freed by its
 * next arm.
 */
static enum wheel_claim touch_reclaim(struct wheel_slot *slot)
{
	if (slot->keep)
		slot->state = WHEEL_SLOT_DISARMED;
	return WHEEL_GONE;
}

/* Decide whether to expire, requeue or reclaim a timer, by its touch word: wheel_claim_fn. */
enum wheel_claim wheel_touch_claim(struct wheel_timer *timer, u64 due,
				   u64 *deadline)
{
	struct wheel_slots *slots = wheel_data(wheel_timer_wheel(timer));
	struct wheel_slot *slot = wheel_slot_of(timer);
	u32 nr = wheel_slot_nr(slot);
	int try;

	*deadline = wheel_timer_deadline(timer);
	if (!slot->touch)
		return WHEEL_FIRE;
	/* The wheel is being stopped, or the clock is at its end: requeueing is impossible. */
	if (due >= WHEEL_MAX_TIME) {
		*deadline = wheel_word_end(slots, nr);
		return wheel_word_parked(*deadline) ? touch_reclaim(slot) : WHEEL_FIRE;
	}
	for (try = 0; try < TRIES; try++) {
		u64 word = wheel_word_read(slots, nr);
		bool parked = wheel_word_parked(word);

		*deadline = word;
		if (!parked && word > due)
			return WHEEL_LATER;
		/* Do not exchange the word of a kept timer: it remains the program's. */
		if (parked && slot->keep)
			return touch_reclaim(slot);
		if (wheel_word_swap(slots, nr, word, WHEEL_TOUCH_IDLE))
			return parked ? touch_reclaim(slot) : WHEEL_FIRE;
	}
	*deadline = due + 1;
	return WHEEL_LATER;
}
