// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the guarantees about time and order, P1 to P5. On a VIRTUAL clock, they hold exactly.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/sort.h>

#include "schemes.h"

static const u64 ticks[] = { 1, 7, 1000, 1000000, 999999937 };

/*
 * The clock advances by random steps, so that it also stops inside ticks. Half of the timers have
 * slack, which must only delay them.
 */
static void never_early(struct kunit *test, u64 tick)
{
	struct rig *rig = rig_virtual(test, tick, 1000);
	u64 now = 0;
	u32 i;

	for (i = 0; i < rig->count; i++) {
		u64 deadline = rig_random(rig, 3000 * tick);
		u64 slack = i & 1 ? rig_random(rig, 64 * tick) : 0;

		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, i, deadline, slack), 0);
	}
	while (now < 3100 * tick) {
		now += 1 + rig_random(rig, 3 * tick);
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig->early, 0);
	}
	for (i = 0; i < rig->count; i++) {
		struct probe *probe = &rig->probes[i];
		u64 fired = wheel_timer_fired(&probe->timer);

		KUNIT_ASSERT_EQ(test, probe->calls, 1);
		KUNIT_ASSERT_EQ(test, fired, probe->seen);
		KUNIT_ASSERT_GE(test, fired,
				wheel_timer_deadline(&probe->timer));
	}
}

static void p1_never_early(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ticks); i++)
		never_early(test, ticks[i]);
}

static const u32 clocks[] = { WHEEL_CLOCK_MONOTONIC, WHEEL_CLOCK_BOOTTIME };

/* The callback reads the clock independently of the wheel. */
static void p1_never_early_running(struct kunit *test)
{
	int c;

	for (c = 0; c < ARRAY_SIZE(clocks); c++) {
		const struct wheel_config config = {
			.name = "running",
			.clock = clocks[c],
			.buckets = 64,
			.tick_ns = 100 * NSEC_PER_USEC,
		};
		struct rig *rig = rig_new(test, &config, 2000);
		u32 i;

		rig_await(rig, rig->count);
		for (i = 0; i < rig->count; i++) {
			u64 delay = rig_random(rig, 30 * NSEC_PER_MSEC);

			KUNIT_ASSERT_EQ(test,
					rig_arm(rig, i, rig_now(rig) + delay), 0);
		}
		rig_wait(rig);
		KUNIT_EXPECT_EQ(test, rig->early, 0);
	}
}

/* Expect that a timer expires at @due and not before. */
static void expect_due(struct rig *rig, u32 id, u64 due)
{
	struct kunit *test = rig->test;
	u64 deadline = wheel_timer_deadline(&rig->probes[id].timer);
	u64 now = wheel_now(rig->wheel);
	u32 calls = rig->calls;

	KUNIT_ASSERT_EQ_MSG(test, rig_advance(rig, now), due,
			    "deadline %llu armed at %llu", deadline, now);
	KUNIT_ASSERT_EQ(test, rig_advance(rig, due - 1), due);
	KUNIT_ASSERT_EQ_MSG(test, rig->calls, calls,
			    "deadline %llu armed at %llu came early",
			    deadline, now);
	KUNIT_ASSERT_EQ(test, rig_advance(rig, due), WHEEL_NEVER);
	KUNIT_ASSERT_EQ_MSG(test, rig->calls, calls + 1,
			    "deadline %llu armed at %llu came late",
			    deadline, now);
	KUNIT_ASSERT_EQ(test, wheel_timer_fired(&rig->probes[id].timer), due);
}

/* Deadlines before, at and after tick boundaries, near and far, armed at any time in a tick. */
static void p2_bounded_late(struct kunit *test)
{
	static const int around[] = { -1, 0, 1 };
	static const u32 ahead[] = { 1, 2, 63, 64, 255, 256, 257, 4096, 60000 };
	int t, a, o;

	for (t = 1; t < ARRAY_SIZE(ticks); t++) {
		struct rig *rig = rig_virtual(test, ticks[t], 1);

		for (a = 0; a < ARRAY_SIZE(ahead); a++) {
			for (o = 0; o < ARRAY_SIZE(around); o++) {
				u64 now = wheel_now(rig->wheel) +
					  rig_random(rig, 2 * ticks[t]);
				u64 tick = div64_u64(now, ticks[t]) + ahead[a];
				u64 deadline = tick * ticks[t] + around[o];

				rig_advance(rig, now);
				KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, deadline), 0);
				expect_due(rig, 0, due_at(deadline, now, ticks[t]));
			}
		}
	}
}

/* With slack, a timer expires at a later boundary, but not after deadline + slack. */
static void p2_bounded_late_slack(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	int i;

	for (i = 0; i < 2000; i++) {
		u64 now = wheel_now(rig->wheel);
		u64 deadline = now + 1 + rig_random(rig, 600 * TICK);
		u64 slack = rig_random(rig, 100 * TICK);
		u64 first = due_at(deadline, now, TICK);
		u64 last = div64_u64(deadline + slack, TICK) * TICK;
		u64 due;

		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, 0, deadline, slack), 0);
		due = rig_advance(rig, now);
		KUNIT_ASSERT_GE(test, due, first);
		KUNIT_ASSERT_LE(test, due, max(first, last));
		expect_due(rig, 0, due);
	}
}

/* With slack, timers with different deadlines expire at the same tick. */
static void p2_slack_shares_ticks(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 15);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm_slack(rig, i, (17 + i) * TICK,
						    16 * TICK), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 32 * TICK - 1), 32 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 32 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count);
}

/* Random cancels and re-arms; the counters are consistent after each step. */
static void p3_exactly_once(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 3000);
	u32 cancelled = 0, called = 0, i;
	u64 now;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i,
					      rig_random(rig, 5000 * TICK)), 0);
	for (now = 0; now < 5100 * TICK; now += rig_random(rig, 90 * TICK)) {
		const struct wheel_stats *stats;
		struct probe *probe;

		rig_advance(rig, now);
		probe = &rig->probes[rig_random(rig, rig->count)];
		if (rig_random(rig, 2))
			wheel_timer_rearm(&probe->timer, now + 7 * TICK, 0);
		else
			cancelled += !wheel_timer_cancel(&probe->timer);
		stats = rig_stats(rig);
		KUNIT_ASSERT_EQ(test, stats->armed, rig->count);
		KUNIT_ASSERT_EQ(test, stats->fired, rig->calls);
		KUNIT_ASSERT_EQ(test, stats->cancelled, cancelled);
		KUNIT_ASSERT_EQ(test, stats->pending,
				rig->count - rig->calls - cancelled);
	}
	rig_advance(rig, 6000 * TICK);
	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_LE(test, rig->probes[i].calls, 1);
		called += rig->probes[i].calls;
	}
	KUNIT_EXPECT_GT(test, cancelled, 0);
	KUNIT_EXPECT_EQ(test, called + cancelled, rig->count);
}

/* A timer that arms itself in its callback. */
static void p3_exactly_once_armed_again(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct probe *probe = &rig->probes[0];
	u64 periods;

	probe->action = probe_arm_again;
	probe->period = 3 * TICK;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 3 * TICK), 0);
	for (periods = 1; periods <= 1000; periods++) {
		rig_advance(rig, periods * 3 * TICK);
		KUNIT_ASSERT_EQ(test, probe->calls, periods);
		KUNIT_ASSERT_EQ(test, rig_stats(rig)->armed, periods + 1);
		KUNIT_ASSERT_EQ(test, rig_stats(rig)->fired, periods);
		KUNIT_ASSERT_EQ(test, rig_stats(rig)->pending, 1);
	}
}

/* A timer that was cancelled successfully never expires. */
static void p4_cancel_is_decisive(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2000);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i % 100) * TICK), 0);
	rig_advance(rig, 50 * TICK);
	for (i = 0; i < rig->count; i++) {
		struct wheel_timer *timer = &rig->probes[i].timer;
		bool fired = i % 100 < 50;

		KUNIT_ASSERT_EQ(test, rig->probes[i].calls, fired);
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(timer),
				fired ? -ENOENT : 0);
		KUNIT_ASSERT_FALSE(test, wheel_timer_pending(timer));
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(timer), -ENOENT);
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel_sync(timer), -ENOENT);
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, WHEEL_MAX_TIME), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count / 2);
}

static void cancel_other(struct probe *probe)
{
	if (probe->other)
		probe->answer = wheel_timer_cancel(&probe->other->timer);
}

/* The cancelled timer is due at the tick that is being processed. */
static void p4_cancel_is_decisive_in_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1000);
	u32 i;

	for (i = 0; i < rig->count; i++) {
		rig->probes[i].action = cancel_other;
		rig->probes[i].answer = 1;
		if (i % 2 == 0)
			rig->probes[i].other = &rig->probes[i + 1];
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	}
	rig_advance(rig, 5 * TICK);
	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig->probes[i].calls, i % 2 == 0);
		KUNIT_ASSERT_EQ(test, rig->probes[i].answer, i % 2);
	}
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, rig->count / 2);
}

struct armed {
	u64	due;
	u32	seq;
	u32	id;
};

static int by_due_and_seq(const void *a, const void *b)
{
	const struct armed *x = a, *y = b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/*
 * Few distinct ticks over several revolutions, so that each has many timers. Every fifth timer is
 * re-armed, and becomes the last one of its new tick.
 */
static void in_order(struct kunit *test, u64 step)
{
	struct rig *rig = rig_virtual(test, TICK, 4000);
	struct armed *armed;
	u64 now = 0;
	u32 i;

	armed = kunit_kcalloc(test, rig->count, sizeof(*armed), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, armed);
	for (i = 0; i < rig->count; i++) {
		u64 deadline = rig_random(rig, 40) * 25 * TICK;

		armed[i] = (struct armed){ due_at(deadline, 0, TICK), i, i };
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, deadline), 0);
	}
	for (i = 0; i < rig->count; i += 5) {
		u64 deadline = armed[i].due + 25 * TICK;

		armed[i] = (struct armed){ deadline, rig->count + i, i };
		KUNIT_ASSERT_EQ(test, wheel_timer_rearm(&rig->probes[i].timer,
							deadline, 0), 0);
	}
	while (rig_advance(rig, now) != WHEEL_NEVER)
		now += step;

	sort(armed, rig->count, sizeof(*armed), by_due_and_seq, NULL);
	KUNIT_ASSERT_EQ(test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ_MSG(test, rig->log[i], armed[i].id,
				    "call %u, steps of %llu", i, step);
}

/* Advance by ticks, by half ticks, by revolutions, and in one step. */
static void p5_in_order(struct kunit *test)
{
	in_order(test, TICK);
	in_order(test, TICK / 2);
	in_order(test, BUCKETS * TICK);
	in_order(test, 2000 * TICK);
}

/* One tick with more timers than the budget of a run. */
static void p5_in_order_in_one_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 4000);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 3 * TICK - i % 7), 0);
	rig_advance(rig, 3 * TICK);
	KUNIT_ASSERT_EQ(test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig->log[i], i);
}

/*
 * The next timer is far in the future, and the wheel has not read the clock for a while. Timers
 * whose deadlines have passed expire in the order in which they were armed, not in that of their
 * deadlines.
 */
static void p5_overdue_in_the_order_armed(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 9);
	unsigned long flags;
	u64 now;
	u32 i;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 8, rig_now(rig) + 60 * NSEC_PER_SEC), 0);
	mdelay(20);
	rig_await(rig, 8);
	/* Disable interrupts, so that no pass reads the clock meanwhile. */
	local_irq_save(flags);
	now = rig_now(rig);
	for (i = 0; i < 4; i++)
		rig_arm(rig, i, now - 2 * i * NSEC_PER_MSEC);
	/* Some ticks pass, as if the interrupt were late. */
	mdelay(3);
	for (; i < 8; i++)
		rig_arm(rig, i, now - i * NSEC_PER_MSEC);
	local_irq_restore(flags);
	rig_wait(rig);
	KUNIT_ASSERT_EQ(test, rig->calls, 8);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, rig->log[i], i);
}

static struct kunit_case promises_cases[] = {
	ANY_CASE(p1_never_early),
	ANY_CASE(p1_never_early_running),
	ANY_CASE(p2_bounded_late),
	ANY_CASE(p2_bounded_late_slack),
	ANY_CASE(p2_slack_shares_ticks),
	ANY_CASE(p3_exactly_once),
	ANY_CASE(p3_exactly_once_armed_again),
	ANY_CASE(p4_cancel_is_decisive),
	ANY_CASE(p4_cancel_is_decisive_in_its_tick),
	ANY_CASE(p5_in_order),
	ANY_CASE(p5_in_order_in_one_tick),
	ANY_CASE(p5_overdue_in_the_order_armed),
	{}
};

static struct kunit_suite promises_suite = {
	.name = "wheel_timer_promises",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = promises_cases,
};

kunit_test_suite(promises_suite);
