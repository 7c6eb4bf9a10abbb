// SPDX-License-Identifier: MIT
/*
 * The guarantees that depend on the backend: threads, clocks, wake-ups and memory. contract.c
 * compares the others with a model.
 */

#include "test.h"

#define TIMERS	1000

/* Each timer has one event, compared with the clock after the program has taken it. */
static void p1_never_early_p3_exactly_once(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	static int events[TIMERS];
	struct wheel_event event[7];
	__u64 state = test_seed();
	int left = TIMERS;
	int i, n;

	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(i, 1), libwheel_now(wheel) +
				 random_below(&state, 50 * MS)));
	for (; left > 0; left -= n) {
		n = libwheel_wait(wheel, event, 7, -1);
		NEED(n > 0);
		for (i = 0; i < n; i++) {
			NEED(WHEEL_ID_SLOT(event[i].id) < TIMERS);
			EXPECT_EQ(1, ++events[WHEEL_ID_SLOT(event[i].id)]);
			EXPECT_EQ(~event[i].id, event[i].cookie);
			EXPECT(event[i].fired >= event[i].deadline);
			EXPECT(libwheel_now(wheel) >= event[i].fired);
		}
	}
	EXPECT_EQ(0, libwheel_expirations(wheel, event, 7));
	EXPECT_EQ(TIMERS, balanced_stats(wheel).fired);
	libwheel_close(wheel);
}

/* Also if the wheel has not read the clock for a long time. */
static void p6_a_bound_counts_from_the_present(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = WHEEL_BOUNDED,
		.timers = 64, .buckets = 1024,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 now = libwheel_now(wheel);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + SEC));
	EXPECT_EQ(-ERANGE, arm(wheel, WHEEL_ID(2, 1), now + HOUR));
	libwheel_close(wheel);
}

/* Without due timers, the descriptor is not readable and no wake-up occurs. */
static void p7_silence(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	struct wheel_event event;
	int i;

	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(i, 1),
				 libwheel_now(wheel) + HOUR));
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 50 * MS));
	EXPECT_EQ(0, balanced_stats(wheel).wakeups);
	for (i = 0; i < TIMERS; i++)
		EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(i, 1)));
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 50 * MS));
	EXPECT(!readable(wheel));
	EXPECT_EQ(0, balanced_stats(wheel).wakeups);
	libwheel_close(wheel);
}

/* Cancelling the earliest timer causes at most one unnecessary wake-up. */
static void p7_one_empty_wakeup(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, TIMERS);
	struct wheel_event event;
	__u64 ahead = 5 * MS, gen, before;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), libwheel_now(wheel) + HOUR));
	/* On a busy machine it may fire before it is cancelled. Retry with a later deadline. */
	for (gen = 1; ; gen++, ahead *= 2) {
		before = balanced_stats(wheel).wakeups;
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, gen), libwheel_now(wheel) + ahead));
		if (!libwheel_cancel(wheel, WHEEL_ID(2, gen)))
			break;
		NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
	}
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 10 * ahead));
	EXPECT(balanced_stats(wheel).wakeups <= before + 1);
	EXPECT(!readable(wheel));
	libwheel_close(wheel);
}

/* No event is lost if the program does not take events. */
static void p8_nothing_lost(void)
{
	enum { MANY = 100000 };
	struct libwheel *wheel = open_virtual(MANY);
	static struct wheel_event events[MANY];
	static struct wheel_op ops[MANY];
	int i;

	for (i = 0; i < MANY; i++)
		ops[i] = (struct wheel_op){
			.op = WHEEL_OP_ARM, .id = WHEEL_ID(i, 1),
			.when = 1 + i,
		};
	EXPECT_EQ(0, libwheel_submit(wheel, ops, MANY, NULL));
	EXPECT_EQ(0, advance(wheel, SEC));
	EXPECT_EQ(MANY, balanced_stats(wheel).unread);
	EXPECT_EQ(3, libwheel_expirations(wheel, events, 3));
	EXPECT_EQ(MANY - 3, libwheel_expirations(wheel, events + 3, MANY));
	for (i = 0; i < MANY; i++)
		NEED(events[i].seq == (__u32)i && events[i].id == ops[i].id);
	EXPECT_EQ(0, balanced_stats(wheel).unread);
	libwheel_close(wheel);
}

const struct ktap_test promise_tests[] = {
	TEST(p1_never_early_p3_exactly_once),
	TEST(p6_a_bound_counts_from_the_present),
	TEST(p7_silence),
	TEST(p7_one_empty_wakeup),
	TEST(p8_nothing_lost),
	{ NULL, NULL }
};
