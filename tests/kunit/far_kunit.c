// SPDX-License-Identifier: GPL-2.0
/*
 * P6, any delay: values at which other wheels failed, such as multiples of the revolution, 2^31,
 * 2^32, and the end of the clock after 292 years.
 */
#include "schemes.h"

#define YEAR	(365ULL * 24 * 3600 * NSEC_PER_SEC)

/* Advance to each next expiry that the wheel returns. No timer may expire in between. */
static void run_to_the_end(struct rig *rig)
{
	u64 next = rig_advance(rig, wheel_now(rig->wheel));

	while (next != WHEEL_NEVER) {
		u32 calls = rig->calls;

		KUNIT_ASSERT_LE(rig->test, next, WHEEL_MAX_TIME);
		KUNIT_ASSERT_GT(rig->test, next, wheel_now(rig->wheel));
		KUNIT_ASSERT_EQ(rig->test, rig_advance(rig, next - 1), next);
		KUNIT_ASSERT_EQ(rig->test, rig->calls, calls);
		next = rig_advance(rig, next);
		KUNIT_ASSERT_GT(rig->test, rig->calls, calls);
	}
}

/* Three deadlines around a power of two after @start, armed from the latest to the earliest. */
static void any_delay(struct kunit *test, u64 tick, u64 start, int bit)
{
	struct rig *rig = rig_virtual(test, tick, 3);
	u32 armed = 0, i;
	u64 due[3];

	rig_advance(rig, start);
	for (i = 0; i < 3; i++) {
		u64 deadline = start + (1ULL << bit) + 1 - i;

		if (deadline > WHEEL_MAX_TIME)
			continue;
		due[i] = due_at(deadline, start, tick);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, deadline), 0);
		armed++;
	}
	run_to_the_end(rig);
	KUNIT_ASSERT_EQ(test, rig->calls, armed);
	for (i = 0; i < 3; i++) {
		struct probe *probe = &rig->probes[i];

		if (probe->calls)
			KUNIT_ASSERT_EQ_MSG(test,
					    wheel_timer_fired(&probe->timer),
					    due[i], "2^%d + 1 - %u at %llu",
					    bit, i, start);
	}
	rig_destroy(rig);
}

static void p6_any_delay(struct kunit *test)
{
	static const u64 ticks[] = {
		1, 3, 1000000, (1ULL << 32) + 1, WHEEL_MAX_TIME
	};
	static const u64 starts[] = {
		0, 12345678901ULL, (1ULL << 31) - 1, 1ULL << 53, 3ULL << 61,
	};
	int t, s, bit;

	for (t = 0; t < ARRAY_SIZE(ticks); t++)
		for (s = 0; s < ARRAY_SIZE(starts); s++)
			for (bit = 0; bit < 63; bit++)
				any_delay(test, ticks[t], starts[s], bit);
}

/* A timer can expire in the last nanosecond of the clock, with any tick length. */
static void p6_any_delay_to_the_end_of_the_clock(struct kunit *test)
{
	static const u64 ticks[] = { 1, 7, 1000000, WHEEL_MAX_TIME };
	int t;

	for (t = 0; t < ARRAY_SIZE(ticks); t++) {
		struct rig *rig = rig_virtual(test, ticks[t], 2);

		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, WHEEL_MAX_TIME), 0);
		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, 1, WHEEL_MAX_TIME,
						    WHEEL_MAX_TIME), 0);
		rig_advance(rig, WHEEL_MAX_TIME - 1);
		KUNIT_EXPECT_EQ(test, rig->calls, 0);
		KUNIT_EXPECT_EQ(test, rig_advance(rig, WHEEL_MAX_TIME),
				WHEEL_NEVER);
		KUNIT_EXPECT_EQ(test, rig->calls, 2);
		KUNIT_EXPECT_EQ(test, wheel_now(rig->wheel), WHEEL_MAX_TIME);
		KUNIT_EXPECT_EQ(test, wheel_timer_fired(&rig->probes[0].timer),
				WHEEL_MAX_TIME);
		/* After the end of the clock, there is no next tick. */
		rig_advance(rig, U64_MAX);
		KUNIT_EXPECT_EQ(test, wheel_now(rig->wheel), WHEEL_MAX_TIME);
		KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, WHEEL_MAX_TIME), -ERANGE);
		KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, 0), -ERANGE);
	}
}

/* Weeks, years and centuries with ticks of 1 ms, armed in any order. */
static void p6_any_delay_of_years(struct kunit *test)
{
	static const u64 delays[] = {
		292 * YEAR, 15 * 24 * 3600 * NSEC_PER_SEC, YEAR, 100 * YEAR,
		NSEC_PER_MSEC, 49 * 24 * 3600 * NSEC_PER_SEC, 3 * YEAR,
	};
	struct rig *rig = rig_virtual(test, NSEC_PER_MSEC, ARRAY_SIZE(delays));
	static const u32 order[] = { 4, 1, 5, 2, 6, 3, 0 };
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, delays[i]), 0);
	run_to_the_end(rig);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_EQ(test, wheel_timer_fired(&rig->probes[i].timer),
				delays[i]);
}

/* 63 timers whose due times are the powers of two. */
static void p6_any_delay_by_one_bit(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, 1, 63);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 1ULL << i), 0);
	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_advance(rig, (1ULL << i) - 1), 1ULL << i);
		KUNIT_ASSERT_EQ(test, rig->calls, i);
		rig_advance(rig, 1ULL << i);
		KUNIT_ASSERT_EQ(test, rig->calls, i + 1);
		KUNIT_ASSERT_EQ(test, rig->log[i], i);
	}
}

/* Due ticks that are equal to that of timer 0 in their low bits. */
static void p6_any_delay_beyond_narrow_numbers(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, 1, 55);
	u32 i;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5), 0);
	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1ULL << (i + 7)) + 5), 0);
	for (i = 0; i < rig->count; i++) {
		rig_advance(rig, wheel_timer_deadline(&rig->probes[i].timer));
		KUNIT_ASSERT_EQ(test, rig->calls, i + 1);
		KUNIT_ASSERT_EQ(test, rig->log[i], i);
	}
}

/* Multiples of the revolution, where round counters were off by one (akka#1016, netty#1959). */
static void multiple_of_the_revolution(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 60);
	u64 round = BUCKETS * TICK;
	u64 start = 17 * TICK + 3;
	u32 i;

	rig_advance(rig, start);
	for (i = 0; i < rig->count; i++) {
		u64 ticks = (i / 3) * round + (i % 3) * TICK;

		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 17 * TICK + ticks), 0);
	}
	run_to_the_end(rig);
	KUNIT_ASSERT_EQ(test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++) {
		u64 deadline = wheel_timer_deadline(&rig->probes[i].timer);

		KUNIT_ASSERT_EQ(test, wheel_timer_fired(&rig->probes[i].timer),
				due_at(deadline, start, TICK));
	}
}

/* The tick counter passes 2^8 to 2^62 while timers are pending. */
static void tick_counter_wraps(struct kunit *test)
{
	int bit;

	for (bit = 8; bit < 63; bit++) {
		struct rig *rig = rig_virtual(test, 1, 600);
		u64 start = (1ULL << bit) - 300;
		u32 i;

		if (bit == 8)
			start = 0;
		rig_advance(rig, start);
		for (i = 0; i < rig->count; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, start + 1 + i), 0);
		for (i = 0; i < rig->count; i++) {
			rig_advance(rig, start + 1 + i);
			KUNIT_ASSERT_EQ(test, rig->calls, i + 1);
			KUNIT_ASSERT_EQ(test, rig->log[i], i);
		}
		rig_destroy(rig);
	}
}

/* A far timer does not prevent a near one from expiring (tokio#8334, glommio#44). */
static void far_timer_hides_nothing(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 3);
	u64 now;
	int bit;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 200 * YEAR), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 100 * YEAR), 0);
	for (bit = 12; bit < 61; bit++) {
		now = (1ULL << bit) - 2 * TICK - 1;
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 2, now + 3 * TICK), 0);
		KUNIT_ASSERT_EQ(test, rig_advance(rig, now),
				due_at(now + 3 * TICK, now, TICK));
		rig_advance(rig, now + 4 * TICK);
		KUNIT_ASSERT_EQ(test, rig->calls, bit - 11);
		KUNIT_ASSERT_FALSE(test,
				   wheel_timer_pending(&rig->probes[2].timer));
	}
	rig_advance(rig, 200 * YEAR);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	KUNIT_EXPECT_EQ(test, rig->probes[1].calls, 1);
}

static struct kunit_case far_cases[] = {
	FAR_CASE(p6_any_delay),
	FAR_CASE(p6_any_delay_to_the_end_of_the_clock),
	FAR_CASE(p6_any_delay_of_years),
	FAR_CASE(p6_any_delay_by_one_bit),
	FAR_CASE(p6_any_delay_beyond_narrow_numbers),
	FAR_CASE(multiple_of_the_revolution),
	FAR_CASE(tick_counter_wraps),
	FAR_CASE(far_timer_hides_nothing),
	{}
};

static struct kunit_suite far_suite = {
	.name = "wheel_timer_far",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = far_cases,
};

kunit_test_suite(far_suite);
