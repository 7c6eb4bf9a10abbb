// SPDX-License-Identifier: GPL-2.0
/*
 * P9, bounded work, for the hashed wheel: the timers and nodes that its walks and its
 * search for the next tick may visit.
 */
#include "rig.h"
#include "tests.h"

#define MANY 2000

/*
 * One timer in 100 of a bucket is due. Each timer is visited once, so the total of the used
 * budgets must not be less than the number of timers, nor much more.
 */
static void crowded_bucket(unsigned int budget)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, i % 100 ? 64 + 5 : 5, 0);
	if (rig_pass(&rig, 5, budget) != MANY / 100)
		ktap_fail("not all due timers fired");
	if (rig.spent < MANY)
		ktap_fail("timers were visited without using the budget");
	if (rig.spent > MANY + 64 + 2 * budget)
		ktap_fail("a timer was visited twice");
}

static void p9_bounded_work(void)
{
	unsigned int budget;

	for (budget = 1; budget < 70; budget++)
		crowded_bucket(budget);
	crowded_bucket(10 * MANY);
}

/* The mark in a long bucket advances by the budget in each call. */
static void p9_every_call_progresses(void)
{
	struct rig rig;
	unsigned int i;
	u64 calls = 0;

	rig_init(&rig, 1, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, i ? 100 : 5, 0);
	do {
		u64 before = rig.spent;

		rig_pop(&rig, 5, 16);
		if (rig.passing && rig.spent == before)
			ktap_fail("a call made no progress");
		if (++calls > MANY)
			ktap_fail("a pass does not end");
	} while (rig.passing);
	if (calls < MANY / 16)
		ktap_fail("a call visited more timers than its budget");
}

/* The refresh of a cancelled minimum in a long bucket is charged to the budget. */
static void p9_bounded_refresh(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, i ? 8 * (2 + i % 50) + 5 : 5, 0);
	rig_cancel(&rig, 0);
	rig_pass(&rig, 5, 3);
	if (rig.spent < MANY - 1)
		ktap_fail("timers were visited without using the budget");
	if (rig.spent > MANY + 100)
		ktap_fail("a refresh cost more than a walk");
}

/*
 * A stall over many due ticks, in a ring full of later timers: the pass visits the
 * ring once, and does not search it again for each tick.
 */
static void p9_a_stall_goes_round_once(void)
{
	const u32 buckets = 1024;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, 2 * buckets);
	for (i = 0; i < buckets; i++) {
		rig_arm(&rig, i, 10 * buckets + i, 0);
		if (i % 8 == 0)
			rig_arm(&rig, buckets + i, i, 0);
	}
	if (rig_pass(&rig, buckets, 64) != buckets / 8)
		ktap_fail("not all due timers fired");
	if (rig.spent > 4 * buckets)
		ktap_fail("the ring was searched again for each tick");
}

/* The search for the next tick uses the budget, and does not visit the whole ring. */
static void p9_search_is_paid_for(void)
{
	struct rig rig;

	rig_init(&rig, 4096, 1, 2);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 4000, 0);
	if (rig_pass(&rig, 1, 64) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.spent < 5)
		ktap_fail("minima were visited without using the budget");
	if (rig.spent > 8)
		ktap_fail("the search visited the whole ring");
}

/* All buckets contain far timers. The search visits only the nodes above them. */
static void p9_far_timers_are_left_out(void)
{
	const u32 buckets = 4096;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, buckets + 1);
	for (i = 0; i < buckets; i++)
		rig_arm(&rig, i, 10 * buckets + i, 0);
	rig_arm(&rig, buckets, buckets - 1, 0);
	rig_pass(&rig, buckets - 2, 64);
	rig.spent = 0;
	if (rig_pass(&rig, buckets - 1, 64) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.spent > 8)
		ktap_fail("far timers make the search longer");
}

/*
 * In rings of all sizes, the smallest with a root only, a timer fires, and the next one is far
 * away. The nodes above the first are raised before the search for the second.
 */
static void p9_what_fired_misleads_no_search(void)
{
	struct rig rig;
	u32 buckets;
	u64 tick;

	for (buckets = 1; buckets <= 4096; buckets *= 2) {
		for (tick = 1; tick < 64; tick++) {
			rig_init(&rig, buckets, 1, 2);
			rig_arm(&rig, 0, tick, 0);
			rig_arm(&rig, 1, 10 * buckets + 777 * tick, 0);
			if (rig_pass(&rig, tick, 64) != 1)
				ktap_fail("the timer did not fire at its tick");
			if (rig.spent > 7)
				ktap_fail("the search was repeated");
			if (rig.wheel.next != 10 * buckets + 777 * tick)
				ktap_fail("the next expiry is wrong");
		}
	}
}

/*
 * A timer fires, and the next one is far away in a ring with a million buckets with
 * timers everywhere. Many minima are too small at first.
 */
static void p9_a_million_buckets(void)
{
	const u32 buckets = 1 << 20, others = buckets / 64;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, 2 * others + 1);
	for (i = 0; i < others; i++) {
		rig_arm(&rig, i, 1 + 64 * i, 0);
		rig_arm(&rig, others + i, 10 * buckets + 64 * i, 0);
	}
	if (rig_pass(&rig, buckets, 64) != others)
		ktap_fail("not all due timers fired");
	for (i = 1; i < 100; i++) {
		rig_arm(&rig, 0, 2 * buckets + 1000 * i, 0);
		rig_arm(&rig, 1, 3 * buckets + 777 * i, 0);
		rig.spent = 0;
		if (rig_pass(&rig, 2 * buckets + 1000 * i, 64) != 1)
			ktap_fail("the timer did not fire at its tick");
		if (rig.spent > 16)
			ktap_fail("the search visited the whole ring");
		rig_cancel(&rig, 1);
	}
}

/*
 * Timers were cancelled everywhere, all earlier than the remaining one. Each node that is too
 * small is raised once, within the budget.
 */
static void p9_each_minimum_is_raised_once(void)
{
	const u32 buckets = 4096;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, buckets, 1, buckets + 2);
	for (i = 0; i < buckets; i++)
		rig_arm(&rig, i, 2 + i, 0);
	rig_arm(&rig, buckets, 1, 0);
	rig_arm(&rig, buckets + 1, 100 * buckets, 0);
	for (i = 0; i < buckets; i++)
		rig_cancel(&rig, i);
	rig_pass(&rig, 1, 64);
	if (rig.wheel.next != 100 * buckets)
		ktap_fail("the next expiry is wrong");
	if (rig.spent > 4 * (buckets / 7 + 4))
		ktap_fail("a minimum was raised twice");
}

/* A timer that is cancelled immediately leaves minima that are too small. */
static void come_and_go(struct rig *rig)
{
	rig_arm(rig, 2, 40, 0);
	rig_cancel(rig, 2);
}

/*
 * If such timers are frequent, each search is repeated. After a limit it ends with a tick that is
 * too early, and the next pass searches again.
 */
static void p9_a_search_that_gave_up_is_repeated(void)
{
	const u32 buckets = 64;
	struct rig rig;
	u32 steps;

	rig_init(&rig, buckets, 1, 3);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 10 * buckets, 0);
	rig_pass(&rig, 1, 64);
	rig_arm(&rig, 0, 2, 0);
	rig_pop(&rig, 2, 1);
	for (steps = 0; steps < 2 * buckets; steps++) {
		come_and_go(&rig);
		rig_pop(&rig, 2, 4);
		if (!rig.passing || rig.wheel.found)
			ktap_fail("the search gave up early");
	}
	come_and_go(&rig);
	rig_pass(&rig, 2, 64);
	if (rig.wheel.next != 40)
		ktap_fail("the search did not give up");
	rig_pass(&rig, 2, 64);
	if (rig.wheel.next != 10 * buckets)
		ktap_fail("the next pass did not search again");
}

/* Cancelling a timer that is not the earliest one causes no search. */
static void p9_cancel_of_later_is_free(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 64 * i + 5, 0);
	for (i = 10; i < MANY; i += 2)
		rig_cancel(&rig, i);
	if (rig_pass(&rig, 4, 100) || rig.spent)
		ktap_fail("the next expiry was searched for");
	rig_arm(&rig, 2, 4 + 1, 0);
	rig_cancel(&rig, 0);
	rig_cancel(&rig, 2);
	rig_arm(&rig, 2, 4 + 2, 0);
	rig_pass(&rig, 5, 100);
	rig.spent = 0;
	for (i = 11; i < MANY; i += 4)
		rig_cancel(&rig, i);
	if (rig_pass(&rig, 6, 100) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.spent > 16)
		ktap_fail("a bucket was walked whose minimum is known");
}

/*
 * All buckets contain timers of later revolutions, and one timer is due at each tick. The
 * search for the next tick must stop at the first one in the current revolution.
 */
static void p9_search_stops_early(void)
{
	const u32 buckets = 256;
	struct rig rig;
	unsigned int i;
	u64 tick;

	rig_init(&rig, buckets, 1, buckets + 1);
	for (i = 0; i < buckets; i++)
		rig_arm(&rig, i, 10 * buckets + i, 0);
	for (tick = 1; tick < 5 * buckets; tick++) {
		rig_arm(&rig, buckets, tick, 0);
		if (rig_pass(&rig, tick - 1, 1000))
			ktap_fail("the timer fired early");
		rig_arm(&rig, buckets - 1, tick + 1, 0);
		rig.spent = 0;
		if (rig_pass(&rig, tick, 1000) != 1)
			ktap_fail("the timer did not fire at its tick");
		if (rig.spent > 16)
			ktap_fail("each tick searches the ring");
	}
}

const struct ktap_test search_tests[] = {
	{ "p9_bounded_work", p9_bounded_work },
	{ "p9_every_call_progresses", p9_every_call_progresses },
	{ "p9_bounded_refresh", p9_bounded_refresh },
	{ "p9_a_stall_goes_round_once", p9_a_stall_goes_round_once },
	{ "p9_search_is_paid_for", p9_search_is_paid_for },
	{ "p9_far_timers_are_left_out", p9_far_timers_are_left_out },
	{ "p9_what_fired_misleads_no_search", p9_what_fired_misleads_no_search },
	{ "p9_a_million_buckets", p9_a_million_buckets },
	{ "p9_each_minimum_is_raised_once", p9_each_minimum_is_raised_once },
	{ "p9_a_search_that_gave_up_is_repeated",
	  p9_a_search_that_gave_up_is_repeated },
	{ "p9_cancel_of_later_is_free", p9_cancel_of_later_is_free },
	{ "p9_search_stops_early", p9_search_stops_early },
	{ }
};
