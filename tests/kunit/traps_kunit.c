// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs that other timing wheels had, and that the tests of the guarantees do not cover. Each test
 * names a project that had the bug.
 */
#include "schemes.h"

/* The due tick is exact, not rounded to a bucket or a revolution (agrona#73). */
static void armed_at_the_edge_of_a_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	static const u32 delays[] = { 0, 1, TICK - 1, TICK, TICK + 1 };
	static const u32 places[] = { 0, 1, TICK / 2, TICK - 1 };
	int d, p;

	for (d = 0; d < ARRAY_SIZE(delays); d++) {
		for (p = 0; p < ARRAY_SIZE(places); p++) {
			u64 now = div64_u64(wheel_now(rig->wheel), TICK) * TICK +
				  5 * TICK + places[p];
			u64 due = due_at(now + delays[d], now, TICK);
			u32 calls = rig->calls;

			rig_advance(rig, now);
			KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + delays[d]), 0);
			rig_advance(rig, due - 1);
			KUNIT_ASSERT_EQ(test, rig->calls, calls);
			rig_advance(rig, due);
			KUNIT_ASSERT_EQ(test, rig->calls, calls + 1);
		}
	}
}

/*
 * After a stall of years, all due timers expire in one pass, by tick and in the order in which they
 * were armed. Far timers remain pending, and a timer that arms itself for each millisecond expires
 * once (akka-core#26910, fibers#89).
 */
static void stall_of_years(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, NSEC_PER_MSEC, 1002);
	u64 year = 365ULL * 24 * 3600 * NSEC_PER_SEC;
	struct probe *again = &rig->probes[1000];
	struct probe *far = &rig->probes[1001];
	u32 i;

	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i) * NSEC_PER_SEC), 0);
	again->action = probe_arm_again;
	again->period = NSEC_PER_MSEC;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1000, NSEC_PER_MSEC), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1001, 9 * year), 0);

	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * year),
			5 * year + NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, rig->calls, 1001);
	KUNIT_EXPECT_EQ(test, rig->log[0], 1000);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, rig->log[i + 1], i);
	KUNIT_EXPECT_EQ(test, again->calls, 1);
	KUNIT_EXPECT_EQ(test, far->calls, 0);
}

/* A deadline in the past does not set the clock back (timer.c, 2020). */
static void past_deadline_then_a_normal_one(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	static const u32 order[] = { 0, 1 };

	rig_advance(rig, 1000 * TICK);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 3 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 1002 * TICK), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 1000 * TICK), 1001 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_now(rig->wheel), 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 1001 * TICK), 1002 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	rig_advance(rig, 1002 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* All timers are in one bucket, each due in another revolution. */
static void all_in_one_bucket(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2000);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, rig->count - 1 - i,
					      (5 + (u64)BUCKETS * (rig->count - i)) *
					      TICK), 0);
	for (i = 0; i < rig->count; i++) {
		u64 due = (5 + (u64)BUCKETS * (i + 1)) * TICK;

		KUNIT_ASSERT_EQ(test, rig_advance(rig, due - 1), due);
		KUNIT_ASSERT_EQ(test, rig->calls, i);
		rig_advance(rig, due);
		KUNIT_ASSERT_EQ(test, rig->calls, i + 1);
		KUNIT_ASSERT_EQ(test, rig->log[i], i);
	}
}

/* A timer is armed on an empty wheel after the clock has advanced (timer.c, 2016). */
static void idle_wheel_starts_late(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u64 now = 0;
	int i;

	for (i = 0; i < 200; i++) {
		u64 delay = rig_random(rig, 3 * BUCKETS * TICK);

		now += rig_random(rig, 1000 * BUCKETS * TICK);
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + delay), 0);
		KUNIT_ASSERT_EQ(test, rig_advance(rig, now),
				due_at(now + delay, now, TICK));
		now += delay + TICK;
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig->calls, i + 1);
	}
}

/* The next expiry is exact after each cancel and each arm (msquic#3206). */
static void next_is_exact_as_timers_go(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 500);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (3 + i * 7) * TICK), 0);
	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_advance(rig, 0), (3 + i * 7) * TICK);
		KUNIT_ASSERT_EQ(test,
				wheel_timer_cancel(&rig->probes[i].timer), 0);
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 0), WHEEL_NEVER);
	for (i = rig->count; i--; ) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (3 + i * 7) * TICK), 0);
		KUNIT_ASSERT_EQ(test, rig_advance(rig, 0), (3 + i * 7) * TICK);
	}
}

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

/* One hundred wheels at the same time; netty warns at 64. */
static void many_wheels(struct kunit *test)
{
	struct rig *rigs[100];
	int i;

	for (i = 0; i < ARRAY_SIZE(rigs); i++) {
		rigs[i] = rig_running(test, i & 1, NSEC_PER_MSEC, 5);
		rig_await(rigs[i], 5);
	}
	for (i = 0; i < 5 * ARRAY_SIZE(rigs); i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rigs[i / 5], i % 5,
					      rig_now(rigs[0]) +
					      (i % 7) * NSEC_PER_MSEC), 0);
	for (i = 0; i < ARRAY_SIZE(rigs); i++)
		rig_wait(rigs[i]);
}

static struct kunit_case traps_cases[] = {
	FAR_CASE(armed_at_the_edge_of_a_tick),
	FAR_CASE(stall_of_years),
	FAR_CASE(past_deadline_then_a_normal_one),
	FAR_CASE(all_in_one_bucket),
	FAR_CASE(idle_wheel_starts_late),
	FAR_CASE(next_is_exact_as_timers_go),
	FAR_CASE(earlier_timer_comes_first),
	FAR_CASE(moved_timer_comes_first),
	FAR_CASE(many_wheels),
	{}
};

static struct kunit_suite traps_suite = {
	.name = "wheel_timer_traps",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = traps_cases,
};

kunit_test_suite(traps_suite);
