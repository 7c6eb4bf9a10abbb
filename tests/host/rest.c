// SPDX-License-Identifier: GPL-2.0
/*
 * After a pass, the clock is as close to the current time as possible, and the next expiry
 * is known, so that no later pass searches for it again.
 */
#include "rig.h"
#include "tests.h"

/* Number of timers that makes a bucket long, so that its minimum is not refreshed. */
#define CROWD	300

/* A pass does not search for an expiry that is known from the previous pass. */
static void p9_known_is_not_searched(void)
{
	struct rig rig;
	u64 until;

	rig_init(&rig, 64, 1, 3);
	rig_arm(&rig, 0, 40, 0);
	rig_arm(&rig, 1, 50, 0);
	rig_arm(&rig, 2, 64 + 40, 0);
	for (until = 1; until < 10; until++)
		rig_pass(&rig, until, 100);
	if (rig.spent)
		ktap_fail("the first expiry was searched for");
	rig_cancel(&rig, 0);
	rig_pass(&rig, until++, 100);
	rig.spent = 0;
	for (; until < 20; until++)
		rig_pass(&rig, until, 100);
	if (rig.spent || !rig.wheel.found)
		ktap_fail("the expiry after a cancelled one was searched for again");
}

/*
 * All timers are cancelled during a search. The search does not prevent the clock from being
 * set back, and does not continue with timers armed afterwards.
 */
static void forward_in_search(unsigned int pops)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 16, 1, 4);
	rig_arm(&rig, 0, 1, 0);
	for (i = 1; i < 4; i++)
		rig_arm(&rig, i, 100 + 3 * i, 0);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 2, 1);
	for (i = 0; i < 4; i++)
		rig_cancel(&rig, i);
	rig_forward(&rig, 300);
	rig_set_back(&rig, 200);
	for (i = 0; i < 4; i++)
		rig_arm(&rig, i, 201 + i, 0);
	rig_cancel(&rig, 3);
	rig_cancel(&rig, 0);
	if (rig_pass(&rig, 201, 1) || rig.wheel.next != 202)
		ktap_fail("an outdated search continued");
	rig_pass(&rig, 300, 1);
}

static void p7_forward_forgets_a_search(void)
{
	unsigned int pops;

	for (pops = 0; pops < 20; pops++)
		forward_in_search(pops);
}

enum disturbance { CANCEL, FORWARD, DRAIN, DISTURBANCES };

/*
 * All timers of a bucket are cancelled while the bucket is walked to refresh its minimum.
 * In a hierarchy, the bucket is on the second level.
 */
static void refresh_of_nothing(unsigned int pops, enum disturbance what)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 4, 1, 6);
	for (i = 0; i < 6; i++)
		rig_arm(&rig, i, 69 + 4 * i, 0);
	rig_cancel(&rig, 0);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, 2, 1);
	for (i = 0; i < 6 && what != DRAIN; i++)
		rig_cancel(&rig, i);
	if (what == DRAIN)
		rig_drain(&rig);
	if (what == FORWARD)
		rig_forward(&rig, 10);
	rig_pass(&rig, 20, 1);
	rig_check(&rig);
	if (rig.wheel.clock != 20)
		ktap_fail("the clock of an empty wheel did not advance");
	rig_pass(&rig, 100, 1);
	if (rig.wheel.next != WHEEL_NO_TICK)
		ktap_fail("an empty wheel requests a second wake-up");
	rig_arm(&rig, 0, 300, 0);
	if (rig_pass(&rig, 300, 1) != 1)
		ktap_fail("the timer did not fire at its tick");
}

static void p7_refresh_of_nothing(void)
{
	enum disturbance what;
	unsigned int pops;

	for (pops = 0; pops < 12; pops++)
		for (what = 0; what < DISTURBANCES; what++)
			refresh_of_nothing(pops, what);
}

/* Returns the first tick of the bucket, on the lowest level at which it is not the clock's. */
static u64 bucket_start(u64 due, u64 clock)
{
	unsigned int shift = 0;

	while (shift < 60 && due >> shift >> 6 != clock >> shift >> 6)
		shift += 6;
	return due >> shift << shift;
}

/* If the clock does not advance, timers are queued too high and cascade too often. */
static void rests(u64 start, u64 until, u64 due)
{
	struct rig rig;

	rig_init(&rig, 1, 1, 1);
	rig_forward(&rig, start);
	rig_arm(&rig, 0, due, 0);
	rig_pass(&rig, until, 1);
	if (rig.wheel.clock !=
	    max(start, min(until, bucket_start(due, start) - 1)))
		ktap_fail("the clock is not just before a bucket");
}

static void p9_clock_rests_before_a_bucket(void)
{
	unsigned int to;
	u64 start;

	for (start = 1; start >> 62 == 0; start = 5 * start / 2 + 1) {
		for (to = 1; to < 62; to++) {
			u64 due = start + 2 + ((u64)1 << to);

			rests(start, start + 1, due);
			rests(start, due - 1, due);
		}
	}
}

/*
 * No timer is popped from an empty open bucket: the memory around its list head is not
 * a timer, but could look like a due one.
 */
static void p3_an_open_bucket_has_an_end(void)
{
	const struct wheel_walk *walk;
	struct rig rig;

	rig_init(&rig, 1, 1, 2);
	rig_arm(&rig, 0, 5, 0);
	rig_arm(&rig, 1, 5, 0);
	if (rig_pop(&rig, 5, 100) != &rig.timer[0] || rig_pop(&rig, 5, 100) != &rig.timer[1])
		ktap_fail("the timers did not fire at their tick");
	walk = &rig.wheel.walk;
	if (!walk->bucket || walk->from->next != walk->end)
		ktap_fail("the pass would take a timer of an empty bucket");
}

/* In each group, arm a far timer, and temporarily an earlier one in another bucket. */
static void fill_groups(struct rig *rig, u32 buckets)
{
	unsigned int i;

	for (i = 0; i < buckets / 64; i++) {
		rig_arm(rig, i, 10 * buckets + 64 * i + 5, 0);
		rig_arm(rig, buckets / 64, 64 * i + 6, 0);
		rig_cancel(rig, buckets / 64);
	}
}

/*
 * A search visits the minima of a group in which a timer was cancelled, and charges its budget
 * for it. The next search knows their minimum.
 */
static void p9_groups_are_paid_for(void)
{
	const u32 buckets = 4096;
	struct rig rig;

	rig_init(&rig, buckets, 1, buckets / 64 + 2);
	fill_groups(&rig, buckets);
	rig_arm(&rig, buckets / 64 + 1, 1, 0);
	if (rig_pass(&rig, 1, 1000) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.spent < 4 * (buckets / 64 - 1))
		ktap_fail("minima were visited without using the budget");
	rig.spent = 0;
	rig_arm(&rig, buckets / 64 + 1, 2, 0);
	if (rig_pass(&rig, 2, 1000) != 1)
		ktap_fail("the timer did not fire at its tick");
	if (rig.spent > 2 * (buckets / 64))
		ktap_fail("known minima were visited again");
}

/* Cancelled timers no longer make a bucket a long one. */
static void p7_crowd_is_forgotten(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 8, 1, CROWD);
	for (i = 0; i < CROWD; i++)
		rig_arm(&rig, i, i ? 8 * (1000 + i) + 5 : 5, 0);
	rig_pass(&rig, 5, 100);
	for (i = 0; i < CROWD; i++)
		rig_cancel(&rig, i);
	for (i = 0; i < 3; i++)
		rig_arm(&rig, i, 8 * (1000 + i) + 5, 0);
	rig_pass(&rig, 6, 100);
	rig_cancel(&rig, 0);
	rig_pass(&rig, 7, 100);
	if (rig.wheel.next != 8 * 1001 + 5)
		ktap_fail("a minimum is not refreshed because its bucket used to be long");
}

/* A bucket is walked only if the timer of its minimum was cancelled. */
static void p9_later_ones_may_go(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, 200);
	rig_arm(&rig, 0, 1, 0);
	for (i = 1; i < 200; i++)
		rig_arm(&rig, i, 64 * i + 5, 0);
	rig_cancel(&rig, 100);
	rig_pass(&rig, 1, 1000);
	if (rig.spent > 20)
		ktap_fail("a bucket was walked whose minimum is known");
}

/* A wheel that was drained during a pass behaves like a new one. */
static void p2_armed_after_a_drain(void)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 64, 1, 4);
	for (i = 0; i < 3; i++)
		rig_arm(&rig, i, 70 + i, 0);
	rig_cancel(&rig, 0);
	rig_pop(&rig, 1, 1);
	rig_cancel(&rig, 1);
	rig_cancel(&rig, 2);
	rig_drain(&rig);
	rig_check(&rig);
	rig_arm(&rig, 3, 5000, 0);
	rig_pass(&rig, 2, 1000);
	if (rig.wheel.next != 5000)
		ktap_fail("the wheel would sleep past a timer");
}

const struct ktap_test rest_tests[] = {
	{ "p2_armed_after_a_drain", p2_armed_after_a_drain },
	{ "p9_known_is_not_searched", p9_known_is_not_searched },
	{ "p7_refresh_of_nothing", p7_refresh_of_nothing },
	{ }
};

const struct ktap_test rest_of_levels_tests[] = {
	{ "p9_clock_rests_before_a_bucket", p9_clock_rests_before_a_bucket },
	{ "p3_an_open_bucket_has_an_end", p3_an_open_bucket_has_an_end },
	{ }
};

const struct ktap_test rest_of_buckets_tests[] = {
	{ "p7_crowd_is_forgotten", p7_crowd_is_forgotten },
	{ "p9_later_ones_may_go", p9_later_ones_may_go },
	{ "p7_forward_forgets_a_search", p7_forward_forgets_a_search },
	{ "p9_groups_are_paid_for", p9_groups_are_paid_for },
	{ }
};
