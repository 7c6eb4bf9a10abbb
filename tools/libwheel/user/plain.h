/* SPDX-License-Identifier: MIT */
/*
 * The usual operations, one at a time: on a timer that no word governs, in the slot that
 * the program names, and in a lull. They either do what the operation does, or nothing: then
 * that does it, or says why not.
 */
#ifndef LIBWHEEL_PLAIN_H
#define LIBWHEEL_PLAIN_H

#include "../../../slots/slots.h"

/* The slot that an id names, whatever its generation; or NULL. */
static inline struct wheel_slot *plain_slot(const struct wheel_slots *slots, u64 id)
{
	u32 nr = WHEEL_ID_SLOT(id);

	return likely(nr < slots->setup.timers) ? wheel_slot_at(slots, nr) : NULL;
}

static inline bool plain_pending(const struct wheel_slot *slot, u64 id)
{
	return slot && slot->id == id && slot->state == WHEEL_SLOT_ARMED &&
	       !slot->touch;
}

/**
 * wheel_plain_arm - WHEEL_OP_ARM
 * @slots: table, locked
 * @id: timer
 * @deadline: after the present
 * @cookie: the program's
 *
 * Return: true if it is armed.
 */
static inline bool wheel_plain_arm(struct wheel_slots *slots, u64 id, u64 deadline,
				   u64 cookie)
{
	struct wheel_slot *slot = plain_slot(slots, id);

	if (unlikely(!slot || slot->state != WHEEL_SLOT_FREE || id <= slot->id ||
		     deadline > WHEEL_MAX_TIME || wheel_slots_any(slots)) ||
	    wheel_timer_arm_plain(&slot->timer, slots->wheel, deadline))
		return false;
	wheel_slot_armed(slot, id, cookie, 0, 0);
	slot->state = WHEEL_SLOT_ARMED;
	return true;
}

/**
 * wheel_plain_rearm - WHEEL_OP_REARM
 * @slots: table, locked
 * @id: timer
 * @deadline: after the present
 *
 * Return: true if it was pending, and is moved.
 */
static inline bool wheel_plain_rearm(struct wheel_slots *slots, u64 id, u64 deadline)
{
	struct wheel_slot *slot = plain_slot(slots, id);

	if (unlikely(!plain_pending(slot, id) || deadline > WHEEL_MAX_TIME) ||
	    wheel_timer_rearm_plain(&slot->timer, slots->wheel, deadline))
		return false;
	slot->slack = 0;
	return true;
}

/**
 * wheel_plain_cancel - WHEEL_OP_CANCEL
 * @slots: table, locked
 * @id: timer
 *
 * Return: true if it was pending, and is not any more.
 */
static inline bool wheel_plain_cancel(struct wheel_slots *slots, u64 id)
{
	struct wheel_slot *slot = plain_slot(slots, id);

	if (unlikely(!plain_pending(slot, id)) ||
	    wheel_timer_cancel_plain(&slot->timer, slots->wheel))
		return false;
	wheel_slot_free(slots, slot);
	return true;
}

#endif
