// SPDX-License-Identifier: MIT
/*
 * The commands of the ABI, as the device has them.
 */
#include <limits.h>
#include <stdlib.h>

#include "../../../slots/event.h"
#include "../../../slots/look.h"
#include "../../../slots/op.h"
#include "../../../slots/word.h"
#include "user.h"

/* Look at all kept timers. */
static void look(struct user *u)
{
	struct wheel_looker looker = {
		.number = wheel_look_next(&u->slots),
		.now = u->wheel.now,
	};

	do {
		looker.budget = ~0U;
	} while (wheel_look(&u->slots, &looker));
}

/* Let everything fire that is due. */
static void pass(struct user *u)
{
	struct wheel_timer *timer;

	u->wheel.counts.passes++;
	if (wheel_look_is_due(&u->wheel)) {
		u->wheel.looking = true;
		look(u);
		u->wheel.looking = false;
	}
	while ((timer = wheel_expire(&u->wheel))) {
		wheel_event_fired(&u->slots, wheel_slot_of(timer));
		wheel_event_queue(&u->slots, wheel_slot_of(timer));
	}
}

/* A command begins: the clock is read, from which all of it counts. */
static void user_enter(struct user *u)
{
	pthread_mutex_lock(&u->lock);
	if (!is_virtual(u))
		u->wheel.now = clock_read(u->handle.setup.clock);
	if (wheel_is_due(&u->wheel))
		pass(u);
}

static void user_leave(struct user *u)
{
	watch_sooner(u);
	pthread_mutex_unlock(&u->lock);
}

/* Bring the memory of a slot. Its touch word is there from the beginning. */
static int slot_bring(struct user *u, u32 nr)
{
	struct wheel_slot *page = calloc(1, PAGE_SIZE);

	if (!page)
		return -ENOMEM;
	wheel_slot_page_init(&u->slots, page, nr);
	u->slots.pages[nr / WHEEL_SLOTS_PER_PAGE] = page;
	return 0;
}

/**
 * user_submit - WHEEL_IOC_SUBMIT
 * @handle: of a wheel
 * @submit: batch
 *
 * Return: 0.
 */
int user_submit(struct handle *handle, struct wheel_submit *submit)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)submit->ops;
	struct user *u = user_of(handle);
	struct wheel_batch batch = { .slots = &u->slots };
	u32 made = 0, needed;

	user_enter(u);
	batch.now = u->wheel.now;
	batch.longest = wheel_span(&u->wheel.core);
	while ((made = wheel_ops_make(&batch, ops, made, submit->count,
				      &needed)) < submit->count) {
		if (slot_bring(u, needed))
			wheel_op_answer(&batch, &ops[made++], -ENOMEM);
	}
	user_leave(u);
	submit->now = batch.now;
	submit->done = submit->count;
	submit->failed = batch.failed;
	return 0;
}

/**
 * user_take - libwheel_expirations()
 * @handle: of a wheel
 * @events: filled
 * @count: at most so many
 *
 * Return: how many; -ESHUTDOWN: there will be none.
 */
int user_take(struct handle *handle, struct wheel_event *events, u32 count)
{
	struct user *u = user_of(handle);
	struct wheel_slots *slots = &u->slots;
	struct wheel_slot *slot;
	u32 taken = 0;
	int ret;

	user_enter(u);
	while (taken < min_t(u32, count, INT_MAX)) {
		slot = wheel_slot_pop(slots, &slots->fired);
		if (!slot)
			break;
		wheel_event_describe(slots, slot, u->wheel.now, &events[taken]);
		wheel_event_consumed(slots, slot, &events[taken++]);
	}
	ret = !taken && u->stopped ? -ESHUTDOWN : (int)taken;
	watch_again(u);
	pthread_mutex_unlock(&u->lock);
	return ret;
}

/* Take the words of kept timers back. Returns how many were armed and not filed. */
static u32 stop_kept(struct wheel_slots *slots)
{
	u32 unfired = 0, nr;

	wheel_look_stop(slots);
	for (nr = 0; nr < slots->setup.timers; nr++) {
		struct wheel_slot *slot = wheel_slot_at(slots, nr);

		unfired += slot && wheel_keep_unfired(slots, slot);
	}
	return unfired;
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
	struct wheel_timer *timer;

	user_enter(u);
	wheel_slots_stop(&u->slots, u->wheel.now);
	stop->unfired = 0;
	while ((timer = wheel_unfired(&u->wheel))) {
		wheel_slot_of(timer)->state = WHEEL_SLOT_STOPPED;
		stop->unfired++;
	}
	if (u->slots.words)
		stop->unfired += stop_kept(&u->slots);
	u->stopped = true;
	user_leave(u);
	return 0;
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
	struct wheel_op *ops = (struct wheel_op *)(size_t)list->timers;
	struct user *u = user_of(handle);
	struct wheel_slots *slots = &u->slots;
	bool take = list->flags & WHEEL_LIST_TAKE;
	int err = -EINVAL;

	if (list->flags & ~WHEEL_LIST_TAKE)
		return -EINVAL;
	user_enter(u);
	if (take && !u->stopped)
		goto out;
	err = 0;
	for (; list->cursor < slots->setup.timers && list->done < list->count;
	     list->cursor++) {
		struct wheel_slot *slot = wheel_slot_at(slots, list->cursor);

		if (!slot || !wheel_slot_describe(slots, slot, &ops[list->done]))
			continue;
		list->done++;
		if (take)
			wheel_slot_free(slots, slot);
	}
out:
	user_leave(u);
	return err;
}

/**
 * user_stats - WHEEL_IOC_STATS
 * @handle: of a wheel
 * @stats: filled
 *
 * Return: 0.
 */
int user_stats(struct handle *handle, struct wheel_stats *stats)
{
	struct user *u = user_of(handle);
	u32 size = stats->size;

	user_enter(u);
	*stats = u->wheel.counts;
	stats->size = size;
	stats->pending = u->wheel.core.pending;
	stats->cascaded = u->wheel.core.cascaded;
	stats->refused = u->slots.refused;
	stats->overruns = u->slots.overruns;
	stats->unread = u->slots.fired.count;
	user_leave(u);
	return 0;
}

/**
 * user_advance - WHEEL_IOC_ADVANCE
 * @handle: of a wheel
 * @advance: where to; filled
 *
 * Return: 0; -ERANGE: no such time; -EOPNOTSUPP: its clock is not VIRTUAL.
 */
int user_advance(struct handle *handle, struct wheel_advance *advance)
{
	struct user *u = user_of(handle);

	if (advance->now > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!is_virtual(u))
		return -EOPNOTSUPP;
	user_enter(u);
	/* Timers that are armed are due in the time that passes now. */
	if (u->slots.words)
		look(u);
	u->wheel.now = max(u->wheel.now, advance->now);
	pass(u);
	advance->now = u->wheel.now;
	advance->next = wheel_next(&u->wheel);
	user_leave(u);
	return 0;
}

/**
 * user_kick - WHEEL_IOC_ENTER with WHEEL_ENTER_KICK
 * @handle: of a wheel
 *
 * Return: 0; -EOPNOTSUPP: it has no touch words; -ESHUTDOWN: it was stopped.
 */
int user_kick(struct handle *handle)
{
	struct user *u = user_of(handle);
	int err = 0;

	if (!u->slots.words)
		return -EOPNOTSUPP;
	user_enter(u);
	if (u->stopped)
		err = -ESHUTDOWN;
	else
		look(u);
	user_leave(u);
	return err;
}

/**
 * user_now - the wheel's clock
 * @handle: of a wheel
 *
 * Return: nanoseconds.
 */
u64 user_now(struct handle *handle)
{
	struct user *u = user_of(handle);
	u64 now;

	if (!is_virtual(u))
		return clock_read(handle->setup.clock);
	pthread_mutex_lock(&u->lock);
	now = u->wheel.now;
	pthread_mutex_unlock(&u->lock);
	return now;
}
