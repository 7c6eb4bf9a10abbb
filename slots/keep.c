// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations on kept timers. As in touch.c, the program may change the word at any time, so
 * operations of the wheel that can fail come first, and the word is exchanged last.
 */
#include "bell.h"
#include "slots.h"

/* Hand a kept timer over to the program, disarmed. The slot is free, and its word's page exists. */
void wheel_keep_park(struct wheel_slots *slots, struct wheel_slot *slot, u32 nr)
{
	slot->touch = true;
	wheel_word_arm(slots, nr, WHEEL_TOUCH_PARKED);
}

/*
 * Queue a kept timer in state DISARMED that the program has armed. Returns what wheel_timer_arm()
 * returns.
 */
int wheel_keep_enqueue(struct wheel_slot *slot, u64 deadline, u64 slack)
{
	int err = wheel_timer_arm_locked(&slot->timer, deadline, slack);

	if (err)
		return err;
	slot->state = WHEEL_SLOT_ARMED;
	wheel_slots_trace_arm(slot);
	return 0;
}

/*
 * Move the deadline of a kept timer that is armed but not queued. @word is the deadline that was
 * read from its word. Returns 0; -ENOENT if its event is unread or the program has just parked it;
 * -EBUSY if the program has just moved it; -ESHUTDOWN if the wheel was stopped; or an error of
 * wheel_timer_arm().
 */
int wheel_keep_rearm(struct wheel_slots *slots, struct wheel_slot *slot,
		     u64 word, u64 deadline, u64 slack)
{
	u32 nr = wheel_slot_nr(slot);
	int err;

	if (slot->state != WHEEL_SLOT_DISARMED)
		return slots->stopping ? -ESHUTDOWN : -ENOENT;
	deadline = max_t(u64, deadline, 1);
	err = wheel_keep_enqueue(slot, deadline, slack);
	if (err || wheel_word_swap(slots, nr, word, deadline))
		return err;
	wheel_timer_cancel_locked(&slot->timer);
	slot->state = WHEEL_SLOT_DISARMED;
	return wheel_word_parked(wheel_word_read(slots, nr)) ? -ENOENT : -EBUSY;
}

/*
 * End the keeping of a timer, regardless of its word. If its event is unread, the slot is freed
 * when the event is consumed. Returns 0, or -ENOENT if the timer was not armed, has expired, or
 * belongs to STOP.
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
	wheel_slot_free(slot);
	if (parked)
		return -ENOENT;
	wheel_slots_trace_cancel(slot);
	return 0;
}

/*
 * Take back the word of a kept timer after the wheel was stopped. Only timers that were not queued
 * still have a word to take back: those of queued timers were taken when the wheel was stopped.
 * Returns true if the timer was armed, and thus counts as not expired.
 */
bool wheel_keep_unfired(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u64 word;

	if (!slot->keep || (slot->state != WHEEL_SLOT_DISARMED &&
			    slot->state != WHEEL_SLOT_ARMED))
		return false;
	word = wheel_word_end(slots, wheel_slot_nr(slot));
	if (wheel_word_parked(word))
		return false;
	WRITE_ONCE(slot->timer.deadline, word | WHEEL_IDLE);
	slot->state = WHEEL_SLOT_STOPPED;
	return true;
}

/*
 * Set the doorbells of the armed timers of one u64, in place of a program that was killed before it
 * set them. All stores of that program are visible here, because its mapping was removed. Another
 * program that changes a word after it was read here sets the doorbell itself. A doorbell that is
 * already set will be found by a scan, which reads the word afterwards.
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
 * wheel_keep_consumed() - Return a kept timer to the program after its event was consumed
 * @slots: table, locked
 * @slot: slot
 *
 * Sets the slot's bit, so that the program usually finds it set when it arms the timer again. The
 * program may have armed the timer already, before it received the event. Scans have ignored the
 * slot until now, so another scan must follow at once:
 *
 *	this				the program
 *
 *	state = DISARMED			exchange IDLE for D
 *	set the bit			full barrier (the exchange is one)
 *	full barrier			set the bit, unless it is set
 *	word is D? scan at once		D < next_wake? kick
 */
void wheel_keep_consumed(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	slot->state = WHEEL_SLOT_DISARMED;
	wheel_bells_ring(slots, nr / WHEEL_BELLS, (u64)1 << nr % WHEEL_BELLS);
	/*
	 * Order setting the bit before reading the word. Pairs with the program's exchange of the
	 * word, which precedes its read of the bit.
	 */
	smp_mb();
	if (!wheel_word_parked(wheel_word_read(slots, nr)))
		wheel_scan_now(slots);
}
