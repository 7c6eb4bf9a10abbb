// SPDX-License-Identifier: MIT
/*
 * Operations that do not read the clock: their results if a timer has become due in the
 * meantime. Time passes while the test waits for another wheel. loop.c tests earlier timers.
 */
#include <poll.h>

#include "test.h"

#define NEAR	(2 * MS)

/* Wait until @until, without calling the wheel under test. */
static void time_passes(__u64 until)
{
	struct libwheel *other = open_running(WHEEL_CLOCK_MONOTONIC, 1);
	struct wheel_event event;

	EXPECT_EQ(0, arm(other, WHEEL_ID(0, 1), until));
	EXPECT_EQ(1, libwheel_wait(other, &event, 1, -1));
	libwheel_close(other);
}

/* Wait without calling the wheel, so that its descriptor is not set again. */
static void until_readable(struct libwheel *wheel)
{
	struct pollfd p = { .fd = libwheel_fd(wheel), .events = POLLIN };

	EXPECT_EQ(1, poll(&p, 1, -1));
}

static __u64 awaited_id(struct libwheel *wheel)
{
	struct wheel_event event;

	NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
	return event.id;
}

static __u64 soon(struct libwheel *wheel)
{
	return libwheel_now(wheel) + NEAR;
}

/* One scheme that is compiled into the operations, and one that they call. */
static const __u32 schemes[] = { WHEEL_HIERARCHICAL, WHEEL_OVERFLOW };

/* A wheel with one timer that is due at *@near, and one that is due much later. */
static struct libwheel *open_near(__u32 scheme, __u64 *near)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .scheme = scheme, .timers = 16,
		.tick_ns = WHEEL_MIN_TICK_NS,
	};
	struct libwheel *wheel = open_wheel(&options);

	*near = soon(wheel);
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(0, 1), *near));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), *near + HOUR));
	return wheel;
}

/* Too late: the event is delivered. */
static void change_of_what_is_due_in(__u32 scheme, bool cancels)
{
	__u64 near;
	struct libwheel *wheel = open_near(scheme, &near);
	__u64 id = WHEEL_ID(0, 1), later = WHEEL_ID(1, 1);

	until_readable(wheel);
	EXPECT_EQ(-ENOENT, cancels ? libwheel_cancel(wheel, id) :
				     libwheel_rearm(wheel, id, near + HOUR));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT_EQ(0, cancels ? libwheel_cancel(wheel, later) :
			       libwheel_rearm(wheel, later, near + 2 * HOUR));
	libwheel_close(wheel);
}

static void change_of_what_is_due(void)
{
	size_t i;

	for (i = 0; i < COUNT(schemes); i++) {
		change_of_what_is_due_in(schemes[i], false);
		change_of_what_is_due_in(schemes[i], true);
	}
}

/*
 * Timers that are overdue when they are armed expire in the order of arming, regardless of their
 * deadlines. The wheel has not read the clock since these deadlines were in the future.
 */
static void arm_of_what_is_overdue_in(__u32 scheme)
{
	static const __u32 order[] = { 0, 4, 5, 6 };
	__u64 near;
	struct libwheel *wheel = open_near(scheme, &near);
	size_t i;

	time_passes(near + 10 * MS);
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(4, 1), near + 3 * MS));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(5, 1), near + 1 * MS));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(6, 1), near + 2 * MS));
	for (i = 0; i < COUNT(order); i++)
		EXPECT_EQ(WHEEL_ID(order[i], 1), awaited_id(wheel));
	libwheel_close(wheel);
}

static void arm_of_what_is_overdue(void)
{
	size_t i;

	for (i = 0; i < COUNT(schemes); i++)
		arm_of_what_is_overdue_in(schemes[i]);
}

const struct ktap_test lull_tests[] = {
	TEST(change_of_what_is_due),
	TEST(arm_of_what_is_overdue),
	{ NULL, NULL }
};
