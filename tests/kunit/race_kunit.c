// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that arm, cancel, wait for and free timers while these expire. At the end, the results
 * counted by the tasks must agree with the counters of the wheel. owner_kunit.c does this with
 * expiries in interrupts.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "callback_rig.h"
#include "crew.h"
#include "schemes.h"

#define POOL		64

/**
 * struct touched - Operations of the tasks on a timer
 * @busy: number of operations in progress
 * @ended: time at which the last one ended
 */
static struct touched {
	atomic_t	busy;
	atomic64_t	ended;
} touched[POOL];

/* Atomic, because callbacks of several CPUs update them concurrently. */
static atomic64_t fired, compared, early;

static void touch(struct crew *crew, struct rnd_state *rnd, u32 id)
{
	struct rig *rig = crew->rig;
	s64 now, ended;

	atomic_inc(&touched[id].busy);
	/* The count precedes the operation. Pairs with the barrier in count_fire(). */
	smp_mb__after_atomic();
	crew_operate(crew, rnd, &rig->probes[id].timer,
		     rig_now(rig) + below(rnd, 50 * NSEC_PER_USEC));
	now = ktime_get_ns();
	ended = atomic64_read(&touched[id].ended);
	while (ended < now && !atomic64_try_cmpxchg(&touched[id].ended, &ended, now))
		;
	/* Also orders the time before the end of the operation. */
	atomic_dec_return(&touched[id].busy);
}

static void arm_and_cancel(struct crew *crew, struct rnd_state *rnd)
{
	int i;

	for (i = 0; crew_continues(crew, i); i++) {
		touch(crew, rnd, below(rnd, POOL));
		if (i % 64 == 0)
			cond_resched();
	}
}

/*
 * Compare the time of the expiry with the deadline, if no operation has touched the timer since:
 * another one could have armed it again for a later deadline.
 */
static void count_fire(struct wheel_timer *timer)
{
	const struct probe *probe = from_wheel_timer(probe, timer, timer);
	u64 deadline = wheel_timer_deadline(timer), now = wheel_timer_fired(timer);

	/* An operation whose deadline was read is counted, or has ended. Pairs with touch(). */
	smp_rmb();
	if (!atomic_read_acquire(&touched[probe->id].busy) &&
	    atomic64_read(&touched[probe->id].ended) <= now) {
		atomic64_inc(&compared);
		if (now < deadline)
			atomic64_inc(&early);
	}
	atomic64_inc(&fired);
}

/* P1 and P3, in softirq and in process context, on one base and on one per CPU. */
static void p3_arms_against_cancels(struct kunit *test)
{
	static const u32 flags[] = {
		0, WHEEL_SLEEPABLE, WHEEL_PERCPU, WHEEL_PERCPU | WHEEL_SLEEPABLE,
	};
	u64 all = 0;
	int f, i;

	atomic64_set(&early, 0);
	atomic64_set(&compared, 0);
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
		all += rig->calls;
	}
	kunit_info(test, "%lld of %llu expiries compared", atomic64_read(&compared), all);
	KUNIT_EXPECT_GT(test, atomic64_read(&compared), 0);
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

/* Each armed timer either expires or is returned by wheel_stop(). */
static void stop_while_arming(struct kunit *test)
{
	bool expire = true;
	int round;

	for (round = 0; expire && round < 20; round++) {
		struct rig *rig = rig_running(test, round & 1 ? WHEEL_SLEEPABLE : 0, 10000,
					      POOL);

		expire = crew_stop_while_arming(rig);
		rig_destroy(rig);
	}
}

/* Move random timers, none of which is due during the test. */
static void move_on(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	int i;

	for (i = 0; crew_continues(crew, i); i++) {
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

static struct kunit_case race_cases[] = {
	MANY_CASE(p3_arms_against_cancels),
	MANY_CASE(cancel_sync_and_free),
	MANY_CASE(shutdown_sync_and_free),
	MANY_CASE(stop_while_arming),
	MANY_CASE(pending_while_moved),
	{}
};

static struct kunit_suite race_suite = {
	.name = "wheel_timer_race",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = race_cases,
};

kunit_test_suite(race_suite);
