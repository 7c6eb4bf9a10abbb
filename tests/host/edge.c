// SPDX-License-Identifier: GPL-2.0
/*
 * The edge of the overflow wheel: which timers are in the ring and which are on
 * the list, as told by the moves from one to the other.
 */
#include "rig.h"
#include "tests.h"

#define BUCKETS	16
#define MANY	100

/* An idle wheel holds one revolution in its ring. */
static const char *one_revolution(u64 start)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, BUCKETS, 1, 1);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, start + BUCKETS, 0);
	rig_pass(&rig, start + BUCKETS, 100);
	if (rig.wheel.cascaded)
		error = "a timer within the first revolution was on the list";
	rig_pass(&rig, start + 100, 100);
	rig_forward(&rig, start + 200);
	rig_arm(&rig, 0, start + 200 + BUCKETS + 1, 0);
	rig_pass(&rig, start + 300, 100);
	if (rig.wheel.cascaded != 1)
		error = "a timer behind the first revolution was not on the list";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* A revolution begins just before the first timer on the list. */
static const char *next_revolution(u64 start)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, BUCKETS, 1, 3);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, start + 100, 0);
	rig_arm(&rig, 1, start + 99 + BUCKETS, 0);
	rig_arm(&rig, 2, start + 100 + BUCKETS, 0);
	rig_pass(&rig, start + 100, 100);
	if (rig.wheel.cascaded != 2)
		error = "not one revolution came into the ring";
	rig_pass(&rig, start + 100 + BUCKETS, 100);
	if (rig.wheel.cascaded != 3 || rig.wheel.pending)
		error = "the next revolution did not come into the ring";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

static const char *p11_edge(void)
{
	const char *error = one_revolution(0);

	if (!error)
		error = one_revolution(1000);
	if (!error)
		error = next_revolution(0);
	return error ? error : next_revolution(1000);
}

/* A new wheel's ring ends where that of a wheel does which was told the time. */
static const char *p11_first_edge(void)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, BUCKETS, 1, 2);
	rig_arm(&rig, 0, BUCKETS, 0);
	rig_arm(&rig, 1, BUCKETS + 1, 0);
	rig_pass(&rig, BUCKETS, 100);
	if (rig.wheel.cascaded)
		error = "a timer within the first revolution was on the list";
	rig_pass(&rig, BUCKETS + 1, 100);
	if (rig.wheel.cascaded != 1)
		error = "a timer behind the first revolution was not on the list";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/* To take a timer from the list is work, which the budget bounds. */
static const char *p9_moves_are_paid_for(void)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int i;

	rig_init(&rig, BUCKETS, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 1000, 0);
	do {
		u64 before = rig.wheel.cascaded;

		rig_pop(&rig, 999, 10);
		if (rig.wheel.cascaded > before + 10)
			error = "more were moved than the budget allows";
	} while (rig.passing);
	if (rig_pass(&rig, 1000, 10) != MANY)
		error = "not all fired at their tick";
	if (rig.spent < 2 * MANY)
		error = "timers were moved that no budget paid for";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

const struct ktap_test edge_tests[] = {
	{ "p11_edge", p11_edge },
	{ "p11_first_edge", p11_first_edge },
	{ "p9_moves_are_paid_for", p9_moves_are_paid_for },
	{ }
};
