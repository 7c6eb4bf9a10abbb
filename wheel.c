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

static u64 tick_floor(const struct wheel_tick *tick, u64 ns)
{
	return wheel_mulhi(ns << 1, tick->mul) >> tick->shift;
}

static u64 tick_ceil(const struct wheel_tick *tick, u64 ns)
{
	return ns ? tick_floor(tick, ns - 1) + 1 : 0;
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
		return tick_ceil(&w->tick, WHEEL_END_NS);
	return tick_floor(&w->tick, now);
}

/**
 * wheel_time_of - when a tick is
 * @w: wheel
 * @tick: of a time up to the clock's end
 *
 * Return: nanoseconds, at most WHEEL_END_NS.
 */
u64 wheel_time_of(const struct wheel_core *w, u64 tick)
{
	return min(tick * w->tick.ns, WHEEL_END_NS);
}

/*
 * The due tick within [earliest, latest] that is the multiple of the highest
 * power of two: timers with slack meet there and share a wake-up. That power is
 * the highest bit in which earliest - 1 and latest differ.
 */
static u64 due_tick(const struct wheel_core *w, struct wheel_timer *t,
		    u64 slack)
{
	u64 earliest = max(tick_ceil(&w->tick, t->deadline), w->floor);
	u64 latest, mask;

	t->order = 0;
	if (likely(!slack))
		return earliest;
	latest = tick_floor(&w->tick,
			    t->deadline + min(slack, WHEEL_END_NS - t->deadline));
	if (latest <= earliest)
		return earliest;
	t->order = min_t(u32, fls64((earliest - 1) ^ latest) - 1, w->max_order);
	mask = ((u64)1 << t->order) - 1;
	return (earliest + mask) & ~mask;
}

/**
 * wheel_memory - how much memory the rings of a wheel take
 * @slots: a power of two
 *
 * Return: bytes.
 */
size_t wheel_memory(u32 slots)
{
	return slots * sizeof(struct wheel_slot) +
	       (slots + 63) / 64 * sizeof(u64);
}

static void ring_init(struct wheel_ring *r, u32 slots, void *memory)
{
	u32 i;

	r->slot = memory;
	r->busy = (u64 *)(r->slot + slots);
	r->mask = slots - 1;
	for (i = 0; i < slots; i++) {
		INIT_LIST_HEAD(&r->slot[i].timers);
		r->slot[i].min = WHEEL_NO_TICK;
		r->slot[i].stale = false;
	}
	for (i = 0; i < (slots + 63) / 64; i++)
		r->busy[i] = 0;
}

/**
 * wheel_init - make an empty wheel whose clock is at tick 0
 * @w: wheel
 * @scheme: its kind
 * @slots: a power of two
 * @tick_ns: nanoseconds a tick, 1 .. WHEEL_END_NS
 * @memory: of wheel_memory(@slots) bytes, aligned as malloc() aligns
 */
void wheel_init(struct wheel_core *w, const struct wheel_scheme *scheme,
		u32 slots, u64 tick_ns, void *memory)
{
	w->scheme = scheme;
	w->clock = 0;
	w->floor = 1;
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->pending = 0;
	tick_init(&w->tick, tick_ns);
	ring_init(&w->ring, slots, memory);
	scheme->init(w);
}

/**
 * ring_append - file a timer at the tail of a slot
 * @r: ring
 * @at: number of the slot
 * @t: timer, its due tick set
 */
void ring_append(struct wheel_ring *r, u32 at, struct wheel_timer *t)
{
	struct wheel_slot *slot = &r->slot[at];

	WRITE_ONCE(t->slot, at);
	list_add_tail(&t->node, &slot->timers);
	slot->min = min(slot->min, t->due);
	r->busy[at / 64] |= (u64)1 << at % 64;
}

/**
 * ring_find - the first busy slot in a part of a ring
 * @r: ring
 * @from: where to start
 * @to: where to stop
 * @budget: words of the bitmap that may be read, counted down
 *
 * Return: the slot, which is busy; or the place before which none is, @to or,
 * with the budget used up, an earlier one.
 */
u32 ring_find(const struct wheel_ring *r, u32 from, u32 to,
	      unsigned int *budget)
{
	while (from < to && *budget) {
		u64 word = r->busy[from / 64] >> from % 64;

		if (word)
			return min(from + (u32)__ffs64(word), to);
		from = (from | 63) + 1;
		(*budget)--;
	}
	return min(from, to);
}

/**
 * wheel_place - file a timer
 * @w: wheel
 * @t: timer that is not filed
 * @deadline: nanoseconds, at most WHEEL_END_NS
 * @slack: nanoseconds later that are as good
 */
void wheel_place(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		 u64 slack)
{
	t->deadline = deadline;
	t->due = due_tick(w, t, slack);
	INDIRECT_CALL_1(w->scheme->file, wheel_hashed_file, w, t);
	w->pending++;
	if (t->due < w->next)
		w->next = t->due;
}

/**
 * wheel_remove - take out a timer that shall not fire
 * @w: wheel
 * @t: timer that is filed
 *
 * When it was the earliest, the next expiry is not known exactly any more, only
 * not to be earlier: the next pass finds out.
 */
void wheel_remove(struct wheel_core *w, struct wheel_timer *t)
{
	INDIRECT_CALL_1(w->scheme->unfile, wheel_hashed_unfile, w, t);
	w->pending--;
	if (t->due == w->next)
		w->found = false;
}

/**
 * wheel_reduce - let a timer fire earlier
 * @w: wheel
 * @t: timer that is filed
 * @deadline: nanoseconds, earlier than its present one
 * @slack: nanoseconds later that are as good
 *
 * A timer that is due at a tick which is being taken stays where it is: filed
 * anew it would come later.
 */
void wheel_reduce(struct wheel_core *w, struct wheel_timer *t, u64 deadline,
		  u64 slack)
{
	if (t->due <= w->floor) {
		t->deadline = deadline;
		return;
	}
	wheel_remove(w, t);
	wheel_place(w, t, deadline, slack);
}

/**
 * wheel_pop - go on with a pass: take the next timer that is due
 * @w: wheel
 * @until: the tick to advance to
 * @budget: timers and places to look at, counted down
 *
 * Timers come by due tick, then in the order armed. Each stays filed, and can be
 * removed, until it is returned. Between two calls timers may be placed and
 * removed at will.
 *
 * Return: the timer, not filed any more; or NULL. With budget left NULL means
 * that all is done: the clock is at @until and the next expiry is known, exactly
 * unless timers were removed between the calls.
 */
struct wheel_timer *wheel_pop(struct wheel_core *w, u64 until,
			      unsigned int *budget)
{
	struct wheel_timer *t;

	w->floor = max(w->floor, until + 1);
	t = INDIRECT_CALL_1(w->scheme->pop, wheel_hashed_pop, w, until, budget);
	if (t)
		w->pending--;
	return t;
}

/**
 * wheel_drain - take any timer
 * @w: wheel
 *
 * Return: a timer, not filed any more; NULL when the wheel is empty.
 */
struct wheel_timer *wheel_drain(struct wheel_core *w)
{
	struct wheel_timer *t = w->scheme->first(w);

	if (t)
		wheel_remove(w, t);
	return t;
}

/**
 * wheel_forward - set the clock of a wheel that is empty
 * @w: wheel with no timer pending
 * @tick: the present one
 *
 * Nobody has looked at an idle wheel's clock; before a timer is armed it
 * catches up here in one step.
 */
void wheel_forward(struct wheel_core *w, u64 tick)
{
	if (tick <= w->clock)
		return;
	w->clock = tick;
	w->floor = max(w->floor, tick + 1);
	w->next = WHEEL_NO_TICK;
	w->found = true;
	w->scheme->forward(w);
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
