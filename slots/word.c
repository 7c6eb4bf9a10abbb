// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations on timers with a word. The program may change the word at any time; the wheel's lock
 * does not prevent that. Therefore operations of the wheel that can fail come first, and the word
 * is exchanged last.
 */
#include "verbs.h"
#include "word.h"

/* Exchanges that a claim attempts. If all fail, the timer is claimed again at the next tick. */
#define TRIES	3

/* wheel_slot_pending() for a slot that is not armed, or has a word */
bool wheel_word_pending(const struct wheel_slots *slots, const struct wheel_slot *slot,
			u64 *deadline)
{
	u64 word;

	if (slot->state == WHEEL_SLOT_DISARMED ? slots->stopping : slot->state != WHEEL_SLOT_ARMED)
		return false;
	word = READ_ONCE(*wheel_word_of(slots, slot));
	if (wheel_word_parked(word))
		return false;
	*deadline = word;
	return true;
}

/* Arm a timer with a word, or create it parked. */
int wheel_word_arm(struct wheel_slots *slots, struct wheel_slot *slot,
		   const struct wheel_op *op, u64 deadline)
{
	bool parked = !op->when && !(op->flags & WHEEL_OP_REL);
	u64 word = parked ? WHEEL_WORD_PARKED : wheel_word_deadline(deadline);
	u64 *at;
	int err;

	if (!slot || !wheel_word_ready(slots, slot))
		return WHEEL_NEEDS_PAGE;
	/* By the number that the kernel has stored; @op contains one of the program. */
	at = wheel_word_of(slots, slot);
	err = wheel_slot_permits(slot, op->id);
	if (!err && !parked)
		err = wheel_timer_arm_locked(&slot->timer, word, op->slack);
	if (err)
		return err;
	slot->word = true;
	slot->state = parked ? WHEEL_SLOT_DISARMED : WHEEL_SLOT_ARMED;
	wheel_slot_armed(slots, slot, op->id, op->cookie, op->period, op->slack);
	/*
	 * Hand the word over to the program. Order the stores to the slot before that of the word.
	 * Pairs with the program's acquire when it reads a word that is not IDLE.
	 */
	smp_store_release(at, word);
	return 0;
}

/* Queue a timer that the program has armed. Returns 0, or -ERANGE on a bounded wheel. */
int wheel_word_enqueue(struct wheel_slots *slots, struct wheel_slot *slot, u64 deadline, u64 slack)
{
	int err = wheel_timer_enqueue(slots->wheel, &slot->timer, deadline, slack);

	if (err)
		return err;
	slot->state = WHEEL_SLOT_ARMED;
	trace_wheel_dev_arm(slots, slot);
	return 0;
}

/*
 * Move the deadline of an armed timer, which is queued in state ARMED only. @word is the deadline
 * that was read from its word. Returns 0; -ENOENT if the program has just parked the timer; -EBUSY
 * if it has just moved it; -ESHUTDOWN; or -ERANGE.
 */
int wheel_word_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack)
{
	bool queued = slot->state == WHEEL_SLOT_ARMED;
	u64 old = wheel_timer_deadline(&slot->timer);
	u64 *at = wheel_word_of(slots, slot);
	int err;

	deadline = wheel_word_deadline(deadline);
	if (queued)
		err = wheel_timer_rearm_locked(&slot->timer, deadline, slack);
	else
		err = wheel_word_enqueue(slots, slot, deadline, slack);
	if (err || wheel_word_swap(at, word, deadline))
		return err;
	/* Undo the move. If its time is out of range now, the timer is claimed earlier. */
	if (queued) {
		wheel_timer_rearm_locked(&slot->timer, old, wheel_params(slots, slot)->slack);
	} else {
		wheel_timer_cancel_locked(&slot->timer);
		slot->state = WHEEL_SLOT_DISARMED;
	}
	return wheel_word_parked(READ_ONCE(*at)) ? -ENOENT : -EBUSY;
}

/*
 * End the program's ownership of a slot, regardless of its word. Returns 0, or -ENOENT if the timer
 * was not armed, has expired, or belongs to STOP.
 */
int wheel_word_cancel(struct wheel_slots *slots, struct wheel_slot *slot)
{
	bool queued = slot->state == WHEEL_SLOT_ARMED;
	bool parked;

	if (slots->stopping)
		return -ENOENT;
	slot->word = false;
	if (slot->state == WHEEL_SLOT_FIRED)
		return -ENOENT;
	parked = wheel_word_parked(wheel_word_end(wheel_word_of(slots, slot)));
	if (queued)
		wheel_timer_cancel_locked(&slot->timer);
	wheel_slot_free(slot);
	if (parked)
		return -ENOENT;
	trace_wheel_dev_cancel(slots, slot);
	return 0;
}

/* Disarm a queued timer that the program has parked. */
static enum wheel_claim claim_parked(struct wheel_slot *slot)
{
	slot->state = WHEEL_SLOT_DISARMED;
	return WHEEL_GONE;
}

/* Decide whether to expire, requeue or disarm a timer, by its word: wheel_claim_fn. */
enum wheel_claim wheel_word_claim(void *data, struct wheel_timer *timer, u64 due, u64 *deadline)
{
	struct wheel_slots *slots = data;
	struct wheel_slot *slot = wheel_slot_of(timer);
	u64 *at;
	int try;

	*deadline = wheel_timer_deadline(timer);
	if (!slot->word)
		return WHEEL_FIRE;
	at = wheel_word_of(slots, slot);
	for (try = 0; try < TRIES; try++) {
		u64 word = READ_ONCE(*at);

		/* A parked word is not exchanged: the program may arm the timer again. */
		if (wheel_word_parked(word))
			return claim_parked(slot);
		*deadline = word;
		if (word > due)
			return WHEEL_LATER;
		if (wheel_word_swap(at, word, WHEEL_WORD_IDLE))
			return WHEEL_FIRE;
	}
	if (due < WHEEL_MAX_TIME) {
		*deadline = due + 1;
		return WHEEL_LATER;
	}
	/* The wheel is being stopped, or the clock is at its end: requeueing is impossible. */
	*deadline = wheel_word_end(at);
	return wheel_word_parked(*deadline) ? claim_parked(slot) : WHEEL_FIRE;
}

/*
 * Take back a slot whose timer was not queued when the wheel was stopped. Returns true if the timer
 * was armed, and thus counts as not expired. The slot of a parked timer is freed.
 */
bool wheel_word_unfired(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u64 word;

	if (!slot->word || (slot->state != WHEEL_SLOT_DISARMED && slot->state != WHEEL_SLOT_ARMED))
		return false;
	word = wheel_word_end(wheel_word_of(slots, slot));
	if (wheel_word_parked(word)) {
		wheel_slot_free(slot);
		return false;
	}
	WRITE_ONCE(slot->timer.deadline, word | WHEEL_IDLE);
	slot->state = WHEEL_SLOT_STOPPED;
	return true;
}
