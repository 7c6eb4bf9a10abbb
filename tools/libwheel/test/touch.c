// SPDX-License-Identifier: MIT
/*
 * The functions for touch words. contract.c compares the words of both backends with a model.
 */
#include "test.h"

#define SLOT	3
#define ID	WHEEL_ID(SLOT, 1)

static struct libwheel *armed_at(__u64 when)
{
	struct libwheel *wheel = open_touch(64);

	EXPECT_EQ(0, arm_touch(wheel, ID, when));
	return wheel;
}

static void touch_later(void)
{
	struct libwheel *wheel = armed_at(10 * MS);
	struct wheel_event event;

	EXPECT_EQ(0, libwheel_touch(wheel, SLOT, 30 * MS));
	EXPECT_EQ(0, advance(wheel, 10 * MS));
	EXPECT_EQ(0, libwheel_touch(wheel, ID, 50 * MS + 1));
	EXPECT_EQ(0, advance(wheel, 51 * MS - 1));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, 51 * MS));
	EXPECT_EQ(1, libwheel_expirations(wheel, &event, 1));
	EXPECT_EQ(ID, event.id);
	EXPECT_EQ(50 * MS + 1, event.deadline);
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(1, balanced_stats(wheel).armed);
	EXPECT(balanced_stats(wheel).requeued >= 1);
	libwheel_close(wheel);
}

/* Detected at the old deadline; a rearm takes effect at once. */
static void touch_earlier(void)
{
	struct libwheel *wheel = armed_at(30 * MS);

	EXPECT_EQ(0, libwheel_touch(wheel, SLOT, 10 * MS));
	EXPECT_EQ(10 * MS, deadline_of(wheel, ID));
	EXPECT_EQ(0, libwheel_rearm(wheel, ID, 10 * MS));
	EXPECT_EQ(0, advance(wheel, 10 * MS));
	EXPECT_EQ(ID, next_id(wheel));
	libwheel_close(wheel);
}

static void park_is_decisive(void)
{
	struct libwheel *wheel = armed_at(10 * MS);
	struct wheel_stats stats;

	EXPECT_EQ(0, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, query(wheel, ID));
	EXPECT_EQ(-ENOENT, libwheel_rearm(wheel, ID, HOUR));
	EXPECT_EQ(0, balanced_stats(wheel).cancelled);
	EXPECT_EQ(0, advance(wheel, HOUR));
	EXPECT_EQ(0, next_id(wheel));
	stats = balanced_stats(wheel);
	EXPECT_EQ(1, stats.cancelled);
	EXPECT_EQ(0, stats.pending);
	/* It was reclaimed. */
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, 2 * HOUR));
	EXPECT_EQ(-ESTALE, arm_touch(wheel, ID, 2 * HOUR));
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(SLOT, 2), 2 * HOUR));
	libwheel_close(wheel);
}

static void park_and_revive(void)
{
	struct libwheel *wheel = armed_at(10 * MS);
	struct wheel_stats stats;
	int i;

	for (i = 1; i <= 100; i++) {
		EXPECT_EQ(0, libwheel_park(wheel, SLOT));
		EXPECT_EQ(0, libwheel_revive(wheel, SLOT, (10 + i) * MS));
		EXPECT_EQ(-EBUSY, libwheel_revive(wheel, SLOT, HOUR));
	}
	EXPECT_EQ(0, advance(wheel, 110 * MS - 1));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, 110 * MS));
	EXPECT_EQ(ID, next_id(wheel));
	stats = balanced_stats(wheel);
	EXPECT_EQ(1, stats.armed);
	EXPECT_EQ(0, stats.cancelled);
	EXPECT_EQ(1, stats.fired);
	libwheel_close(wheel);
}

static void touch_refuses_what_is_no_deadline(void)
{
	struct libwheel *wheel = armed_at(10 * MS);

	EXPECT_EQ(-ERANGE, libwheel_touch(wheel, SLOT, 0));
	EXPECT_EQ(-ERANGE, libwheel_touch(wheel, SLOT, 1ULL << 63));
	EXPECT_EQ(0, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ERANGE, libwheel_revive(wheel, SLOT, 0));
	EXPECT_EQ(-ERANGE, libwheel_revive(wheel, SLOT, ~0ULL));
	EXPECT_EQ(0, libwheel_revive(wheel, SLOT, WHEEL_MAX_TIME));
	EXPECT_EQ(WHEEL_MAX_TIME, deadline_of(wheel, ID));
	libwheel_close(wheel);
}

/* Slots whose word is not in use: not armed, or armed without WHEEL_OP_TOUCH. */
static void touch_of_nothing(void)
{
	struct libwheel *wheel = open_touch(64);

	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, HOUR));
	EXPECT_EQ(0, arm(wheel, ID, MS));
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, HOUR));
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(ID, next_id(wheel));
	libwheel_close(wheel);

	wheel = open_virtual(64);
	EXPECT_EQ(0, arm(wheel, ID, MS));
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, HOUR));
	libwheel_close(wheel);
}

/* Touching an arbitrary id never accesses memory outside the words. */
static void touch_stays_within(void)
{
	struct libwheel *wheel = open_touch(100);
	__u64 state = test_seed();
	int i;

	for (i = 0; i < 1000; i++) {
		__u64 id = random_below(&state, ~0ULL);

		libwheel_touch(wheel, id, HOUR);
		libwheel_park(wheel, id);
	}
	EXPECT_EQ(0, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

/* A slot beyond the table has no word, and does not affect other words. */
static void touch_beyond_the_table(void)
{
	static const __u32 beyond[] = { 5, 7, 8, 9, 13, WHEEL_SLOT_MASK };
	struct libwheel *wheel = open_touch(5);
	size_t i;

	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(1, 1), 10 * MS));
	for (i = 0; i < COUNT(beyond); i++) {
		__u64 id = WHEEL_ID(beyond[i], 1);

		EXPECT_EQ(-ENOENT, libwheel_touch(wheel, id, 20 * MS));
		EXPECT_EQ(-ENOENT, libwheel_park(wheel, id));
		EXPECT_EQ(-ENOENT, libwheel_revive(wheel, id, 20 * MS));
	}
	EXPECT_EQ(10 * MS, deadline_of(wheel, WHEEL_ID(1, 1)));
	libwheel_close(wheel);
}

const struct test touch_tests[] = {
	TEST(touch_later),
	TEST(touch_earlier),
	TEST(park_is_decisive),
	TEST(park_and_revive),
	TEST(touch_refuses_what_is_no_deadline),
	TEST(touch_of_nothing),
	TEST(touch_stays_within),
	TEST(touch_beyond_the_table),
	{ NULL, NULL }
};
