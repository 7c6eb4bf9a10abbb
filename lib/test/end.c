// SPDX-License-Identifier: MIT
/*
 * libwheel_stop() and libwheel_list().
 */
#include "handle.h"
#include "test.h"

#define TIMERS	300

/* The original backend of a wheel whose backend a test has replaced. */
static const struct backend *behind;

/* Timers that had not fired can be armed on another wheel, unchanged. */
static void stop_hands_back(void)
{
	struct libwheel *old = open_virtual(TIMERS);
	struct libwheel *new = open_virtual(TIMERS);
	struct wheel_op ops[64];
	__u32 cursor = 0;
	int taken = 0;
	int i, n;

	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(0, arm(old, WHEEL_ID(i, 1), (i + 1) * MS));
	EXPECT_EQ(-EINVAL, libwheel_list(old, 1, ops, 64, &cursor));
	EXPECT_EQ(0, libwheel_stop(old, NULL));
	while ((n = libwheel_list(old, 0, ops, 64, &cursor)) > 0) {
		EXPECT_EQ(0, libwheel_submit(new, ops, n, NULL));
		taken += n;
	}
	EXPECT_EQ(TIMERS, taken);
	libwheel_close(old);
	EXPECT_EQ(0, advance(new, HOUR));
	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), next_id(new));
	libwheel_close(new);
}

/* Fails like the device when a signal is pending and no timer was found. */
static int interrupted_list(struct handle *handle, unsigned long command, void *arg)
{
	struct wheel_list *list = arg;

	if (list->cursor++ < 3)
		return -EINTR;
	return behind->command(handle, command, list);
}

/* libwheel_list() continues where the interrupted call ended. */
static void list_goes_on_after_a_signal(void)
{
	struct libwheel *wheel = open_virtual(8);
	struct backend interrupted;
	struct wheel_op seen;
	__u32 cursor = 0;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), SEC));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(6, 1), SEC));
	behind = handle_of(wheel)->backend;
	interrupted = *behind;
	interrupted.command = interrupted_list;
	handle_of(wheel)->backend = &interrupted;
	EXPECT_EQ(1, libwheel_list(wheel, 0, &seen, 1, &cursor));
	EXPECT_EQ(WHEEL_ID(6, 1), seen.id);
	libwheel_close(wheel);
}

const struct ktap_test end_tests[] = {
	TEST(list_goes_on_after_a_signal),
	TEST(stop_hands_back),
	{ NULL, NULL }
};
