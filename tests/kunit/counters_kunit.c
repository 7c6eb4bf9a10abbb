// SPDX-License-Identifier: GPL-2.0
/*
 * P11: the counters are exact after each operation, regardless of its result.
 */
#include <linux/log2.h>

#include "schemes.h"

/* Expected counters. All others must remain 0. */
struct ledger {
	u64	armed;
	u64	fired;
	u64	cancelled;
	u64	rearmed;
	u64	refused;
};

static void expect_ledger(struct rig *rig, const struct ledger *ledger)
{
	const struct wheel_stats *stats = rig_stats(rig);
	struct kunit *test = rig->test;

	KUNIT_EXPECT_EQ(test, stats->armed, ledger->armed);
	KUNIT_EXPECT_EQ(test, stats->fired, ledger->fired);
	KUNIT_EXPECT_EQ(test, stats->cancelled, ledger->cancelled);
	KUNIT_EXPECT_EQ(test, stats->pending,
			ledger->armed - ledger->fired - ledger->cancelled);
	KUNIT_EXPECT_EQ(test, stats->rearmed, ledger->rearmed);
	KUNIT_EXPECT_EQ(test, stats->refused, ledger->refused);
	KUNIT_EXPECT_EQ(test, stats->overruns, 0);
	KUNIT_EXPECT_EQ(test, stats->requeued, 0);
}

static struct rig *limited(struct kunit *test, u64 limit, u32 count)
{
	const struct wheel_config config = {
		.name = "limited",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.tick_ns = TICK,
		.limit = limit,
	};

	return rig_new(test, &config, count);
}

static void p11_exact_counters(struct kunit *test)
{
	struct rig *rig = limited(test, 3, 4);
	struct wheel_timer *a = &rig->probes[0].timer;
	struct wheel_timer *b = &rig->probes[1].timer;
	struct wheel_timer *c = &rig->probes[2].timer;
	struct wheel_timer *d = &rig->probes[3].timer;
	struct ledger ledger = {};

	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(a, 5 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(b, 5 * TICK, 0), 0);
	ledger.armed = 2;
	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(a, 6 * TICK, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(c, 6 * TICK, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(c), -ENOENT);
	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(a, 7 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(a, 8 * TICK, 0), 1);
	ledger.rearmed = 2;
	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(c, 1ULL << 63, 0), -ERANGE);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(c, 5 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(d, 5 * TICK, 0), -EDQUOT);
	ledger.armed = 3;
	ledger.refused = 2;
	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(c), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(c), -ENOENT);
	ledger.cancelled = 1;
	expect_ledger(rig, &ledger);

	rig_advance(rig, 5 * TICK);
	ledger.fired = 1;
	expect_ledger(rig, &ledger);

	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	ledger.cancelled = 2;
	expect_ledger(rig, &ledger);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(b, 9 * TICK, 0), -ESHUTDOWN);
	ledger.refused = 3;
	expect_ledger(rig, &ledger);
}

/* Lateness just below, at and just above each power of two. */
static void p11_exact_histogram(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, 1, 1);
	u64 late[64] = {}, now = 0;
	int bit, off, i;

	for (bit = 0; bit < 57; bit++) {
		for (off = -1; off <= 1; off++) {
			u64 distance = (1ULL << bit) + off;

			/* The deadline is after the current time when the timer is armed. */
			KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + 1), 0);
			now += 1 + distance;
			rig_advance(rig, now);
			late[distance ? ilog2(distance) : 0]++;
		}
	}
	rig_stats(rig);
	for (i = 0; i < ARRAY_SIZE(late); i++)
		KUNIT_EXPECT_EQ_MSG(test, rig->stats.late[i], late[i],
				    "late by 2^%d ns", i);
}

/* Many random operations, to detect errors that occur rarely. */
static void p11_exact_counters_in_the_long_run(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 100);
	struct ledger ledger = {};
	u32 i;

	for (i = 0; i < (IS_ENABLED(CONFIG_KASAN) ? 50000 : 1000000); i++) {
		struct probe *probe = &rig->probes[rig_random(rig, rig->count)];
		u64 deadline = wheel_now(rig->wheel) + rig_random(rig, 64 * TICK);

		switch (rig_random(rig, 4)) {
		case 0:
			ledger.armed += !wheel_timer_arm(&probe->timer, deadline, 0);
			break;
		case 1:
			ledger.rearmed += !wheel_timer_rearm(&probe->timer,
							     deadline, 0);
			break;
		case 2:
			ledger.cancelled += !wheel_timer_cancel(&probe->timer);
			break;
		default:
			rig_advance(rig, wheel_now(rig->wheel) + TICK / 2);
			break;
		}
	}
	ledger.fired = rig->calls;
	expect_ledger(rig, &ledger);
}

static struct kunit_case counters_cases[] = {
	ANY_CASE(p11_exact_counters),
	ANY_CASE(p11_exact_histogram),
	ANY_CASE(p11_exact_counters_in_the_long_run),
	{}
};

static struct kunit_suite counters_suite = {
	.name = "wheel_timer_counters",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = counters_cases,
};

kunit_test_suite(counters_suite);
