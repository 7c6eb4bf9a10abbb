// SPDX-License-Identifier: GPL-2.0
/*
 * The promises about work and memory, P7 to P10, by their names.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "compat.h"
#include "schemes.h"

/* More than any budget allows at once, and more than a millisecond's work. */
#define MANY		(IS_ENABLED(CONFIG_KASAN) ? 20000 : 200000)

/* Silence can only be heard while time passes: the wait is the stimulus. */
static void expect_wakeups(struct rig *rig, u64 at_most)
{
	usleep_range(50000, 60000);
	KUNIT_EXPECT_LE(rig->test, rig_stats(rig)->wakeups, at_most);
}

static void p7_silence_when_idle(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);

	expect_wakeups(rig, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.passes, 0);
}

/* One for the near timer; then not even one a revolution, which is 1.6 ms. */
static void p7_silence_before_far_timers(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "far",
		.slots = 16,
		.tick_ns = 100 * NSEC_PER_USEC,
	};
	struct rig *rig = rig_new(test, &config, 100);
	u64 now = rig_now(rig);
	u32 i;

	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (60 + i) *
					      NSEC_PER_SEC), 0);
	expect_wakeups(rig, 0);
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig)), 0);
	rig_wait(rig);
	expect_wakeups(rig, 1);
	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[i].timer), 0);
	expect_wakeups(rig, 1);
}

/* At most one empty wake-up for a timer that went, then none. */
static void p7_silence_after_a_cancel(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, 100 * NSEC_PER_USEC, 12);
	u64 now = rig_now(rig);
	u32 i;

	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (40 + i) *
					      NSEC_PER_MSEC), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 10, now + 60 * NSEC_PER_SEC), 0);
	for (i = 0; i < 10; i++)
		KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[i].timer), 0);
	expect_wakeups(rig, 1);
	expect_wakeups(rig, 1);
}

/* One wake-up serves a tick, whatever is on it. */
static void p7_silence_between_ticks(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 500);
	u64 now = rig_now(rig) + 50 * NSEC_PER_MSEC;
	u32 i;

	rig_await(rig, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + (i % 5) * 5 *
					      NSEC_PER_MSEC), 0);
	rig_wait(rig);
	expect_wakeups(rig, 5);
}

/* A virtual clock moves when its owner moves it, and wakes nobody. */
static void p7_silence_of_a_virtual_clock(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	expect_wakeups(rig, 0);
	KUNIT_EXPECT_EQ(test, wheel_now(rig->wheel), 0);
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 0);
}

static void expect_each_called_once(struct rig *rig)
{
	u32 i;

	KUNIT_ASSERT_EQ(rig->test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig->probes[i].calls, 1);
}

/* The budget of a pass ends in the middle of a tick; the rest comes too. */
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

/* Fired or handed back, each timer once; the clock stands inside a tick. */
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
 * A beat in interrupt context, to see whether a long call lets interrupts in.
 * The bound is lax, for machines that are themselves interrupted: whoever holds
 * a lock for all of the work lets one in, at its end.
 */
struct beat {
	struct hrtimer	timer;
	u32		beats;
};

#define BEAT_NS		(IS_ENABLED(CONFIG_KASAN) ? 500000 : 50000)
#define BEATS_DUE	20
#define BEATS_SEEN	3

static enum hrtimer_restart beat_once(struct hrtimer *timer)
{
	struct beat *beat = container_of(timer, struct beat, timer);

	WRITE_ONCE(beat->beats, beat->beats + 1);
	hrtimer_forward_now(timer, BEAT_NS);
	return HRTIMER_RESTART;
}

typedef void (*work_fn)(struct rig *rig);

static void expect_beats(struct rig *rig, work_fn work)
{
	struct beat *beat = kunit_kzalloc(rig->test, sizeof(*beat), GFP_KERNEL);
	u64 start, took;

	KUNIT_ASSERT_NOT_NULL(rig->test, beat);
	hrtimer_setup(&beat->timer, beat_once, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&beat->timer, BEAT_NS, HRTIMER_MODE_REL_HARD);
	start = ktime_get_ns();
	work(rig);
	took = ktime_get_ns() - start;
	hrtimer_cancel(&beat->timer);
	kunit_info(rig->test, "%u beats in %llu us", beat->beats,
		   div_u64(took, NSEC_PER_USEC));
	if (took > BEATS_DUE * BEAT_NS)
		KUNIT_EXPECT_GE(rig->test, beat->beats, BEATS_SEEN);
}

static void stop(struct rig *rig)
{
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
}

static void advance_one_tick(struct rig *rig)
{
	rig_advance(rig, wheel_now(rig->wheel) + TICK);
}

/* Many on one tick: nobody is shut out while they fire, or are stopped. */
static void p9_bounded_work_on_one_tick(struct kunit *test)
{
	static const work_fn works[] = { advance_one_tick, stop };
	int w;

	for (w = 0; w < ARRAY_SIZE(works); w++) {
		struct rig *rig = rig_virtual(test, TICK, MANY);
		u32 i;

		for (i = 0; i < rig->count; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK), 0);
		expect_beats(rig, works[w]);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
		rig_destroy(rig);
	}
}

/* Many that a revolution walks past: one is due, the others years later. */
static void p9_bounded_work_in_one_slot(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u64 round = SLOTS * TICK;
	u32 i;

	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK + i * round), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	expect_beats(rig, advance_one_tick);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	KUNIT_EXPECT_EQ(test, rig->log[0], 0);
}

static void advance_to_the_first(struct rig *rig)
{
	rig_advance(rig, wheel_timer_deadline(&rig->probes[0].timer));
}

/* Many that come near at the same time, of which one is due. */
static void p9_bounded_work_in_a_cascade(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, MANY);
	u64 edge = TICK << 24;
	u32 i;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, edge), 0);
	for (i = 1; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, edge + i % 64 * TICK + 1),
				0);
	expect_beats(rig, advance_to_the_first);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
	rig_advance(rig, edge + 64 * TICK);
	expect_each_called_once(rig);
}

/* The first callback of the flood arms a timer on another wheel. */
static void arm_elsewhere(struct probe *probe)
{
	struct rig *elsewhere = probe->other->rig;

	probe->answer = rig_arm(elsewhere, 0, 0);
}

static void note_progress(struct probe *probe)
{
	probe->answer = READ_ONCE(probe->other->rig->calls);
}

/* Another wheel's timer does not wait until a flooded one is done. */
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

/* Memory comes back: ten wheels leave less behind than one of them takes. */
static void p10_leaves_no_trace_of_wheels(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "big",
		.slots = WHEEL_MAX_SLOTS,
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
	KUNIT_EXPECT_GT(test, info.freeram + WHEEL_MAX_SLOTS * 16 / PAGE_SIZE,
			before);
}

/* Nobody is called on a wheel that is gone, and nobody is touched. */
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

static struct kunit_case work_cases[] = {
	ANY_CASE(p7_silence_when_idle),
	FAR_CASE(p7_silence_before_far_timers),
	FAR_CASE(p7_silence_after_a_cancel),
	ANY_CASE(p7_silence_between_ticks),
	ANY_CASE(p7_silence_of_a_virtual_clock),
	MANY_CASE(p8_nothing_lost_to_the_budget),
	MANY_CASE(p8_nothing_lost_running),
	MANY_CASE(p8_nothing_lost_at_stop),
	MANY_CASE(p9_bounded_work_on_one_tick),
	MANY_CASE(p9_bounded_work_in_one_slot),
	MANY_CASE(p9_bounded_work_in_a_cascade),
	MANY_CASE(p9_bounded_work_lets_others_in),
	MANY_CASE(p10_leaves_no_trace_of_wheels),
	MANY_CASE(p10_leaves_no_trace_of_timers),
	{}
};

struct kunit_suite work_suite = {
	.name = "wheel_timer_work",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = work_cases,
};
