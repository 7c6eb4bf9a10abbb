// SPDX-License-Identifier: MIT
/*
 * Touch words, step by step, on a VIRTUAL clock.
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

/* A word with the highest bit set counts as parked, regardless of the other bits. */
static void touch_word_of_no_meaning(void)
{
	struct libwheel *wheel = armed_at(10 * MS);

	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(4, 1), 10 * MS));
	__atomic_fetch_or(&wheel->words[SLOT], 1ULL << 63, __ATOMIC_ACQ_REL);
	__atomic_fetch_or(&wheel->words[4], 1ULL << 63, __ATOMIC_ACQ_REL);
	EXPECT_EQ(-ENOENT, query(wheel, ID));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, ID));
	EXPECT_EQ(0, advance(wheel, HOUR));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(2, balanced_stats(wheel).cancelled);
	EXPECT_EQ(0, balanced_stats(wheel).pending);
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

static void touch_and_arm(void)
{
	struct libwheel *wheel = armed_at(10 * MS);

	EXPECT_EQ(-EBUSY, arm_touch(wheel, WHEEL_ID(SLOT, 2), HOUR));
	EXPECT_EQ(0, libwheel_park(wheel, SLOT));
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(SLOT, 2), 20 * MS));
	EXPECT_EQ(1, balanced_stats(wheel).cancelled);
	EXPECT_EQ(0, advance(wheel, 20 * MS));
	EXPECT_EQ(-EBUSY, arm_touch(wheel, WHEEL_ID(SLOT, 3), HOUR));
	EXPECT_EQ(WHEEL_ID(SLOT, 2), next_id(wheel));
	EXPECT_EQ(0, next_id(wheel));
	/* A deadline of 0 is stored as 1, so that the timer is not parked. */
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(SLOT, 3), 0));
	EXPECT_EQ(1, deadline_of(wheel, WHEEL_ID(SLOT, 3)));
	EXPECT_EQ(0, advance(wheel, 21 * MS));
	EXPECT_EQ(WHEEL_ID(SLOT, 3), next_id(wheel));
	libwheel_close(wheel);
}

static void touch_and_cancel(void)
{
	struct libwheel *wheel = armed_at(10 * MS);

	EXPECT_EQ(0, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(0, libwheel_cancel(wheel, ID));
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, SLOT, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, HOUR));
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(SLOT, 2), 10 * MS));
	EXPECT_EQ(0, libwheel_park(wheel, SLOT));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, WHEEL_ID(SLOT, 2)));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, SLOT, HOUR));
	EXPECT_EQ(2, balanced_stats(wheel).cancelled);
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

/* Listed with their current deadlines. A parked timer is not listed. */
static void touch_and_stop(void)
{
	struct libwheel *wheel = armed_at(10 * MS);
	struct wheel_op ops[4];
	uint64_t unfired = 0;
	__u32 cursor = 0;

	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(4, 1), 10 * MS));
	EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(5, 1), 10 * MS));
	EXPECT_EQ(0, libwheel_touch(wheel, 5, 77 * MS));
	EXPECT_EQ(0, libwheel_park(wheel, 4));
	EXPECT_EQ(2, libwheel_list(wheel, 0, ops, 4, &cursor));
	EXPECT_EQ(77 * MS, ops[1].when);
	EXPECT_EQ(WHEEL_OP_TOUCH, ops[1].flags);
	EXPECT_EQ(0, libwheel_stop(wheel, &unfired));
	EXPECT_EQ(2, unfired);
	EXPECT_EQ(-ENOENT, libwheel_touch(wheel, 5, HOUR));
	EXPECT_EQ(-ENOENT, libwheel_revive(wheel, 4, HOUR));
	cursor = 0;
	EXPECT_EQ(2, libwheel_list(wheel, WHEEL_LIST_TAKE, ops, 4, &cursor));
	EXPECT_EQ(WHEEL_ID(5, 1), ops[1].id);
	EXPECT_EQ(77 * MS, ops[1].when);
	EXPECT_EQ(3, balanced_stats(wheel).cancelled);
	libwheel_close(wheel);
}

/* Only one-shot timers support touch words. */
static void touch_with_a_period(void)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .flags = WHEEL_OP_TOUCH, .id = ID,
		.when = MS, .period = MS,
	};
	struct libwheel *wheel = open_touch(64);

	EXPECT_EQ(-EINVAL, libwheel_do(wheel, &op));
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

/* Random deadlines and touches in all slots of a large wheel. */
static void touch_many(void)
{
	enum { MANY = 20000 };
	struct libwheel *wheel = open_touch(MANY);
	__u64 state = test_seed();
	static __u64 due[MANY];
	struct wheel_event event;
	__u64 now;
	int i;

	for (i = 0; i < MANY; i++) {
		due[i] = 1 + random_below(&state, SEC);
		EXPECT_EQ(0, arm_touch(wheel, WHEEL_ID(i, 1), due[i]));
	}
	for (now = 0; now <= 5 * SEC; now += 50 * MS) {
		EXPECT_EQ(0, advance(wheel, now));
		while (libwheel_expirations(wheel, &event, 1) == 1) {
			i = WHEEL_ID_SLOT(event.id);
			NEED(event.deadline == due[i] && due[i] <= now &&
			     due[i] + 50 * MS > now);
			due[i] = ~0ULL;
		}
		for (i = 0; i < MANY; i += 1 + random_below(&state, 10)) {
			__u64 later = now + 1 + random_below(&state, SEC);

			if (later <= due[i] || now > 3 * SEC)
				continue;
			NEED(!libwheel_touch(wheel, i, later));
			due[i] = later;
		}
	}
	EXPECT_EQ(MANY, balanced_stats(wheel).fired);
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
	TEST(touch_word_of_no_meaning),
	TEST(touch_of_nothing),
	TEST(touch_and_arm),
	TEST(touch_and_cancel),
	TEST(touch_and_stop),
	TEST(touch_with_a_period),
	TEST(touch_stays_within),
	TEST(touch_many),
	TEST(touch_beyond_the_table),
	{ NULL, NULL }
};
