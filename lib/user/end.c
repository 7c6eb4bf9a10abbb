// SPDX-License-Identifier: MIT
/*
 * WHEEL_IOC_STOP and WHEEL_IOC_LIST.
 */
#include "../../slots/scan.h"
#include "../../slots/word.h"
#include "user.h"

/* Returns the first slot from *@nr on whose memory is allocated, or NULL. */
static struct wheel_slot *slot_from(const struct wheel_slots *slots, u32 *nr)
{
	for (; *nr < slots->setup.timers;
	     *nr += WHEEL_SLOTS_PER_PAGE - *nr % WHEEL_SLOTS_PER_PAGE) {
		struct wheel_slot *slot = wheel_slot_named(slots, *nr);

		if (slot)
			return slot;
	}
	*nr = slots->setup.timers;
	return NULL;
}

/* Take back all words. Returns the number of armed timers that were not queued. */
static u32 stop_words(struct wheel_slots *slots)
{
	struct wheel_slot *slot;
	u32 unfired = 0, nr;

	wheel_scan_stop(slots);
	for (nr = 0; (slot = slot_from(slots, &nr)); nr++)
		unfired += wheel_word_unfired(slots, slot);
	return unfired;
}

/* WHEEL_IOC_STOP */
int user_stop(struct user *u, struct wheel_stop *stop)
{
	struct wheel_timer *timer;

	user_enter(u);
	wheel_slots_stop(&u->slots, u->wheel.now);
	stop->unfired = 0;
	while ((timer = wheel_unfired(&u->wheel))) {
		wheel_slot_of(timer)->state = WHEEL_SLOT_STOPPED;
		stop->unfired++;
	}
	if (u->slots.words)
		stop->unfired += stop_words(&u->slots);
	u->stopped = true;
	user_leave(u);
	return 0;
}

/*
 * A child of fork() lists the inherited memory: no timer expires there, and the timerfd belongs
 * to the parent. If another thread held the lock at the time of fork(), it is never released.
 */
static int list_enter(struct user *u)
{
	if (!*u->handle.ours)
		return lock_try(&u->lock) ? 0 : -EBUSY;
	user_enter(u);
	return 0;
}

static void list_leave(struct user *u)
{
	if (*u->handle.ours)
		user_leave(u);
	else
		lock_release(&u->lock);
}

/* WHEEL_IOC_LIST. -EBUSY: in a child of fork(), if the lock was held at the time of fork(). */
int user_list(struct user *u, struct wheel_list *list)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)list->timers;
	struct wheel_slots *slots = &u->slots;
	struct wheel_slot *slot;
	int err;

	if (list->flags)
		return -EINVAL;
	err = list_enter(u);
	if (err)
		return err;
	for (; list->done < list->count && (slot = slot_from(slots, &list->cursor));
	     list->cursor++)
		list->done += wheel_slot_describe(slots, slot, &ops[list->done]);
	list_leave(u);
	return 0;
}
