// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The wheel: ticks, slack, rings, and what all schemes share.
 */
#include "wheel.h"

/*
 * Every arm divides by the tick, so the division is a multiplication. With
 * l = ceil(log2(d)) and m = floor(2^(63 + l) / d) + 1, for all x < 2^63:
 *
 *	x / d = mulhi(2 * x, m) >> l
 *
 * Granlund and Montgomery, "Division by Invariant Integers using
 * Multiplication", 1994. m is found by long division in binary: 2^l / d is 1
 * with the remainder 2^l - d, then 63 more bits of the quotient follow.
 */
static void tick_init(struct wheel_tick *tick, u64 ns)
{
	u32 shift = fls64(ns - 1);
	u64 rem = ((u64)1 << shift) - ns;
	u64 quotient = 1;
	int bit;

	for (bit = 0; bit < 63; bit++) {
		rem <<= 1;
		quotient <<= 1;
		if (rem >= ns) {
			rem -= ns;
			quotient |= 1;
		}
	}
	tick->ns = ns;
	tick->mul = quotient + 1;
	tick->shift = shift;
}

/**
 * wheel_tick_at - the newest tick boundary
 * @w: wheel
 * @now: nanoseconds, at most WHEEL_END_NS
 *
 * The clock's end counts as a boundary, so that the deadlines in its last,
 * incomplete tick can be reached, too.
 *
 * Return: the tick.
 */
u64 wheel_tick_at(const struct wheel_core *w, u64 now)
{
	if (unlikely(now >= WHEEL_END_NS))
		return w->last;
	return wheel_tick_floor(&w->tick, now);
}

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
 * wheel_due_within - when a timer with slack is due
 * @w: wheel
 * @deadline: nanoseconds, at most WHEEL_END_NS
 * @slack: nanoseconds later that are as good
 *
 * The tick within [earliest, latest] that is the multiple of the highest power of
 * two: timers with slack meet there and share a wake-up. That power is the
 * highest bit in which earliest - 1 and latest differ.
 *
 * Return: the tick, and the power to which any deadline may be rounded up within
 * this slack.
 */
struct wheel_due wheel_due_within(const struct wheel_core *w, u64 deadline,
				  u64 slack)
{
	u64 earliest = wheel_due_at(w, deadline).tick;
	u64 latest = deadline + min(slack, WHEEL_END_NS - deadline);
	u64 ticks = wheel_tick_floor(&w->tick, slack);
	u32 order;
	u64 mask;

	latest = wheel_tick_floor(&w->tick, latest);
	if (latest <= earliest)
		return (struct wheel_due){ earliest, 0 };
	order = min_t(u32, fls64((earliest - 1) ^ latest) - 1, w->max_order);
	mask = ((u64)1 << order) - 1;
	return (struct wheel_due){
		.tick	= (earliest + mask) & ~mask,
		.order	= min_t(u32, fls64(ticks | 1) - 1, order),
	};
}

/**
 * wheel_memory - how much memory the rings of a wheel take
 * @buckets: a power of two
 *
 * Return: bytes.
 */
size_t wheel_memory(u32 buckets)
{
	return buckets * sizeof(struct wheel_bucket) +
	       (buckets + 63) / 64 * sizeof(struct wheel_group) +
	       buckets * sizeof(struct list_head *);
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
	w->floor = 1;
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->lost = false;
	w->pending = 0;
	w->moved = 0;
	w->walk.bucket = NULL;
	w->opened = NULL;
	w->refreshed = NULL;
	w->drained = 0;
	tick_init(&w->tick, tick_ns);
	w->last = wheel_tick_ceil(&w->tick, WHEEL_END_NS);
	w->span = WHEEL_END_NS;
	ring_init(&w->ring, buckets, memory);
	scheme->init(w);
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
	if (wheel_due_of(w, deadline, slack).tick < t->due)
		return wheel_move(w, t, deadline, slack);
	WRITE_ONCE(t->deadline, deadline);
	return 0;
}

/* wheel_pop(), when no open bucket has a timer that is due. */
struct wheel_timer *wheel_pop_on(struct wheel_core *w, u64 until,
				 unsigned int *budget)
{
	struct wheel_timer *t;

	t = INDIRECT_CALL_2(w->scheme->pop, wheel_hierarchical_pop,
			    wheel_hashed_pop, w, until, budget);
	if (t)
		w->pending--;
	return t;
}

/**
 * wheel_refile - file a timer again that was just popped, but shall not fire yet
 * @w: wheel in whose pass it was popped
 * @t: the timer, untouched since
 * @deadline: nanoseconds, at most WHEEL_END_NS, that it was moved to; later than
 *	the tick that it was popped at
 *
 * The pass that took it is still at its tick: it can be due at the next one. Where
 * the scheme cannot hold so late a tick, the timer is looked at again before, a
 * revolution from now. What the timer itself has for a deadline is left alone: who
 * moved it may have moved it on since.
 */
void wheel_refile(struct wheel_core *w, struct wheel_timer *t, u64 deadline)
{
	u64 mask = ((u64)1 << t->order) - 1;
	u64 tick = max(wheel_tick_ceil(&w->tick, deadline), t->due + 1);
	struct wheel_due due = { min((tick + mask) & ~mask, w->last), t->order };

	if (wheel_beyond(w, due.tick)) {
		due.tick = min(tick, w->floor + w->span);
		due.order = 0;
	}
	wheel_file(w, t, due);
	w->drained = 0;
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
	struct wheel_timer *t = w->scheme->first(w, budget);

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
	if (w->pending) {
		if (w->scheme->follow)
			w->scheme->follow(w, tick);
		return;
	}
	w->clock = tick;
	w->floor = max(w->floor, tick + 1);
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->scheme->forward(w);
}

/**
 * wheel_set_back - the clock was set
 * @w: wheel of a scheme that files by the due tick alone
 * @tick: the present one, before which the wheel's clock may be
 *
 * What is armed now may be due at ticks that were taken in another time. What a pass
 * under way has not taken yet is not due any more: it searches anew.
 */
void wheel_set_back(struct wheel_core *w, u64 tick)
{
	if (tick + 1 >= w->floor)
		return;
	w->clock = min(w->clock, tick);
	w->floor = tick + 1;
	w->found = false;
	if (!hashed_is_busy(w))
		return;
	hashed_abandon(w);
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
