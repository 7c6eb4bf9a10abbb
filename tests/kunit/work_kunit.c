// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the guarantees about work and memory, P8 to P10.
 */
#include <linux/delay.h>
#include <linux/mm.h>

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

static void p8_nothing_lost_running(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], NSEC_PER_MSEC, MANY);
		u64 now = rig_now(rig);
		u32 i;

		rig_await(rig, rig->count);
		for (i = 0; i < rig->count; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (i % 3) *
						      NSEC_PER_MSEC), 0);
		rig_wait(rig);
		expect_each_called_once(rig);
		rig_destroy(rig);
	}
}

/* Each timer either expires or is returned by wheel_stop(). The clock is inside a tick. */
static void p8_nothing_lost_at_stop(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 50000);
	struct wheel_timer *timer, *next;
	LIST_HEAD(unfired);
	u32 fired, i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, rig_random(rig, 1000 * TICK)),
				0);
	rig_advance(rig, 400 * TICK + 7);
	fired = rig->calls;
	KUNIT_EXPECT_GT(test, fired, 0);
	KUNIT_EXPECT_LT(test, fired, rig->count);

	KUNIT_ASSERT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		struct probe *probe = from_wheel_timer(probe, timer, timer);

		list_del(&timer->node);
		probe->calls++;
	}
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig->probes[i].calls, 1);
	KUNIT_EXPECT_EQ(test, rig->calls, fired);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, rig->count - fired);
}

/*
 * Timers that would block others if they were processed at once: @arm arms them, and @work
 * processes them in at least @holds lock holds.
 */
struct flood {
	work_fn	arm;
	work_fn	work;
	u32	holds;
};

/* Attempts, because the number of interrupts observed depends on timing. */
#define TRIES		8

/* Expect that interrupts are enabled after at most WHEEL_BATCH timers. */
static struct rig *expect_let_in(struct kunit *test, const struct flood *flood)
{
	u32 due = interrupts_due(flood->holds);
	struct rig *rig = NULL;
	u32 often, tries = 0;

	do {
		if (rig)
			rig_destroy(rig);
		rig = rig_virtual(test, TICK, MANY);
		flood->arm(rig);
		often = interrupts_let_in(rig, flood->work);
	} while (often < due && ++tries < TRIES);
	KUNIT_EXPECT_GE(test, often, due);
	return rig;
}

/* Return the minimum number of lock holds if @scheme examines all timers, otherwise 0. */
static u32 holds_of(struct kunit *test, u32 scheme)
{
	const struct rig_bench *bench = test->priv;

	return bench->scheme == scheme ? MANY / WHEEL_BATCH : 0;
}

static void arm_on_one_tick(struct rig *rig)
{
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, i, TICK), 0);
}

static void advance_one_tick(struct rig *rig)
{
	rig_advance(rig, wheel_now(rig->wheel) + TICK);
}

static void stop(struct rig *rig)
{
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
}

/* Many timers on one tick: interrupts are enabled while they expire or are drained. */
static void p9_bounded_work_on_one_tick(struct kunit *test)
{
	static const work_fn works[] = { advance_one_tick, stop };
	int w;

	for (w = 0; w < ARRAY_SIZE(works); w++) {
		const struct flood flood = {
			.arm = arm_on_one_tick,
			.work = works[w],
			.holds = MANY / WHEEL_BATCH,
		};
		struct rig *rig = expect_let_in(test, &flood);

		KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
		rig_destroy(rig);
	}
}

/* Timer 0 is due at the first tick, the others in later revolutions of the same bucket. */
static void arm_in_one_bucket(struct rig *rig)
{
	u64 round = BUCKETS * TICK;
	u32 i;

	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, i, TICK + i * round), 0);
	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, 0, TICK), 0);
}

/* Many timers of later revolutions in one bucket. */
static void p9_bounded_work_in_one_bucket(struct kunit *test)
{
	const struct flood flood = {
		.arm = arm_in_one_bucket,
		.work = advance_one_tick,
		.holds = holds_of(test, WHEEL_HASHED),
	};
	struct rig *rig = expect_let_in(test, &flood);

	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	KUNIT_EXPECT_EQ(test, rig->log[0], 0);
}

/* A tick boundary of levels 0 to 3: timers due after it are cascaded from level 4. */
#define EDGE		(TICK << 24)

static void arm_around_the_edge(struct rig *rig)
{
	u32 i;

	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, 0, EDGE), 0);
	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test,
				rig_arm(rig, i, EDGE + i % 64 * TICK + 1), 0);
}

static void advance_to_the_edge(struct rig *rig)
{
	rig_advance(rig, EDGE);
}

/* Many timers move to lower levels at the same time, and only one of them is due. */
static void p9_bounded_work_in_a_cascade(struct kunit *test)
{
	const struct flood flood = {
		.arm = arm_around_the_edge,
		.work = advance_to_the_edge,
		.holds = holds_of(test, WHEEL_HIERARCHICAL),
	};
	struct rig *rig = expect_let_in(test, &flood);

	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	rig_advance(rig, EDGE + 64 * TICK);
	expect_each_called_once(rig);
}

/* Callback of the first timer of the flood: arm a timer on another wheel. */
static void arm_elsewhere(struct probe *probe)
{
	struct rig *elsewhere = probe->other->rig;

	probe->answer = rig_arm(elsewhere, 0, 0);
}

static void note_progress(struct probe *probe)
{
	probe->answer = READ_ONCE(probe->other->rig->calls);
}

/* A timer of another wheel does not wait until a flood is processed. */
static void p9_bounded_work_lets_others_in(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *flood = rig_running(test, flags[f], NSEC_PER_MSEC, MANY);
		struct rig *single = rig_running(test, flags[f], 1000, 1);
		u64 soon = rig_now(flood) + 200 * NSEC_PER_MSEC;
		u32 i;

		flood->probes[0].action = arm_elsewhere;
		flood->probes[0].other = &single->probes[0];
		single->probes[0].action = note_progress;
		single->probes[0].other = &flood->probes[0];
		rig_await(flood, flood->count);
		rig_await(single, 1);
		for (i = 0; i < flood->count; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(flood, i, soon), 0);
		rig_wait(flood);
		rig_wait(single);
		kunit_info(test, "served after %ld of %u calls",
			   single->probes[0].answer, flood->count);
		KUNIT_EXPECT_GT(test, single->probes[0].answer, 0);
		KUNIT_EXPECT_LT(test, single->probes[0].answer, MANY / 2);
		rig_destroy(single);
		rig_destroy(flood);
	}
}

/* Memory is freed: ten wheels do not reduce the free memory by the size of one. */
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
	KUNIT_EXPECT_GT(test, info.freeram + WHEEL_MAX_BUCKETS * 16 / PAGE_SIZE,
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
	MANY_CASE(p8_nothing_lost_running),
	MANY_CASE(p8_nothing_lost_at_stop),
	MANY_CASE(p9_bounded_work_on_one_tick),
	MANY_CASE(p9_bounded_work_in_one_bucket),
	MANY_CASE(p9_bounded_work_in_a_cascade),
	MANY_CASE(p9_bounded_work_lets_others_in),
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
