// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The overflow scheme: one ring for the timers due before an edge, and a list sorted by due tick
 * for the others. At the end of a revolution of the ring, the edge advances, and the timers that
 * are now before it are moved from the list to the ring.
 *
 * The edge advances after the last of them was moved. Until then, timers armed beyond the edge
 * are queued on the list, so that the order of timers due at the same tick is kept.
 *
 * Arming a timer beyond the edge is O(n). The number of timers is therefore limited.
 */
#include "core.h"

/* Maximum number of timers that arming examines. The device permits WHEEL_OVERFLOW_TIMERS. */
#define MAX_TIMERS	4096

/* timer_bucket() of the timers on the list. The number is greater than that of any bucket. */
#define BEYOND	(WHEEL_UNFILED - 1)

/* Begin a revolution of the ring at the clock. */
static void overflow_forward(struct wheel_core *w)
{
	w->beyond.edge = w->clock + 1 + w->ring.mask + 1;
	w->beyond.next_edge = 0;
}

static void overflow_init(struct wheel_core *w)
{
	wheel_hashed_init(w);
	INIT_LIST_HEAD(&w->beyond.timers);
	overflow_forward(w);
}

/* Insert after all timers that are due at the same tick or earlier, searching from the tail. */
static void file_beyond(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	struct list_head *at = w->beyond.timers.prev;

	while (at != &w->beyond.timers && timer_of(at)->due_tick > due.tick)
		at = at->prev;
	node_insert(&t->node, at->next);
	t->due_tick = due.tick;
	timer_set_place(t, BEYOND, due.order);
}

static void overflow_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	if (due.tick < w->beyond.edge)
		ring_append(w, hashed_at(w, due.tick), t, due);
	else
		file_beyond(w, t, due);
}

static void overflow_dequeue(struct wheel_core *w, struct wheel_timer *t)
{
	if (timer_bucket(t) == BEYOND)
		node_remove(&t->node);
	else
		ring_remove(w, t);
}

static u64 first_beyond(const struct wheel_core *w)
{
	if (list_empty(&w->beyond.timers))
		return WHEEL_NO_TICK;
	return timer_of(w->beyond.timers.next)->due_tick;
}

/*
 * Begin a revolution of an empty ring, and move the timers due within it from the list to the
 * ring. The clock may first advance to the tick before the first timer on the list.
 */
static void revolve(struct wheel_core *w, u64 until, unsigned int *budget)
{
	if (!w->beyond.next_edge) {
		w->clock = max(w->clock, min(until, first_beyond(w) - 1));
		w->beyond.next_edge = w->clock + 1 + w->ring.mask + 1;
	}
	while (first_beyond(w) < w->beyond.next_edge) {
		struct wheel_timer *t = timer_of(w->beyond.timers.next);

		if (!*budget)
			return;
		(*budget)--;
		timer_detach(t);
		ring_append(w, hashed_at(w, t->due_tick), t, timer_due(t));
		w->cascaded++;
	}
	w->beyond.edge = w->beyond.next_edge;
	w->beyond.next_edge = 0;
}

static struct wheel_timer *overflow_pop(struct wheel_core *w, u64 until, unsigned int *budget)
{
	while (*budget) {
		struct wheel_timer *t;

		t = wheel_hashed_pop(w, min(until, w->beyond.edge - 1), budget);
		/* The ring does not take the list into account. */
		w->next = min(w->next, first_beyond(w));
		if (t || !*budget || until < w->beyond.edge)
			return t;
		revolve(w, until, budget);
	}
	return NULL;
}

static struct wheel_timer *overflow_first(struct wheel_core *w, unsigned int *budget)
{
	if (!list_empty(&w->beyond.timers))
		return timer_of(w->beyond.timers.next);
	return wheel_ring_first(w, budget);
}

const struct wheel_scheme wheel_overflow = {
	.name		= "overflow",
	.max_timers	= MAX_TIMERS,
	.init		= overflow_init,
	.enqueue	= overflow_enqueue,
	.dequeue	= overflow_dequeue,
	.pop		= overflow_pop,
	.abandon	= wheel_hashed_abandon,
	.first		= overflow_first,
	.forward	= overflow_forward,
};
