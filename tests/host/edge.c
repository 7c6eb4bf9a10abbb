// SPDX-License-Identifier: GPL-2.0
/*
 * The edge of the overflow wheel, which separates the timers in the ring from those on
 * the list. It is determined from the count of moves from the list to the ring.
 */
#include "rig.h"
#include "tests.h"

#define BUCKETS	16
#define MANY	100

/* On an idle wheel, the timers of one revolution are queued in the ring. */
static void one_revolution(u64 start)
{
	struct rig rig;

	rig_init(&rig, BUCKETS, 1, 1);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, start + BUCKETS, 0);
	rig_pass(&rig, start + BUCKETS, 100);
	if (rig.wheel.cascaded)
		ktap_fail("a timer within the first revolution was on the list");
	rig_pass(&rig, start + 100, 100);
	rig_forward(&rig, start + 200);
	rig_arm(&rig, 0, start + 200 + BUCKETS + 1, 0);
	rig_pass(&rig, start + 300, 100);
	if (rig.wheel.cascaded != 1)
		ktap_fail("a timer after the first revolution was not on the list");
}

/* A revolution begins just before the first timer on the list. */
static void next_revolution(u64 start)
{
	struct rig rig;

	rig_init(&rig, BUCKETS, 1, 3);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, start + 100, 0);
	rig_arm(&rig, 1, start + 99 + BUCKETS, 0);
	rig_arm(&rig, 2, start + 100 + BUCKETS, 0);
	rig_pass(&rig, start + 100, 100);
	if (rig.wheel.cascaded != 2)
		ktap_fail("the ring did not receive exactly one revolution");
	rig_pass(&rig, start + 100 + BUCKETS, 100);
	if (rig.wheel.cascaded != 3 || rig.wheel.pending)
		ktap_fail("the timers of the next revolution were not moved to the ring");
}

static void p11_edge(void)
{
	one_revolution(0);

	one_revolution(1000);
	next_revolution(0);
	next_revolution(1000);
}

/* Moving a timer from the list is charged to the budget. */
static void p9_moves_are_paid_for(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, BUCKETS, 1, MANY);
	for (i = 0; i < MANY; i++)
		rig_arm(&rig, i, 1000, 0);
	do {
		u64 before = rig.wheel.cascaded;

		rig_pop(&rig, 999, 10);
		if (rig.wheel.cascaded > before + 10)
			ktap_fail("more timers were moved than the budget allows");
	} while (rig.passing);
	if (rig_pass(&rig, 1000, 10) != MANY)
		ktap_fail("not all timers fired at their tick");
	if (rig.spent < 2 * MANY)
		ktap_fail("timers were moved without using the budget");
}

const struct ktap_test edge_tests[] = {
	{ "p11_edge", p11_edge },
	{ "p9_moves_are_paid_for", p9_moves_are_paid_for },
	{ }
};
