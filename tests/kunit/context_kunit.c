// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts in which operations may be called, and contexts in which callbacks run.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>

#include "callback_rig.h"
#include "compat.h"

enum { ARM, REARM, MOD, CANCEL, PUSH, BATCHES, VERBS };

/* Size of a batch that needs two lock holds. */
#define EXTRA		(WHEEL_BATCH + 1)

/* One call of each operation, each on its own timer. Only the timer of ARM is idle. */
struct verbs {
	struct rig		*rig;
	struct hrtimer		hardirq;
	struct completion	done;
	bool			there;
	long			answers[VERBS];
	struct wheel_arm	arms[EXTRA];
	struct wheel_timer	*timers[EXTRA];
	int			res[EXTRA];
};

static void call_verbs(struct verbs *verbs)
{
	struct wheel *wheel = verbs->rig->wheel;
	struct probe *probes = verbs->rig->probes;
	long *answers = verbs->answers;

	answers[ARM] = wheel_timer_arm(&probes[ARM].timer, 7 * TICK, 0);
	answers[REARM] = wheel_timer_rearm(&probes[REARM].timer, 7 * TICK, 0);
	answers[MOD] = wheel_timer_mod(&probes[MOD].timer, 7 * TICK, 0);
	answers[CANCEL] = wheel_timer_cancel(&probes[CANCEL].timer);
	answers[PUSH] = wheel_timer_push(&probes[PUSH].timer, 7 * TICK);
	answers[BATCHES] = wheel_arm_batch(wheel, verbs->arms, EXTRA) +
			   wheel_cancel_batch(wheel, verbs->timers, verbs->res, EXTRA);
}

static enum hrtimer_restart verbs_in_hardirq(struct hrtimer *timer)
{
	struct verbs *verbs = container_of(timer, struct verbs, hardirq);

	verbs->there = in_hardirq();
	call_verbs(verbs);
	complete(&verbs->done);
	return HRTIMER_NORESTART;
}

static struct verbs *verbs_new(struct kunit *test)
{
	struct verbs *verbs = kunit_kzalloc(test, sizeof(*verbs), GFP_KERNEL);
	struct rig *rig = rig_virtual(test, TICK, VERBS + EXTRA);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, verbs);
	verbs->rig = rig;
	init_completion(&verbs->done);
	for (i = REARM; i < PUSH; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 9 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, PUSH, 2 * TICK), 0);
	for (i = 0; i < EXTRA; i++) {
		verbs->timers[i] = &rig->probes[VERBS + i].timer;
		verbs->arms[i].timer = verbs->timers[i];
	}
	return verbs;
}

static void expect_verbs(struct verbs *verbs)
{
	static const u32 order[] = { ARM, REARM, MOD, PUSH };
	static const long answers[] = {
		[ARM] = 0, [REARM] = 0, [MOD] = 1, [CANCEL] = 0,
		[PUSH] = true, [BATCHES] = 2 * EXTRA,
	};
	struct kunit *test = verbs->rig->test;
	int i;

	KUNIT_EXPECT_TRUE(test, verbs->there);
	for (i = 0; i < VERBS; i++)
		KUNIT_EXPECT_EQ_MSG(test, verbs->answers[i], answers[i], "verb %d", i);
	KUNIT_EXPECT_EQ(test, rig_advance(verbs->rig, 6 * TICK), 7 * TICK);
	KUNIT_EXPECT_EQ(test, rig_advance(verbs->rig, 7 * TICK), WHEEL_NEVER);
	rig_expect_log(verbs->rig, order, ARRAY_SIZE(order));
}

static void verbs_from_hardirq(struct kunit *test)
{
	struct verbs *verbs = verbs_new(test);

	hrtimer_setup(&verbs->hardirq, verbs_in_hardirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&verbs->hardirq, 0, HRTIMER_MODE_REL_HARD);
	wait_for_completion(&verbs->done);
	hrtimer_cancel(&verbs->hardirq);
	expect_verbs(verbs);
}

static void verbs_with_interrupts_off(struct kunit *test)
{
	struct verbs *verbs = verbs_new(test);
	unsigned long flags;

	local_irq_save(flags);
	verbs->there = irqs_disabled();
	call_verbs(verbs);
	/* Interrupts must still be disabled. */
	verbs->there &= irqs_disabled();
	local_irq_restore(flags);
	expect_verbs(verbs);
}

/*
 * An interrupt arms timers of a wheel that the interrupted task is using, as frequently as the
 * machine can process.
 */
#define STORM_NS	(IS_ENABLED(CONFIG_KASAN) ? 500000 : 20000)

struct storm {
	struct hrtimer	timer;
	struct rig	*rig;
	u32		left;
	u32		armed;
};

static enum hrtimer_restart storm_once(struct hrtimer *timer)
{
	struct storm *storm = container_of(timer, struct storm, timer);
	struct rig *rig = storm->rig;
	u32 id = storm->left % 8;

	if (!rig_arm(rig, id, rig_now(rig)))
		WRITE_ONCE(storm->armed, storm->armed + 1);
	hrtimer_forward_now(timer, STORM_NS);
	return --storm->left ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void hardirq_arms_a_running_wheel(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], 10000, 9);
		struct storm *storm = kunit_kzalloc(test, sizeof(*storm),
						    GFP_KERNEL);
		u32 cancelled = 0;

		KUNIT_ASSERT_NOT_NULL(test, storm);
		rig->shared = true;
		storm->rig = rig;
		storm->left = 2000;
		hrtimer_setup(&storm->timer, storm_once, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_HARD);
		hrtimer_start(&storm->timer, 0, HRTIMER_MODE_REL_HARD);
		while (hrtimer_active(&storm->timer)) {
			KUNIT_EXPECT_EQ(test, rig_arm(rig, 8, WHEEL_MAX_TIME), 0);
			KUNIT_EXPECT_EQ(test,
					wheel_timer_cancel(&rig->probes[8].timer), 0);
			cancelled++;
			cond_resched();
		}
		hrtimer_cancel(&storm->timer);
		rig_await(rig, storm->armed);
		rig_wait(rig);
		KUNIT_EXPECT_GT(test, storm->armed, 0);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->armed,
				storm->armed + cancelled);
	}
}

static void note_context(struct probe *probe)
{
	probe->answer = in_serving_softirq() && !in_hardirq() &&
			!irqs_disabled();
}

/* The callback runs in softirq context with interrupts enabled. */
static void callback_in_softirq(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);

	rig->probes[0].action = note_context;
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
}

static void sleep_a_little(struct probe *probe)
{
	might_sleep();
	usleep_range(100, 200);
	probe->answer = in_task() && !irqs_disabled();
}

/* The callback runs in a task and may sleep. */
static void callback_in_process_context(struct kunit *test)
{
	struct rig *rig = rig_running(test, WHEEL_SLEEPABLE, NSEC_PER_MSEC, 20);
	u32 i;

	rig_await(rig, rig->count);
	for (i = 0; i < rig->count; i++) {
		rig->probes[i].action = sleep_a_little;
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 0), 0);
	}
	rig_wait(rig);
	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_EQ(test, rig->probes[i].answer, 1);
}

#define BOUND		64

/* The range starts at the current time, even if a pass is late because softirqs are disabled. */
static void bound_counts_from_now_before_a_late_pass(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "bounded",
		.scheme = WHEEL_BOUNDED,
		.buckets = BOUND,
		.tick_ns = NSEC_PER_MSEC,
	};
	struct rig *rig = rig_new(test, &config, 2);
	int error;

	rig_await(rig, 2);
	local_bh_disable();
	error = rig_arm(rig, 0, rig_now(rig));
	mdelay(5);
	error = error ?: rig_arm(rig, 1, rig_now(rig) + (BOUND - 1) * NSEC_PER_MSEC);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, error, 0);
	rig_wait(rig);
}

static struct kunit_case context_cases[] = {
	KUNIT_CASE(verbs_from_hardirq),
	KUNIT_CASE(verbs_with_interrupts_off),
	KUNIT_CASE(hardirq_arms_a_running_wheel),
	KUNIT_CASE(callback_in_softirq),
	KUNIT_CASE(callback_in_process_context),
	KUNIT_CASE(bound_counts_from_now_before_a_late_pass),
	{}
};

static struct kunit_suite context_suite = {
	.name = "wheel_timer_context",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);
