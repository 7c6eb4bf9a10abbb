// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels with an owner, whose timers expire in the hrtimer's interrupt unless a task holds the
 * lock. Tasks operate on them meanwhile.
 */
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "compat.h"
#include "crew.h"
#include "schemes.h"

/**
 * struct meetings - Counts of expiries of a wheel with an owner, by context
 * @wheel: the wheel
 * @hard: number of timers that expired in hard interrupt context
 * @soft: number of timers that expired in @run
 * @run: work item that runs the steps left by the interrupt
 */
struct meetings {
	struct wheel		*wheel;
	u32			hard;
	u32			soft;
	struct work_struct	run;
};

static void meet_expire(struct wheel *wheel, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct meetings *meetings = wheel_data(wheel);
	u32 i;

	if (in_hardirq())
		meetings->hard += n;
	else
		meetings->soft += n;
	for (i = 0; i < n; i++)
		probe_fire(due[i]);
}

static enum hrtimer_restart meet_interrupt(struct wheel *wheel)
{
	struct meetings *meetings = wheel_data(wheel);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;
	bool more = true;

	if (wheel_trylock(wheel, &flags)) {
		more = wheel_step(wheel, 8);
		if (!more)
			restart = wheel_restart(wheel);
		wheel_unlock(wheel, flags);
	}
	if (more)
		schedule_work(&meetings->run);
	return restart;
}

static void meet_run(struct work_struct *work)
{
	struct meetings *meetings = container_of(work, struct meetings, run);
	unsigned long flags;
	bool more;

	do {
		flags = wheel_lock(meetings->wheel);
		more = wheel_step(meetings->wheel, WHEEL_BATCH);
		if (!more)
			wheel_settle(meetings->wheel);
		wheel_unlock(meetings->wheel, flags);
		cond_resched();
	} while (more);
}

static unsigned int meet_scan(struct wheel *wheel, u64 now)
{
	wheel_scan_at(wheel, WHEEL_NEVER);
	return 0;
}

static const struct wheel_owner meet_owner = {
	.interrupt	= meet_interrupt,
	.scan		= meet_scan,
	.expire		= meet_expire,
};

/* Create a fixture whose timers expire in the hrtimer's interrupt, unless the lock is held. */
static struct rig *rig_meeting(struct kunit *test, u64 tick, u32 count)
{
	struct meetings *meetings = kunit_kzalloc(test, sizeof(*meetings), GFP_KERNEL);
	const struct wheel_config config = {
		.name = "interrupted",
		.clock = WHEEL_CLOCK_MONOTONIC,
		.buckets = BUCKETS,
		.tick_ns = tick,
		.owner = &meet_owner,
		.data = meetings,
	};
	struct rig *rig;

	KUNIT_ASSERT_NOT_NULL(test, meetings);
	INIT_WORK(&meetings->run, meet_run);
	rig = rig_new(test, &config, count);
	meetings->wheel = rig->wheel;
	rig->own = meetings;
	return rig;
}

/* Stop the wheel first, so that no interrupt queues the work item again. */
static void meeting_end(struct rig *rig)
{
	struct meetings *meetings = rig->own;

	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
	cancel_work_sync(&meetings->run);
}

static void stop_while_arming(struct kunit *test)
{
	int round;

	for (round = 0; round < 10; round++) {
		struct rig *rig = rig_meeting(test, 10000, 64);

		crew_stop_while_arming(rig);
		meeting_end(rig);
		rig_destroy(rig);
	}
}

/*
 * Request a scan before the programmed time, then revoke it. This starts the hrtimer, even while
 * its interrupt is running, but no scan follows.
 */
static void start_the_hrtimer(struct wheel *wheel)
{
	unsigned long flags = wheel_lock(wheel);

	wheel_scan_at(wheel, 1);
	wheel_scan_at(wheel, WHEEL_NEVER);
	wheel_unlock(wheel, flags);
}

/* Random operations on one timer per task, all of which are due within a few ticks. */
static void meet_interrupts(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int i;

	for (i = 0; i < CREW_ROUNDS; i++) {
		if (below(rnd, 7))
			crew_operate(crew, rnd, &rig->probes[below(rnd, CREW_TASKS)].timer,
				     rig_now(rig) + below(rnd, 30 * NSEC_PER_USEC));
		else
			start_the_hrtimer(rig->wheel);
		/* Let interrupts expire timers; while a task holds the lock, the work item does. */
		if (below(rnd, 4) == 0)
			usleep_range(1, 40);
	}
}

/* Operations concurrent with passes in interrupts. All timers that remain armed expire. */
static void arms_meet_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_meeting(test, 1000, CREW_TASKS);
	struct meetings *meetings = rig->own;
	struct crew *crew;

	rig->shared = true;
	crew = crew_start(rig, meet_interrupts);
	crew_wait(crew);
	rig_await(rig, atomic64_read(&crew->armed) - atomic64_read(&crew->cancelled));
	rig_wait(rig);
	crew_expect_ledger(crew);
	meeting_end(rig);
	kunit_info(test, "%u timers in interrupts, %u in work items", meetings->hard,
		   meetings->soft);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		KUNIT_EXPECT_GT(test, meetings->hard, 0);
}

/**
 * struct canary - Independent hrtimer
 * @timer: hrtimer
 * @sung: completed when it expires
 */
struct canary {
	struct hrtimer		timer;
	struct completion	sung;
};

static enum hrtimer_restart canary_sings(struct hrtimer *timer)
{
	struct canary *canary = container_of(timer, struct canary, timer);

	complete(&canary->sung);
	return HRTIMER_NORESTART;
}

/**
 * struct meddler - Starts a wheel's hrtimer from an interrupt of another CPU
 * @timer: hrtimer that causes the interrupt
 * @wheel: the wheel
 * @when: time of the interrupt
 */
struct meddler {
	struct hrtimer	timer;
	struct wheel	*wheel;
	u64		when;
};

static enum hrtimer_restart meddle(struct hrtimer *timer)
{
	struct meddler *meddler = container_of(timer, struct meddler, timer);

	start_the_hrtimer(meddler->wheel);
	return HRTIMER_NORESTART;
}

static void meddle_here(void *data)
{
	struct meddler *meddler = data;

	hrtimer_start(&meddler->timer, ns_to_ktime(meddler->when),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Start the meddler on another CPU, if there are several. */
static void meddle_at(struct meddler *meddler, u64 when)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());

	meddler->when = when;
	if (cpu < nr_cpu_ids)
		smp_call_function_single(cpu, meddle_here, meddler, true);
	else
		meddle_here(meddler);
}

/*
 * The wheel's hrtimer is started by another CPU at the same time as its interrupt, which programs
 * it for one hour later. This must not delay other hrtimers of the CPU.
 */
static void p2_hrtimers_of_others_come(struct kunit *test)
{
	struct rig *rig = rig_meeting(test, 1000, 2);
	struct canary *canary = kunit_kzalloc(test, sizeof(*canary), GFP_KERNEL);
	struct meddler *meddler = kunit_kzalloc(test, sizeof(*meddler), GFP_KERNEL);
	u32 round;

	KUNIT_ASSERT_NOT_NULL(test, canary);
	KUNIT_ASSERT_NOT_NULL(test, meddler);
	meddler->wheel = rig->wheel;
	hrtimer_setup(&canary->timer, canary_sings, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	hrtimer_setup(&meddler->timer, meddle, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	init_completion(&canary->sung);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, rig_now(rig) + 3600 * NSEC_PER_SEC), 0);
	for (round = 1; round <= CREW_ROUNDS; round++) {
		u64 when = rig_now(rig) + 100 * NSEC_PER_USEC;

		rig_await(rig, round);
		preempt_disable();
		hrtimer_start(&canary->timer, ns_to_ktime(when + 50 * NSEC_PER_USEC),
			      HRTIMER_MODE_ABS_PINNED_HARD);
		meddle_at(meddler, when + rig_random(rig, 10 * NSEC_PER_USEC));
		rig_arm(rig, 0, when);
		preempt_enable();
		if (!wait_for_completion_timeout(&canary->sung, 10 * HZ))
			break;
		rig_wait(rig);
	}
	hrtimer_cancel(&canary->timer);
	hrtimer_cancel(&meddler->timer);
	meeting_end(rig);
	KUNIT_EXPECT_EQ(test, round, CREW_ROUNDS + 1);
}

static struct kunit_case owner_race_cases[] = {
	MANY_CASE(stop_while_arming),
	MANY_CASE(arms_meet_the_interrupt),
	KUNIT_CASE(p2_hrtimers_of_others_come),
	{}
};

static struct kunit_suite owner_race_suite = {
	.name = "wheel_timer_owner_race",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = owner_race_cases,
};

kunit_test_suite(owner_race_suite);
