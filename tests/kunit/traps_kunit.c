// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs that other timing wheels had, and that the tests of the guarantees do not cover. Each test
 * names a project that had the bug.
 */
#include "schemes.h"

/* An earlier timer reprograms the hrtimer (glommio#44: 16 s late). */
static void earlier_timer_comes_first(struct kunit *test)
{
	u64 lead = 20 * NSEC_PER_MSEC, soon;
	struct rig *rig;
	u32 i;

	/* On a busy machine, timers may be overdue when they are armed: then try a longer delay. */
	do {
		lead *= 2;
		rig = rig_running(test, 0, 100 * NSEC_PER_USEC, 20);
		soon = rig_now(rig) + lead;
		rig_await(rig, 15);
		for (i = 0; i < rig->count; i++) {
			u64 delay = i < 5 ? (1000 - i) * NSEC_PER_SEC :
					    (20 - i) * NSEC_PER_MSEC;

			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, soon + delay), 0);
		}
	} while (rig_now(rig) >= soon);
	rig_wait(rig);
	for (i = 0; i < 15; i++)
		KUNIT_EXPECT_EQ(test, rig->log[i], 19 - i);
}

/* The same if the timer is moved to an earlier deadline. */
static void moved_timer_comes_first(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, 100 * NSEC_PER_USEC, 2);
	struct probe *probes = rig->probes;
	u64 now = rig_now(rig);
	u32 i;

	rig_await(rig, 2);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + 900 * NSEC_PER_SEC), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(&probes[0].timer, now, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(&probes[1].timer, now, 0), 1);
	rig_wait(rig);
}

static struct kunit_case traps_cases[] = {
	FAR_CASE(earlier_timer_comes_first),
	FAR_CASE(moved_timer_comes_first),
	{}
};

static struct kunit_suite traps_suite = {
	.name = "wheel_timer_traps",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = traps_cases,
};

kunit_test_suite(traps_suite);
