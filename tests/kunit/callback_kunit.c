// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks that wait for other callbacks, move a clock, and free timers. model_kunit.c tests the
 * other operations of callbacks.
 */
#include <linux/slab.h>

#include "callback_rig.h"
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

	KUNIT_ASSERT_EQ(test, wheel_timer_rearm(&rig->probes[2].timer, 9 * TICK, 0), 0);
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

/* Every third object also frees the next one, if that has not expired yet. */
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
	KUNIT_EXPECT_GE(test, rig_stats(rig)->cancelled, 1000);
	KUNIT_EXPECT_EQ(test, rig->calls + rig->stats.cancelled, 3000);
}

static struct kunit_case callback_cases[] = {
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
