/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ticks: from nanoseconds and back, and the tick at which a timer is due.
 */
#ifndef _WHEEL_CORE_TICK_H
#define _WHEEL_CORE_TICK_H

#include "core.h"

/**
 * struct wheel_due - when a timer is due
 * @tick: at this tick
 * @order: its slack allows to round any tick up to a multiple of 2^@order
 */
struct wheel_due {
	u64	tick;
	u8	order;
};

void wheel_tick_init(struct wheel_tick *tick, u64 ns);
u64 wheel_tick_at(const struct wheel_core *w, u64 now);
struct wheel_due wheel_due_within(const struct wheel_core *w, u64 deadline,
				  u64 slack);

/* x / d = mulhi(2 * x, m) >> l, see tick.c */
static inline u64 wheel_tick_floor(const struct wheel_tick *tick, u64 ns)
{
	return wheel_mulhi(ns << 1, tick->mul) >> tick->shift;
}

static inline u64 wheel_tick_ceil(const struct wheel_tick *tick, u64 ns)
{
	return likely(ns) ? wheel_tick_floor(tick, ns - 1) + 1 : 0;
}

/**
 * wheel_time_of - when a tick is
 * @w: wheel
 * @tick: of a time up to the clock's end
 *
 * Return: nanoseconds, at most WHEEL_END_NS.
 */
static inline u64 wheel_time_of(const struct wheel_core *w, u64 tick)
{
	return min(tick * w->tick.ns, WHEEL_END_NS);
}

static inline void wheel_set_floor(struct wheel_core *w, u64 floor)
{
	w->floor = floor;
	w->latest = min(w->last, floor + w->span);
}

/* No timer is due at @tick any more, or before. */
static inline void wheel_raise_floor(struct wheel_core *w, u64 tick)
{
	if (tick >= w->floor)
		wheel_set_floor(w, tick + 1);
}

/* Without slack. */
static inline struct wheel_due wheel_due_at(const struct wheel_core *w,
					    u64 deadline)
{
	u64 tick = wheel_tick_ceil(&w->tick, deadline);

	return (struct wheel_due){ .tick = max(tick, w->floor) };
}

static inline struct wheel_due wheel_due_of(const struct wheel_core *w,
					    u64 deadline, u64 slack)
{
	if (likely(!slack))
		return wheel_due_at(w, deadline);
	return wheel_due_within(w, deadline, slack);
}

#endif
