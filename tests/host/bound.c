// SPDX-License-Identifier: GPL-2.0
/*
 * P6 for the bounded wheel: delays beyond its bound are rejected and never
 * shortened. The harness compares each result with that of the oracle.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define BUCKETS	16
#define TICK_NS	10

/* Arm with each delay around the bound, with the clock at @clock. */
static void refused_beyond(u64 clock, u64 slack)
{
	struct rig rig;
	u64 delay;

	rig_init(&rig, BUCKETS, TICK_NS, 2);
	rig_forward(&rig, clock);
	for (delay = 0; delay < 3 * BUCKETS; delay++) {
		bool armed = rig_arm(&rig, 0, (clock + delay) * TICK_NS, slack);

		if (armed ? delay > BUCKETS : delay <= BUCKETS)
			ktap_fail("the rejected timers are not those beyond the bound");
		if (delay && armed && rig.timer[0].wheel.due_tick < clock + delay)
			ktap_fail("a delay was shortened");
		rig_cancel(&rig, 0);
	}
}

static void p6_beyond_the_bound_is_refused(void)
{
	u64 clock;
	u64 slack;

	for (clock = 0; clock < 40; clock++)
		for (slack = 0; slack < 400; slack += 30)
			refused_beyond(clock, slack);
}

/* A rejected move does not change the timer. */
static void p6_a_refused_move_changes_nothing(void)
{
	struct rig rig;

	rig_init(&rig, BUCKETS, TICK_NS, 2);
	rig_arm(&rig, 0, 50, 0);
	rig_arm(&rig, 1, 50, 0);
	rig_arm(&rig, 0, 17 * TICK_NS, 0);
	rig_check(&rig);
	if (rig_pop(&rig, 5, 100) != &rig.timer[0])
		ktap_fail("a timer whose move was rejected lost its position");
	rig_pass(&rig, 5, 100);
}

/*
 * The bound is relative to the current time, even if the clock of the wheel has not
 * advanced because no timer was due.
 */
static void p6_bound_counts_from_the_present(void)
{
	struct rig rig;

	rig_init(&rig, BUCKETS, TICK_NS, 2);
	rig_arm(&rig, 0, 15 * TICK_NS, 0);
	rig_forward(&rig, 10);
	if (!rig_arm(&rig, 1, 26 * TICK_NS, 0))
		ktap_fail("a delay of one revolution was rejected");
	rig_check(&rig);
	rig_forward(&rig, 40);
	if (rig.wheel.clock != 14)
		ktap_fail("the clock did not follow to the first due timer");
	if (rig_pass(&rig, 15, 3) != 1 || rig_pass(&rig, 26, 3) != 1)
		ktap_fail("a timer did not fire at its tick");
}

/* The formula in Documentation/choosing.rst: longest delay / tick, rounded up, plus one. */
static void p6_buckets_for_a_longest_delay(void)
{
	const u64 longest = (BUCKETS - 1) * TICK_NS;
	u64 refused = 0;
	struct rig rig;
	u64 now;

	rig_init(&rig, BUCKETS, TICK_NS, 1);
	if (wheel_span(&rig.wheel) != longest)
		ktap_fail("the longest delay is wrong");
	for (now = 0; now < 5 * TICK_NS; now++) {
		rig_forward(&rig, now / TICK_NS);
		if (!rig_arm(&rig, 0, now + longest, 0))
			ktap_fail("the longest delay was rejected");
		rig_cancel(&rig, 0);
		refused += !rig_arm(&rig, 0, now + longest + TICK_NS, 0);
		rig_cancel(&rig, 0);
	}
	if (!refused)
		ktap_fail("the longest delay is not the longest");
}

/* Forwarding the clock between the calls of a pass skips no timer. */
static void told_within_a_pass(unsigned int pops, u64 until)
{
	struct rig rig;
	unsigned int i;

	rig_init(&rig, 4, 1, 4);
	rig_arm(&rig, 0, 1, 0);
	rig_arm(&rig, 1, 1, 0);
	rig_arm(&rig, 2, 3, 0);
	rig_cancel(&rig, 0);
	for (i = 0; i < pops; i++)
		rig_pop(&rig, until, 1);
	rig_forward(&rig, 4);
	rig_check(&rig);
	rig_arm(&rig, 3, 4, 0);
	rig_forward(&rig, 4);
	rig_check(&rig);
	rig_pass(&rig, 9, 1);
	if (rig.wheel.pending)
		ktap_fail("a timer did not fire");
}

static void p2_told_within_a_pass(void)
{
	unsigned int pops;
	u64 until;

	for (until = 0; until < 5; until++)
		for (pops = 0; pops < 16; pops++)
			told_within_a_pass(pops, until);
}

const struct ktap_test bound_tests[] = {
	{ "p6_beyond_the_bound_is_refused", p6_beyond_the_bound_is_refused },
	{ "p6_a_refused_move_changes_nothing",
	  p6_a_refused_move_changes_nothing },
	{ "p6_bound_counts_from_the_present",
	  p6_bound_counts_from_the_present },
	{ "p6_buckets_for_a_longest_delay", p6_buckets_for_a_longest_delay },
	{ "p2_told_within_a_pass", p2_told_within_a_pass },
	{ }
};
