// SPDX-License-Identifier: GPL-2.0
/*
 * P6: any delay, from any time to the end of the 63-bit clock, is exact.
 */
#include <stdio.h>

#include "rig.h"
#include "tests.h"

static const u64 starts[] = {
	0, 1, ((u64)1 << 31) - 3, (u64)1 << 31, ((u64)1 << 32) - 3,
	(u64)1 << 32, (u64)1 << 62, WHEEL_END_NS - ((u64)1 << 32) - 9,
	WHEEL_END_NS - ((u64)1 << 31) - 9, WHEEL_END_NS - 5000,
	WHEEL_END_NS - 70, WHEEL_END_NS - 3, WHEEL_END_NS - 1,
};

static const u64 delays[] = {
	0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129,
	640, 641, 4095, 4096, 4097, 64 << 10,
	((u64)1 << 31) - 1, (u64)1 << 31, ((u64)1 << 31) + 1,
	((u64)1 << 32) - 1, (u64)1 << 32, ((u64)1 << 32) + 1,
	((u64)1 << 62) - 1, (u64)1 << 62, ((u64)1 << 62) + 1,
	WHEEL_END_NS - 2, WHEEL_END_NS - 1, WHEEL_END_NS,
};

#define STARTS (sizeof(starts) / sizeof(*starts))
#define DELAYS (sizeof(delays) / sizeof(*delays))

static u64 after(u64 start, u64 delay)
{
	return start + min(delay, WHEEL_END_NS - start);
}

/**
 * struct range - parameters of a test
 * @start: time at which the timer is armed
 * @delay: delay from @start
 */
struct range {
	u64 start;
	u64 delay;
};

static void explain(const void *of)
{
	const struct range *range = of;

	printf("# start %llu delay %llu\n", range->start, range->delay);
}

/* Advance the clock to one tick before a timer, then to its tick. */
static void alone(u32 buckets, u64 start, u64 delay)
{
	const struct range range = { start, delay };
	u64 deadline = after(start, delay);
	struct rig rig;
	u64 due;

	ktap_if_it_fails(explain, &range);
	rig_init(&rig, buckets, 1, 1);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, deadline, 0);
	due = rig.wheel.next;
	if (due != max(deadline, start + 1))
		ktap_fail("the next expiry is not the deadline");
	if (rig_pass(&rig, due - 1, 8))
		ktap_fail("the timer fired before its deadline");
	if (rig_pass(&rig, due, 8) != 1)
		ktap_fail("the timer did not fire at its deadline");
}

static void p6_any_delay(void)
{
	size_t s;
	size_t d;

	for (s = 0; s < STARTS; s++)
		for (d = 0; d < DELAYS; d++)
			alone(64, starts[s], delays[d]);
}

/* Deadlines in the last, incomplete tick fire at the end of the clock. */
static void end_of_clock(u64 tick_ns)
{
	struct rig rig;
	u64 end;

	rig_init(&rig, 8, tick_ns, 3);
	end = oracle_tick_at(&rig.oracle, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS, 0);
	rig_arm(&rig, 1, WHEEL_END_NS - 1, 0);
	rig_arm(&rig, 2, WHEEL_END_NS / tick_ns * tick_ns, 0);
	if (wheel_tick_at(&rig.wheel, WHEEL_END_NS) != end)
		ktap_fail("the end of the clock is not a tick boundary");
	if (wheel_time_of(&rig.wheel, end) != WHEEL_END_NS)
		ktap_fail("the last boundary is not the clock's end");
	if (rig_pass(&rig, wheel_tick_at(&rig.wheel, WHEEL_END_NS), 5) != 3)
		ktap_fail("a timer did not fire at the end of the clock");
}

static void p6_end_of_the_clock(void)
{
	static const u64 ticks[] = {
		1, 2, 3, 10, 1000, 1000000, 1000000007, (u64)1 << 32,
		(u64)1 << 62, ((u64)1 << 62) + 1, WHEEL_END_NS - 1, WHEEL_END_NS,
	};
	size_t i;

	for (i = 0; i < sizeof(ticks) / sizeof(*ticks); i++)
		end_of_clock(ticks[i]);
}

/* The clock of an idle wheel advances in one step from any state, and never goes back. */
static void p6_forward_when_idle(void)
{
	struct rig rig;

	rig_init(&rig, 8, 1, 2);
	rig_forward(&rig, 100);
	rig_forward(&rig, 50);
	if (rig.wheel.clock != 100)
		ktap_fail("the clock went back");
	rig_arm(&rig, 0, 103, 0);
	rig_cancel(&rig, 0);
	rig_forward(&rig, 200);
	rig_arm(&rig, 0, 201, 0);
	rig_arm(&rig, 1, 201, 0);
	rig_pop(&rig, 300, 1);
	rig_pop(&rig, 300, 1);
	rig_forward(&rig, 301);
	rig_check(&rig);
	rig_arm(&rig, 0, 305, 0);
	if (rig_pass(&rig, 304, 1) || rig_pass(&rig, 305, 1) != 1)
		ktap_fail("a timer armed after it did not fire at its tick");
}

const struct ktap_test range_tests[] = {
	{ "p6_any_delay", p6_any_delay },
	{ "p6_end_of_the_clock", p6_end_of_the_clock },
	{ "p6_forward_when_idle", p6_forward_when_idle },
	{ }
};
