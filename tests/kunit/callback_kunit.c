// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of a callback on its own timer, and on other timers of the tick that is being
 * processed. The clock is VIRTUAL, so the test determines when a tick is processed.
 */
#include <linux/slab.h>

#include "schemes.h"

/* Create three timers due at one tick. @action is that of the first. */
static struct rig *three(struct kunit *test, probe_fn action)
{
	struct rig *rig = rig_virtual(test, TICK, 3);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig->probes[0].action = action;
	rig->probes[0].other = &rig->probes[1];
	return rig;
}

static void note_state(struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;

	probe->answer = !wheel_timer_pending(timer) &&
			wheel_timer_deadline(timer) == 5 * TICK &&
			wheel_timer_fired(timer) == wheel_now(probe->rig->wheel);
}

static void callback_sees_its_timer(struct kunit *test)
{
	struct rig *rig = three(test, note_state);

	rig_advance(rig, 7 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	KUNIT_EXPECT_EQ(test, wheel_timer_fired(&rig->probes[0].timer), 7 * TICK);
}

static void arm_in_the_past(struct probe *probe)
{
	probe->answer = wheel_timer_arm(&probe->timer, 0, 0);
}

/* It expires once per advance, regardless of the distance: no endless loop. */
static void callback_arms_itself_in_the_past(struct kunit *test)
{
	struct rig *rig = three(test, arm_in_the_past);

	KUNIT_EXPECT_EQ(test, rig_advance(rig, 1000 * TICK), 1001 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 1001 * TICK - 1), 1001 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 1);
	rig_advance(rig, 1001 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 2);
}

static void arm_other_now(struct probe *probe)
{
	probe->answer = rig_arm(probe->rig, 2, 5 * TICK);
}

/* An expired or idle timer that is armed for the current tick expires at the next one. */
static void callback_arms_another_for_its_tick(struct kunit *test)
{
	struct rig *rig = three(test, NULL);
	const u32 order[] = { 0, 1, 2 };

	KUNIT_ASSERT_EQ(test, wheel_timer_cancel(&rig->probes[2].timer), 0);
	rig->probes[0].action = arm_other_now;
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 6 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 6 * TICK), WHEEL_NEVER);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

static void rearm_other_later(struct probe *probe)
{
	probe->answer = wheel_timer_rearm(&probe->other->timer, 9 * TICK, 0);
}

/* A timer that is due at this tick, but has not expired yet, is moved to a later tick. */
static void callback_rearms_another_of_its_tick(struct kunit *test)
{
	struct rig *rig = three(test, rearm_other_later);
	const u32 order[] = { 0, 2, 1 };

	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
	rig_advance(rig, 9 * TICK);
	rig_expect_log(rig, order, ARRAY_SIZE(order));
}

/* The clock has advanced past both ticks: the moved timer expires at the next tick. */
static void callback_rearms_another_within_the_jump(struct kunit *test)
{
	struct rig *rig = three(test, rearm_other_later);

	rig_advance(rig, 20 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 0);
	KUNIT_EXPECT_EQ(test, rig->probes[1].calls, 0);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[1].timer));
	rig_advance(rig, 21 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[1].calls, 1);
}

static void cancel_all(struct probe *probe)
{
	struct rig *rig = probe->rig;
	u32 i;

	for (i = 0; i < rig->count; i++)
		if (!wheel_timer_cancel(&rig->probes[i].timer))
			probe->answer++;
}

/* Each cancelled timer is counted once, otherwise the limit would leak (netty#14959). */
static void callback_cancels_its_tick(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1000);
	u32 i;

	for (i = 0; i < rig->count; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, 5 * TICK), 0);
	rig->probes[10].action = cancel_all;
	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig->calls, 11);
	KUNIT_EXPECT_EQ(test, rig->probes[10].answer, 989);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->pending, 0);
	KUNIT_EXPECT_EQ(test, rig->stats.cancelled, 989);
}

static void cancel_itself(struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;

	probe->answer = wheel_timer_cancel(timer) == -EALREADY &&
			wheel_timer_rearm(timer, 9 * TICK, 0) == -ENOENT &&
			wheel_timer_arm(timer, 9 * TICK, 0) == 0 &&
			wheel_timer_arm(timer, 9 * TICK, 0) == -EBUSY &&
			wheel_timer_rearm(timer, 8 * TICK, 0) == 0 &&
			wheel_timer_cancel(timer) == 0 &&
			wheel_timer_cancel(timer) == -EALREADY &&
			wheel_timer_mod(timer, 8 * TICK, 0) == 0 &&
			wheel_timer_mod(timer, 6 * TICK, 0) == 1;
}

/* The results of all operations depend on whether the timer is pending, not on its callback. */
static void callback_works_on_itself(struct kunit *test)
{
	struct rig *rig = three(test, cancel_itself);

	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 6 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	rig->probes[0].action = NULL;
	rig_advance(rig, 6 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 2);
}

static void sync_itself(struct probe *probe)
{
	struct wheel_timer *timer = &probe->timer;

	probe->answer = wheel_timer_cancel_sync(timer) == -EDEADLK &&
			wheel_timer_shutdown_sync(timer) == -EDEADLK &&
			wheel_timer_arm(timer, 9 * TICK, 0) == 0 &&
			wheel_timer_cancel_sync(timer) == -EDEADLK &&
			wheel_timer_shutdown_sync(timer) == -EDEADLK &&
			wheel_timer_pending(timer);
}

/* The callback would wait for itself. The calls fail and change nothing. */
static void callback_syncs_with_itself(struct kunit *test)
{
	struct rig *rig = three(test, sync_itself);

	rig_advance(rig, 5 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[0].timer));
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 0);
	rig->probes[0].action = NULL;
	rig_advance(rig, 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].calls, 2);
}

static void sync_others(struct probe *probe)
{
	struct rig *rig = probe->rig;

	probe->answer = wheel_timer_cancel_sync(&rig->probes[1].timer) == 0 &&
			wheel_timer_shutdown_sync(&rig->probes[2].timer) == 0 &&
			wheel_timer_cancel_sync(&rig->probes[1].timer) == -ENOENT &&
			rig_arm(rig, 2, 9 * TICK) == -ESHUTDOWN;
}

static void callback_syncs_with_others(struct kunit *test)
{
	struct rig *rig = three(test, sync_others);

	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

static void advance_the_clock(struct probe *probe)
{
	probe->answer = rig_advance(probe->rig, 9 * TICK) == WHEEL_NEVER &&
			wheel_now(probe->rig->wheel) == 5 * TICK;
}

/* A pass cannot be started within a pass. */
static void callback_cannot_move_the_clock(struct kunit *test)
{
	struct rig *rig = three(test, advance_the_clock);

	KUNIT_ASSERT_EQ(test, wheel_timer_rearm(&rig->probes[2].timer,
						9 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 5 * TICK), 9 * TICK);
	KUNIT_EXPECT_EQ(test, rig->probes[0].answer, 1);
	KUNIT_EXPECT_EQ(test, rig->calls, 2);
}

static void advance_the_other_clock(struct probe *probe)
{
	probe->answer = rig_advance(probe->other->rig, 9 * TICK) == WHEEL_NEVER;
}

/* A sleepable callback may move the clock of another wheel. Lockdep has two classes for them. */
static void callback_moves_another_clock(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "outer",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.tick_ns = TICK,
		.flags = WHEEL_SLEEPABLE,
	};
	struct rig *outer = rig_new(test, &config, 1);
	struct rig *inner = rig_virtual(test, TICK, 1);

	outer->probes[0].action = advance_the_other_clock;
	outer->probes[0].other = &inner->probes[0];
	KUNIT_ASSERT_EQ(test, rig_arm(outer, 0, 5 * TICK), 0);
	KUNIT_ASSERT_EQ(test, rig_arm(inner, 0, 9 * TICK), 0);
	rig_advance(outer, 5 * TICK);
	KUNIT_EXPECT_EQ(test, outer->probes[0].answer, 1);
	KUNIT_EXPECT_EQ(test, inner->calls, 1);
}

/* Object that contains its timer and is freed by the callback. */
struct object {
	struct wheel_timer	timer;
	struct object		*sibling;
	struct rig		*rig;
};

static void free_itself(struct wheel_timer *timer)
{
	struct object *object = from_wheel_timer(object, timer, timer);
	struct object *sibling = object->sibling;

	object->rig->calls++;
	if (sibling && !wheel_timer_cancel(&sibling->timer)) {
		memset(sibling, POISON_FREE, sizeof(*sibling));
		kfree(sibling);
	}
	memset(object, POISON_FREE, sizeof(*object));
	kfree(object);
}

/* Every third object also frees the next one, which is due at the same tick. */
static void callback_frees_timers(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct object *object, *last = NULL;
	int i;

	for (i = 0; i < 3000; i++) {
		object = kzalloc(sizeof(*object), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		object->rig = rig;
		wheel_timer_init(&object->timer, rig->wheel, free_itself);
		KUNIT_ASSERT_EQ(test, wheel_timer_arm(&object->timer,
						      (1 + i / 100) * TICK, 0), 0);
		if (last && i % 3 == 1)
			last->sibling = object;
		last = object;
	}
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 10 * TICK), 11 * TICK);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, 100 * TICK), WHEEL_NEVER);
	KUNIT_EXPECT_EQ(test, rig_stats(rig)->cancelled, 1000);
	KUNIT_EXPECT_EQ(test, rig->calls, 2000);
}

static struct kunit_case callback_cases[] = {
	ANY_CASE(callback_sees_its_timer),
	ANY_CASE(callback_arms_itself_in_the_past),
	ANY_CASE(callback_arms_another_for_its_tick),
	ANY_CASE(callback_rearms_another_of_its_tick),
	ANY_CASE(callback_rearms_another_within_the_jump),
	ANY_CASE(callback_cancels_its_tick),
	ANY_CASE(callback_works_on_itself),
	ANY_CASE(callback_syncs_with_itself),
	ANY_CASE(callback_syncs_with_others),
	ANY_CASE(callback_cannot_move_the_clock),
	KUNIT_CASE(callback_moves_another_clock),
	ANY_CASE(callback_frees_timers),
	{}
};

static struct kunit_suite callback_suite = {
	.name = "wheel_timer_callback",
	.init = rig_init_scheme,
	.exit = rig_exit,
	.test_cases = callback_cases,
};

kunit_test_suite(callback_suite);
