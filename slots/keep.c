// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The operations on kept timers. The program may change the word meanwhile; the wheel
 * is asked first and the word changed last, as in touch.c.
 */
#include "bell.h"
#include "keep.h"
#include "look.h"

/**
 * wheel_keep_park - hand a kept timer to the program that is not armed
 * @slots: table, locked
 * @slot: slot that is free and whose word is there
 * @nr: its number
 */
void wheel_keep_park(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr)
{
	slot->touch = true;
	wheel_word_arm(slots, nr, WHEEL_TOUCH_PARKED);
}

/**
 * wheel_keep_file - file a kept timer that the program has armed
 * @slot: slot that rests, its table locked
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Return: as wheel_timer_arm(); then nothing changed.
 */
int wheel_keep_file(struct wheel_slot *slot, u64 deadline, u64 slack)
{
	int err = wheel_timer_arm_locked(&slot->timer, deadline, slack);

	if (err)
		return err;
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slots_trace_arm(slot);
	return 0;
}

/**
 * wheel_keep_rearm - move a kept timer that is armed and not filed
 * @slots: table, locked
 * @slot: slot
 * @word: its word when it was read, a deadline
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Return: 0; -ENOENT: its event is not taken, or the program has just parked it;
 * -EBUSY: it has just moved it; or as wheel_timer_arm().
 */
int wheel_keep_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack)
{
	u32 nr = wheel_slot_nr(slot);
	int err;

	if (slot->state != WHEEL_SLOT_RESTING)
		return slots->stopping ? -ESHUTDOWN : -ENOENT;
	deadline = max_t(u64, deadline, 1);
	err = wheel_keep_file(slot, deadline, slack);
	if (err || wheel_word_swap(slots, nr, word, deadline))
		return err;
	wheel_timer_cancel_locked(&slot->timer);
	slot->state = WHEEL_SLOT_RESTING;
	return wheel_word_parked(wheel_word_read(slots, nr)) ? -ENOENT : -EBUSY;
}

/**
 * wheel_keep_cancel - keep a timer no longer, whatever its word is
 * @slots: table, locked
 * @slot: slot that is kept
 *
 * If its event is unread, its slot is free when that is consumed.
 *
 * Return: 0; -ENOENT: it was not armed, or has fired, or STOP has it.
 */
int wheel_keep_cancel(struct wheel_slots *slots, struct wheel_slot *slot)
{
	bool armed = slot->state == WHEEL_SLOT_ARMED;
	bool parked;

	if (slots->stopping)
		return -ENOENT;
	slot->keep = false;
	if (slot->state == WHEEL_SLOT_FIRED)
		return -ENOENT;
	parked = wheel_word_parked(wheel_word_end(slots, wheel_slot_nr(slot)));
	if (armed)
		wheel_timer_cancel_locked(&slot->timer);
	wheel_slot_free(slots, slot);
	if (parked)
		return -ENOENT;
	wheel_slots_trace_cancel(slot);
	return 0;
}

/**
 * wheel_keep_unfired - take the word of a kept timer back from a wheel that was stopped
 * @slots: table, locked, whose wheel is stopped
 * @slot: slot
 *
 * Of those that were filed STOP has taken it.
 *
 * Return: true if it was armed: then it is a timer that had not fired.
 */
bool wheel_keep_unfired(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u64 word;

	if (!slot->keep || (slot->state != WHEEL_SLOT_RESTING &&
			    slot->state != WHEEL_SLOT_ARMED))
		return false;
	word = wheel_word_end(slots, wheel_slot_nr(slot));
	if (wheel_word_parked(word))
		return false;
	WRITE_ONCE(slot->timer.deadline, word | WHEEL_IDLE);
	slot->state = WHEEL_SLOT_STOPPED;
	return true;
}

/**
 * wheel_keep_ring - set the bits of those timers of a leaf that are armed
 * @slots: table
 * @leaf: index of a doorbells' u64
 *
 * For a program that cannot do so any more. All that it wrote is seen here, since it is
 * gone. A program that lives may change its word after we have read it: it sets the bit
 * itself then. A bit that is set already has not been taken by a look yet, and that look
 * reads the word afterwards.
 */
void wheel_keep_ring(const struct wheel_slots *slots, u32 leaf)
{
	u32 nr = leaf * WHEEL_BELLS;
	u32 end = min(nr + WHEEL_BELLS, slots->setup.timers);
	u64 armed = 0, bit = 1;

	if (!wheel_word_page(slots, nr) || !wheel_bell_ready(slots, nr))
		return;
	for (; nr < end; nr++, bit <<= 1) {
		if (!wheel_word_parked(wheel_word_read(slots, nr)))
			armed |= bit;
	}
	if (armed)
		wheel_bells_ring(slots, leaf, armed);
}

/**
 * wheel_keep_over - the event of a kept timer was consumed: now it rests
 * @slots: table, locked
 * @slot: slot
 *
 * Its bit is set here, where that costs less than in the program that arms it again. If the
 * program has armed it already, before it had the event, all looks have passed it by, so
 * there is one at once:
 *
 *	this				the program
 *
 *	the slot rests			exchange IDLE for D
 *	set the bit			full barrier (the exchange is one)
 *	full barrier			set the bit, unless it is set
 *	D? look at once			D < next_wake? kick
 */
void wheel_keep_over(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	slot->state = WHEEL_SLOT_RESTING;
	wheel_bells_ring(slots, nr / WHEEL_BELLS, (u64)1 << nr % WHEEL_BELLS);
	/* Pairs with the program's exchange. */
	smp_mb();
	if (!wheel_word_parked(wheel_word_read(slots, nr)))
		wheel_look_at_once(slots);
}
