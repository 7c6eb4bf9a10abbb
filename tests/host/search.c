// SPDX-License-Identifier: GPL-2.0
/*
 * P9, bounded work, of the hashed wheel in particular: what its walks and its
 * search for the next tick may look at.
 */
#include "rig.h"
#include "tests.h"

#define MANY 2000

/*
 * A bucket where one timer in a hundred is due. Each timer is looked at, so the
 * budgets must add up to no less, and to little more.
 */
static const char *crowded_bucket(unsigned int budget)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, i % 100 ? 64 + 5 : 5, 0);
	if (rig_pass(&rig, 5, budget) != MANY / 100)
		error = "not all that was due fired";
	if (rig.spent < MANY)
		error = "timers were looked at that no budget paid for";
	if (rig.spent > MANY + 64 + 2 * budget)
		error = "a timer was looked at twice";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

static const char *p9_bounded_work(void)
{
	const char *error = NULL;
	unsigned int budget;

	for (budget = 1; budget < 70 && !error; budget++)
		error = crowded_bucket(budget);
	return error ? error : crowded_bucket(10 * MANY);
}

/* The mark in a crowded bucket moves on by the budget, call by call. */
static const char *p9_every_call_progresses(void)
{
	const char *error = NULL;
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
			error = "a call did nothing and was not done";
		if (++calls > MANY)
			error = "a pass does not end";
	} while (rig.passing && !error);
	if (calls < MANY / 16)
		error = "a call looked at more than its budget";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* A cancelled minimum in a crowded bucket is refreshed within the budget, too. */
static const char *p9_bounded_refresh(void)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, i ? 8 * (2 + i % 50) + 5 : 5, 0);
	rig_cancel(&rig, 0);
	rig_pass(&rig, 5, 3);
	if (rig.spent < MANY - 1)
		error = "timers were looked at that no budget paid for";
	if (rig.spent > MANY + 100)
		error = "a refresh cost more than a walk";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * A stall over many due ticks, in a ring full of later timers: the pass goes
 * once around the ring, and does not start over at each tick.
 */
static const char *p9_a_stall_goes_round_once(void)
{
	const char *error = NULL;
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
		error = "not all that was due fired";
	if (rig.spent > 4 * buckets)
		error = "the ring was searched again for each tick";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* The search for the next tick is paid for by the word of the bitmap. */
static const char *p9_search_is_paid_for(void)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, 65536, 1, 2);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 60000, 0);
	if (rig_pass(&rig, 1, 7) != 1)
		error = "it did not fire at its tick";
	if (rig.spent < 60000 / 64)
		error = "words were looked at that no budget paid for";
	if (rig.spent > 60000 / 64 + 8)
		error = "the search went on behind what it found";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * All buckets hold far timers. The first group is looked at bucket by bucket, and each
 * look is paid for; of the others their common minimum says enough.
 */
static const char *p9_far_timers_are_left_out(void)
{
	const char *error = NULL;
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
		error = "it did not fire at its tick";
	if (rig.spent < 64 + buckets / 64 - 1)
		error = "buckets were looked at that no budget paid for";
	if (rig.spent > buckets / 4)
		error = "timers that are far away make the search long";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* To cancel a timer that is not the earliest leaves nothing to find out. */
static const char *p9_cancel_of_later_is_free(void)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 64 * i + 5, 0);
	for (i = 10; i < MANY; i += 2)
		rig_cancel(&rig, i);
	if (rig_pass(&rig, 4, 100) || rig.spent)
		error = "the next expiry was searched for";
	rig_arm(&rig, 2, 4 + 1, 0);
	rig_cancel(&rig, 0);
	rig_cancel(&rig, 2);
	rig_arm(&rig, 2, 4 + 2, 0);
	rig_pass(&rig, 5, 100);
	rig.spent = 0;
	for (i = 11; i < MANY; i += 4)
		rig_cancel(&rig, i);
	if (rig_pass(&rig, 6, 100) != 1)
		error = "it did not fire at its tick";
	if (rig.spent > 16)
		error = "a bucket was walked whose minimum is known";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * All buckets hold timers of later rounds, one timer is due each tick: the
 * search for the next tick must stop at the first that falls in this round.
 */
static const char *p9_search_stops_early(void)
{
	const char *error = NULL;
	const u32 buckets = 256;
	struct rig rig;
	unsigned int i;
	u64 tick;

	rig_init(&rig, buckets, 1, buckets + 1);
	for (i = 0; i < buckets; i++)
		rig_arm(&rig, i, 10 * buckets + i, 0);
	for (tick = 1; tick < 5 * buckets && !error; tick++) {
		rig_arm(&rig, buckets, tick, 0);
		if (rig_pass(&rig, tick - 1, 1000))
			error = "it fired early";
		rig_arm(&rig, buckets - 1, tick + 1, 0);
		rig.spent = 0;
		if (rig_pass(&rig, tick, 1000) != 1)
			error = "it did not fire at its tick";
		if (rig.spent > 16)
			error = "each tick searches the ring";
	}
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

const struct ktap_test search_tests[] = {
	{ "p9_bounded_work", p9_bounded_work },
	{ "p9_every_call_progresses", p9_every_call_progresses },
	{ "p9_bounded_refresh", p9_bounded_refresh },
	{ "p9_a_stall_goes_round_once", p9_a_stall_goes_round_once },
	{ "p9_search_is_paid_for", p9_search_is_paid_for },
	{ "p9_far_timers_are_left_out", p9_far_timers_are_left_out },
	{ "p9_cancel_of_later_is_free", p9_cancel_of_later_is_free },
	{ "p9_search_stops_early", p9_search_stops_early },
	{ }
};
