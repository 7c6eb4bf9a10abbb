/* SPDX-License-Identifier: MIT */
/*
 * Fast paths of single operations, on a timer that has no word, during a lull. A function
 * either completes the operation or does nothing; the caller then executes the general operation,
 * which also determines the error.
 *
 * No timer expires between two commands. The timer of a free slot is therefore not queued, and
 * that of an armed slot that has no word is. No lull begins on a wheel with own_queue.
 */
#ifndef LIBWHEEL_PLAIN_H
#define LIBWHEEL_PLAIN_H

#include "../../slots/slots.h"
#include "engine.h"

static inline bool plain_pending(const struct wheel_slot *slot, u64 id)
{
	return slot && slot->id == id && slot->state == WHEEL_SLOT_ARMED &&
	       !slot->word;
}

/* Compute when a timer would be due. Returns false if the deadline is out of range. */
static inline bool plain_due(const struct wheel *wheel, u64 deadline,
			     struct wheel_due *due)
{
	return deadline <= WHEEL_MAX_TIME && !wheel_admit(&wheel->core, deadline, 0, due);
}

/* WHEEL_OP_ARM with a deadline in the future. Returns true if the timer was armed. */
static __always_inline bool wheel_plain_arm(struct wheel_slots *slots,
					    struct wheel *wheel, u64 id, u64 deadline, u64 cookie)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);
	struct wheel_due due;

	if (unlikely(!slot || slot->state != WHEEL_SLOT_FREE || id <= slot->id ||
		     !plain_due(wheel, deadline, &due)))
		return false;
	wheel_slot_armed(slots, slot, id, cookie, 0, 0);
	slot->state = WHEEL_SLOT_ARMED;
	wheel_put(&wheel->core, &slot->timer, deadline, due, false);
	wheel->counts.armed++;
	return true;
}

/* WHEEL_OP_REARM to a deadline in the future. Returns true if the timer was moved. */
static __always_inline bool wheel_plain_rearm(struct wheel_slots *slots,
					      struct wheel *wheel, u64 id, u64 deadline)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);
	struct wheel_due due;

	if (unlikely(!plain_pending(slot, id) || slot->has_slack ||
		     !plain_due(wheel, deadline, &due)))
		return false;
	wheel_refile(&wheel->core, &slot->timer, deadline, due, false);
	wheel->counts.rearmed++;
	return true;
}

/* WHEEL_OP_CANCEL. Returns true if the timer was pending and was cancelled. */
static __always_inline bool wheel_plain_cancel(struct wheel_slots *slots,
					       struct wheel *wheel, u64 id)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);

	if (unlikely(!plain_pending(slot, id)))
		return false;
	wheel_unfile(&wheel->core, &slot->timer, false);
	wheel->counts.cancelled++;
	wheel_slot_free(slot);
	return true;
}

#endif
