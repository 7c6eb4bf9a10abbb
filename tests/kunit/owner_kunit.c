// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels with an owner: steps of a pass, in the interrupt and in a task; scans; draining; and tasks
 * that use the wheel while its timers expire in the interrupt.
 */
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "compat.h"
#include "crew.h"
#include "schemes.h"

/* Maximum number of timers that this owner expires in an interrupt. */
#define FEW		8U

/**
 * struct owner - Data of an owner
 * @rig: fixture with its wheel and timers
 * @left: completed by an interrupt that leaves the pass to the test
 * @run: work item that continues such a pass; used if @races is set
 * @races: true if tasks use the wheel while its timers expire
 * @interrupts: number of interrupts
 * @in_interrupt: number of timers that expired in an interrupt
 * @in_task: number of timers that expired in a task
 * @most: largest number of timers that expired in one step
 * @idle: true if interrupts leave all work to the test
 * @costly: true if a scan takes the rest of its step
 * @when: deadline of the timer that a scan arms
 * @incomplete: number of scans that are incomplete
 * @scans: number of scans so far
 * @found: number of the timer that the next scan arms; the one after it arms the next but one
 */
struct owner {
	struct rig		*rig;
	struct completion	left;
	struct work_struct	run;
	bool			races;
	u32			interrupts;
	u32			in_interrupt;
	u32			in_task;
	u32			most;
	bool			idle;
	bool			costly;
	u64			when;
	u32			incomplete;
	u32			scans;
	u32			found;
};

static struct owner *owner_of(const struct rig *rig)
{
	return rig->own;
}

static void owner_expire(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct owner *owner = data;
	u32 i;

	owner->most = max(owner->most, n);
	if (in_hardirq())
		owner->in_interrupt += n;
	else
		owner->in_task += n;
	for (i = 0; i < n; i++)
		probe_fire(due[i]);
}

static enum hrtimer_restart owner_interrupt(void *data)
{
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	struct owner *owner = data;
	struct wheel *wheel = owner->rig->wheel;
	bool more = owner->idle;

	WRITE_ONCE(owner->interrupts, owner->interrupts + 1);
	if (!owner->idle && wheel_trylock(wheel)) {
		more = wheel_step(wheel, wheel_now(wheel), FEW);
		if (!more)
			restart = wheel_restart(wheel, 0);
		wheel_unlock(wheel);
	}
	if (more)
		complete(&owner->left);
	if (more && owner->races)
		schedule_work(&owner->run);
	return restart;
}

static unsigned int owner_scan(void *data, u64 now)
{
	struct owner *owner = data;
	unsigned int armed = 0;

	if (owner->scans++ < owner->incomplete)
		return WHEEL_BATCH;
	if (!owner->races) {
		struct probe *probe = &owner->rig->probes[owner->found];

		armed = !wheel_timer_arm_locked(&probe->timer, owner->when, 0);
		owner->found += 2;
		owner->when += 2 * TICK;
	}
	wheel_scan_at(owner->rig->wheel,
		      armed && owner->found < owner->rig->count ? owner->when : WHEEL_NEVER);
	return owner->costly ? WHEEL_BATCH : armed;
}

static const struct wheel_owner owner_operations = {
	.interrupt	= owner_interrupt,
	.scan		= owner_scan,
	.expire		= owner_expire,
};

static bool step(struct rig *rig, unsigned int max)
{
	bool more;

	wheel_lock(rig->wheel);
	more = wheel_step(rig->wheel, wheel_now(rig->wheel), max);
	if (!more)
		wheel_settle(rig->wheel);
	wheel_unlock(rig->wheel);
	return more;
}

static void owner_run(struct work_struct *work)
{
	struct owner *owner = container_of(work, struct owner, run);

	while (step(owner->rig, WHEEL_BATCH))
		cond_resched();
}

static struct rig *rig_owned(struct kunit *test, u32 clock, u64 tick, u32 count)
{
	struct owner *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL);
	const struct wheel_config config = {
		.name = "owned",
		.clock = clock,
		.buckets = BUCKETS,
		.tick_ns = tick,
	};

	KUNIT_ASSERT_NOT_NULL(test, owner);
	init_completion(&owner->left);
	INIT_WORK(&owner->run, owner_run);
	owner->rig = rig_new_owned(test, &config, &owner_operations, owner, count);
	owner->rig->own = owner;
	return owner->rig;
}

static struct rig *rig_interrupted(struct kunit *test, u32 count)
{
	return rig_owned(test, WHEEL_CLOCK_MONOTONIC, NSEC_PER_MSEC, count);
}

static void scan_at(struct rig *rig, u64 time)
{
	wheel_lock(rig->wheel);
	wheel_scan_at(rig->wheel, time);
	wheel_unlock(rig->wheel);
}

/* Return a deadline after the time at which all timers are armed, even on a slow machine. */
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

/* Run the steps that interrupts leave, until all timers have expired. */
static void run_all(struct rig *rig)
{
	while (READ_ONCE(rig->calls) < rig->count) {
		if (!wait_for_completion_timeout(&owner_of(rig)->left, 1))
			continue;
		while (step(rig, WHEEL_BATCH))
			;
	}
}

static void expect_in_order(struct rig *rig)
{
	u32 i;

	KUNIT_EXPECT_EQ(rig->test, rig->early, 0);
	KUNIT_ASSERT_EQ(rig->test, rig->calls, rig->count);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(rig->test, rig->log[i], i);
}

static void lone_timer_expires_in_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, 1);

	arm_all(rig, soon(rig), 0);
	rig_wait(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_EQ(test, owner_of(rig)->in_interrupt, !IS_ENABLED(CONFIG_PREEMPT_RT));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->passes, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.wakeups, 1);
}

static void p9_steps_are_bounded_p5_in_order(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, 1000);

	arm_all(rig, soon(rig), 0);
	run_all(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_LE(test, owner_of(rig)->in_interrupt, FEW);
	KUNIT_EXPECT_LE(test, owner_of(rig)->most, WHEEL_BATCH);
}

/* Settling starts the hrtimer for the next timer. */
static void p2_settling_starts_the_hrtimer(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, 2);
	u64 due = soon(rig);

	owner_of(rig)->idle = true;
	arm_all(rig, due, 100 * NSEC_PER_MSEC);
	rig_wait_for(rig, &owner_of(rig)->left);
	owner_of(rig)->idle = false;
	while (step(rig, WHEEL_BATCH))
		;
	rig_wait(rig);
	expect_in_order(rig);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 2);
}

static struct rig *rig_scanning(struct kunit *test, u64 when, u64 scan, u32 count)
{
	struct rig *rig = rig_owned(test, WHEEL_CLOCK_VIRTUAL, TICK, count);

	owner_of(rig)->when = when;
	scan_at(rig, scan);
	return rig;
}

/* Each step runs one part of a scan, and expires no timer before the scan is complete. */
static void p9_scan_is_continued_by_the_next_step(struct kunit *test)
{
	struct rig *rig = rig_scanning(test, TICK, TICK, 1);
	u32 i;

	owner_of(rig)->incomplete = 10;
	rig_advance(rig, TICK);
	for (i = 1; i <= 10; i++) {
		KUNIT_EXPECT_TRUE(test, step(rig, WHEEL_BATCH));
		KUNIT_EXPECT_EQ(test, owner_of(rig)->scans, i);
		KUNIT_EXPECT_EQ(test, rig->calls, 0);
	}
	KUNIT_EXPECT_FALSE(test, step(rig, WHEEL_BATCH));
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/*
 * Timers that late scans find are due at their own ticks, between timers that are armed in advance,
 * and one that is armed when the scans are already late.
 */
static void p5_late_scans_keep_the_order(struct kunit *test)
{
	struct rig *rig = rig_scanning(test, TICK, TICK, 7);

	rig_await(rig, rig->count);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 1, 2 * TICK), 0);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 3, 4 * TICK), 0);
	rig_advance(rig, 10 * TICK);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 5, 6 * TICK), 0);
	/* Those due before the second scan expire before it, even if scans never catch up. */
	KUNIT_EXPECT_TRUE(test, step(rig, WHEEL_BATCH));
	KUNIT_EXPECT_TRUE(test, step(rig, WHEEL_BATCH));
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	while (step(rig, WHEEL_BATCH))
		;
	expect_in_order(rig);
}

/*
 * A scan finds a timer that is overdue since long ago. It is due at the tick of the scan, so it is
 * late only if the scan is.
 */
static void overdue_timer_is_due_at_the_scan(struct kunit *test)
{
	struct rig *rig = rig_scanning(test, 1, 10 * TICK, 2);

	owner_of(rig)->costly = true;
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 1, 1000 * TICK), 0);
	rig_advance(rig, 12 * TICK);
	KUNIT_EXPECT_TRUE(test, step(rig, WHEEL_BATCH));
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	wheel_lock(rig->wheel);
	KUNIT_EXPECT_EQ(test, wheel_next_locked(rig->wheel), 10 * TICK);
	wheel_unlock(rig->wheel);
	KUNIT_EXPECT_FALSE(test, step(rig, WHEEL_BATCH));
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* Arm two timers that are overdue. The one that is armed first expires first. */
static void arm_overdue(struct rig *rig, u32 first, u64 deadline)
{
	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, first, deadline), 0);
	KUNIT_ASSERT_EQ(rig->test, rig_arm(rig, first + 1, deadline - 5 * TICK), 0);
}

/* The hrtimer has expired and the pass has not begun: deadlines up to now have passed. */
static void p5_overdue_timers_armed_before_a_pass(struct kunit *test)
{
	struct rig *rig = rig_owned(test, WHEEL_CLOCK_MONOTONIC, TICK, 3);
	u64 due = soon(rig);

	owner_of(rig)->idle = true;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, due), 0);
	rig_wait_for(rig, &owner_of(rig)->left);
	while (rig_now(rig) < due + 10 * TICK)
		cpu_relax();
	arm_overdue(rig, 1, due + 10 * TICK);
	rig_await(rig, rig->count);
	while (READ_ONCE(rig->calls) < rig->count)
		step(rig, WHEEL_BATCH);
	expect_in_order(rig);
}

/* The same between two steps of a pass. */
static void p5_overdue_timers_armed_between_steps(struct kunit *test)
{
	struct rig *rig = rig_owned(test, WHEEL_CLOCK_VIRTUAL, TICK, 4);

	rig_await(rig, rig->count);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, TICK), 0);
	rig_advance(rig, TICK);
	KUNIT_EXPECT_TRUE(test, step(rig, 1));
	rig_advance(rig, 20 * TICK);
	arm_overdue(rig, 2, 20 * TICK);
	rig_advance(rig, 21 * TICK);
	while (step(rig, WHEEL_BATCH))
		;
	expect_in_order(rig);
}

/* A stopped wheel is drained in parts; nothing is armed and nothing expires meanwhile. */
static void p9_draining_in_parts(struct kunit *test)
{
	struct rig *rig = rig_owned(test, WHEEL_CLOCK_VIRTUAL, TICK, 3 * WHEEL_BATCH);
	u32 parts = 0, drained = 0;
	bool more;

	arm_all(rig, TICK, 0);
	do {
		struct list_head *node;
		LIST_HEAD(unfired);

		wheel_lock(rig->wheel);
		more = wheel_drain_some(rig->wheel, &unfired);
		wheel_unlock(rig->wheel);
		list_for_each(node, &unfired)
			drained++;
		parts++;
		rig_advance(rig, parts * TICK);
		KUNIT_EXPECT_FALSE(test, step(rig, WHEEL_BATCH));
		KUNIT_EXPECT_NE(test, rig_arm(rig, rig->count - 1, TICK), 0);
	} while (more);
	KUNIT_EXPECT_EQ(test, drained, rig->count);
	KUNIT_EXPECT_GT(test, parts, 2);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

/* Create a fixture whose timers expire in the hrtimer's interrupt, unless the lock is held. */
static struct rig *rig_racing(struct kunit *test, u64 tick, u32 count)
{
	struct rig *rig = rig_owned(test, WHEEL_CLOCK_MONOTONIC, tick, count);

	owner_of(rig)->races = true;
	return rig;
}

/* Stop the wheel first, so that no interrupt queues the work item again. */
static void end_races(struct rig *rig)
{
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
	cancel_work_sync(&owner_of(rig)->run);
}

static void stop_while_arming(struct kunit *test)
{
	bool expire = true;
	int round;

	for (round = 0; expire && round < 10; round++) {
		struct rig *rig = rig_racing(test, 10000, 64);

		expire = crew_stop_while_arming(rig);
		end_races(rig);
		rig_destroy(rig);
	}
}

/*
 * Request a scan before the programmed time, then revoke it. This starts the hrtimer, even while
 * its interrupt is running, but no scan follows.
 */
static void restart_hrtimer(struct wheel *wheel)
{
	wheel_scan_at(wheel, 1);
	wheel_scan_at(wheel, WHEEL_NEVER);
}

static void restart_hrtimer_of(struct rig *rig)
{
	wheel_lock(rig->wheel);
	restart_hrtimer(rig->wheel);
	wheel_unlock(rig->wheel);
}

/* Random operations on one timer per task, all of which are due within a few ticks. */
static void race_with_interrupts(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int i;

	for (i = 0; crew_continues(crew, i); i++) {
		if (below(rnd, 7))
			crew_operate(crew, rnd, &rig->probes[below(rnd, CREW_TASKS)].timer,
				     rig_now(rig) + below(rnd, 30 * NSEC_PER_USEC));
		else
			restart_hrtimer_of(rig);
		/* Let interrupts expire timers; while a task holds the lock, the work item does. */
		if (below(rnd, 4) == 0)
			usleep_range(1, 40);
	}
}

/* Operations concurrent with passes in interrupts. All timers that remain armed expire. */
static void arms_meet_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_racing(test, 1000, CREW_TASKS);
	struct owner *owner = owner_of(rig);
	struct crew *crew;

	rig->shared = true;
	crew = crew_start(rig, race_with_interrupts);
	crew_wait(crew);
	rig_await(rig, atomic64_read(&crew->armed) - atomic64_read(&crew->cancelled));
	rig_wait(rig);
	crew_expect_ledger(crew);
	end_races(rig);
	kunit_info(test, "%u timers in interrupts, %u in work items", owner->in_interrupt,
		   owner->in_task);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		KUNIT_EXPECT_GT(test, owner->in_interrupt, 0);
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

	/* If the lock is held, its holder starts the hrtimer. */
	if (wheel_trylock(meddler->wheel)) {
		restart_hrtimer(meddler->wheel);
		wheel_unlock(meddler->wheel);
	}
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
	struct rig *rig = rig_racing(test, 1000, 2);
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
	end_races(rig);
	KUNIT_EXPECT_EQ(test, round, CREW_ROUNDS + 1);
}

/* An interrupt that finds the lock held does not wait. It occurs again after the unlock. */
static void p3_interrupt_finds_the_lock_held(struct kunit *test)
{
	struct rig *rig = rig_interrupted(test, 1);
	struct owner *owner = owner_of(rig);

	arm_all(rig, soon(rig), 0);
	wheel_lock(rig->wheel);
	while (!READ_ONCE(owner->interrupts))
		cpu_relax();
	KUNIT_EXPECT_EQ(test, owner->in_interrupt, 0);
	wheel_unlock(rig->wheel);
	rig_wait(rig);
	KUNIT_EXPECT_EQ(test, owner->in_interrupt, 1);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(lone_timer_expires_in_the_interrupt),
	KUNIT_CASE(p9_steps_are_bounded_p5_in_order),
	KUNIT_CASE(p2_settling_starts_the_hrtimer),
	KUNIT_CASE(p9_scan_is_continued_by_the_next_step),
	KUNIT_CASE(p5_late_scans_keep_the_order),
	KUNIT_CASE(overdue_timer_is_due_at_the_scan),
	KUNIT_CASE(p5_overdue_timers_armed_before_a_pass),
	KUNIT_CASE(p5_overdue_timers_armed_between_steps),
	KUNIT_CASE(p9_draining_in_parts),
	KUNIT_CASE(p3_interrupt_finds_the_lock_held),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "wheel_timer_owner",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = owner_cases,
};

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

kunit_test_suites(&owner_suite, &owner_race_suite);
