// SPDX-License-Identifier: GPL-2.0
/*
 * Timers in one list. The unsorted list is searched for the earliest timer at expiry.
 * The list sorted by due tick is searched for the position of a timer when it is armed.
 */
#include "baselines.h"

static void list_init(struct wheel_core *w)
{
	baseline_init(w);
	INIT_LIST_HEAD(&w->beyond.timers);
}

static struct wheel_timer *head(const struct wheel_core *w)
{
	return list_empty(&w->beyond.timers) ? NULL : timer_of(w->beyond.timers.next);
}

static struct wheel_timer *list_first(struct wheel_core *w, unsigned int *budget)
{
	(void)budget;
	return head(w);
}

static void dequeue(struct wheel_core *w, struct wheel_timer *t)
{
	(void)w;
	node_remove(&t->node);
	timer_set_place(t, WHEEL_UNFILED, timer_order(t));
}

static struct wheel_timer *pop(struct wheel_core *w, struct wheel_timer *first,
			       u64 until, unsigned int *budget)
{
	if (!first || first->due_tick > until) {
		baseline_finish_pass(w, first, until);
		return NULL;
	}
	--*budget;
	dequeue(w, first);
	return first;
}

static void unsorted_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	node_insert(&t->node, &w->beyond.timers);
	t->due_tick = due.tick;
	timer_set_place(t, 0, due.order);
}

static struct wheel_timer *unsorted_pop(struct wheel_core *w, u64 until,
					unsigned int *budget)
{
	struct wheel_timer *first = head(w);
	struct list_head *node;

	if (!*budget)
		return NULL;
	for (node = w->beyond.timers.next; node != &w->beyond.timers; node = node->next)
		if (timer_of(node)->due_tick < first->due_tick)
			first = timer_of(node);
	return pop(w, first, until, budget);
}

/* Search from the tail, because most timers are due later than most others. */
static void sorted_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	struct list_head *at = w->beyond.timers.prev;

	while (at != &w->beyond.timers && timer_of(at)->due_tick > due.tick)
		at = at->prev;
	node_insert(&t->node, at->next);
	t->due_tick = due.tick;
	timer_set_place(t, 0, due.order);
}

static struct wheel_timer *sorted_pop(struct wheel_core *w, u64 until,
				      unsigned int *budget)
{
	return *budget ? pop(w, head(w), until, budget) : NULL;
}

const struct wheel_scheme baseline_unsorted = {
	.init		= list_init,
	.enqueue	= unsorted_enqueue,
	.dequeue	= dequeue,
	.pop		= unsorted_pop,
	.first		= list_first,
	.abandon	= baseline_abandon,
};

const struct wheel_scheme baseline_sorted = {
	.init		= list_init,
	.enqueue	= sorted_enqueue,
	.dequeue	= dequeue,
	.pop		= sorted_pop,
	.first		= list_first,
	.abandon	= baseline_abandon,
};
