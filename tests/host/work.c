// SPDX-License-Identifier: GPL-2.0
/*
 * P9, bounded work: a call looks at no more than its budget allows, and a pass
 * costs what its timers cost, not what its ticks or its slots do.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define MANY 2000

/*
 * A slot where one timer in a hundred is due. Each timer is looked at, so the
 * budgets must add up to no less, and to little more.
 */
static const char *crowded_slot(unsigned int budget)
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
		error = crowded_slot(budget);
	return error ? error : crowded_slot(10 * MANY);
}

/* The mark in a crowded slot moves on by the budget, call by call. */
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

/* Without a budget nothing is looked at, and the pass is not done. */
static const char *p9_no_budget_no_work(void)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, 8, 1, 1);
	rig_arm(&rig, 0, 1, 0);
	if (rig_pop(&rig, 1, 0) || !rig.passing || !rig.wheel.pending)
		error = "work was done without a budget";
	else if (rig_pass(&rig, 1, 1) != 1)
		error = "a pass without a budget lost a timer";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* A cancelled minimum in a crowded slot is refreshed within the budget, too. */
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

/* From due tick to due tick: neither the gap nor the empty slots count. */
static const char *p9_a_stall_is_one_jump(void)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, 65536, 1, 2);
	rig_arm(&rig, 0, (u64)1 << 40, 0);
	rig_arm(&rig, 1, (u64)1 << 50, 0);
	if (rig_pass(&rig, ((u64)1 << 40) - 1, 4))
		error = "it fired early";
	if (rig.spent > 1)
		error = "silence was paid for";
	if (rig_pass(&rig, (u64)1 << 41, 4) != 1)
		error = "a timer was lost in the gap";
	if (rig.spent > 65536 / 64 + 8)
		error = "a stall cost more than one search of the ring";
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
	const u32 slots = 1024;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, slots, 1, 2 * slots);
	for (i = 0; i < slots; i++) {
		rig_arm(&rig, i, 10 * slots + i, 0);
		if (i % 8 == 0)
			rig_arm(&rig, slots + i, i, 0);
	}
	if (rig_pass(&rig, slots, 64) != slots / 8)
		error = "not all that was due fired";
	if (rig.spent > 4 * slots)
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
		error = "a slot was walked whose minimum is known";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * Between the calls a timer comes and goes, be it earlier than all that the
 * search has found or later: the search goes on.
 */
static const char *search_goes_on(u64 deadline)
{
	const char *error = NULL;
	const u32 slots = 4096;
	unsigned int calls = 0;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, slots, 1, slots + 2);
	rig_arm(&rig, slots, 1, 0);
	for (i = 0; i < slots; i++)
		rig_arm(&rig, i, 10 * slots + i, 0);
	do {
		rig_pop(&rig, 1, 64);
		rig_arm(&rig, slots + 1, deadline, 0);
		rig_cancel(&rig, slots + 1);
		if (++calls > slots)
			error = "the search starts over at each cancel";
	} while (rig.passing && !error);
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

static const char *p9_search_outlasts_cancels(void)
{
	const char *error = search_goes_on(0);

	if (!error)
		error = search_goes_on(4000);
	return error ? error : search_goes_on(100000);
}

/* The same with a slot that is walked to refresh its minimum. */
static const char *p9_refresh_outlasts_cancels(void)
{
	const char *error = NULL;
	unsigned int calls = 0;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, MANY + 1);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 8 * (1000 + i) + 5, 0);
	rig_arm(&rig, MANY, 13, 0);
	rig_cancel(&rig, MANY);
	do {
		rig_pop(&rig, 2, 64);
		if (calls % 16 == 0) {
			rig_arm(&rig, MANY, 13, 0);
			rig_cancel(&rig, MANY);
		}
		if (++calls > MANY)
			error = "the refresh starts over at each cancel";
	} while (rig.passing && !error);
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * All slots hold timers of later rounds, one timer is due each tick: the
 * search for the next tick must stop at the first that falls in this round.
 */
static const char *p9_search_stops_early(void)
{
	const char *error = NULL;
	const u32 slots = 256;
	struct rig rig;
	unsigned int i;
	u64 tick;

	rig_init(&rig, slots, 1, slots + 1);
	for (i = 0; i < slots; i++)
		rig_arm(&rig, i, 10 * slots + i, 0);
	for (tick = 1; tick < 5 * slots && !error; tick++) {
		rig_arm(&rig, slots, tick, 0);
		if (rig_pass(&rig, tick - 1, 1000))
			error = "it fired early";
		rig_arm(&rig, slots - 1, tick + 1, 0);
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

/* Callbacks that arm in the past for ever: each pass serves each of them once. */
static const char *p9_past_storm(void)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int i;
	u64 until;

	rig_init(&rig, 8, 1, 32);
	for (i = 0; i < 32; i++)
		rig_arm(&rig, i, 0, 0);
	for (until = 1; until < 1000 && !error; until += 1 + until % 90) {
		unsigned int fired = 0;

		do {
			struct rig_timer *t = rig_pop(&rig, until, 4);

			if (!t)
				continue;
			rig_arm(&rig, (unsigned int)(t - rig.timer), 0, 0);
			fired++;
		} while (rig.passing && fired <= 32);
		if (fired != 32)
			error = "a pass did not serve each of them once";
	}
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

const struct ktap_test work_tests[] = {
	{ "p9_bounded_work", p9_bounded_work },
	{ "p9_every_call_progresses", p9_every_call_progresses },
	{ "p9_no_budget_no_work", p9_no_budget_no_work },
	{ "p9_bounded_refresh", p9_bounded_refresh },
	{ "p9_a_stall_is_one_jump", p9_a_stall_is_one_jump },
	{ "p9_a_stall_goes_round_once", p9_a_stall_goes_round_once },
	{ "p9_search_is_paid_for", p9_search_is_paid_for },
	{ "p9_cancel_of_later_is_free", p9_cancel_of_later_is_free },
	{ "p9_search_outlasts_cancels", p9_search_outlasts_cancels },
	{ "p9_refresh_outlasts_cancels", p9_refresh_outlasts_cancels },
	{ "p9_search_stops_early", p9_search_stops_early },
	{ "p9_past_storm", p9_past_storm },
	{ }
};
