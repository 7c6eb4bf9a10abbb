// SPDX-License-Identifier: MIT
/*
 * When a timer is due, by the clock and the tick of its wheel.
 */
#include "due.h"

/**
 * time_sum - a later time
 * @a: time
 * @b: how much later
 *
 * Return: their sum; the clock's end when that is beyond.
 */
u64 time_sum(u64 a, u64 b)
{
	return a > WHEEL_MAX_TIME - b ? WHEEL_MAX_TIME : a + b;
}

/**
 * due_time - when a timer without slack is due
 * @tick: of its wheel
 * @deadline: of the timer
 * @told: when the device had the deadline, or later
 *
 * It is the first tick boundary that is neither before the deadline nor past
 * already. The clock's end counts as a boundary.
 *
 * Return: the time.
 */
u64 due_time(u64 tick, u64 deadline, u64 told)
{
	u64 due = deadline / tick + !!(deadline % tick);
	u64 next = told / tick + 1;

	if (due < next)
		due = next;
	return due > WHEEL_MAX_TIME / tick ? WHEEL_MAX_TIME : due * tick;
}
