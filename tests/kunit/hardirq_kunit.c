// SPDX-License-Identifier: GPL-2.0
/*
 * WHEEL_HARDIRQ: a few timers are taken in the hrtimer's interrupt, the rest in a softirq.
 * With PREEMPT_RT, and on clocks that can be set, all are taken in a softirq.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/processor.h>

#include "rig.h"

/* An interrupt takes no more than these; engine/engine.h. */
#define FEW		8U

#define HOUR		(3600 * NSEC_PER_SEC)

/**
 * struct contexts - where batches came
 * @account: pays for the wheel, if it has an account
 * @hard: timers that came in hard interrupt context
 * @soft: and elsewhere
 * @most: the largest batch in hard interrupt context
 * @looks: of the owner
 * @hard_looks: in hard interrupt context
 * @looked: completed by a look
 */
struct contexts {
	struct wheel_account	account;
	u32			hard;
	u32			soft;
	u32			most;
	u32			looks;
	u32			hard_looks;
	struct completion	looked;
};

static struct contexts *contexts_of(const struct rig *rig)
{
	return rig->own;
}

static void take(struct wheel *wheel, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct contexts *contexts = wheel_data(wheel);
	u32 i;

	if (in_hardirq()) {
		contexts->hard += n;
		contexts->most = max(contexts->most, n);
	} else {
		contexts->soft += n;
	}
	for (i = 0; i < n; i++)
		probe_fire(due[i]);
}

static unsigned int look_in_vain(struct wheel *wheel, u64 now)
{
	struct contexts *contexts = wheel_data(wheel);

	contexts->looks++;
	contexts->hard_looks += !!in_hardirq();
	wheel_look_at(wheel, WHEEL_NEVER);
	complete(&contexts->looked);
	return 0;
}

static struct rig *rig_interrupted(struct kunit *test, u32 clock, bool pays, u32 count)
{
	struct contexts *contexts = kunit_kzalloc(test, sizeof(*contexts), GFP_KERNEL);
	struct wheel_config config = {
		.name = "interrupted",
		.clock = clock,
		.buckets = BUCKETS,
		.flags = WHEEL_HARDIRQ,
		.tick_ns = NSEC_PER_MSEC,
		.expire = take,
		.look = look_in_vain,
		.data = contexts,
	};
	struct rig *rig;

	KUNIT_ASSERT_NOT_NULL(test, contexts);
	wheel_account_init(&contexts->account, 1);
	init_completion(&contexts->looked);
	if (pays)
		config.account = &contexts->account;
	rig = rig_new(test, &config, count);
	rig->own = contexts;
	return rig;
}

static struct rig *rig_plain(struct kunit *test, u32 count)
{
	return rig_interrupted(test, WHEEL_CLOCK_MONOTONIC, false, count);
}

/* Ahead of all passes that are made while timers are armed for it. */
static u64 soon(const struct rig *rig)
{
	return rig_now(rig) + 50 * NSEC_PER_MSEC;
}

static void arm_all(struct rig *rig, u64 deadline, u64 apart)
{
	u32 i;

	rig_await(rig, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, i, deadline + i * apart), 0);
}

static void expect_in_order(struct rig *rig)
{
	u32 i;

	KUNIT_EXPECT_EQ(rig->test, rig->early, 0);
	KUNIT_ASSERT_EQ(rig->test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig->log[i], i);
}

/* Nobody else holds the lock of this wheel when its timer is due. */
static void lone_timer_comes_in_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1);

	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->hard, !IS_ENABLED(CONFIG_PREEMPT_RT));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->passes, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.wakeups, 1);
}

/* When an interrupt has served one timer, the hrtimer comes for the next. */
static void p2_interrupt_sets_the_hrtimer_anew(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 20);

	arm_all(rig, soon(rig), 5 * NSEC_PER_MSEC);
	rig_wait(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_GE(test, rig_stats(rig)->wakeups, 2);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		KUNIT_EXPECT_GT(test, contexts_of(rig)->hard, 0);
}

/* A timer that is due in the next tick stays, though the interrupt might have it at once. */
static void p1_interrupt_is_never_early(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 40);

	arm_all(rig, soon(rig), NSEC_PER_MSEC);
	rig_wait(rig);
	expect_in_order(rig);
}

/* And it rests when none is left. */
static void p7_interrupt_leaves_silence(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1), *other = rig_plain(test, 1);
	u64 wakeups;
	u32 round;

	for (round = 1; round <= 3; round++) {
		rig_await(rig, round);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + NSEC_PER_MSEC), 0);
		rig_wait(rig);
	}
	wakeups = rig_stats(rig)->wakeups;
	/* By then another wheel has had its interrupt. */
	arm_all(other, soon(other), 0);
	rig_wait(other);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, wakeups);
}

/* The rest is a softirq's, which other interrupts may interrupt. */
static void p9_interrupt_takes_few(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1000);

	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_LE(test, contexts_of(rig)->most, FEW);
	KUNIT_EXPECT_GT(test, contexts_of(rig)->soft, 0);
}

/* Whether the interrupt takes the last one of those that it may take, or one more is left. */
static void p3_few_and_one_more(struct kunit *test)
{
	u32 n;

	for (n = FEW - 1; n <= FEW + 1; n++) {
		struct rig *rig = rig_plain(test, n);

		arm_all(rig, soon(rig), 0);
		rig_wait(rig);
		expect_in_order(rig);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
	}
}

/*
 * To find out what is next may take more looks than an interrupt has: here for the timers of
 * a later revolution, in the bucket of one that was cancelled.
 */
static void p2_search_goes_on_in_a_softirq(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 202);
	u64 first = soon(rig), other = first + 50 * NSEC_PER_MSEC;
	u32 i;

	rig_await(rig, rig->count - 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, first), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, other), 0);
	for (i = 2; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, other + BUCKETS * NSEC_PER_MSEC), 0);
	KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[1].timer), 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, rig->early, 0);
}

/* As in a softirq, a callback may arm its timer again. */
static void p5_callback_arms_in_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1);

	rig->probes[0].action = probe_arm_next;
	rig->probes[0].period = 3 * NSEC_PER_MSEC;
	rig_await(rig, 20);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, soon(rig)), 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, rig->early, 0);
	wheel_timer_shutdown_sync(&rig->probes[0].timer);
}

static void wait_for_itself(struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;

	probe->answer = wheel_timer_cancel_sync(timer) == -EDEADLK &&
			wheel_timer_shutdown_sync(timer) == -EDEADLK &&
			wheel_stop(probe->rig->wheel, NULL) == -EDEADLK &&
			irqs_disabled() == !!in_hardirq();
}

/* Nothing changed, and interrupts are as they were. */
static void callback_does_not_wait_for_itself(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1);

	rig->probes[0].action = wait_for_itself;
	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, WHEEL_MAX_TIME), 0);
}

/* Something earlier than all that the wheel has, and then it is not. */
static void look_and_forget(struct probe *probe)
{
	wheel_look_at(probe->rig->wheel, 1);
	wheel_look_at(probe->rig->wheel, WHEEL_NEVER);
}

/* Meanwhile the hrtimer is not started: its time is set when the pass is over. */
static void p7_callback_starts_no_hrtimer(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1), *other = rig_plain(test, 1);

	rig->probes[0].action = look_and_forget;
	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	arm_all(other, soon(other), 0);
	rig_wait(other);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 1);
}

/* Neither the interrupt, which an account cannot pay, nor its callback. */
static void p12_debt_defers_the_interrupts_pass(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, WHEEL_CLOCK_MONOTONIC, true, 1);
	atomic64_t *paid = &contexts_of(rig)->account.paid_until;
	u64 until = ktime_get_ns() + 200 * NSEC_PER_MSEC;

	atomic64_set(paid, until);
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + NSEC_PER_MSEC), 0);
	rig_wait(rig);
	KUNIT_EXPECT_GE(test, rig->probes[0].seen, until);
}

/* In the interrupt a callback takes this long. */
#define LONG_NS		(200 * NSEC_PER_USEC)

static void take_long(struct probe *probe)
{
	u64 end = ktime_get_ns() + LONG_NS;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/* A pass in the interrupt is paid for, as long as it takes, on each clock. */
static void interrupt_is_charged(struct kunit *test, u32 clock)
{
	struct rig *rig = rig_interrupted(test, clock, true, 1);
	atomic64_t *paid = &contexts_of(rig)->account.paid_until;
	u64 begun = ktime_get_ns();

	/* It has not used all that it may. */
	atomic64_set(paid, begun);
	rig->probes[0].action = take_long;
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + NSEC_PER_MSEC), 0);
	rig_wait(rig);
	/* It has returned, and its price was paid, when its wheel was stopped. */
	KUNIT_ASSERT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_GE(test, atomic64_read(paid), begun + 100 * LONG_NS);
}

static void p12_interrupt_is_charged(struct kunit *test)
{
	interrupt_is_charged(test, WHEEL_CLOCK_MONOTONIC);
	interrupt_is_charged(test, WHEEL_CLOCK_BOOTTIME);
}

/* An owner's look may take its time: it is a softirq's. */
static void look_comes_in_a_softirq(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1);
	u64 when = soon(rig);

	wheel_look_at(rig->wheel, when);
	arm_all(rig, when, 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->looks, 1);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->hard_looks, 0);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->hard, 0);
}

/* When an interrupt has served a timer, the hrtimer comes for the look as well. */
static void p2_look_comes_after_an_interrupt(struct kunit *test)
{
	struct rig *rig = rig_plain(test, 1);
	u64 first = soon(rig);

	wheel_look_at(rig->wheel, first + 30 * NSEC_PER_MSEC);
	arm_all(rig, first, 0);
	rig_wait(rig);
	rig_wait_for(rig, &contexts_of(rig)->looked);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->hard_looks, 0);
}

/* It may be set back at any time, which a pass has to see. */
static void clock_that_can_be_set_has_softirqs(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, WHEEL_CLOCK_REALTIME, false, 1);

	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, contexts_of(rig)->hard, 0);
}

static struct kunit_case hardirq_cases[] = {
	KUNIT_CASE(lone_timer_comes_in_the_interrupt),
	KUNIT_CASE(p2_interrupt_sets_the_hrtimer_anew),
	KUNIT_CASE(p1_interrupt_is_never_early),
	KUNIT_CASE(p7_interrupt_leaves_silence),
	KUNIT_CASE(p9_interrupt_takes_few),
	KUNIT_CASE(p3_few_and_one_more),
	KUNIT_CASE(p2_search_goes_on_in_a_softirq),
	KUNIT_CASE(p5_callback_arms_in_the_interrupt),
	KUNIT_CASE(callback_does_not_wait_for_itself),
	KUNIT_CASE(p7_callback_starts_no_hrtimer),
	KUNIT_CASE(p12_debt_defers_the_interrupts_pass),
	KUNIT_CASE(p12_interrupt_is_charged),
	KUNIT_CASE(look_comes_in_a_softirq),
	KUNIT_CASE(p2_look_comes_after_an_interrupt),
	KUNIT_CASE(clock_that_can_be_set_has_softirqs),
	{}
};

static struct kunit_suite hardirq_suite = {
	.name = "wheel_timer_hardirq",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = hardirq_cases,
};

kunit_test_suite(hardirq_suite);
