// SPDX-License-Identifier: GPL-2.0
/*
 * Looks: an owner who knows of timers that the wheel does not arms them when the time of
 * a look has come.
 */
#include "rig.h"

/**
 * struct owner - knows of one timer
 * @rig: its wheel, and the timer
 * @when: the timer's deadline
 * @in_vain: so many looks find nothing before
 * @looks: so far
 */
struct owner {
	struct rig	*rig;
	u64		when;
	u32		in_vain;
	u32		looks;
};

static unsigned int look(struct wheel *wheel, u64 now)
{
	struct owner *owner = wheel_data(wheel);

	if (owner->looks++ < owner->in_vain)
		return 0;
	wheel_look_at(wheel, WHEEL_NEVER);
	return rig_arm(owner->rig, 0, owner->when) ? 0 : 1;
}

static struct owner *owner_new(struct kunit *test, u64 when)
{
	struct owner *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL);
	const struct wheel_config config = {
		.name = "looking",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = TICK,
		.look = look,
		.data = owner,
	};

	KUNIT_ASSERT_NOT_NULL(test, owner);
	owner->when = when;
	owner->rig = rig_new(test, &config, 1);
	return owner;
}

static void expect_at(struct owner *owner, u64 now, u32 looks, u32 calls)
{
	struct kunit *test = owner->rig->test;

	rig_advance(owner->rig, now);
	KUNIT_EXPECT_EQ_MSG(test, owner->looks, looks, "looks by %llu", now);
	KUNIT_EXPECT_EQ_MSG(test, owner->rig->calls, calls, "calls by %llu", now);
}

/* And a time that is named later takes the place of the one before. */
static void look_comes_at_its_time(struct kunit *test)
{
	struct owner *owner = owner_new(test, 9 * TICK);

	wheel_look_at(owner->rig->wheel, 3 * TICK);
	wheel_look_at(owner->rig->wheel, 5 * TICK);
	expect_at(owner, 5 * TICK - 1, 0, 0);
	expect_at(owner, 5 * TICK, 1, 0);
	expect_at(owner, 9 * TICK - 1, 1, 0);
	expect_at(owner, 9 * TICK, 1, 1);
}

/* The look comes before the timers are taken that are due. */
static void p2_found_at_its_own_tick(struct kunit *test)
{
	struct owner *owner = owner_new(test, 5 * TICK);

	wheel_look_at(owner->rig->wheel, 5 * TICK);
	expect_at(owner, 5 * TICK, 1, 1);
	KUNIT_EXPECT_EQ(test, owner->rig->probes[0].seen, 5 * TICK);
}

/* No timer is due at tick 0, so there is no look, and the clock is not lost by one. */
static void p2_look_at_time_0(struct kunit *test)
{
	struct owner *owner = owner_new(test, 0);

	wheel_look_at(owner->rig->wheel, 0);
	expect_at(owner, 0, 0, 0);
	expect_at(owner, TICK, 1, 1);
}

static void look_at_no_time_of_the_clock(struct kunit *test)
{
	struct owner *owner = owner_new(test, 0);

	wheel_look_at(owner->rig->wheel, WHEEL_MAX_TIME + TICK);
	expect_at(owner, 1000 * TICK, 0, 0);
}

/* More than one pass makes. */
#define LOOKS		10000

/* An owner who looks again and again, and finds nothing, does not hold a pass up. */
static void p9_looks_in_vain_are_bounded(struct kunit *test)
{
	struct owner *owner = owner_new(test, TICK);

	owner->in_vain = LOOKS;
	wheel_look_at(owner->rig->wheel, TICK);
	expect_at(owner, TICK, LOOKS + 1, 1);
	KUNIT_EXPECT_GT(test, rig_stats(owner->rig)->passes, 1);
}

static struct kunit_case look_cases[] = {
	KUNIT_CASE(look_comes_at_its_time),
	KUNIT_CASE(p2_found_at_its_own_tick),
	KUNIT_CASE(p2_look_at_time_0),
	KUNIT_CASE(look_at_no_time_of_the_clock),
	KUNIT_CASE(p9_looks_in_vain_are_bounded),
	{}
};

static struct kunit_suite look_suite = {
	.name = "wheel_timer_look",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = look_cases,
};

kunit_test_suite(look_suite);
