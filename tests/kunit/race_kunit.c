// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that arm, cancel, wait for and free timers while these expire. At the end, the results
 * counted by the tasks must agree with the counters of the wheel.
 */
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat.h"
#include "crew.h"
#include "schemes.h"

#define POOL		64

/* Random operations on random timers. */
static void arm_and_cancel(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int i, error;

	for (i = 0; i < CREW_ROUNDS; i++) {
		struct wheel_timer *timer = &rig->probes[below(rnd, POOL)].timer;
		u64 deadline = rig_now(rig) + below(rnd, 50 * NSEC_PER_USEC);

		switch (below(rnd, 6)) {
		case 0:
			if (!wheel_timer_arm(timer, deadline, 0))
				atomic64_inc(&crew->armed);
			break;
		case 1:
			if (!wheel_timer_mod(timer, deadline, 0))
				atomic64_inc(&crew->armed);
			break;
		case 2:
			wheel_timer_rearm(timer, deadline, 0);
			break;
		case 3:
			if (!wheel_timer_cancel(timer))
				atomic64_inc(&crew->cancelled);
			break;
		case 4:
			error = wheel_timer_cancel_sync(timer);
			if (!error)
				atomic64_inc(&crew->cancelled);
			else if (error != -ENOENT)
				atomic64_inc(&crew->wrong);
			break;
		default:
			wheel_timer_push(timer, deadline);
			break;
		}
		if (i % 64 == 0)
			cond_resched();
	}
}

/* Atomic, because callbacks of several CPUs update them concurrently. */
static atomic64_t fired, early;

static void count_fire(struct wheel_timer *timer)
{
	if (ktime_get_ns() < wheel_timer_fired(timer))
		atomic64_inc(&early);
	atomic64_inc(&fired);
}

/* In softirq and in process context, on one base and on one per CPU. */
static void p3_arms_against_cancels(struct kunit *test)
{
	static const u32 flags[] = {
		0, WHEEL_SLEEPABLE, WHEEL_PERCPU, WHEEL_PERCPU | WHEEL_SLEEPABLE,
	};
	int f, i;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], 10000, POOL);
		struct crew *crew;

		atomic64_set(&fired, 0);
		for (i = 0; i < POOL; i++)
			wheel_timer_init(&rig->probes[i].timer, rig->wheel, count_fire);
		crew = crew_start(rig, arm_and_cancel);
		crew_wait(crew);
		for (i = 0; i < POOL; i++)
			if (!wheel_timer_cancel_sync(&rig->probes[i].timer))
				atomic64_inc(&crew->cancelled);
		rig->calls = atomic64_read(&fired);
		crew_expect_ledger(crew);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&early), 0);
}

/* Each round uses a new object and frees it as soon as that is permitted. */
#define ALIVE		0x600d600d
#define DEAD		0xdeaddead

struct victim {
	struct wheel_timer	timer;
	struct crew		*crew;
	u32			life;
	u32			slow;
	u32			calls;
	bool			rearm;
};

static void victim_fire(struct wheel_timer *timer)
{
	struct victim *victim = from_wheel_timer(victim, timer, timer);
	u32 i;

	if (READ_ONCE(victim->life) != ALIVE)
		atomic64_inc(&victim->crew->wrong);
	WRITE_ONCE(victim->calls, victim->calls + 1);
	for (i = 0; i < victim->slow; i++)
		cpu_relax();
	if (in_task() && victim->slow % 8 == 0)
		usleep_range(1, 50);
	if (victim->rearm && !wheel_timer_arm(timer, 0, 0))
		atomic64_inc(&victim->crew->armed);
	if (READ_ONCE(victim->life) != ALIVE)
		atomic64_inc(&victim->crew->wrong);
}

/* Wait for a random time, so that cancels occur before, during and after the expiry. */
static void linger(const struct victim *victim, struct rnd_state *rnd)
{
	u32 spin = below(rnd, 2000), naps = 0;

	switch (below(rnd, 4)) {
	case 0:
		break;
	case 1:
		while (!READ_ONCE(victim->calls) && naps++ < 100000)
			usleep_range(1, 10);
		if (!READ_ONCE(victim->calls))
			atomic64_inc(&victim->crew->wrong);
		break;
	case 2:
		usleep_range(1, 50);
		break;
	default:
		while (spin--)
			cpu_relax();
		break;
	}
}

static void kill_victim(struct crew *crew, struct rnd_state *rnd,
			struct victim *victim)
{
	struct wheel_timer *timer = &victim->timer;
	u64 deadline = rig_now(crew->rig) + below(rnd, 20 * NSEC_PER_USEC);
	int error;

	if (!wheel_timer_arm(timer, deadline, 0))
		atomic64_inc(&crew->armed);
	linger(victim, rnd);
	error = victim->rearm || below(rnd, 2) ?
		wheel_timer_shutdown_sync(timer) : wheel_timer_cancel_sync(timer);
	if (!error)
		atomic64_inc(&crew->cancelled);
	else if (error != -ENOENT)
		atomic64_inc(&crew->wrong);
	if (wheel_timer_pending(timer))
		atomic64_inc(&crew->wrong);
	WRITE_ONCE(victim->life, DEAD);
}

static void kill_victims(struct crew *crew, struct rnd_state *rnd, bool rearm)
{
	int i;

	for (i = 0; i < CREW_ROUNDS / 10 && !atomic64_read(&crew->wrong); i++) {
		struct victim *victim = kzalloc(sizeof(*victim), GFP_KERNEL);

		if (!victim) {
			atomic64_inc(&crew->wrong);
			return;
		}
		victim->crew = crew;
		victim->life = ALIVE;
		victim->slow = below(rnd, 500);
		victim->rearm = rearm;
		wheel_timer_init(&victim->timer, crew->rig->wheel, victim_fire);
		kill_victim(crew, rnd, victim);
		kfree(victim);
		cond_resched();
	}
}

static void free_after_sync(struct crew *crew, struct rnd_state *rnd)
{
	kill_victims(crew, rnd, false);
}

static void free_after_shutdown(struct crew *crew, struct rnd_state *rnd)
{
	kill_victims(crew, rnd, true);
}

static void frees(struct kunit *test, crew_fn task, u64 tick)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], tick, 1);
		struct crew *crew = crew_start(rig, task);

		crew_wait(crew);
		/* The callbacks are not those of the fixture: use the wheel's count. */
		rig->calls = rig_stats(rig)->fired;
		crew_expect_ledger(crew);
		rig_destroy(rig);
	}
}

/* After cancel_sync(), the object can be freed: no callback accesses it. */
static void cancel_sync_and_free(struct kunit *test)
{
	frees(test, free_after_sync, 5000);
}

/*
 * The same after shutdown_sync(), even if the callback always arms the timer again. The tick is
 * long enough that slow machines can run other code.
 */
static void shutdown_sync_and_free(struct kunit *test)
{
	frees(test, free_after_shutdown, 200000);
}

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

	if (!meetings)
		return;
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
	cancel_work_sync(&meetings->run);
}

static void arm_until_stopped(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int error;

	do {
		struct wheel_timer *timer = &rig->probes[below(rnd, POOL)].timer;

		error = wheel_timer_arm(timer, rig_now(rig) +
					below(rnd, NSEC_PER_MSEC), 0);
		if (!error)
			atomic64_inc(&crew->armed);
		else if (error != -EBUSY && error != -ESHUTDOWN)
			atomic64_inc(&crew->wrong);
		cond_resched();
	} while (error != -ESHUTDOWN);
}

/*
 * Each armed timer either expires or is returned by wheel_stop(). Tested for callbacks in softirq,
 * process and hard interrupt context.
 */
static void stop_while_arming(struct kunit *test)
{
	int round;

	for (round = 0; round < 30; round++) {
		struct rig *rig = round % 3 < 2 ? rig_running(test, round % 3, 10000, POOL) :
						  rig_meeting(test, 10000, POOL);
		struct wheel_timer *timer, *next;
		struct crew *crew;
		LIST_HEAD(unfired);
		u64 back = 0;

		rig->shared = true;
		rig_await(rig, 100);
		crew = crew_start(rig, arm_until_stopped);
		rig_wait(rig);
		KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
		list_for_each_entry_safe(timer, next, &unfired, node) {
			list_del(&timer->node);
			back++;
		}
		crew_wait(crew);
		KUNIT_EXPECT_EQ(test, rig->calls + back,
				atomic64_read(&crew->armed));
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, back);
		meeting_end(rig);
		rig_destroy(rig);
	}
}

/* Move random timers, none of which is due during the test. */
static void move_on(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int i;

	for (i = 0; i < CREW_ROUNDS; i++) {
		struct wheel_timer *timer = &rig->probes[below(rnd, POOL)].timer;
		u64 far = rig_now(rig) + NSEC_PER_SEC * 3600 + below(rnd, U32_MAX);

		if (!wheel_timer_pending(timer))
			atomic64_inc(&crew->wrong);
		wheel_timer_rearm(timer, far, 0);
		if (i % 64 == 0)
			cond_resched();
	}
}

/* A timer is pending at all times while its deadline is moved. */
static void pending_while_moved(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, 10000, POOL);
	u64 now = rig_now(rig);
	struct crew *crew;
	u32 i;

	rig->shared = true;
	for (i = 0; i < POOL; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, now + NSEC_PER_SEC * 3600), 0);
	crew = crew_start(rig, move_on);
	crew_wait(crew);
	KUNIT_EXPECT_EQ(test, atomic64_read(&crew->wrong), 0);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
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
	int i, error;

	for (i = 0; i < CREW_ROUNDS; i++) {
		struct wheel_timer *timer = &rig->probes[below(rnd, CREW_TASKS)].timer;
		u64 deadline = rig_now(rig) + below(rnd, 30 * NSEC_PER_USEC);

		switch (below(rnd, 7)) {
		case 0:
			error = wheel_timer_cancel(timer);
			if (!error)
				atomic64_inc(&crew->cancelled);
			else if (error != -ENOENT && error != -EALREADY)
				atomic64_inc(&crew->wrong);
			break;
		case 1:
			error = wheel_timer_cancel_sync(timer);
			if (!error)
				atomic64_inc(&crew->cancelled);
			else if (error != -ENOENT)
				atomic64_inc(&crew->wrong);
			break;
		case 2:
			wheel_timer_push(timer, deadline);
			break;
		case 3:
			start_the_hrtimer(rig->wheel);
			break;
		default:
			if (!wheel_timer_mod(timer, deadline, 0))
				atomic64_inc(&crew->armed);
			break;
		}
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

static struct kunit_case race_cases[] = {
	MANY_CASE(p3_arms_against_cancels),
	MANY_CASE(cancel_sync_and_free),
	MANY_CASE(shutdown_sync_and_free),
	MANY_CASE(stop_while_arming),
	MANY_CASE(pending_while_moved),
	MANY_CASE(arms_meet_the_interrupt),
	KUNIT_CASE(p2_hrtimers_of_others_come),
	{}
};

static struct kunit_suite race_suite = {
	.name = "wheel_timer_race",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = race_cases,
};

kunit_test_suite(race_suite);
