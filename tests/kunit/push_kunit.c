// SPDX-License-Identifier: GPL-2.0
/*
 * A push moves a deadline later without the wheel's knowledge. The wheel looks at
 * the timer when its old time comes; what it promises, it promises for the
 * deadline as it then stands.
 */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "crew.h"
#include "schemes.h"

static bool push(struct rig *rig, u32 id, u64 deadline)
{
	return wheel_timer_push(&rig->probes[id].timer, deadline);
}

/* The clock moves by odd steps; meanwhile somebody pushes, and again. */
static void p1_pushed_is_never_early(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1000);
	u64 now = 0;
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, wheel_timer_arm(&rig->probes[i].timer,
						      rig_random(rig, 1000 * TICK),
						      i & 1 ? 20 * TICK : 0), 0);
	while (now < 3000 * TICK) {
		for (i = 0; i < 8; i++)
			push(rig, rig_random(rig, rig->count),
			     now + rig_random(rig, 500 * TICK));
		now += 1 + rig_random(rig, 3 * TICK);
		rig_advance(rig, now);
		KUNIT_ASSERT_EQ(test, rig->early, 0);
	}
	rig_advance(rig, 4000 * TICK);
	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig->probes[i].calls, 1);
	KUNIT_EXPECT_GT(test, rig_stats(rig)->refiled, 0);
}

/* Not before that tick, and at it; however far the clock goes at a time. */
static void expect_call_at(struct rig *rig, u64 due, u64 step)
{
	u32 calls = rig->calls;
	u64 now = wheel_now(rig->wheel);

	for (; now < due - 1; now += step)
		rig_advance(rig, now);
	rig_advance(rig, due - 1);
	KUNIT_ASSERT_EQ_MSG(rig->test, rig->calls, calls, "before %llu", due);
	rig_advance(rig, due);
	KUNIT_ASSERT_EQ_MSG(rig->test, rig->calls, calls + 1, "at %llu", due);
}

/* Near and far, around each boundary, from a near and from a far deadline. */
static void p2_pushed_comes_at_its_tick(struct kunit *test)
{
	static const u32 ahead[] = { 1, 2, 63, 64, 65, 255, 256, 257, 4096, 60000 };
	struct rig *rig = rig_virtual(test, TICK, 1);
	int from, to, around;

	for (from = 0; from < ARRAY_SIZE(ahead); from++) {
		for (to = from; to < ARRAY_SIZE(ahead); to++) {
			for (around = -1; around <= 1; around++) {
				u64 now = wheel_now(rig->wheel);
				u64 old = now + ahead[from] * TICK;
				u64 new = now + ahead[to] * TICK + around;

				KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, old), 0);
				KUNIT_ASSERT_TRUE(test, push(rig, 0, new));
				expect_call_at(rig, due_at(max(old, new), now, TICK),
					       7000 * TICK);
			}
		}
	}
}

/* Pushed at each packet: once it ends, so does the patience. */
static void p2_pushed_again_and_again(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u64 now;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 100 * TICK), 0);
	for (now = 0; now < 5000 * TICK; now += TICK / 4) {
		rig_advance(rig, now);
		KUNIT_ASSERT_TRUE(test, push(rig, 0, now + 100 * TICK));
	}
	KUNIT_ASSERT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_LE(test, rig_stats(rig)->refiled, 5000 / 99);
	expect_call_at(rig, 5100 * TICK, TICK);
}

static void p3_pushed_comes_exactly_once(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 100);
	u32 i;

	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i) * TICK), 0);
		KUNIT_ASSERT_TRUE(test, push(rig, i, (1 + 3 * i) * TICK));
	}
	rig_advance(rig, 150 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->fired, 50);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 50);
	KUNIT_EXPECT_EQ(test, rig->stats.armed, 100);
	rig_advance(rig, 1000 * TICK);
	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_EQ(test, rig->probes[i].calls, 1);
}

/* Whether the wheel knows of the push or not. */
static void p4_cancel_of_a_pushed_is_decisive(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
		KUNIT_ASSERT_TRUE(test, push(rig, i, 50 * TICK));
	}
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
	rig_advance(rig, 10 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel_sync(&rig->probes[1].timer), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, push(rig, i, 60 * TICK));
		KUNIT_EXPECT_FALSE(test, wheel_timer_pending(&rig->probes[i].timer));
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 100 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

/* Within their tick they come by when the wheel filed them there. */
static void p5_pushed_come_as_they_were_filed(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 4);
	static const u32 order[] = { 2, 1, 3, 0 };

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 9 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 5 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 2, 20 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, 20 * TICK));
	KUNIT_ASSERT_TRUE(test, push(rig, 1, 20 * TICK));
	rig_advance(rig, 7 * TICK);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 3, 20 * TICK), 0);
	rig_advance(rig, 20 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* WHEEL_BOUNDED too: it looks once a revolution. */
static void p6_pushed_by_any_delay(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_EXPECT_FALSE(test, push(rig, 0, WHEEL_MAX_TIME + 1));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 5 * TICK);
	KUNIT_EXPECT_TRUE(test, push(rig, 0, WHEEL_MAX_TIME));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer),
			WHEEL_MAX_TIME);
	rig_advance(rig, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[0].timer));
}

static void p6_pushed_to_the_end_of_time(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, WHEEL_MAX_TIME));
	rig_advance(rig, WHEEL_MAX_TIME - 1);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	rig_advance(rig, WHEEL_MAX_TIME);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* However often it is pushed: one look when its old time comes. */
static void p7_pushes_wake_nobody(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);
	u64 now = rig_now(rig);
	u32 i;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + 20 * NSEC_PER_MSEC), 0);
	for (i = 1; i <= 10000; i++)
		KUNIT_ASSERT_TRUE(test, push(rig, 0, now + (10 + i) * NSEC_PER_SEC));
	/* Silence can only be heard while time passes. */
	usleep_range(60000, 70000);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->wakeups, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.refiled, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 1);
}

/* A push is no arm and no re-arm; what it costs the wheel is counted apart. */
static void p11_exact_counters_of_pushes(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	u64 looks;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 10 * TICK), 0);
	for (looks = 1; looks <= 20; looks++) {
		KUNIT_EXPECT_TRUE(test, push(rig, 0, looks * 10 * TICK + TICK));
		KUNIT_EXPECT_TRUE(test, push(rig, 0, looks * 10 * TICK + 10 * TICK));
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->refiled, looks - 1);
		rig_advance(rig, looks * 10 * TICK);
		KUNIT_EXPECT_EQ(test, rig_stats(rig)->refiled, looks);
	}
	KUNIT_EXPECT_EQ(test, rig->stats.armed, 1);
	KUNIT_EXPECT_EQ(test, rig->stats.rearmed, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.refused, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.pending, 1);
}

static void push_itself(struct probe *probe)
{
	probe->answer = push(probe->rig, probe->id, 50 * TICK);
}

/* Never armed, running, fired, cancelled, shut down, stopped. */
static void push_of_what_does_not_pend(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 4);
	u32 i;

	KUNIT_EXPECT_FALSE(test, push(rig, 0, 50 * TICK));
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (1 + i) * TICK), 0);
	rig->probes[0].action = push_itself;
	rig->probes[0].answer = -1;
	rig_advance(rig, TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, false);
	KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[1].timer), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_shutdown_sync(&rig->probes[2].timer), 0);
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_FALSE(test, push(rig, i, 50 * TICK));
		KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[i].timer),
				(1 + i) * TICK);
	}
}

/* It asks for less than is held already. */
static void push_earlier(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 9 * TICK), 0);
	KUNIT_EXPECT_TRUE(test, push(rig, 0, 5 * TICK));
	KUNIT_EXPECT_TRUE(test, push(rig, 0, 9 * TICK));
	KUNIT_EXPECT_TRUE(test, push(rig, 0, 0));
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 9 * TICK);
	expect_call_at(rig, 9 * TICK, TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->refiled, 0);
}

/* To a time in the tick where it is filed, be it past: nothing to be moved. */
static void push_within_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 2);
	static const u32 order[] = { 0, 1 };

	rig_advance(rig, 7 * TICK);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 2 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 8 * TICK), 0);
	KUNIT_EXPECT_TRUE(test, push(rig, 0, 7 * TICK + 1));
	rig_advance(rig, 8 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->refiled, 0);
}

/* What was said last holds. */
static void push_then_rearm(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, 50 * TICK));
	KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, 9 * TICK), -EBUSY);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(timer, 9 * TICK, 0), 0);
	expect_call_at(rig, 9 * TICK, TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->refiled, 0);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 12 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, 50 * TICK));
	rig_advance(rig, 13 * TICK);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(timer, 15 * TICK, 0), 1);
	expect_call_at(rig, 15 * TICK, TICK);
}

/* Earlier than pushed: before the look, at it, and after it. */
static void push_then_reduce(struct kunit *test)
{
	static const u32 to[] = { 6, 10, 20 };
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;
	int i;

	for (i = 0; i < ARRAY_SIZE(to); i++) {
		u64 now = wheel_now(rig->wheel);

		KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, now + 10 * TICK), 0);
		KUNIT_ASSERT_TRUE(test, push(rig, 0, now + 50 * TICK));
		KUNIT_EXPECT_EQ(test, wheel_timer_reduce(timer, now + 60 * TICK, 0), 0);
		KUNIT_EXPECT_EQ(test, wheel_timer_reduce(timer, now + to[i] * TICK,
							 0), 0);
		expect_call_at(rig, now + to[i] * TICK, TICK);
	}
}

/* It comes back as it was pushed, to go on elsewhere. */
static void push_then_stop(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	LIST_HEAD(unfired);

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, 50 * TICK));
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, &unfired), 0);
	KUNIT_EXPECT_PTR_EQ(test, unfired.next, &rig->probes[0].timer.node);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(&rig->probes[0].timer), 50 * TICK);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1);
}

/* The grid of a periodic timer begins where it was pushed to. */
static void push_then_arm_next(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);

	rig->probes[0].action = probe_arm_next;
	rig->probes[0].period = 10 * TICK;
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, 5 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, 7 * TICK));
	expect_call_at(rig, 7 * TICK, TICK);
	expect_call_at(rig, 17 * TICK, TICK);
}

/* 17 + 16 ticks of slack meet at 32; so do pushed ones at the next multiple. */
static void push_keeps_the_slack(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 15);
	u32 i;

	for (i = 0; i < rig->count; i++) {
		KUNIT_ASSERT_EQ(test, wheel_timer_arm(&rig->probes[i].timer,
						      (17 + i) * TICK,
						      16 * TICK), 0);
		KUNIT_ASSERT_TRUE(test, push(rig, i, (33 + i) * TICK));
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 32 * TICK), 48 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 48 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->calls, rig->count);
}

static void push_other(struct probe *probe)
{
	probe->answer = push(probe->rig, 1, 9 * TICK);
}

/* The hardest case: its tick is being drained. */
static void callback_pushes_another_of_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 3);
	static const u32 order[] = { 0, 2, 1 };
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig->probes[0].action = push_other;
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, true);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	rig_advance(rig, 9 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* What it would refuse to arm it looks at once a revolution, and keeps. */
static void push_beyond_the_bound(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "bounded",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_BOUNDED,
		.slots = SLOTS,
		.tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, 2);
	u64 far = 1000 * TICK + 1;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, far), -ERANGE);
	KUNIT_ASSERT_EQ(test, wheel_timer_arm(&rig->probes[0].timer, 10 * TICK,
					      8 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(rig, 1, 10 * TICK), 0);
	KUNIT_ASSERT_TRUE(test, push(rig, 0, far));
	KUNIT_ASSERT_TRUE(test, push(rig, 1, far));
	rig_advance(rig, 1000 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
	rig_advance(rig, 1001 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[1].calls, 1);
	rig_advance(rig, 1009 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	KUNIT_EXPECT_GE(test, rig_stats(rig)->refiled, 2);
	KUNIT_EXPECT_LE(test, rig->stats.refiled, 2 * 5);
}

#define POOL		64

/* What pushes were told, by timer: not before this time. */
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
 * What was promised late was promised of a time that is over. So who sees a
 * promise that does not hold has seen a broken one.
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

	for (i = 0; i < CREW_ROUNDS; i++) {
		u64 deadline = rig_now(rig) + below(rnd, 40 * NSEC_PER_USEC);
		u32 id = below(rnd, POOL);

		if (push(rig, id, deadline)) {
			promise(&promises->until[id], deadline);
			atomic64_inc(&promises->pushed);
		}
		if (i % 64 == 0)
			usleep_range(10, 100);
	}
}

/* Tasks push while the pass takes; timers arm themselves, nobody else does. */
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
		WRITE_ONCE(promises->over, true);
		for (i = 0; i < POOL; i++) {
			wheel_timer_cancel_sync(&rig->probes[i].timer);
			KUNIT_EXPECT_EQ(test, rig->probes[i].answer, 0);
		}
		KUNIT_EXPECT_GT(test, atomic64_read(&promises->pushed), 0);
		KUNIT_EXPECT_GT(test, rig_stats(rig)->refiled, 0);
		KUNIT_EXPECT_GT(test, rig->stats.fired, POOL);
	}
}

/* Pushed by a nanosecond for as long as it pends: no push after its call. */
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

/* Time for all tasks to be at a timer before it is due. */
#define APART_NS	(IS_ENABLED(CONFIG_KASAN) ? 500000 : 50000)

/* Whoever is first: each timer is claimed while somebody pushes it. */
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

static struct kunit_case push_cases[] = {
	ANY_CASE(p1_pushed_is_never_early),
	ANY_CASE(p2_pushed_comes_at_its_tick),
	ANY_CASE(p2_pushed_again_and_again),
	ANY_CASE(p3_pushed_comes_exactly_once),
	ANY_CASE(p4_cancel_of_a_pushed_is_decisive),
	ANY_CASE(p5_pushed_come_as_they_were_filed),
	ANY_CASE(p6_pushed_by_any_delay),
	FAR_CASE(p6_pushed_to_the_end_of_time),
	ANY_CASE(p7_pushes_wake_nobody),
	ANY_CASE(p11_exact_counters_of_pushes),
	ANY_CASE(push_of_what_does_not_pend),
	ANY_CASE(push_earlier),
	ANY_CASE(push_within_its_tick),
	ANY_CASE(push_then_rearm),
	ANY_CASE(push_then_reduce),
	ANY_CASE(push_then_stop),
	ANY_CASE(push_then_arm_next),
	ANY_CASE(push_keeps_the_slack),
	ANY_CASE(callback_pushes_another_of_its_tick),
	KUNIT_CASE(push_beyond_the_bound),
	ANY_CASE(p1_pushed_is_never_early_in_a_race),
	MANY_CASE(p4_push_or_claim),
	{}
};

struct kunit_suite push_suite = {
	.name = "wheel_timer_push",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = push_cases,
};
