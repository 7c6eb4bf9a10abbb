// SPDX-License-Identifier: MIT
/*
 * Programs know two things from their heaps: a timer that is overdue is due now, and timers
 * come by deadline.
 */
#include "test.h"

static struct libwheel *open_mode(__u32 mode, __u32 scheme, __u32 flags)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = mode,
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = scheme, .flags = flags,
		.timers = 256, .tick_ns = MS,
	};
	struct libwheel *wheel = open_wheel(&options);

	EXPECT_EQ(0, advance(wheel, SEC + MS / 2));
	return wheel;
}

/* Of its time, before it, long ago: it waits for no tick, and comes once. */
static void due_now_waits_for_no_tick(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_DUE_NOW, WHEEL_HIERARCHICAL, 0);
	__u64 now = libwheel_now(wheel);
	uint64_t id = WHEEL_ID(3, 1);

	EXPECT(!readable(wheel));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now));
	EXPECT(readable(wheel));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), 0));
	EXPECT_EQ(0, libwheel_arm_in(wheel, &id, 0, 0));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(4, 1), now + 1));
	EXPECT_EQ(4, balanced_stats(wheel).pending);
	EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	EXPECT_EQ(WHEEL_ID(3, 1), next_id(wheel));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT(!readable(wheel));
	EXPECT_EQ(1, balanced_stats(wheel).pending);
	EXPECT_EQ(0, advance(wheel, SEC + MS));
	EXPECT_EQ(WHEEL_ID(4, 1), next_id(wheel));
	libwheel_close(wheel);
}

/* Without the option it does wait. */
static void overdue_waits_for_a_tick_otherwise(void)
{
	struct libwheel *wheel = open_mode(0, WHEEL_HIERARCHICAL, 0);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), 0));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, SEC + MS));
	EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
	libwheel_close(wheel);
}

/* Until it is taken it is pending, as any other. */
static void due_now_is_pending(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_DUE_NOW, WHEEL_HASHED,
					   WHEEL_SETUP_TOUCH);
	__u64 now = libwheel_now(wheel);
	struct wheel_op ops[4];
	uint32_t cursor = 0;
	uint64_t unfired;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), 5));
	EXPECT_EQ(-EBUSY, arm(wheel, WHEEL_ID(1, 2), 5));
	EXPECT_EQ(5, deadline_of(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(0, next_id(wheel));
	/* To a later time, to an earlier one, and back. */
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), 5));
	EXPECT_EQ(0, libwheel_rearm(wheel, WHEEL_ID(2, 1), now + HOUR));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, libwheel_rearm(wheel, WHEEL_ID(2, 1), 6));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	/* The program moves and parks it by its word. */
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(3, 1), 5));
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(4, 1), 5));
	EXPECT_EQ(0, libwheel_touch(wheel, 3, now + 1));
	EXPECT_EQ(0, libwheel_park(wheel, 4));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, SEC + MS));
	EXPECT_EQ(WHEEL_ID(3, 1), next_id(wheel));
	EXPECT_EQ(0, next_id(wheel));
	/* STOP hands it back. */
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(5, 1), 5));
	EXPECT_EQ(0, libwheel_stop(wheel, &unfired));
	EXPECT_EQ(1, unfired);
	EXPECT_EQ(1, libwheel_list(wheel, WHEEL_LIST_TAKE, ops, 4, &cursor));
	EXPECT_EQ(WHEEL_ID(5, 1), ops[0].id);
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

/* A period is kept on its grid, from a start that has passed. */
static void due_now_with_a_period(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_DUE_NOW, WHEEL_HIERARCHICAL, 0);
	struct wheel_event event;

	EXPECT_EQ(0, arm_every(wheel, WHEEL_ID(1, 1), SEC - 2 * MS, 10 * MS));
	EXPECT_EQ(1, libwheel_expirations(wheel, &event, 1));
	EXPECT_EQ(SEC - 2 * MS, event.deadline);
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, SEC + 8 * MS));
	EXPECT_EQ(1, libwheel_expirations(wheel, &event, 1));
	EXPECT_EQ(SEC + 8 * MS, event.deadline);
	libwheel_close(wheel);
}

/* A bounded wheel that cannot hold it at its new time leaves it where it is. */
static void due_now_beyond_the_revolution(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_DUE_NOW, WHEEL_BOUNDED, 0);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), 0));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), 0));
	EXPECT_EQ(-ERANGE, libwheel_rearm(wheel, WHEEL_ID(1, 1), HOUR));
	EXPECT_EQ(0, deadline_of(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	libwheel_close(wheel);
}

/* The events of a call, by deadline, and as armed where that is the same. */
static void sorted(__u32 scheme)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_BY_DEADLINE | LIBWHEEL_DUE_NOW,
					   scheme, 0);
	static struct wheel_event events[256];
	__u64 state = test_seed();
	int i, round;

	for (round = 0; round < 20; round++) {
		__u64 now = libwheel_now(wheel);

		for (i = 0; i < 256; i++)
			NEED(!arm(wheel, WHEEL_ID(i, round + 1), now - 100 * US +
				  random_below(&state, 160) * 10 * US));
		EXPECT_EQ(0, advance(wheel, now + 2 * MS));
		NEED(libwheel_expirations(wheel, events, 256) == 256);
		for (i = 1; i < 256; i++) {
			struct wheel_event *one = &events[i - 1], *two = &events[i];

			EXPECT_EQ(one->seq + 1, two->seq);
			NEED(one->deadline < two->deadline ||
			     (one->deadline == two->deadline && one->id < two->id));
		}
	}
	libwheel_close(wheel);
}

static void by_deadline_within_a_tick(void)
{
	sorted(WHEEL_HIERARCHICAL);
	sorted(WHEEL_HASHED);
}

/* Without the option the order armed counts. */
static void by_tick_otherwise(void)
{
	struct libwheel *wheel = open_mode(0, WHEEL_HIERARCHICAL, 0);
	__u64 now = libwheel_now(wheel);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + 20));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), now + 10));
	EXPECT_EQ(0, advance(wheel, now + MS));
	EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	libwheel_close(wheel);
}

const struct test heap_tests[] = {
	TEST(due_now_waits_for_no_tick),
	TEST(overdue_waits_for_a_tick_otherwise),
	TEST(due_now_is_pending),
	TEST(due_now_with_a_period),
	TEST(due_now_beyond_the_revolution),
	TEST(by_deadline_within_a_tick),
	TEST(by_tick_otherwise),
	{ NULL, NULL }
};
