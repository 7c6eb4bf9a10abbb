// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The wheel: made, told the time, drained; and what all schemes share.
 */
#include "wheel.h"

/**
 * wheel_span - how far ahead a timer may always be
 * @w: wheel
 *
 * Return: nanoseconds from the present on; WHEEL_END_NS: as far as the clock goes.
 */
u64 wheel_span(const struct wheel_core *w)
{
	u64 span = w->span;

	if (span > wheel_tick_floor(&w->tick, WHEEL_END_NS))
		return WHEEL_END_NS;
	return span * w->tick.ns;
}

/**
 * wheel_memory - how much memory the rings of a wheel take
 * @buckets: a power of two
 *
 * Return: bytes.
 */
size_t wheel_memory(u32 buckets)
{
	return max(buckets, MINIMA_BELOW) * sizeof(struct wheel_bucket) +
	       DIV_ROUND_UP(buckets, 64) * sizeof(u64) +
	       minima_words(buckets) * sizeof(u64);
}

/**
 * wheel_init - make an empty wheel whose clock is at tick 0
 * @w: wheel
 * @scheme: its kind
 * @buckets: a power of two
 * @tick_ns: nanoseconds a tick, 1 .. WHEEL_END_NS
 * @memory: of wheel_memory(@buckets) bytes, aligned as malloc() aligns
 */
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 buckets, u64 tick_ns, void *memory)
{
	w->scheme = scheme;
	w->clock = 0;
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->pending = 0;
	w->cascaded = 0;
	w->walk.bucket = NULL;
	w->search = (struct wheel_search){ .refreshed = NULL };
	w->drained = 0;
	wheel_tick_init(&w->tick, tick_ns);
	w->last = wheel_tick_ceil(&w->tick, WHEEL_END_NS);
	w->span = WHEEL_END_NS;
	wheel_ring_init(&w->ring, buckets, memory);
	scheme->init(w);
	wheel_set_floor(w, 1);
}

/**
 * wheel_reduce - let a timer fire earlier
 * @w: wheel
 * @t: timer that is filed
 * @deadline: nanoseconds, earlier than its present one
 * @slack: nanoseconds later that are as good
 *
 * A timer that would not come earlier stays where it is: due at a tick which is
 * being taken, or for its slack, it might even come later.
 *
 * Return: 0, or -ERANGE: the clock was set back and @deadline is later than the
 * scheme can hold now; nothing changed.
 */
int wheel_reduce(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		 u64 slack)
{
	if (wheel_due_of(w, deadline, slack).tick < t->due_tick)
		return wheel_move(w, t, deadline, slack);
	WRITE_ONCE(t->deadline, deadline);
	return 0;
}

/**
 * wheel_requeue - file a timer again that was just popped, but shall not fire yet
 * @w: wheel in whose pass it was popped
 * @t: the timer, untouched since
 * @deadline: nanoseconds, at most WHEEL_END_NS, that it was moved to; later than
 *	the tick that it was popped at
 *
 * The pass that took it is still at its tick: it can be due at the next one. If
 * the scheme cannot hold so late a tick, the timer is looked at again before, a
 * revolution from now. The timer's own deadline is left alone: it may have been
 * moved on since.
 */
void wheel_requeue(struct wheel_core *w, struct wheel_timer *t, u64 deadline)
{
	u64 mask = ((u64)1 << t->order) - 1;
	u64 tick = max(wheel_tick_ceil(&w->tick, deadline), t->due_tick + 1);
	struct wheel_due due = { min((tick + mask) & ~mask, w->last), t->order };

	if (due.tick > w->latest) {
		due.tick = min(tick, w->latest);
		due.order = 0;
	}
	wheel_file(w, w->scheme, t, due);
	w->pending++;
}

/**
 * wheel_drain - take any timer
 * @w: wheel
 * @budget: places to look at, counted down
 *
 * Return: a timer, not filed any more; or NULL, with budget left when the wheel
 * is empty.
 */
struct wheel_timer *wheel_drain(struct wheel_core *w, unsigned int *budget)
{
	struct wheel_timer *t;

	w->scheme->abandon(w);
	t = w->scheme->first(w, budget);
	if (!t && *budget && w->pending) {
		/* Timers armed since are in buckets that were already drained. */
		w->drained = 0;
		t = w->scheme->first(w, budget);
	}
	if (t)
		wheel_remove(w, t);
	return t;
}

/**
 * wheel_forward - tell a wheel the time before a timer is armed
 * @w: wheel
 * @tick: the present one
 *
 * Nobody has looked at an idle wheel's clock; here it catches up in one step. The
 * clock of a wheel that is not idle moves in passes, unless its scheme wants it
 * near the present.
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

/**
 * wheel_set_back - the clock was set
 * @w: wheel of a scheme that files by the due tick alone
 * @tick: the present one, before which the wheel's clock may be
 *
 * Timers armed now may be due at ticks that were taken in another time. Timers that a pass
 * under way has not taken yet are not due any more: it searches anew.
 */
void wheel_set_back(struct wheel_core *w, u64 tick)
{
	if (tick + 1 >= w->floor)
		return;
	w->clock = min(w->clock, tick);
	wheel_set_floor(w, tick + 1);
	w->found = false;
	if (w->scheme->abandon(w))
		w->next = w->clock + 1;
}

/**
 * wheel_check - does the wheel hold what it promises?
 * @w: wheel
 *
 * Walks all of it. For tests.
 *
 * Return: NULL, or what is wrong.
 */
const char *wheel_check(const struct wheel_core *w)
{
	const char *error;
	u64 count = 0;

	error = w->scheme->check(w, &count);
	if (error)
		return error;
	if (count != w->pending)
		return "pending is not the number of timers";
	if (w->floor <= w->clock)
		return "a timer could be due at a tick that was taken";
	return NULL;
}
