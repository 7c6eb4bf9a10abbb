// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ticks: conversion from nanoseconds, and slack.
 */
#include "core.h"

/*
 * Each arm divides by the tick length. The division is a multiplication: with
 * l = ceil(log2(d)) and m = floor(2^(63 + l) / d) + 1, for all x < 2^63,
 *
 *	x / d = mulhi(2 * x, m) >> l
 *
 * See Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994.
 * Binary long division computes m: 2^l / d is 1 with the remainder 2^l - d, followed by 63
 * more bits of the quotient.
 */
void wheel_tick_init(struct wheel_tick *tick, u64 ns)
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

/*
 * Return the due tick of a timer with slack: the tick within [earliest, latest] that is a multiple
 * of the highest power of two. Timers with slack share this tick and its wake-up. The exponent is
 * the highest bit in which earliest - 1 and latest differ.
 */
struct wheel_due wheel_due_within(const struct wheel_core *w, u64 deadline, u64 slack)
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
