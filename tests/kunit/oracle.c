// SPDX-License-Identifier: GPL-2.0
#include "oracle.h"

#include "wheel.h"

static u64 first_boundary(const struct oracle *o, u64 deadline)
{
	return deadline / o->tick_ns + (deadline % o->tick_ns != 0);
}

/* The end of the clock is also a tick boundary. */
u64 oracle_tick_at(const struct oracle *o, u64 now)
{
	return now == WHEEL_END_NS ? o->end : now / o->tick_ns;
}

void oracle_init(struct oracle *o, u64 tick_ns)
{
	*o = (struct oracle){
		.tick_ns	= tick_ns,
		.coarsest	= 1,
		.span		= WHEEL_NO_TICK,
		.floor		= 1,
	};
	o->end = first_boundary(o, WHEEL_END_NS);
}

/* Returns the first of the coarsest boundaries within the slack. */
static u64 due_tick(const struct oracle *o, u64 deadline, u64 slack)
{
	u64 first = max(first_boundary(o, deadline), o->floor);
	u64 last = (deadline + min(slack, WHEEL_END_NS - deadline)) / o->tick_ns;
	u64 step;

	for (step = o->coarsest; step > 1; step /= 2) {
		u64 due = (first + step - 1) / step * step;

		if (due <= last)
			return due;
	}
	return first;
}

static bool can_be_had(const struct oracle *o, u64 due)
{
	return due <= o->end && due - o->floor < o->span;
}

static void put_in(struct oracle *o, struct oracle_timer *t)
{
	t->pending = true;
	t->prev = o->last;
	while (t->prev && t->prev->due > t->due)
		t->prev = t->prev->prev;
	t->next = t->prev ? t->prev->next : o->first;
	if (t->prev)
		t->prev->next = t;
	else
		o->first = t;
	if (t->next)
		t->next->prev = t;
	else
		o->last = t;
	o->armed++;
}

static void take_out(struct oracle *o, struct oracle_timer *t)
{
	if (t->prev)
		t->prev->next = t->next;
	else
		o->first = t->next;
	if (t->next)
		t->next->prev = t->prev;
	else
		o->last = t->prev;
	t->pending = false;
}

bool oracle_arm(struct oracle *o, struct oracle_timer *t, u64 deadline,
		u64 slack)
{
	u64 due = due_tick(o, deadline, slack);

	if (!can_be_had(o, due))
		due = due_tick(o, deadline, 0);
	if (!can_be_had(o, due))
		return false;
	if (t->pending)
		oracle_cancel(o, t);
	t->due = due;
	put_in(o, t);
	return true;
}

void oracle_cancel(struct oracle *o, struct oracle_timer *t)
{
	take_out(o, t);
	o->cancelled++;
}

void oracle_fire(struct oracle *o, struct oracle_timer *t)
{
	take_out(o, t);
	o->fired++;
}

/* Never rejected: a timer beyond a bound is dequeued at the bound. */
void oracle_requeue(struct oracle *o, struct oracle_timer *t, u64 deadline,
		    u32 order)
{
	u64 first = max(first_boundary(o, deadline), t->due + 1);
	u64 over = first % ((u64)1 << order);
	u64 due = over ? first - over + ((u64)1 << order) : first;

	oracle_fire(o, t);
	t->due = min(due, o->end);
	if (o->span != WHEEL_NO_TICK && t->due >= o->floor + o->span)
		t->due = min(first, o->floor + o->span - 1);
	put_in(o, t);
}

void oracle_pass(struct oracle *o, u64 until)
{
	o->floor = max(o->floor, until + 1);
}

void oracle_reach(struct oracle *o, u64 tick)
{
	o->clock = max(o->clock, tick);
	o->floor = max(o->floor, tick + 1);
}

u64 oracle_next(const struct oracle *o)
{
	return o->first ? o->first->due : WHEEL_NO_TICK;
}

u64 oracle_pending(const struct oracle *o)
{
	return o->armed - o->fired - o->cancelled;
}
