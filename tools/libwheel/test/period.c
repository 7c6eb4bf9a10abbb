// SPDX-License-Identifier: MIT
/*
 * Periodic timers at the end of the clock, on a running clock and on a bounded wheel. contract.c
 * compares the other cases with a model.
 */
#include "test.h"

#define ID	WHEEL_ID(3, 1)

static struct wheel_event take_one(struct libwheel *wheel)
{
	struct wheel_event event = { 0 };

	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(ID, event.id);
	return event;
}

static void period_ends_with_the_clock(void)
{
	struct libwheel *wheel = open_virtual(8);

	EXPECT_EQ(0, arm_every(wheel, ID, WHEEL_MAX_TIME - 5, 6));
	EXPECT_EQ(0, arm_every(wheel, WHEEL_ID(4, 1), HOUR, WHEEL_MAX_TIME));
	EXPECT_EQ(0, advance(wheel, HOUR));
	EXPECT_EQ(WHEEL_ID(4, 1), next_id(wheel));
	EXPECT_EQ(0, advance(wheel, WHEEL_MAX_TIME));
	take_one(wheel);
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	EXPECT_EQ(-ENOENT, query(wheel, ID));
	libwheel_close(wheel);
}

/* On a running clock: in phase, one event each, never early. */
static void period_on_a_running_clock(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	__u64 start = libwheel_now(wheel);
	struct wheel_event event;
	__u64 periods = 0;

	EXPECT_EQ(0, arm_every(wheel, ID, start, 500 * US));
	while (periods < 40) {
		NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
		periods += 1 + event.overrun;
		EXPECT_EQ(start + (periods - 1) * 500 * US, event.deadline);
		EXPECT(libwheel_now(wheel) >= event.deadline);
	}
	libwheel_close(wheel);
}

/* A period beyond the range of a bounded wheel is rejected when the timer is armed. */
static void period_of_a_bounded_wheel(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = WHEEL_BOUNDED,
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = 64, .buckets = 256,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 late = 256 * MS + MS / 3;

	EXPECT_EQ(-ERANGE, arm_every(wheel, ID, MS, 255 * MS + 1));
	EXPECT_EQ(0, arm_every(wheel, ID, MS, 255 * MS));
	EXPECT_EQ(0, advance(wheel, late));
	EXPECT_EQ(256 * MS, take_one(wheel).deadline);
	EXPECT_EQ(511 * MS, deadline_of(wheel, ID));
	libwheel_close(wheel);
}

const struct test period_tests[] = {
	TEST(period_ends_with_the_clock),
	TEST(period_on_a_running_clock),
	TEST(period_of_a_bounded_wheel),
	{ NULL, NULL }
};
