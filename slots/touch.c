// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The operations on timers whose deadline is a touch word. The program may change
 * the word meanwhile; the wheel, which is locked, shows nothing of what we do to it.
 * The wheel is asked first wherever it may refuse, and the word is changed last.
 */
#include "touch.h"
#include "word.h"

/* Exchanges that a claim tries; a program that wins them all is looked at later. */
#define TRIES	3

/**
 * wheel_touch_arm - start a timer
 * @slots: table, locked
 * @slot: slot that is free and whose word is there
 * @nr: its number
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Return: as wheel_timer_arm(); then nothing changed.
 */
int wheel_touch_arm(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr,
		    u64 deadline, u64 slack)
{
	int err;

	/* In a word 0 means something else. */
	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_arm_locked(&slot->timer, deadline, slack);
	if (err)
		return err;
	slot->touch = true;
	wheel_word_arm(slots, nr, deadline);
	return 0;
}

/**
 * wheel_touch_take - free a slot that is to be armed anew
 * @slots: table, locked
 * @slot: slot that is not free
 * @id: of the new timer
 *
 * A slot whose timer the program parked is as good as free, unless the program revives it now.
 *
 * Return: 0; -EBUSY: its timer is not parked; -ESTALE: @id is not newer.
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
	wheel_slot_free(slots, slot);
	return 0;
}

/**
 * wheel_touch_rearm - move a timer
 * @slots: table, locked
 * @slot: slot that is pending with a touch word
 * @word: what that was when it was read
 * @deadline: as wheel_timer_rearm()
 * @slack: as wheel_timer_rearm()
 *
 * Return: 0; -ENOENT: the program has just parked it; -EBUSY: it has just moved it;
 * -ERANGE: as wheel_timer_rearm().
 */
int wheel_touch_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		      u64 word, u64 deadline, u64 slack)
{
	u64 filed = wheel_timer_deadline(&slot->timer);
	u32 nr = wheel_slot_nr(slot);
	int err;

	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_rearm_locked(&slot->timer, deadline, slack);
	if (err || wheel_word_swap(slots, nr, word, deadline))
		return err;
	/* Back; if that is too far now, where it is it is looked at sooner. */
	wheel_timer_rearm_locked(&slot->timer, filed, slot->slack);
	return wheel_word_parked(wheel_word_read(slots, nr)) ? -ENOENT : -EBUSY;
}

/**
 * wheel_touch_cancel - cancel a timer, whatever its word is
 * @slots: table, locked
 * @slot: slot that is armed with a touch word
 *
 * If the wheel has reclaimed it, a slot that we pick is in wheel_slots.reclaimed; and
 * what STOP has drained is STOP's.
 *
 * Return: 0; -ENOENT: it has fired, or it was parked: then it is the program that
 * cancelled it.
 */
int wheel_touch_cancel(struct wheel_slots *slots, struct wheel_slot *slot)
{
	bool parked = wheel_word_parked(wheel_word_end(slots, wheel_slot_nr(slot)));
	int err = wheel_timer_cancel_locked(&slot->timer);

	if (!err || (err == -ENOENT && !wheel_slots_any(slots) &&
		     !slots->stopping))
		wheel_slot_free(slots, slot);
	if (err || parked)
		return -ENOENT;
	wheel_slots_trace_cancel(slot);
	return 0;
}

/*
 * The time of a parked timer has come. A kept one rests. Of the others, those in slots that we
 * pick are found by the next pick, and the others by an arm of their slot.
 */
static enum wheel_claim touch_reclaim(struct wheel_slots *slots,
				      struct wheel_slot *slot)
{
	if (slot->keep)
		slot->state = WHEEL_SLOT_RESTING;
	else if (wheel_slots_any(slots))
		wheel_slot_push(slots, &slots->reclaimed, slot);
	return WHEEL_GONE;
}

/**
 * wheel_touch_claim - where the deadline of a timer stands
 * @timer: of a slot, its wheel locked
 * @due: as wheel_claim_fn
 * @deadline: as wheel_claim_fn
 *
 * Return: as wheel_claim_fn.
 */
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
	/* Stopped, or at the clock's end: it is not looked at again. */
	if (due >= WHEEL_MAX_TIME) {
		*deadline = wheel_word_end(slots, nr);
		return wheel_word_parked(*deadline) ?
		       touch_reclaim(slots, slot) : WHEEL_FIRE;
	}
	for (try = 0; try < TRIES; try++) {
		u64 word = wheel_word_read(slots, nr);
		bool parked = wheel_word_parked(word);

		*deadline = word;
		if (!parked && word > due)
			return WHEEL_LATER;
		/* The word stays the program's. */
		if (parked && slot->keep)
			return touch_reclaim(slots, slot);
		if (wheel_word_swap(slots, nr, word, WHEEL_TOUCH_IDLE))
			return parked ? touch_reclaim(slots, slot) : WHEEL_FIRE;
	}
	*deadline = due + 1;
	return WHEEL_LATER;
}
