/* SPDX-License-Identifier: MIT */
/*
 * Timers that are due at once, with LIBWHEEL_DUE_NOW: their time had come when they were
 * armed. The wheel could not take them before the next tick, so they wait in a list of
 * their own for the next pass.
 */
#ifndef LIBWHEEL_OVERDUE_H
#define LIBWHEEL_OVERDUE_H

#include "../../../wheel.h"

/* wheel_timer.bucket of one, beyond those that schemes have. */
#define WHEEL_OVERDUE_LIST	(WHEEL_UNFILED - 2)

/**
 * struct wheel_overdue - timers that are due at once, in the order armed
 * @timers: their nodes
 * @count: how many
 */
struct wheel_overdue {
	struct list_head timers;
	u64 count;
};

static inline void wheel_overdue_init(struct wheel_overdue *list)
{
	INIT_LIST_HEAD(&list->timers);
	list->count = 0;
}

static inline bool wheel_is_overdue(const struct wheel_timer *timer)
{
	return timer->bucket == WHEEL_OVERDUE_LIST;
}

/* @timer is in no list, nor filed. */
static inline void wheel_overdue_add(struct wheel_overdue *list,
				     struct wheel_timer *timer, u64 deadline)
{
	WRITE_ONCE(timer->deadline, deadline);
	timer->bucket = WHEEL_OVERDUE_LIST;
	timer->order = 0;
	list_add_tail(&timer->node, &list->timers);
	list->count++;
}

static inline void wheel_overdue_remove(struct wheel_overdue *list,
					struct wheel_timer *timer)
{
	list_del(&timer->node);
	timer->bucket = WHEEL_UNFILED;
	list->count--;
}

/* The first, which is in the list no longer; or NULL. */
static inline struct wheel_timer *wheel_overdue_take(struct wheel_overdue *list)
{
	struct wheel_timer *timer;

	if (list_empty(&list->timers))
		return NULL;
	timer = list_entry(list->timers.next, struct wheel_timer, node);
	wheel_overdue_remove(list, timer);
	return timer;
}

#endif
