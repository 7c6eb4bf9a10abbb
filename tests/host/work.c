// SPDX-License-Identifier: GPL-2.0
/*
 * P9, bounded work: a pass keeps its budget, makes progress regardless of concurrent
 * operations, and its cost depends on the timers, not on the ticks.
 */
#include "rig.h"
#include "tests.h"

#define MANY 2000

/*
 * All fire at one tick, which is after the ring's revolution and on a separate level. Each is
 * visited, and rarely more than once.
 */
static void all_at_once(unsigned int budget)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 300000, 0);
	if (rig_pass(&rig, 299999, budget))
		ktap_fail("the timers fired early");
	rig.spent = 0;
	if (rig_pass(&rig, 300000, budget) != MANY)
		ktap_fail("not all timers fired at their tick");
	if (rig.spent < MANY)
		ktap_fail("timers fired without using the budget");
	if (rig.spent > 12 * (u64)MANY + 64)
		ktap_fail("timers were visited repeatedly");
}

static void p9_bounded_burst(void)
{
	unsigned int budget;

	for (budget = 1; budget < 70; budget++)
		all_at_once(budget);
	all_at_once(20 * MANY);
}

/* With a budget of 0, no timer is visited, and the pass does not end. */
static void p9_no_budget_no_work(void)
{
	struct rig rig;

	rig_init(&rig, 8, 1, 1);
	rig_arm(&rig, 0, 1, 0);
	if (rig_pop(&rig, 1, 0) || !rig.passing || !rig.wheel.pending)
		ktap_fail("work was done without a budget");
	if (rig_pass(&rig, 1, 1) != 1)
		ktap_fail("a pass without a budget lost a timer");
}

/* A pass advances from due tick to due tick. Idle time and empty buckets do not use the budget. */
static void p9_a_stall_is_one_jump(void)
{
	struct rig rig;

	rig_init(&rig, 65536, 1, 2);
	rig_arm(&rig, 0, (u64)1 << 40, 0);
	rig_arm(&rig, 1, (u64)1 << 50, 0);
	if (rig_pass(&rig, ((u64)1 << 40) - 1, 4))
		ktap_fail("the timer fired early");
	if (rig.spent > 65536 / 64 + 8)
		ktap_fail("idle time used the budget");
	if (rig_pass(&rig, (u64)1 << 41, 4) != 1)
		ktap_fail("a timer was lost in the gap");
	if (rig.spent > 2 * (65536 / 64 + 8))
		ktap_fail("a stall cost more than two searches of the ring");
}

/*
 * Between the calls, a timer is armed and cancelled, earlier than the result of the search or
 * later: the search continues.
 */
static void search_goes_on(u64 deadline)
{
	const u32 buckets = 4096;
	unsigned int calls = 0;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, buckets + 2);
	rig_arm(&rig, buckets, 1, 0);
	for (i = 0; i < buckets; i++)
		rig_arm(&rig, i, 10 * buckets + i, 0);
	do {
		rig_pop(&rig, 1, 64);
		rig_arm(&rig, buckets + 1, deadline, 0);
		rig_cancel(&rig, buckets + 1);
		if (++calls > buckets)
			ktap_fail("the search starts over at each cancel");
	} while (rig.passing);
}

static void p9_search_outlasts_cancels(void)
{
	search_goes_on(0);

	search_goes_on(4000);
	search_goes_on(100000);
}

/*
 * The same with a bucket of @count timers, long or not, that is walked to refresh its minimum:
 * the new minimum is cancelled repeatedly, and so is a timer earlier than all others.
 */
static void refresh_goes_on(unsigned int count, unsigned int budget)
{
	unsigned int calls = 0;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, count + 1);
	for (i = 0; i < count; i++)
		rig_arm(&rig, i, 8 * (100000 + i) + 5, 0);
	rig_cancel(&rig, 0);
	rig_arm(&rig, count, 13, 0);
	rig_cancel(&rig, count);
	do {
		rig_pop(&rig, 2, budget);
		if (calls % 16 == 0)
			rig_cancel(&rig, 1 + calls / 16);
		if (calls % 64 == 48) {
			rig_arm(&rig, count, 13, 0);
			rig_cancel(&rig, count);
		}
		if (++calls > 2 * count / budget)
			ktap_fail("the refresh starts over at each cancel");
	} while (rig.passing);
}

static void p9_refresh_outlasts_cancels(void)
{
	refresh_goes_on(MANY, 64);

	refresh_goes_on(200, 8);
}

/* One pass visits some timers of a long bucket. Later passes visit none of them. */
static void p9_crowd_is_left_alone(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 8 * (100000 + i) + 5, 0);
	rig_cancel(&rig, 0);
	for (i = 1; i < 100; i++)
		rig_pass(&rig, i, 64);
	if (rig.spent > MANY)
		ktap_fail("each pass visits a long bucket because of one cancelled timer");
	rig_pass(&rig, 8 * (100000 + MANY), 64);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

/* Callbacks repeatedly arm timers in the past. Each pass expires each of them once. */
static void p9_past_storm(void)
{
	struct rig rig;
	unsigned int i;
	u64 until;

	rig_init(&rig, 8, 1, 32);
	for (i = 0; i < 32; i++)
		rig_arm(&rig, i, 0, 0);
	for (until = 1; until < 1000; until += 1 + until % 90) {
		unsigned int fired = 0;

		do {
			struct rig_timer *t = rig_pop(&rig, until, 4);

			if (!t)
				continue;
			rig_arm(&rig, (unsigned int)(t - rig.timer), 0, 0);
			fired++;
		} while (rig.passing && fired <= 32);
		if (fired != 32)
			ktap_fail("a pass did not expire each timer once");
	}
}

const struct ktap_test work_tests[] = {
	{ "p9_bounded_burst", p9_bounded_burst },
	{ "p9_no_budget_no_work", p9_no_budget_no_work },
	{ "p9_a_stall_is_one_jump", p9_a_stall_is_one_jump },
	{ "p9_search_outlasts_cancels", p9_search_outlasts_cancels },
	{ "p9_refresh_outlasts_cancels", p9_refresh_outlasts_cancels },
	{ "p9_crowd_is_left_alone", p9_crowd_is_left_alone },
	{ "p9_past_storm", p9_past_storm },
	{ }
};
