// SPDX-License-Identifier: GPL-2.0
/*
 * P12: the time of passes in softirq context is paid by an account, and passes that it
 * cannot pay wait or are made by the owner.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/processor.h>

#include "compat.h"
#include "rig.h"

#define PERCENT		1
#define HOUR		(3600 * NSEC_PER_SEC)

/* The account of a test's wheel, how often its owner was told, and who else spends. */
struct purse {
	struct wheel_account	account;
	struct completion	owed;
	struct hrtimer		spender;
};

static struct purse *purse_of(struct rig *rig)
{
	return rig->own;
}

static u64 paid_until(struct purse *purse)
{
	return atomic64_read(&purse->account.paid_until);
}

static void tell_owner(struct wheel *wheel)
{
	struct purse *purse = wheel_data(wheel);

	complete(&purse->owed);
}

/* A wheel whose account owes so many nanoseconds. */
static struct rig *rig_in_debt(struct kunit *test, u64 debt, u32 count)
{
	struct purse *purse = kunit_kzalloc(test, sizeof(*purse), GFP_KERNEL);
	struct wheel_config config = {
		.name = "in debt",
		.tick_ns = 100 * NSEC_PER_USEC,
		.owed = tell_owner,
		.data = purse,
	};
	struct rig *rig;

	KUNIT_ASSERT_NOT_NULL(test, purse);
	wheel_account_init(&purse->account, PERCENT);
	init_completion(&purse->owed);
	config.account = &purse->account;
	rig = rig_new(test, &config, count);
	rig->own = purse;
	if (debt)
		atomic64_set(&purse->account.paid_until, ktime_get_ns() + debt);
	return rig;
}

/* Another wheel on the account of one, with a timer. */
static struct rig *rig_sharing(struct rig *rig, u32 clock)
{
	struct wheel_config config = {
		.name = "sharing",
		.clock = clock,
		.tick_ns = 100 * NSEC_PER_USEC,
		.account = &purse_of(rig)->account,
		.owed = tell_owner,
		.data = purse_of(rig),
	};

	return rig_new(rig->test, &config, 1);
}

/* A timer that is due while the account owes waits until it has paid. */
static void p12_debt_defers_the_pass(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 200 * NSEC_PER_MSEC, 1);
	u64 until = paid_until(purse_of(rig));

	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, rig_now(rig) + NSEC_PER_MSEC), 0);
	rig_wait(rig);
	KUNIT_EXPECT_GE(test, rig->probes[0].seen, until);
}

/* The owner need not wait until the account has paid. */
static void p12_owner_pays_in_person(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, HOUR, 1);
	u64 until = paid_until(purse_of(rig));

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	while (!READ_ONCE(rig->calls)) {
		wheel_run(rig->wheel);
		cond_resched();
	}
	KUNIT_EXPECT_LT(test, rig->probes[0].seen, until);
}

/*
 * The owner is told when something is due and the debt is small. On a slow machine the
 * interrupt may come when the account has paid already, so there are some tries.
 */
static void p12_owner_is_told(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(rig);
	bool told = false;
	u32 try;

	for (try = 1; try <= 100 && !told; try++) {
		rig_await(rig, try);
		atomic64_set(&purse->account.paid_until,
			     ktime_get_ns() + 9 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
		rig_wait(rig);
		told = try_wait_for_completion(&purse->owed);
	}
	KUNIT_EXPECT_TRUE(test, told);
}

/* Without a debt wheel_run() leaves the pass to the hrtimer. */
static void p12_no_debt_no_run(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	u64 passes = rig_stats(rig)->passes;

	wheel_run(rig->wheel);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->passes, passes);
}

static void take_time(struct probe *probe)
{
	u64 end = ktime_get_ns() + 50 * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
	probe->answer = wheel_timer_arm(&probe->timer, 0, 0);
}

/* Forty passes of 50 us take 0.2 s of an account that has 1 % of a processor. */
static void p12_passes_are_charged(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct probe *probe = &rig->probes[0];
	u64 begun = ktime_get_ns();

	probe->action = take_time;
	rig_await(rig, 40);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	rig_wait(rig);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - begun, 100 * NSEC_PER_MSEC);
	wheel_timer_cancel_sync(&probe->timer);
}

static void pause_long(struct probe *probe)
{
	u64 end = ktime_get_ns() + 50 * NSEC_PER_MSEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/*
 * A pass that takes far longer than one can has been interrupted. The account, which has 1 %
 * of a processor, does not owe five seconds for that.
 */
static void p12_a_pause_is_not_charged(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);

	rig->probes[0].action = pause_long;
	rig_await(rig, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	rig_wait(rig);
	/* Its softirq ends, which charges the account. */
	synchronize_rcu();
	KUNIT_EXPECT_GT(test, paid_until(purse_of(rig)), 0);
	KUNIT_EXPECT_LT(test, paid_until(purse_of(rig)),
			ktime_get_ns() + NSEC_PER_SEC);
}

/* Wheels that share an account owe together. */
static void p12_wheels_share_a_debt(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct rig *other = rig_sharing(rig, WHEEL_CLOCK_MONOTONIC);
	u64 until = ktime_get_ns() + 100 * NSEC_PER_MSEC;

	atomic64_set(&purse_of(rig)->account.paid_until, until);
	rig_await(other, 1);
	KUNIT_ASSERT_EQ(test, rig_arm(other, 0, 0), 0);
	rig_wait(other);
	KUNIT_EXPECT_GE(test, other->probes[0].seen, until);
}

/*
 * Wheels that share an account and want more than it has: each gets its turn, and none
 * takes more than two interrupts for a pass, one to find that it has to wait and one
 * when it is the first in the queue. The last pass may still have to come.
 */
static void p12_each_gets_its_turn(struct kunit *test)
{
	struct rig *rigs[8] = { rig_in_debt(test, 0, 1) };
	u32 i;

	for (i = 1; i < ARRAY_SIZE(rigs); i++)
		rigs[i] = rig_sharing(rigs[0], WHEEL_CLOCK_MONOTONIC);
	for (i = 0; i < ARRAY_SIZE(rigs); i++) {
		rigs[i]->probes[0].action = take_time;
		rig_await(rigs[i], 20);
		KUNIT_ASSERT_EQ(test, rig_arm(rigs[i], 0, 0), 0);
	}
	for (i = 0; i < ARRAY_SIZE(rigs); i++)
		rig_wait(rigs[i]);
	for (i = 0; i < ARRAY_SIZE(rigs); i++) {
		struct wheel_stats stats = *rig_stats(rigs[i]);

		KUNIT_EXPECT_LE(test, stats.wakeups,
				2 * stats.passes + 2);
		wheel_timer_cancel_sync(&rigs[i]->probes[0].timer);
	}
}

/*
 * Its timer is due, and its pass waits at the queue's end: as long as the debt, if nobody
 * helps. Armed in debt it would not even have an interrupt before; that it is armed and then
 * owes is one step for the interrupt, however late it is. The pass tells the owner before it
 * is charged: its softirq has to end, or the charge would meet a debt that the caller changes.
 */
static void rig_to_queue(struct rig *rig, struct purse *purse, u64 debt)
{
	u64 soon = rig_now(rig) + 20 * NSEC_PER_MSEC;
	unsigned long flags;
	int error;

	rig_await(rig, rig->calls + 1);
	local_irq_save(flags);
	atomic64_set(&purse->account.paid_until, 0);
	error = rig_arm(rig, 0, soon);
	atomic64_set(&purse->account.paid_until, ktime_get_ns() + debt);
	local_irq_restore(flags);
	KUNIT_ASSERT_EQ(rig->test, error, 0);
	rig_wait_for(rig, &purse->owed);
	synchronize_rcu();
}

/*
 * The owner of a wheel that is not the first in the queue need not wait for the others,
 * nor for the moment in which there is a debt again.
 */
static void p12_owner_need_not_queue(struct kunit *test)
{
	struct rig *first = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(first);
	struct rig *second = rig_sharing(first, WHEEL_CLOCK_MONOTONIC);

	rig_to_queue(first, purse, HOUR);
	rig_to_queue(second, purse, HOUR);
	atomic64_set(&purse->account.paid_until, 0);
	wheel_run(second->wheel);
	KUNIT_EXPECT_EQ(test, second->calls, 1);
}

/* So often a timer goes on, if the other one's does not come. */
#define PATIENT_CALLS	10000

/*
 * Always overdue, until the other one's timer has come: the tick for which it arms passes
 * before it returns. A pass that caught up would end, and leave the rest to an interrupt.
 */
static void go_on_until_other(struct probe *probe)
{
	u64 end;

	if (READ_ONCE(probe->other->calls) || probe->calls == PATIENT_CALLS)
		return;
	probe->answer = wheel_timer_arm(&probe->timer, 0, 0);
	end = ktime_get_ns() + 200 * NSEC_PER_USEC;
	while (ktime_get_ns() < end)
		cpu_relax();
}

/* An owner who makes many passes in one call does not keep the next wheel waiting. */
static void p12_queue_goes_on_beside_its_first(struct kunit *test)
{
	struct rig *first = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(first);
	struct rig *second = rig_sharing(first, WHEEL_CLOCK_MONOTONIC);

	first->probes[0].action = go_on_until_other;
	first->probes[0].other = &second->probes[0];
	rig_to_queue(first, purse, HOUR);
	rig_to_queue(second, purse, HOUR);
	atomic64_set(&purse->account.paid_until, 0);
	wheel_run(first->wheel);
	rig_wait(second);
	KUNIT_EXPECT_LT(test, first->calls, PATIENT_CALLS);
}

static enum hrtimer_restart spend(struct hrtimer *spender)
{
	struct purse *purse = container_of(spender, struct purse, spender);

	atomic64_set(&purse->account.paid_until, ktime_get_mono_fast_ns() + HOUR);
	return HRTIMER_NORESTART;
}

/*
 * The account has paid, the first of the queue has its interrupt, and before it comes to its
 * pass there is a debt again: it does not wait for that, too. With one processor both
 * interrupts are one, and the pass follows.
 */
static void p12_turn_outlasts_a_charge(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(rig);

	hrtimer_setup(&purse->spender, spend, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	rig_to_queue(rig, purse, 200 * NSEC_PER_MSEC);
	if (num_online_cpus() == 1)
		hrtimer_start(&purse->spender, ns_to_ktime(paid_until(purse) + 1),
			      HRTIMER_MODE_ABS_HARD);
	rig_wait(rig);
	hrtimer_cancel(&purse->spender);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* An account may go before its debt is paid. */
static void p10_account_leaves_no_hrtimer(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(rig);

	rig_to_queue(rig, purse, HOUR);
	rig_destroy(rig);
	wheel_account_destroy(&purse->account);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&purse->account.hrtimer));
}

/* Behind a wheel whose clock is set back the queue goes on when the debt is paid. */
static void p12_queue_outlives_a_step_back(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 1);
	struct purse *purse = purse_of(rig);
	struct rig *first = rig_sharing(rig, WHEEL_CLOCK_REALTIME);

	rig_to_queue(first, purse, HOUR);
	rig_to_queue(rig, purse, 300 * NSEC_PER_MSEC);
	rig_step_clock(-(s64)HOUR);
	rig_wait(rig);
	rig_step_clock(HOUR);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* A timer that is stopped while its pass waits fires no more. */
static void p12_stopped_in_debt(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, HOUR, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	wheel_run(rig->wheel);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1);
}

/*
 * The interrupt for a timer that was cancelled comes while the account owes: the next
 * timer has an interrupt of its own. As above it may come too late, so there are tries.
 */
static void p12_armed_after_a_cancel_in_debt(struct kunit *test)
{
	struct rig *rig = rig_in_debt(test, 0, 2);
	struct purse *purse = purse_of(rig);
	u64 wakeups;
	u32 try;

	for (try = 1; try <= 20; try++) {
		wakeups = rig_stats(rig)->wakeups;
		atomic64_set(&purse->account.paid_until,
			     ktime_get_ns() + 9 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
		wheel_timer_cancel(&rig->probes[0].timer);
		while (rig_stats(rig)->wakeups == wakeups)
			cond_resched();
		atomic64_set(&purse->account.paid_until, 0);
		rig_await(rig, rig->calls + 1);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, rig_now(rig) + NSEC_PER_MSEC), 0);
		rig_wait(rig);
	}
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&purse->owed));
}

/* The wheels go before their accounts. */
static void account_exit(struct kunit *test)
{
	struct rig_bench *bench = test->priv;
	struct rig *rig;

	rig_exit(test);
	for (rig = bench->rigs; rig; rig = rig->next)
		if (rig->own)
			wheel_account_destroy(&purse_of(rig)->account);
}

static struct kunit_case account_cases[] = {
	KUNIT_CASE(p10_account_leaves_no_hrtimer),
	KUNIT_CASE(p12_armed_after_a_cancel_in_debt),
	KUNIT_CASE(p12_debt_defers_the_pass),
	KUNIT_CASE(p12_owner_pays_in_person),
	KUNIT_CASE(p12_owner_is_told),
	KUNIT_CASE(p12_no_debt_no_run),
	KUNIT_CASE(p12_passes_are_charged),
	KUNIT_CASE(p12_a_pause_is_not_charged),
	KUNIT_CASE(p12_wheels_share_a_debt),
	KUNIT_CASE(p12_each_gets_its_turn),
	KUNIT_CASE(p12_owner_need_not_queue),
	KUNIT_CASE(p12_queue_goes_on_beside_its_first),
	KUNIT_CASE(p12_queue_outlives_a_step_back),
	KUNIT_CASE(p12_turn_outlasts_a_charge),
	KUNIT_CASE(p12_stopped_in_debt),
	{}
};

static struct kunit_suite account_suite = {
	.name = "wheel_timer_account",
	.init = rig_init,
	.exit = account_exit,
	.test_cases = account_cases,
};

kunit_test_suite(account_suite);
