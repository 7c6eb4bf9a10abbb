// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations of the wheel that are not inline and are common to all schemes.
 */
#include "wheel.h"

#define DEFAULT_BUCKETS		4096
#define MIN_DEFAULT_BUCKETS	256
#define MAX_DEFAULT_BUCKETS	0x100000
#define TIMERS_A_BUCKET		16

/*
 * Return the number of buckets of a wheel of a scheme, a power of two. If @requested is 0, it
 * depends on the maximum number of timers, which is 0 if there is none.
 */
u32 wheel_buckets(const struct wheel_scheme *scheme, u32 requested, u64 limit)
{
	u32 buckets = requested;

	if (!buckets && !limit)
		buckets = DEFAULT_BUCKETS;
	else if (!buckets)
		buckets = min_t(u64, max_t(u64, limit / TIMERS_A_BUCKET, MIN_DEFAULT_BUCKETS),
				MAX_DEFAULT_BUCKETS);
	buckets = 1U << fls64(buckets - 1);
	return scheme->buckets ? scheme->buckets(buckets) : buckets;
}

/* Return the range of a wheel in nanoseconds; WHEEL_END_NS if there is no limit. */
u64 wheel_span(const struct wheel_core *w)
{
	u64 span = w->span;

	if (span > wheel_tick_floor(&w->tick, WHEEL_END_NS))
		return WHEEL_END_NS;
	return span * w->tick.ns;
}

/* Return the size of the memory of a wheel in bytes. The number of buckets is a power of two. */
size_t wheel_memory(u32 buckets)
{
	return max(buckets, MINIMA_BELOW) * sizeof(struct wheel_bucket) +
	       DIV_ROUND_UP(buckets, 64) * sizeof(u64) +
	       minima_words(buckets) * sizeof(u64);
}

/*
 * Initialize an empty wheel whose clock is at tick 0. A tick is 1 .. WHEEL_END_NS nanoseconds long.
 * The memory is of wheel_memory(@buckets) bytes and aligned to 8 bytes.
 */
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 buckets, u64 tick_ns, void *memory)
{
	*w = (struct wheel_core){
		.scheme		= scheme,
		.own_queue	= scheme->enqueue,
		.next		= WHEEL_NO_TICK,
		.found		= true,
		.span		= WHEEL_END_NS,
	};
	wheel_tick_init(&w->tick, tick_ns);
	w->last = wheel_tick_ceil(&w->tick, WHEEL_END_NS);
	wheel_ring_init(&w->ring, buckets, memory);
	scheme->init(w);
	wheel_set_floor(w, 1);
}

void wheel_own_enqueue(struct wheel_core *w, struct wheel_timer *t, struct wheel_due due)
{
	w->scheme->enqueue(w, t, due);
	w->next = min(w->next, due.tick);
}

void wheel_own_dequeue(struct wheel_core *w, struct wheel_timer *t)
{
	w->scheme->dequeue(w, t);
	ring_forget(w, t->due_tick);
}

/*
 * Queue a timer again that wheel_pop() returned before its current deadline, which is later than
 * the tick at which it was due. The timer can be due at the next tick of the pass in progress. If
 * the deadline exceeds the range of the scheme, the timer is dequeued again at the end of the
 * range. t->deadline is not modified because the owner may have changed it again.
 */
void wheel_requeue(struct wheel_core *w, struct wheel_timer *t, u64 deadline)
{
	u32 order = timer_order(t);
	u64 mask = ((u64)1 << order) - 1;
	u64 tick = max(wheel_tick_ceil(&w->tick, deadline), t->due_tick + 1);
	struct wheel_due due = { min((tick + mask) & ~mask, w->last), order };

	if (due.tick > w->latest) {
		due.tick = min(tick, w->latest);
		due.order = 0;
	}
	/* The pass has already opened a later bucket. */
	if (due.tick < w->walk.tick)
		w->scheme->abandon(w);
	wheel_enqueue(w, t, due, w->own_queue);
	w->pending++;
}

/*
 * Dequeue any timer. The budget is the number of words of the bitmap to read, and is decremented
 * by the work done. Returns NULL if the budget is used up, or if the wheel is empty.
 */
struct wheel_timer *wheel_drain(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_timer *t;

	w->scheme->abandon(w);
	t = w->scheme->first(w, budget);
	if (!t && *budget && w->pending) {
		/* Timers were armed in buckets that had been drained. */
		w->drained = 0;
		t = w->scheme->first(w, budget);
	}
	if (t)
		wheel_remove(w, t);
	return t;
}

/*
 * Pass the current tick before a timer is armed. The clock of an empty wheel is advanced in one
 * step. The clock of a wheel that contains timers is advanced by passes only, unless the scheme
 * needs it near the current time.
 */
void wheel_forward(struct wheel_core *w, u64 tick)
{
	if (tick <= w->clock)
		return;
	wheel_raise_floor(w, tick);
	if (w->pending) {
		if (w->scheme->follow)
			w->scheme->follow(w, tick);
		return;
	}
	w->clock = tick;
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->scheme->abandon(w);
	if (w->scheme->forward)
		w->scheme->forward(w);
}

/*
 * Set the clock back to the current tick, on a wheel whose scheme has by_tick set. Timers armed
 * from now on can be due at ticks that were already processed. Timers that a pass in progress has
 * not returned yet are no longer due, and the pass starts a new search.
 */
void wheel_set_back(struct wheel_core *w, u64 tick)
{
	if (tick + 1 >= w->floor)
		return;
	w->clock = min(w->clock, tick);
	wheel_set_floor(w, tick + 1);
	w->found = false;
	w->scheme->abandon(w);
}
