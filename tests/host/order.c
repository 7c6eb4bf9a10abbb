// SPDX-License-Identifier: GPL-2.0
/*
 * P5: timers fire by due tick, then in the order of arming, regardless of the budget and of
 * timers armed or cancelled between two calls. The harness compares each expired timer with
 * the first one of the oracle.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS	48
#define BUDGETS	60

static const u32 rings[] = { 1, 2, 4, 16, 64, 128 };

static void with_each_ring(void (*run)(u32 buckets, unsigned int budget))
{
	unsigned int budget;
	size_t i;

	for (i = 0; i < sizeof(rings) / sizeof(*rings); i++)
		for (budget = 1; budget <= BUDGETS; budget++)
			run(rings[i], budget);
}

/* Returns one of a few ticks in up to three revolutions, so that timers share buckets. */
static u64 meeting_tick(struct random *r, u64 after, u32 buckets)
{
	return after + 1 + random_below(r, 3) + random_below(r, 3) * buckets;
}

static void in_order(u32 buckets, unsigned int budget)
{
	struct random r = random_start(30);
	struct rig rig;
	unsigned int i;
	u64 until;

	rig_init(&rig, buckets, 1, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, meeting_tick(&r, 0, buckets), 0);
	rig_check(&rig);
	for (until = 1; until < 4 * (u64)buckets; until += 1 + buckets / 2)
		rig_pass(&rig, until, budget);
	rig_pass(&rig, until + 4, budget);
	rig_check(&rig);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p5_in_order(void)
{
	with_each_ring(in_order);
}

/* After each call of a pass, one timer is armed, moved or cancelled. */
static void in_order_disturbed(u32 buckets, unsigned int budget)
{
	struct random r = random_start(31);
	unsigned int calls = 300;
	struct rig rig;
	u64 until = 0;
	unsigned int i;

	rig_init(&rig, buckets, 1, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, meeting_tick(&r, 0, buckets), 0);
	while (calls--) {
		if (!rig.passing)
			until += random_below(&r, 2 * buckets + 2);
		rig_pop(&rig, until, budget);
		i = (unsigned int)random_below(&r, TIMERS);
		if (random_percent(&r, 40))
			rig_cancel(&rig, i);
		else if (random_percent(&r, 20))
			rig_arm(&rig, i, 0, 0);
		else if (random_percent(&r, 50))
			rig_arm(&rig, i, meeting_tick(&r, until, buckets), 0);
		rig_check(&rig);
	}
	rig_pass(&rig, until, budget);
	rig_pass(&rig, until + 3 * buckets + 4, budget);
	rig_check(&rig);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p5_in_order_while_it_changes(void)
{
	with_each_ring(in_order_disturbed);
}

/*
 * One bucket contains timers that are due alternately at ticks 1 and 2. A pass is
 * interrupted after @pops calls with a budget of 1. Then one timer is armed again and
 * must be queued after the mark, as the last one of tick 2.
 */
static void arm_in_walk(unsigned int i, unsigned int pops)
{
	struct rig rig;
	unsigned int k;

	rig_init(&rig, 1, 1, 8);
	for (k = 0; k < 8; k++)
		rig_arm(&rig, k, 1 + k % 2, 0);
	for (k = 0; k < pops; k++)
		rig_pop(&rig, 1, 1);
	rig_arm(&rig, i, 0, 0);
	rig_check(&rig);
	rig_pass(&rig, 1, 1);
	rig_check(&rig);
	rig_pass(&rig, 2, 1);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p5_arm_within_a_walk(void)
{
	unsigned int pops;
	unsigned int i;

	for (i = 0; i < 8; i++)
		for (pops = 0; pops < 20; pops++)
			arm_in_walk(i, pops);
}

/* Timers are armed for the same tick, from several revolutions to one tick before it. */
static void p5_first_armed_first_fired(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, 32);
	for (i = 0; i < 32; i++) {
		rig_arm(&rig, i, 40, 0);
		rig_pass(&rig, i + 1, 1);
	}
	for (i = 0; i < 32; i++) {
		struct rig_timer *t = rig_pop(&rig, 40, 1000);

		if (t != &rig.timer[i])
			ktap_fail("the timers did not fire in the order of arming");
	}
}

/* A timer armed in the past by its callback fires once per pass, not once per tick. */
static void p5_past_joins_the_next_pass(void)
{
	struct rig rig;
	u64 fired = 0;

	rig_init(&rig, 8, 1, 2);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 1000, 0);
	do {
		struct rig_timer *t = rig_pop(&rig, 1000, 4);

		if (!t)
			continue;
		fired++;
		rig_arm(&rig, (unsigned int)(t - rig.timer), 0, 0);
		if (t->wheel.due_tick != 1001)
			ktap_fail("a callback's timer is due within its own pass");
	} while (rig.passing);
	if (fired != 2)
		ktap_fail("the timer fired for each tick of a stall");
}

/* wheel_forward() advances the time without expiring overdue timers. */
static void p5_overdue_in_the_order_armed(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, 6);
	rig_arm(&rig, 5, 1000, 0);
	for (i = 0; i < 5; i++) {
		rig_forward(&rig, 100 + i / 3);
		rig_arm(&rig, i, 50 - i, 0);
	}
	for (i = 0; i < 5; i++) {
		struct rig_timer *t = NULL;

		while (!t)
			t = rig_pop(&rig, 102, 4);
		if (t != &rig.timer[i])
			ktap_fail("an overdue timer overtook one that was armed before it");
	}
}

const struct ktap_test order_tests[] = {
	{ "p5_in_order", p5_in_order },
	{ "p5_in_order_while_it_changes", p5_in_order_while_it_changes },
	{ "p5_arm_within_a_walk", p5_arm_within_a_walk },
	{ "p5_first_armed_first_fired", p5_first_armed_first_fired },
	{ "p5_past_joins_the_next_pass", p5_past_joins_the_next_pass },
	{ "p5_overdue_in_the_order_armed", p5_overdue_in_the_order_armed },
	{ }
};
