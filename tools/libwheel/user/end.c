// SPDX-License-Identifier: MIT
/*
 * The end of a wheel, and what it holds.
 */
#include "user.h"

/* Returns true if the timer was pending and not parked. */
static bool stop_one(struct user *u, struct slot *slot)
{
	bool parked = false;

	u->counts.cancelled++;
	slot->timer.deadline &= ~WHEEL_IDLE;
	if (slot->touch) {
		slot->timer.deadline = touch_off(u, slot);
		parked = !slot->timer.deadline;
	}
	if (parked)
		slot_free(u, slot);
	else
		slot->state = SLOT_STOPPED;
	return !parked;
}

/**
 * user_stop - WHEEL_IOC_STOP
 * @handle: of a wheel
 * @stop: filled
 *
 * Return: 0.
 */
int user_stop(struct handle *handle, struct wheel_stop *stop)
{
	struct user *u = user_of(handle);
	u64 now = user_enter(u);
	struct wheel_timer *timer;
	unsigned int budget;

	stop->unfired = 0;
	do {
		budget = ~0U;
		timer = wheel_drain(&u->core, &budget);
		if (timer)
			stop->unfired += stop_one(u, slot_of(timer));
	} while (timer);
	u->stopped = true;
	user_leave(u, now);
	return 0;
}

static bool listed(const struct user *u, const struct slot *slot)
{
	if (slot->state == SLOT_ARMED)
		return !slot->touch || touch_deadline(u, slot);
	return slot->state == SLOT_STOPPED;
}

static void describe(const struct user *u, const struct slot *slot,
		     struct wheel_op *op)
{
	bool governed = slot->touch && slot->state == SLOT_ARMED;

	*op = (struct wheel_op){
		.op	= WHEEL_OP_ARM,
		.flags	= slot->touch ? WHEEL_OP_TOUCH : 0,
		.id	= slot->id,
		.when	= governed ? touch_deadline(u, slot) :
				     slot->timer.deadline,
		.slack	= slot->slack,
		.period	= slot->period,
		.cookie	= slot->cookie,
	};
}

static void list_locked(struct user *u, struct wheel_list *list)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)list->timers;
	u32 end = u->handle.setup.timers;

	for (; list->cursor < end && list->done < list->count; list->cursor++) {
		struct slot *slot = slot_at(u, list->cursor);

		if (!slot || !listed(u, slot))
			continue;
		describe(u, slot, &ops[list->done++]);
		if (list->flags & WHEEL_LIST_TAKE)
			slot_free(u, slot);
	}
}

/**
 * user_list - WHEEL_IOC_LIST
 * @handle: of a wheel
 * @list: where to, and from which slot
 *
 * Return: 0, or -EINVAL.
 */
int user_list(struct handle *handle, struct wheel_list *list)
{
	struct user *u = user_of(handle);
	int err = 0;
	u64 now;

	if (list->flags & ~WHEEL_LIST_TAKE)
		return -EINVAL;
	now = user_enter(u);
	if (list->flags & WHEEL_LIST_TAKE && !u->stopped)
		err = -EINVAL;
	else
		list_locked(u, list);
	user_leave(u, now);
	return err;
}
