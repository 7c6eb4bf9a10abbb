// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the guarantees about work and memory, P8 to P10.
 */
#include <linux/delay.h>
#include <linux/mm.h>

#include "callback_rig.h"
#include "interrupts.h"
#include "schemes.h"

/* Exceeds the budget of a run, in both work and time. */
#define MANY		(IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000)

static void expect_each_called_once(struct rig *rig)
{
	u32 i;

	KUNIT_ASSERT_EQ(rig->test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig->probes[i].calls, 1);
}

/* The budget of a run is used up in the middle of a tick. The remaining timers expire, too. */
static void p8_nothing_lost_to_the_budget(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 3 * TICK), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 3 * TICK), WHEEL_NEVER);
	expect_each_called_once(rig);
}

/* Attempts, because the number of interrupts observed depends on timing. */
#define TRIES		8

static void advance_one_tick(struct rig *rig)
{
	rig_advance(rig, wheel_now(rig->wheel) + TICK);
}

static void stop(struct rig *rig)
{
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
}

/* Return the number of interrupts that occur while @work ends many timers of one tick. */
static u32 interrupts_during(struct kunit *test, work_fn work)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u32 often, i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK), 0);
	often = interrupts_let_in(rig, work);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
	rig_destroy(rig);
	return often;
}

/*
 * Many timers on one tick: interrupts are enabled after at most WHEEL_BATCH of them, while they
 * expire or are drained.
 */
static void p9_bounded_work_on_one_tick(struct kunit *test)
{
	static const work_fn works[] = { advance_one_tick, stop };
	u32 due = interrupts_due(MANY / WHEEL_BATCH);
	int w;

	for (w = 0; w < ARRAY_SIZE(works); w++) {
		u32 often, tries = 0;

		do {
			often = interrupts_during(test, works[w]);
		} while (often < due && ++tries < TRIES);
		KUNIT_EXPECT_GE(test, often, due);
	}
}

/*
 * Memory is freed: ten wheels do not reduce the free memory by that of three. Pages that were freed
 * may be on the lists of the CPUs, or, with KASAN, wait for others.
 */
static void p10_leaves_no_trace_of_wheels(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "big",
		.buckets = WHEEL_MAX_BUCKETS,
	};
	unsigned long before = 0;
	struct sysinfo info;
	int i;

	for (i = 0; i <= 10; i++) {
		struct rig *rig = rig_new(test, &config, 1);

		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, WHEEL_MAX_TIME), 0);
		rig_destroy(rig);
		si_meminfo(&info);
		if (i == 0)
			before = info.freeram;
	}
	KUNIT_EXPECT_GT(test, info.freeram + 3 * (WHEEL_MAX_BUCKETS * 32 / PAGE_SIZE),
			before);
}

/* After wheel_destroy(), no callback is called and no timer is accessed. */
static void p10_leaves_no_trace_of_timers(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], NSEC_PER_MSEC, 100);
		u64 now = rig_now(rig);
		u32 calls, i;

		for (i = 0; i < rig->count; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + i *
						      NSEC_PER_MSEC / 4), 0);
		wheel_destroy(rig->wheel);
		rig->wheel = NULL;
		calls = rig->calls;
		for (i = 0; i < rig->count; i++)
			memset(&rig->probes[i].timer, POISON_FREE,
			       sizeof(rig->probes[i].timer));
		usleep_range(50000, 60000);
		KUNIT_EXPECT_EQ(test, rig->calls, calls);
	}
}

static void take_a_while(struct probe *probe)
{
	mdelay(1);
}

/*
 * 64 callbacks of 1 ms each are within the work limit of one run, but exceed its time limit. The
 * run must end between two callbacks, so that tasks can use the CPU.
 */
static void p9_run_is_bounded_by_time(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 64);
	u64 now = rig_now(rig);
	u32 i;

	rig_await(rig, rig->count);
	for (i = 0; i < rig->count; i++) {
		rig->probes[i].action = take_a_while;
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + 5 * NSEC_PER_MSEC), 0);
	}
	rig_wait(rig);
	expect_each_called_once(rig);
	KUNIT_EXPECT_GE(test, rig_stats(rig)->passes, 3);
}

static struct kunit_case work_cases[] = {
	MANY_CASE(p8_nothing_lost_to_the_budget),
	MANY_CASE(p9_bounded_work_on_one_tick),
	MANY_CASE(p9_run_is_bounded_by_time),
	MANY_CASE(p10_leaves_no_trace_of_wheels),
	MANY_CASE(p10_leaves_no_trace_of_timers),
	{}
};

static struct kunit_suite work_suite = {
	.name = "wheel_timer_work",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = work_cases,
};

kunit_test_suite(work_suite);
