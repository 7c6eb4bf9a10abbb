// SPDX-License-Identifier: GPL-2.0
/*
 * The operations on timers whose deadline is a touch word. The program may change
 * the word meanwhile; the wheel, which is locked, shows nothing of what we do to it.
 * Where it may refuse it is asked first, and the word is changed last.
 */
#include "op.h"
#include "pick.h"
#include "touch.h"
#include "trace.h"

/**
 * touched_arm - start a timer
 * @file: file, it and its wheel locked
 * @slot: slot that is free and whose word is ready
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 *
 * Return: as wheel_timer_arm(); then nothing changed.
 */
int touched_arm(struct wheel_file *file, struct slot *slot, u64 deadline,
		u64 slack)
{
	int err;

	/* In a word 0 means something else. */
	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_arm_locked(&slot->timer, deadline, slack);
	if (err)
		return err;
	slot->touch = true;
	touch_set(file, slot_nr(slot), deadline);
	return 0;
}

/* Was the timer of a slot parked by the program? */
static bool parked(const struct wheel_file *file, const struct slot *slot)
{
	return slot->state == SLOT_ARMED && slot->touch &&
	       touch_parked(touch_get(file, slot_nr(slot)));
}

/* Take back a slot, unless the program has just revived its timer. */
static bool reclaim(struct wheel_file *file, struct slot *slot)
{
	u32 nr = slot_nr(slot);
	u64 word = touch_get(file, nr);

	if (!touch_parked(word) || !touch_swap(file, nr, word, WHEEL_TOUCH_IDLE))
		return false;
	/* Its event may be on its way. */
	if (wheel_timer_cancel_locked(&slot->timer) == -EALREADY)
		return false;
	slot_free(file, slot);
	return true;
}

/**
 * touched_take - free a slot that is to be armed anew
 * @file: file, it and its wheel locked
 * @slot: slot that is not free
 * @id: of the new timer
 *
 * Return: 0; -EBUSY: its timer is not parked; -ESTALE: @id is not newer.
 */
int touched_take(struct wheel_file *file, struct slot *slot, u64 id)
{
	if (!parked(file, slot))
		return -EBUSY;
	if (id <= slot->id)
		return -ESTALE;
	return reclaim(file, slot) ? 0 : -EBUSY;
}

/**
 * touched_rearm - move a timer
 * @file: file, it and its wheel locked
 * @slot: slot that is armed with a touch word
 * @deadline: as wheel_timer_rearm()
 * @slack: as wheel_timer_rearm()
 *
 * Return: 0; -ENOENT: it is parked or has fired; -EBUSY: the program was faster;
 * -ERANGE: as wheel_timer_rearm().
 */
int touched_rearm(struct wheel_file *file, struct slot *slot, u64 deadline,
		  u64 slack)
{
	u64 filed = wheel_timer_deadline(&slot->timer);
	u32 nr = slot_nr(slot);
	u64 word = touch_get(file, nr);
	int err;

	if (touch_parked(word))
		return -ENOENT;
	deadline = max_t(u64, deadline, 1);
	err = wheel_timer_rearm_locked(&slot->timer, deadline, slack);
	if (err)
		return err;
	if (touch_swap(file, nr, word, deadline))
		return 0;
	/* Back; if that is too far now, where it is it is looked at sooner. */
	wheel_timer_rearm_locked(&slot->timer, filed, slot->slack);
	return touch_parked(touch_get(file, nr)) ? -ENOENT : -EBUSY;
}

/**
 * touched_cancel - cancel a timer, whatever its word is
 * @file: file, it and its wheel locked
 * @slot: slot that is armed with a touch word
 *
 * If the wheel has reclaimed it, a slot that we pick comes back by pick_gone(); and
 * what STOP has drained is STOP's.
 *
 * Return: 0; -ENOENT: it has fired, or it was parked: then it is the program that
 * cancelled it.
 */
int touched_cancel(struct wheel_file *file, struct slot *slot)
{
	bool parked = touch_parked(touch_end(file, slot_nr(slot)));
	int err = wheel_timer_cancel_locked(&slot->timer);

	if (!err || (err == -ENOENT && !picks(file) && !file->stopping))
		slot_free(file, slot);
	if (err || parked)
		return -ENOENT;
	trace_wheel_dev_cancel(slot);
	return 0;
}
