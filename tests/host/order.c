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

/* After a timer was popped, the bucket of the next tick may be open. */
static void p5_requeued_before_the_next_tick(void)
{
	struct rig rig;

	rig_init(&rig, 64, 1, 2);
	rig_arm(&rig, 0, 5, 0);
	rig_arm(&rig, 1, 40, 0);
	rig_pop_again(&rig, 50, BUDGETS, 7);
	if (rig_pass(&rig, 50, BUDGETS) != 2)
		ktap_fail("a timer did not fire");
}

const struct ktap_test order_tests[] = {
	{ "p5_in_order", p5_in_order },
	{ "p5_requeued_before_the_next_tick", p5_requeued_before_the_next_tick },
	{ }
};
