// SPDX-License-Identifier: GPL-2.0
/*
 * A wheel with a claim function, which decides whether to expire, requeue or drop a timer at the
 * time for which it was queued. The words of the device have one, which is compared with a model
 * by libwheel's contract.c and by selftests/contract.c.
 */
#include "schemes.h"

static enum wheel_claim claim_nothing(void *data, struct wheel_timer *timer, u64 due, u64 *deadline)
{
	return WHEEL_GONE;
}

static void expire_none(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct kunit *test = data;

	KUNIT_FAIL(test, "%u timers have expired", n);
}

static struct rig *claiming(struct kunit *test, const struct wheel_owner *owner, u32 count)
{
	const struct wheel_config config = {
		.name = "claiming",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = TICK,
	};

	return rig_new_owned(test, &config, owner, test, count);
}

static bool step(struct rig *rig)
{
	bool more;

	wheel_lock(rig->wheel);
	more = wheel_step(rig->wheel, wheel_now(rig->wheel), WHEEL_BATCH);
	if (!more)
		wheel_settle(rig->wheel);
	wheel_unlock(rig->wheel);
	return more;
}

/* More timers than one step examines, and as many as the scheme WHEEL_OVERFLOW accepts. */
#define CLAIMS	4096

/* P9: claims count against the work limit of a step, like expiries. */
static void p9_claims_are_bounded(struct kunit *test)
{
	static const struct wheel_owner owner = {
		.expire = expire_none,
		.claim = claim_nothing,
	};
	struct rig *rig = claiming(test, &owner, CLAIMS);
	u64 before, most = 0;
	u32 i;

	for (i = 0; i < CLAIMS; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig_advance(rig, 5 * TICK);
	do {
		before = rig_stats(rig)->cancelled;
		i = step(rig);
		most = max(most, rig_stats(rig)->cancelled - before);
	} while (i);
	KUNIT_EXPECT_EQ(test, rig->stats.cancelled, CLAIMS);
	KUNIT_EXPECT_LE(test, most, WHEEL_BATCH);
}

/* Claim function that moves the other timer, which is not drained yet, as another CPU could. */
static enum wheel_claim move_the_other(void *data, struct wheel_timer *timer, u64 due,
				       u64 *deadline)
{
	struct probe *probe = from_wheel_timer(probe, timer, timer);

	if (wheel_timer_pending(&probe->other->timer))
		probe->answer = wheel_timer_rearm_locked(&probe->other->timer,
							 TICK, 0);
	*deadline = TICK;
	return WHEEL_FIRE;
}

/* Otherwise, timers could be moved back and forth while the wheel is drained, forever. */
static void nothing_moves_while_the_wheel_stops(struct kunit *test)
{
	static const struct wheel_owner owner = {
		.expire = expire_none,
		.claim = move_the_other,
	};
	struct rig *rig = claiming(test, &owner, 2);
	u32 i;

	for (i = 0; i < 2; i++) {
		rig->probes[i].other = &rig->probes[!i];
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, (5 + i) * TICK), 0);
	}
	KUNIT_EXPECT_EQ(test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer + rig->probes[1].answer,
			-ESHUTDOWN);
}

static struct kunit_case claim_cases[] = {
	ANY_CASE(nothing_moves_while_the_wheel_stops),
	ANY_CASE(p9_claims_are_bounded),
	{}
};

static struct kunit_suite claim_suite = {
	.name = "wheel_timer_claim",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = claim_cases,
};

kunit_test_suite(claim_suite);
