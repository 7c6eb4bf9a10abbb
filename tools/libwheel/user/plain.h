/* SPDX-License-Identifier: MIT */
/*
 * The usual operations, one at a time: on a timer that no word governs, in the slot that
 * the program names, and in a lull. They either do what the operation does, or nothing: then
 * that does it, or says why not.
 *
 * Nothing fires between two commands. So the timer of a free slot is not filed, and that of
 * an armed slot without a word is. Each is told the wheel's scheme, and a cancel who picks the
 * slots: where these are constants, what is for others is not compiled in.
 */
#ifndef LIBWHEEL_PLAIN_H
#define LIBWHEEL_PLAIN_H

#include "../../../slots/slots.h"

static inline bool plain_pending(const struct wheel_slot *slot, u64 id)
{
	return slot && slot->id == id && slot->state == WHEEL_SLOT_ARMED &&
	       !slot->touch;
}

/* When would a timer be due? False if there is none for such a time. */
static inline bool plain_due(const struct wheel *wheel, u64 deadline,
			     struct wheel_due *due)
{
	return deadline <= WHEEL_MAX_TIME &&
	       !wheel_admit(&wheel->core, deadline, 0, due);
}

/**
 * wheel_plain_arm - WHEEL_OP_ARM
 * @slots: table whose slots the program names, locked
 * @wheel: its wheel
 * @scheme: the wheel's
 * @id: timer
 * @deadline: after the present
 * @cookie: the program's
 *
 * Return: true if it is armed.
 */
static __always_inline bool wheel_plain_arm(struct wheel_slots *slots,
					    struct wheel *wheel,
					    const struct wheel_scheme *scheme,
					    u64 id, u64 deadline, u64 cookie)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);
	struct wheel_due due;

	if (unlikely(!slot || slot->state != WHEEL_SLOT_FREE || id <= slot->id ||
		     !plain_due(wheel, deadline, &due)))
		return false;
	wheel_slot_armed(slot, id, cookie, 0, 0);
	slot->state = WHEEL_SLOT_ARMED;
	wheel_put(&wheel->core, scheme, &slot->timer, deadline, due);
	wheel->counts.armed++;
	return true;
}

/**
 * wheel_plain_rearm - WHEEL_OP_REARM
 * @slots: table, locked
 * @wheel: its wheel
 * @scheme: the wheel's
 * @id: timer
 * @deadline: after the present
 *
 * Return: true if it was pending, and is moved.
 */
static __always_inline bool wheel_plain_rearm(struct wheel_slots *slots,
					      struct wheel *wheel,
					      const struct wheel_scheme *scheme,
					      u64 id, u64 deadline)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);
	struct wheel_due due;

	if (unlikely(!plain_pending(slot, id) || !plain_due(wheel, deadline, &due)))
		return false;
	slot->slack = 0;
	wheel_refile(&wheel->core, scheme, &slot->timer, deadline, due);
	wheel->counts.rearmed++;
	return true;
}

/**
 * wheel_plain_cancel - WHEEL_OP_CANCEL
 * @slots: table, locked
 * @wheel: its wheel
 * @scheme: the wheel's
 * @any: as wheel_slots_any()
 * @id: timer
 *
 * Return: true if it was pending, and is not any more.
 */
static __always_inline bool wheel_plain_cancel(struct wheel_slots *slots,
					       struct wheel *wheel,
					       const struct wheel_scheme *scheme,
					       bool any, u64 id)
{
	struct wheel_slot *slot = wheel_slot_named(slots, id);

	if (unlikely(!plain_pending(slot, id)))
		return false;
	wheel_take(&wheel->core, scheme, &slot->timer);
	wheel->counts.cancelled++;
	if (any)
		wheel_slot_free(slots, slot);
	else
		wheel_slot_over(slot);
	return true;
}

#endif
