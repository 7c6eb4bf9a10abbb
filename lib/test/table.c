// SPDX-License-Identifier: MIT
/*
 * Generations, batches, and libwheel_rearm_or_arm() on a slot in each state. The tests of
 * contract.c cover the other operations.
 */
#include <stdio.h>

#include "test.h"

#define SLOT	9
#define GEN	5
#define ID	WHEEL_ID(SLOT, GEN)
#define WHEN	(10 * MS)

enum state {
	UNUSED, PENDING, CANCELLED, FIRED, READ,
	PERIODIC, PERIODIC_FIRED, PERIODIC_ENDED, STOPPED,
};

/* The results of a rearm, and of an arm with a newer generation. */
static const struct row {
	const char *name;
	int rearm, newer;
} rows[] = {
	[UNUSED] = { "unused", -ENOENT, 0 },
	[PENDING] = { "pending", 0, -EBUSY },
	[CANCELLED] = { "cancelled", -ENOENT, 0 },
	[FIRED] = { "fired", -ENOENT, -EBUSY },
	[READ] = { "read", -ENOENT, 0 },
	[PERIODIC] = { "periodic", 0, -EBUSY },
	[PERIODIC_FIRED] = { "periodic, fired", -ENOENT, -EBUSY },
	[PERIODIC_ENDED] = { "periodic, ended", -ENOENT, -EBUSY },
	[STOPPED] = { "stopped", -ENOENT, -ESHUTDOWN },
};

static struct libwheel *bring(enum state state)
{
	struct libwheel *wheel = open_virtual(64);
	bool periodic = state >= PERIODIC && state <= PERIODIC_ENDED;

	if (state == UNUSED)
		return wheel;
	EXPECT_EQ(0, arm_every(wheel, ID, WHEN, periodic ? WHEN : 0));
	if (state == CANCELLED)
		EXPECT_EQ(0, libwheel_cancel(wheel, ID));
	if (state == STOPPED)
		EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	if (state == FIRED || state == READ || state == PERIODIC_FIRED ||
	    state == PERIODIC_ENDED)
		EXPECT_EQ(0, advance(wheel, WHEN));
	if (state == READ)
		EXPECT_EQ(ID, next_id(wheel));
	if (state == PERIODIC_ENDED)
		EXPECT_EQ(1, libwheel_cancel(wheel, ID));
	return wheel;
}

/* An arm that fails does not consume its generation. */
static void table_of_generations(void)
{
	struct libwheel *wheel = open_virtual(64);
	__u64 last = WHEEL_ID(SLOT, (1ULL << 40) - 1);

	EXPECT_EQ(-ESTALE, arm(wheel, WHEEL_ID(SLOT, 0), WHEN));
	EXPECT_EQ(-ERANGE, arm(wheel, ID, 1ULL << 63));
	EXPECT_EQ(0, arm(wheel, ID, WHEN));
	EXPECT_EQ(0, libwheel_cancel(wheel, ID));
	EXPECT_EQ(-ESTALE, arm(wheel, ID, WHEN));
	EXPECT_EQ(0, arm(wheel, last, WHEN));
	EXPECT_EQ(0, libwheel_cancel(wheel, last));
	EXPECT_EQ(-ESTALE, arm(wheel, last, WHEN));
	libwheel_close(wheel);
}

/* Moves a pending timer. Otherwise arms the next generation, if that is possible. */
static void table_of_rearm_or_arm(void)
{
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct libwheel *wheel = bring(i);
		int expected = row->rearm ? row->newer : 0;
		uint64_t id = ID;

		if (!EXPECT_EQ(expected, libwheel_rearm_or_arm(wheel, &id, HOUR, 7)))
			printf("# a timer that was %s\n", row->name);
		EXPECT_EQ(row->rearm && !expected ? WHEEL_ID(SLOT, GEN + 1) : ID, id);
		if (!expected)
			EXPECT_EQ(HOUR, deadline_of(wheel, id));
		libwheel_close(wheel);
	}
}

static void rearm_or_arm_says_what_is_wrong(void)
{
	struct libwheel *wheel = open_virtual(64);
	uint64_t id = WHEEL_ID(64, 1);

	EXPECT_EQ(-EINVAL, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	id = WHEEL_ID(3, 0);
	EXPECT_EQ(-ERANGE, libwheel_rearm_or_arm(wheel, &id, 1ULL << 63, 0));
	EXPECT_EQ(WHEEL_ID(3, 0), id);
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	EXPECT_EQ(WHEEL_ID(3, 1), id);
	EXPECT_EQ(-ERANGE, libwheel_rearm_or_arm(wheel, &id, 1ULL << 63, 0));
	EXPECT_EQ(HOUR, deadline_of(wheel, id));
	id = WHEEL_ID(3, 0);
	EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(3, 1)));
	EXPECT_EQ(-ESTALE, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	libwheel_close(wheel);
}

/* A timer that is moved keeps its cookie. An arm sets the new one. */
static void rearm_or_arm_and_the_cookie(void)
{
	struct libwheel *wheel = open_virtual(8);
	struct wheel_event event;
	uint64_t id = WHEEL_ID(1, 0);

	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, MS, 11));
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, 2 * MS, 12));
	EXPECT_EQ(0, advance(wheel, 2 * MS));
	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(11, event.cookie);
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, 3 * MS, 13));
	EXPECT_EQ(0, advance(wheel, 3 * MS));
	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(13, event.cookie);
	libwheel_close(wheel);
}

/* libwheel_rearm_in(), _arm_within() and _arm_every() are operations with one more member. */
static void arm_with_a_delay_a_slack_or_a_period(void)
{
	struct libwheel *wheel = open_virtual(8);
	struct wheel_event event;
	int i;

	EXPECT_EQ(0, advance(wheel, 3 * MS));
	EXPECT_EQ(-ENOENT, libwheel_rearm_in(wheel, WHEEL_ID(1, 1), MS));
	EXPECT_EQ(0, libwheel_arm_in(wheel, WHEEL_ID(1, 1), HOUR, 11));
	EXPECT_EQ(0, libwheel_rearm_in(wheel, WHEEL_ID(1, 1), 5 * MS));
	EXPECT_EQ(8 * MS, deadline_of(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(-ERANGE, libwheel_rearm_in(wheel, WHEEL_ID(1, 1), 1ULL << 63));
	EXPECT_EQ(0, libwheel_arm_every(wheel, WHEEL_ID(2, 1), 8 * MS, 10 * MS, 12));
	/* 64 ms is the last multiple of a power of two within the slack. */
	EXPECT_EQ(0, libwheel_arm_within(wheel, WHEEL_ID(3, 1), 60 * MS, 10 * MS, 13));
	EXPECT_EQ(0, advance(wheel, 8 * MS));
	for (i = 0; i < 2; i++) {
		NEED(libwheel_expirations(wheel, &event, 1) == 1);
		EXPECT_EQ(11 + i, event.cookie);
		EXPECT_EQ(8 * MS, event.deadline);
	}
	EXPECT_EQ(0, advance(wheel, 18 * MS));
	EXPECT_EQ(WHEEL_ID(2, 1), next_id(wheel));
	EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(2, 1)));
	EXPECT_EQ(0, advance(wheel, 63 * MS));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, 64 * MS));
	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(13, event.cookie);
	EXPECT_EQ(60 * MS, event.deadline);
	libwheel_close(wheel);
}

/* The same on a running clock, which the user backend reads itself. */
static void rearm_with_a_delay_on_a_running_clock(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	__u64 before, when;

	EXPECT_EQ(0, libwheel_arm_in(wheel, WHEEL_ID(1, 1), HOUR, 0));
	before = libwheel_now(wheel);
	EXPECT_EQ(0, libwheel_rearm_in(wheel, WHEEL_ID(1, 1), 2 * HOUR));
	when = deadline_of(wheel, WHEEL_ID(1, 1));
	EXPECT(when >= before + 2 * HOUR && when <= libwheel_now(wheel) + 2 * HOUR);
	EXPECT_EQ(-ERANGE, libwheel_rearm_in(wheel, WHEEL_ID(1, 1), ~0ULL));
	libwheel_close(wheel);
}

const struct ktap_test table_tests[] = {
	TEST(table_of_generations),
	TEST(table_of_rearm_or_arm),
	TEST(rearm_or_arm_says_what_is_wrong),
	TEST(rearm_or_arm_and_the_cookie),
	TEST(arm_with_a_delay_a_slack_or_a_period),
	TEST(rearm_with_a_delay_on_a_running_clock),
	{ NULL, NULL }
};
