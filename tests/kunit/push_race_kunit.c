// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that push timers while passes expire them. After a successful push, a timer must not expire
 * before the new deadline.
 */
#include <linux/delay.h>
#include <linux/sched.h>

#include "callback_rig.h"
#include "crew.h"
#include "schemes.h"

#define POOL		64

/* Per timer: the latest deadline of a successful push. */
struct promises {
	atomic64_t	until[POOL];
	atomic64_t	pushed;
	bool		over;
};

static void promise(atomic64_t *until, u64 deadline)
{
	s64 old = atomic64_read(until);

	while (old < (s64)deadline && !atomic64_try_cmpxchg(until, &old, deadline))
		;
}

/*
 * The deadline of a push is recorded after the push. If it is recorded too late to be seen here,
 * the check misses an error, but it never reports a false one.
 */
static void expect_promise(struct probe *probe)
{
	struct promises *promises = probe->rig->own;

	if (probe->seen < atomic64_read(&promises->until[probe->id]))
		probe->rig->early++;
	if (!READ_ONCE(promises->over))
		probe->answer |= rig_arm(probe->rig, probe->id,
					 probe->seen + 20 * NSEC_PER_USEC);
}

static void push_at_random(struct crew *crew, struct rnd_state *rnd)
{
	struct rig *rig = crew->rig;
	struct promises *promises = rig->own;
	int i;

	for (i = 0; crew_continues(crew, i); i++) {
		u64 deadline = rig_now(rig) + below(rnd, 40 * NSEC_PER_USEC);
		u32 id = below(rnd, POOL);

		if (rig_push(rig, id, deadline)) {
			promise(&promises->until[id], deadline);
			atomic64_inc(&promises->pushed);
		}
		if (i % 64 == 0)
			usleep_range(10, 100);
	}
}

/* Tasks push timers while passes expire them; each timer is armed only by its callback. */
static void p1_pushed_is_never_early_in_a_race(struct kunit *test)
{
	static const u32 flags[] = { 0, WHEEL_SLEEPABLE };
	int f;

	for (f = 0; f < ARRAY_SIZE(flags); f++) {
		struct rig *rig = rig_running(test, flags[f], 10000, POOL);
		struct promises *promises;
		struct crew *crew;
		u32 i;

		promises = kunit_kzalloc(test, sizeof(*promises), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, promises);
		rig->own = promises;
		for (i = 0; i < POOL; i++) {
			rig->probes[i].action = expect_promise;
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 0), 0);
		}
		crew = crew_start(rig, push_at_random);
		crew_wait(crew);
		rig_await(rig, POOL + 1);
		rig_wait(rig);
		WRITE_ONCE(promises->over, true);
		for (i = 0; i < POOL; i++) {
			wheel_timer_cancel_sync(&rig->probes[i].timer);
			KUNIT_EXPECT_EQ(test, rig->probes[i].answer, 0);
		}
		KUNIT_EXPECT_GT(test, atomic64_read(&promises->pushed), 0);
		KUNIT_EXPECT_GT(test, rig_stats(rig)->requeued, 0);
	}
}

/* Number and length of the ticks after which the wheel examines the timer. */
#define LOOK_TICKS	20
#define LOOK_TICK	10000

/*
 * A task pushes a timer while a pass queues it again for the previous push. No other task moves the
 * timer, so the deadline must never be earlier than the one pushed last.
 */
static void p1_pushed_while_filed_anew(struct kunit *test)
{
	u64 looks = IS_ENABLED(CONFIG_KASAN) ? 500 : 2000;
	struct rig *rig = rig_running(test, WHEEL_SLEEPABLE, LOOK_TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;
	u64 deadline, lost = 0, i;

	rig->shared = true;
	for (i = 0; i % 256 || rig_stats(rig)->requeued < looks; i++) {
		deadline = rig_now(rig) + LOOK_TICKS * LOOK_TICK;
		if (!rig_push(rig, 0, deadline))
			KUNIT_ASSERT_EQ(test, 0, wheel_timer_arm(timer, deadline, 0));
		ndelay(200);
		lost += wheel_timer_deadline(timer) < deadline;
		cond_resched();
	}
	wheel_timer_cancel_sync(timer);
	KUNIT_EXPECT_EQ(test, lost, 0);
}

/* Push a timer by 1 ns while it is pending. No push may succeed after its callback. */
static void creep(struct crew *crew, struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;
	u32 calls;

	do {
		calls = READ_ONCE(probe->calls);
		if (!wheel_timer_push(timer, wheel_timer_deadline(timer) + 1))
			return;
		cond_resched();
	} while (!calls);
	atomic64_inc(&crew->wrong);
}

static void creep_all(struct crew *crew, struct rnd_state *rnd)
{
	u32 i;

	for (i = 0; i < POOL; i++)
		creep(crew, &crew->rig->probes[i]);
}

/* Interval between the timers, long enough for all tasks to reach a timer before it is due. */
#define APART_NS	(IS_ENABLED(CONFIG_KASAN) ? 500000 : 50000)

/* Each timer is claimed while tasks push it. Either may happen first. */
static void p4_push_or_claim(struct kunit *test)
{
	u32 round, i;

	for (round = 0; round < 8; round++) {
		struct rig *rig = rig_running(test, round & 1, 10000, POOL);
		u64 start = rig_now(rig) + 50 * APART_NS;
		struct crew *crew;

		rig_await(rig, POOL);
		for (i = 0; i < POOL; i++)
			KUNIT_ASSERT_EQ(test, rig_arm(rig, i, start + i * APART_NS),
					0);
		crew = crew_start(rig, creep_all);
		crew_wait(crew);
		rig_wait(rig);
		for (i = 0; i < POOL; i++)
			KUNIT_EXPECT_EQ(test, rig->probes[i].calls, 1);
		rig_destroy(rig);
	}
}

static struct kunit_case push_race_cases[] = {
	ANY_CASE(p1_pushed_is_never_early_in_a_race),
	MANY_CASE(p1_pushed_while_filed_anew),
	MANY_CASE(p4_push_or_claim),
	{}
};

static struct kunit_suite push_race_suite = {
	.name = "wheel_timer_push_race",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = push_race_cases,
};

kunit_test_suite(push_race_suite);
