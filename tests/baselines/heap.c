// SPDX-License-Identifier: GPL-2.0
/*
 * A heap in the wheel's memory: an array in which no entry is earlier than its parent.
 * The entries contain their keys. Each timer stores the index of its entry.
 */
#include "baselines.h"

/* Minimum capacity in timers. A larger number of requested buckets increases it. */
#define LEAST	4096

struct entry {
	u64			due_tick;
	u64			armed;
	struct wheel_timer	*timer;
};

/**
 * struct heap - heap of timers
 * @ways: log2 of the number of children of an entry
 * @count: number of entries
 * @armed: number of timers armed so far
 * @entry: entries, the earliest first
 */
struct heap {
	u32		ways;
	u32		count;
	u64		armed;
	struct entry	entry[];
};

static struct heap *heap_of(const struct wheel_core *w)
{
	return (struct heap *)w->ring.bucket;
}

/* Two buckets are larger than an entry. */
static u32 heap_buckets(u32 asked)
{
	return 2 * max_t(u32, asked, LEAST);
}

static void init(struct wheel_core *w, u32 ways)
{
	baseline_init(w);
	*heap_of(w) = (struct heap){ .ways = ways };
}

static void binary_init(struct wheel_core *w)
{
	init(w, 1);
}

static void quaternary_init(struct wheel_core *w)
{
	init(w, 2);
}

static bool before(const struct entry *a, const struct entry *b)
{
	return a->due_tick != b->due_tick ? a->due_tick < b->due_tick : a->armed < b->armed;
}

/* Store an entry. A timer has no hint here, but its index. */
static void put(struct heap *h, u32 at, struct entry e)
{
	h->entry[at] = e;
	e.timer->hint = (s32)at;
}

/* Insert @e at the free index @at or above. Later parents move down. */
static void put_up(struct heap *h, u32 at, struct entry e)
{
	while (at) {
		u32 parent = (at - 1) >> h->ways;

		if (!before(&e, &h->entry[parent]))
			break;
		put(h, at, h->entry[parent]);
		at = parent;
	}
	put(h, at, e);
}

static u32 first_child(const struct heap *h, u32 at)
{
	u32 child = (at << h->ways) + 1;
	u32 end = min(child + ((u32)1 << h->ways), h->count);
	u32 first = child;

	while (++child < end)
		if (before(&h->entry[child], &h->entry[first]))
			first = child;
	return first;
}

/* Insert @e at the free index @at or below. Earlier children move up. */
static void put_down(struct heap *h, u32 at, struct entry e)
{
	for (;;) {
		u32 child = first_child(h, at);

		if (child >= h->count || !before(&h->entry[child], &e))
			break;
		put(h, at, h->entry[child]);
		at = child;
	}
	put(h, at, e);
}

static void heap_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	struct heap *h = heap_of(w);

	t->due_tick = due.tick;
	timer_set_place(t, 0, due.order);
	put_up(h, h->count++, (struct entry){ t->due_tick, h->armed++, t });
}

/* Replace the entry of the timer by the last entry. */
static void heap_dequeue(struct wheel_core *w, struct wheel_timer *t)
{
	struct heap *h = heap_of(w);
	struct entry last = h->entry[--h->count];
	u32 at = (u32)t->hint;

	timer_set_place(t, WHEEL_UNFILED, timer_order(t));
	if (at == h->count)
		return;
	if (at && before(&last, &h->entry[(at - 1) >> h->ways]))
		put_up(h, at, last);
	else
		put_down(h, at, last);
}

static struct wheel_timer *heap_first(struct wheel_core *w, unsigned int *budget)
{
	const struct heap *h = heap_of(w);

	(void)budget;
	return h->count ? h->entry[0].timer : NULL;
}

static struct wheel_timer *heap_pop(struct wheel_core *w, u64 until,
				    unsigned int *budget)
{
	struct wheel_timer *first = heap_first(w, budget);

	if (!*budget)
		return NULL;
	if (!first || heap_of(w)->entry[0].due_tick > until) {
		baseline_finish_pass(w, first, until);
		return NULL;
	}
	--*budget;
	heap_dequeue(w, first);
	return first;
}

const struct wheel_scheme baseline_heap = {
	.buckets	= heap_buckets,
	.init		= binary_init,
	.enqueue	= heap_enqueue,
	.dequeue	= heap_dequeue,
	.pop		= heap_pop,
	.first		= heap_first,
	.abandon	= baseline_abandon,
};

const struct wheel_scheme baseline_4_heap = {
	.buckets	= heap_buckets,
	.init		= quaternary_init,
	.enqueue	= heap_enqueue,
	.dequeue	= heap_dequeue,
	.pop		= heap_pop,
	.first		= heap_first,
	.abandon	= baseline_abandon,
};
