// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels with one base per CPU. The tests need several CPUs to be effective, but must also pass on
 * a machine with one.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "callback_rig.h"
#include "schemes.h"

/* Number of timers armed by each CPU. */
#define EACH		200

/* The tests require CPU numbers without gaps, as in virtual machines. */
static u32 cpus(void)
{
	return num_online_cpus();
}

static struct rig *many_bases(struct kunit *test, u32 clock, u32 flags, u32 count)
{
	const struct wheel_config config = {
		.name = "bases",
		.clock = clock,
		.buckets = BUCKETS,
		.flags = WHEEL_PERCPU | flags,
		.tick_ns = clock == WHEEL_CLOCK_VIRTUAL ? TICK : 100000,
	};

	return rig_new(test, &config, count);
}

/* Timers that one CPU arms: @count timers, from @first on. */
struct share {
	struct rig	*rig;
	u32		first;
	u32		count;
	u64		deadline;
	u64		step;
	int		error;
};

/* Runs in hard interrupt context on the requested CPU. */
static void arm_share(void *data)
{
	struct share *share = data;
	u32 i;

	for (i = 0; i < share->count; i++)
		share->error |= rig_arm(share->rig, share->first + i,
					share->deadline + i * share->step);
}

static void arm_from(struct rig *rig, u32 cpu, u64 deadline, u64 step)
{
	struct share share = {
		.rig = rig,
		.first = cpu * EACH,
		.count = EACH,
		.deadline = deadline,
		.step = step,
	};

	smp_call_function_single(cpu, arm_share, &share, 1);
	KUNIT_ASSERT_EQ(rig->test, share.error, 0);
}

/* One call advances all bases and returns the earliest next expiry. */
static void advance_moves_all_bases(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_VIRTUAL, 0, cpus() * EACH);
	u32 cpu;

	for (cpu = 0; cpu < cpus(); cpu++)
		arm_from(rig, cpu, (10 + cpu) * TICK, 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 9 * TICK), 10 * TICK);
	for (cpu = 0; cpu < cpus(); cpu++) {
		KUNIT_EXPECT_EQ(test, rig->calls, cpu * EACH);
		KUNIT_EXPECT_EQ(test, rig_advance(rig, (10 + cpu) * TICK),
				cpu + 1 < cpus() ? (11 + cpu) * TICK : WHEEL_NEVER);
	}
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count);
}

/* Timers armed by one CPU expire in order, independently of other CPUs. */
static void p5_in_order_within_a_base(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_VIRTUAL, 0, cpus() * EACH);
	u32 i, cpu;

	for (cpu = 0; cpu < cpus(); cpu++)
		arm_from(rig, cpu, 5 * TICK, TICK / 8);
	rig_advance(rig, 200 * TICK);
	KUNIT_ASSERT_EQ(test, rig->calls, rig->count);
	for (i = 1; i < rig->calls; i++) {
		bool same = rig->log[i] / EACH == rig->log[i - 1] / EACH;

		KUNIT_ASSERT_TRUE(test, !same || rig->log[i] > rig->log[i - 1]);
	}
}

static void p11_counters_are_sums(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_VIRTUAL, 0, cpus() * EACH);
	u32 cpu, i;

	for (cpu = 0; cpu < cpus(); cpu++)
		arm_from(rig, cpu, 5 * TICK, TICK);
	for (i = 0; i < rig->count; i += EACH / 2) {
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[i].timer), 0);
		KUNIT_EXPECT_EQ(test, wheel_timer_rearm(&rig->probes[i + 1].timer,
							300 * TICK, 0), 0);
		KUNIT_EXPECT_EQ(test, rig_arm(rig, i + 1, 0), -EBUSY);
		KUNIT_EXPECT_EQ(test, rig_arm(rig, i, WHEEL_MAX_TIME + 1), -ERANGE);
	}
	rig_advance(rig, 299 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->armed, rig->count);
	KUNIT_EXPECT_EQ(test, rig->stats.cancelled, 2 * cpus());
	KUNIT_EXPECT_EQ(test, rig->stats.rearmed, 2 * cpus());
	KUNIT_EXPECT_EQ(test, rig->stats.refused, 2 * cpus());
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 2 * cpus());
	KUNIT_EXPECT_EQ(test, rig->stats.fired, rig->count - 4 * cpus());
}

/* wheel_stop() returns the timers of all bases and prevents arming on all of them. */
static void stop_empties_all_bases(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_MONOTONIC, 0, cpus() * EACH);
	struct wheel_timer *timer, *next;
	LIST_HEAD(unfired);
	u32 back = 0, cpu;

	for (cpu = 0; cpu < cpus(); cpu++)
		arm_from(rig, cpu, rig_now(rig) + 3600 * NSEC_PER_SEC, TICK);
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	list_for_each_entry_safe(timer, next, &unfired, node) {
		list_del(&timer->node);
		back++;
	}
	KUNIT_EXPECT_EQ(test, back, rig->count);
	for (cpu = 0; cpu < cpus(); cpu++) {
		struct share share = { .rig = rig, .first = cpu, .count = 1 };

		smp_call_function_single(cpu, arm_share, &share, 1);
		KUNIT_EXPECT_EQ(test, share.error, -ESHUTDOWN);
	}
}

/* After wheel_destroy() without wheel_stop(), no timer of any base expires. */
static void destroy_with_all_bases_busy(struct kunit *test)
{
	int round;

	for (round = 0; round < 20; round++) {
		struct rig *rig = many_bases(test, WHEEL_CLOCK_MONOTONIC,
					     round & 1 ? WHEEL_SLEEPABLE : 0,
					     cpus() * EACH);
		u32 cpu;

		for (cpu = 0; cpu < cpus(); cpu++)
			arm_from(rig, cpu, rig_now(rig), 10000);
		wheel_destroy(rig->wheel);
		rig->wheel = NULL;
	}
}

/* Wait until the wheel is shut, then move the other timer 20 times, each time earlier. */
static void move_other(struct probe *probe)
{
	struct wheel_timer *timer = &probe->other->timer;
	struct rig *rig = probe->rig;
	u64 step = 100 * NSEC_PER_SEC, far = rig_now(rig) + 3600 * NSEC_PER_SEC;
	int i;

	complete(&rig->entered);
	while (wheel_timer_arm(&rig->probes[2].timer, far, 0) != -ESHUTDOWN) {
		wheel_timer_cancel(&rig->probes[2].timer);
		cond_resched();
	}
	for (i = 1; i <= 20; i++) {
		probe->answer |= wheel_timer_rearm(timer, far - i * step, 0);
		usleep_range(100, 200);
	}
}

/*
 * While the wheel is being destroyed, a callback of one base tries to move a timer of another base.
 * This must fail. Otherwise, debugobjects would report that an active hrtimer is freed.
 */
static void destroy_while_a_callback_moves(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_MONOTONIC, WHEEL_SLEEPABLE, 3);
	struct share far = { .rig = rig, .first = 0, .count = 1,
			     .deadline = rig_now(rig) + 3600 * NSEC_PER_SEC };
	struct share now = { .rig = rig, .first = 1, .count = 1 };

	rig->probes[1].action = move_other;
	rig->probes[1].other = &rig->probes[0];
	smp_call_function_single(0, arm_share, &far, 1);
	smp_call_function_single(cpus() - 1, arm_share, &now, 1);
	KUNIT_ASSERT_EQ(test, far.error | now.error, 0);
	rig_wait_for(rig, &rig->entered);
	wheel_destroy(rig->wheel);
	rig->wheel = NULL;
	KUNIT_EXPECT_EQ(test, rig->probes[1].answer, -ESHUTDOWN);
}

/* The end of a pass lets the hrtimer of the same base start again. */
static void p3_each_base_expires_again(struct kunit *test)
{
	struct rig *rig = many_bases(test, WHEEL_CLOCK_MONOTONIC, 0, cpus() * EACH);
	u32 i;

	for (i = 0; i < 3 * cpus(); i++) {
		rig_await(rig, (i + 1) * EACH);
		arm_from(rig, i % cpus(), 0, 0);
		rig_wait(rig);
	}
}

static void arm_entered(void *data)
{
	struct rig *rig = data;
	struct probe *probe = &rig->probes[0];

	probe->answer = rig_arm(rig, 0, WHEEL_MAX_TIME);
}

/*
 * A timer that is armed by another CPU while its callback is running must remain on its base, so
 * that a cancel detects the running callback.
 */
static void running_timer_keeps_its_base(struct kunit *test)
{
	u32 cpu;

	for (cpu = 0; cpu < cpus(); cpu++) {
		struct rig *rig = many_bases(test, WHEEL_CLOCK_MONOTONIC,
					     WHEEL_SLEEPABLE, 1);
		struct wheel_timer *timer = &rig->probes[0].timer;

		rig->probes[0].action = rig_pass_gate;
		rig_await(rig, 1);
		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 0), 0);
		rig_wait_for(rig, &rig->entered);
		smp_call_function_single(cpu, arm_entered, rig, 1);
		KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), 0);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(timer), -EALREADY);
		smp_call_function_single(cpu, arm_entered, rig, 1);
		rig_open_gate_soon(rig);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(timer), 0);
		KUNIT_EXPECT_TRUE(test, completion_done(&rig->done));
	}
}

static struct kunit_case bases_cases[] = {
	ANY_CASE(advance_moves_all_bases),
	ANY_CASE(p5_in_order_within_a_base),
	ANY_CASE(p11_counters_are_sums),
	MANY_CASE(stop_empties_all_bases),
	MANY_CASE(destroy_with_all_bases_busy),
	MANY_CASE(destroy_while_a_callback_moves),
	MANY_CASE(p3_each_base_expires_again),
	MANY_CASE(running_timer_keeps_its_base),
	{}
};

static struct kunit_suite bases_suite = {
	.name = "wheel_timer_bases",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = bases_cases,
};

kunit_test_suite(bases_suite);
