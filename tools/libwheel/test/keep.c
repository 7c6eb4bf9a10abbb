// SPDX-License-Identifier: MIT
/*
 * Kept timers, step by step: on a VIRTUAL clock, where ADVANCE scans the timers, and on running
 * clocks.
 */
#include "handle.h"
#include "test.h"

/* Allocate a kept timer, parked. */
static __u64 keep(struct libwheel *wheel, __u32 slot)
{
	uint64_t id = WHEEL_ID(slot, 1);

	NEED(!libwheel_keep(wheel, id, slot));
	return id;
}

static struct libwheel *open_running_touch(__u32 clock)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = clock, .timers = 8192,
		.flags = WHEEL_SETUP_TOUCH,
	};

	return open_wheel(&options);
}

static struct wheel_event next_event(struct libwheel *wheel)
{
	struct wheel_event event;

	NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
	return event;
}

/* All state transitions of the table in libwheel_keep.h, and no others. */
static void keep_life(void)
{
	struct libwheel *wheel = open_touch(64);
	__u64 id = keep(wheel, 3);

	EXPECT_EQ(-ENOENT, libwheel_park(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_keep_rest(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_keep_again(wheel, id, MS));
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, 5 * MS));
	EXPECT_EQ(-EBUSY, libwheel_keep_again(wheel, id, 5 * MS));
	EXPECT_EQ(-ENOENT, libwheel_keep_rest(wheel, id));
	EXPECT_EQ(5 * MS, deadline_of(wheel, id));
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, 9 * MS));
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, 3 * MS));
	EXPECT_EQ(0, libwheel_park(wheel, id));
	EXPECT_EQ(-ENOENT, query(wheel, id));
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, 7 * MS));
	EXPECT_EQ(0, advance(wheel, 7 * MS - 1));
	EXPECT_EQ(0, next_id(wheel));
	EXPECT_EQ(0, advance(wheel, 7 * MS));
	EXPECT_EQ(-ENOENT, libwheel_park(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_keep_arm(wheel, id, HOUR));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT_EQ(0, libwheel_keep_again(wheel, id, 8 * MS));
	EXPECT_EQ(0, advance(wheel, 8 * MS));
	EXPECT_EQ(id, next_id(wheel));
	EXPECT_EQ(0, libwheel_keep_rest(wheel, id));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, id));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(3, 2), HOUR));
	libwheel_close(wheel);
}

static void keep_says_what_is_wrong(void)
{
	struct libwheel *plain = open_virtual(64);
	struct libwheel *wheel = open_touch(64);
	uint64_t id = WHEEL_ID(1, 1);

	EXPECT_EQ(-EOPNOTSUPP, libwheel_keep(plain, id, 0));
	EXPECT_EQ(-ENOENT, libwheel_keep_arm(plain, id, MS));
	EXPECT_EQ(-ENOENT, libwheel_keep_arm(wheel, id, MS));
	EXPECT_EQ(0, libwheel_keep(wheel, id, 0));
	EXPECT_EQ(-EBUSY, libwheel_keep(wheel, id, 0));
	EXPECT_EQ(-ERANGE, libwheel_keep_arm(wheel, id, 0));
	EXPECT_EQ(-ERANGE, libwheel_keep_arm(wheel, id, 1ULL << 63));
	EXPECT_EQ(-ERANGE, libwheel_keep_again(wheel, id, 0));
	EXPECT_EQ(-ENOENT, libwheel_keep_arm(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-ENOENT, libwheel_keep_again(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-ENOENT, libwheel_keep_rest(wheel, WHEEL_ID(64, 1)));
	EXPECT_EQ(-ENOENT, libwheel_keep_notify(wheel, WHEEL_ID(64, 1), MS));
	EXPECT_EQ(-EBUSY, arm(wheel, WHEEL_ID(1, 2), MS));
	libwheel_close(plain);
	libwheel_close(wheel);
}

/* A timeout is started, restarted and stopped. Its slot can be used after its event was taken. */
static void timeout_life(void)
{
	struct libwheel *wheel = open_touch(64);
	struct wheel_event event;
	int i;

	EXPECT_EQ(-EINVAL, libwheel_timeout_start(wheel, 64, MS));
	EXPECT_EQ(-ERANGE, libwheel_timeout_start(wheel, 3, -MS));
	EXPECT_EQ(-ENOENT, libwheel_timeout_stop(wheel, 3));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, libwheel_timeout_start(wheel, 3, HOUR));
		EXPECT_EQ(0, libwheel_timeout_stop(wheel, 3));
		EXPECT_EQ(0, libwheel_timeout_start(wheel, 3, 9 * MS));
		EXPECT_EQ(0, libwheel_timeout_start(wheel, 3, 5 * MS));
		EXPECT_EQ(0, libwheel_timeout_wait(wheel, &event, 1, 0));
		EXPECT_EQ(0, advance(wheel, libwheel_now(wheel) + 5 * MS));
		EXPECT_EQ(-ENOENT, libwheel_timeout_start(wheel, 3, MS));
		EXPECT_EQ(-ENOENT, libwheel_timeout_stop(wheel, 3));
		EXPECT_EQ(1, libwheel_timeout_wait(wheel, &event, 1, 0));
		EXPECT_EQ(3, event.cookie);
	}
	libwheel_close(wheel);
}

/* STOP returns all kept timers, and arming one later fails. */
static void keep_and_stop(void)
{
	struct libwheel *wheel = open_running_touch(WHEEL_CLOCK_MONOTONIC);
	__u64 now = libwheel_now(wheel);
	__u64 id = keep(wheel, 1), parked = keep(wheel, 2);
	struct wheel_op op;
	uint64_t unfired = 0;
	uint32_t cursor = 0;

	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, now + HOUR));
	EXPECT_EQ(0, libwheel_stop(wheel, &unfired));
	EXPECT_EQ(1, unfired);
	EXPECT_EQ(1, libwheel_list(wheel, WHEEL_LIST_TAKE, &op, 1, &cursor));
	EXPECT_EQ(now + HOUR, op.when);
	EXPECT_EQ(WHEEL_OP_KEEP, op.flags);
	EXPECT_EQ(-ENOENT, libwheel_keep_arm(wheel, parked, now + HOUR));
	EXPECT_EQ(-ESHUTDOWN, libwheel_keep_again(wheel, parked, now + HOUR));
	EXPECT_EQ(-ESHUTDOWN, arm(wheel, WHEEL_ID(3, 1), now + 2 * HOUR));
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

/* A timer that is armed and parked between two scans is not counted. */
static void p11_keep_counts_what_was_seen(void)
{
	struct libwheel *wheel = open_running_touch(WHEEL_CLOCK_MONOTONIC);
	__u64 now = libwheel_now(wheel);
	__u64 id = keep(wheel, 5000);
	int i;

	for (i = 0; i < 10000; i++) {
		NEED(!libwheel_keep_arm(wheel, id, now + HOUR + i));
		NEED(!libwheel_park(wheel, id));
	}
	EXPECT_EQ(0, balanced_stats(wheel).armed);
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, now));
	EXPECT_EQ(id, next_event(wheel).id);
	EXPECT_EQ(1, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

/* On each running clock: a timer is neither early nor lost, regardless of older timers. */
static void fires_on(__u32 clock)
{
	struct libwheel *wheel = open_running_touch(clock);
	__u64 far = keep(wheel, 0), near = keep(wheel, 4097);
	__u64 now = libwheel_now(wheel);
	int i;

	EXPECT_EQ(0, libwheel_keep_arm(wheel, far, now + HOUR));
	for (i = 0; i < 30; i++) {
		__u64 when = libwheel_now(wheel) + i % 4 * MS;
		struct wheel_event event;

		NEED(!(i ? libwheel_keep_again(wheel, near, when) :
			   libwheel_keep_arm(wheel, near, when)));
		if (i % 3 == 0)
			EXPECT_EQ(0, libwheel_keep_arm(wheel, far, when + HOUR));
		event = next_event(wheel);
		EXPECT_EQ(near, event.id);
		EXPECT_EQ(when, event.deadline);
		EXPECT(event.fired >= when && event.fired <= libwheel_now(wheel));
	}
	EXPECT_EQ(0, libwheel_keep_arm(wheel, far, libwheel_now(wheel)));
	EXPECT_EQ(far, next_event(wheel).id);
	libwheel_close(wheel);
}

/* Not permitted: armed before the event was taken. The timer must still expire. */
static void p3_keep_armed_too_early(void)
{
	struct libwheel *wheel = open_running_touch(WHEEL_CLOCK_MONOTONIC);
	__u64 id = keep(wheel, 1);
	__u64 now = libwheel_now(wheel);

	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, now));
	while (libwheel_keep_again(wheel, id, now + 20 * MS) == -EBUSY)
		query(wheel, id);
	/* Until the scans, which such a call runs if they are left to the program, have ended. */
	while (__atomic_load_n(wheel->next_wake, __ATOMIC_SEQ_CST) != ~0ULL)
		query(wheel, id);
	EXPECT_EQ(now, next_event(wheel).deadline);
	EXPECT_EQ(now + 20 * MS, next_event(wheel).deadline);
	libwheel_close(wheel);
}

static void p3_keep_on_monotonic(void)
{
	fires_on(WHEEL_CLOCK_MONOTONIC);
}

static void p3_keep_on_boottime(void)
{
	fires_on(WHEEL_CLOCK_BOOTTIME);
}

static void fires_on_settable(__u32 clock)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = clock, .timers = 64,
		.flags = WHEEL_SETUP_TOUCH, .scheme = WHEEL_HASHED,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 id = keep(wheel, 7);
	int i;

	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, libwheel_now(wheel) + MS));
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(id, next_event(wheel).id);
		/* next_wake must not be 0: if the clock is set, the next tick may be far away. */
		EXPECT(*wheel->next_wake);
		EXPECT_EQ(0, libwheel_keep_again(wheel, id,
						 libwheel_now(wheel) + i * MS));
	}
	libwheel_close(wheel);
}

static void p3_keep_on_realtime(void)
{
	fires_on_settable(WHEEL_CLOCK_REALTIME);
}

static void p3_keep_on_tai(void)
{
	fires_on_settable(WHEEL_CLOCK_TAI);
}

/* A timer beyond the range of a bounded wheel expires at its deadline. */
static void p6_keep_beyond_the_revolution(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .clock = WHEEL_CLOCK_MONOTONIC,
		.timers = 64, .buckets = 2, .tick_ns = MS,
		.scheme = WHEEL_BOUNDED, .flags = WHEEL_SETUP_TOUCH,
	};
	struct libwheel *wheel = open_wheel(&options);
	__u64 when = libwheel_now(wheel) + 100 * MS;
	__u64 id = keep(wheel, 1);
	struct wheel_event event;

	EXPECT_EQ(-ERANGE, arm(wheel, WHEEL_ID(2, 1), libwheel_now(wheel) + HOUR));
	EXPECT_EQ(0, libwheel_keep_arm(wheel, id, when));
	event = next_event(wheel);
	EXPECT_EQ(id, event.id);
	EXPECT(event.fired >= when);
	libwheel_close(wheel);
}

/* A module without kept timers does not report WHEEL_HAS_KEEP. */
static void keep_on_an_older_module(void)
{
	struct libwheel *wheel = open_touch(64);
	uint64_t id = WHEEL_ID(3, 1);

	handle_of(wheel)->setup.features &= ~WHEEL_HAS_KEEP;
	EXPECT_EQ(-EOPNOTSUPP, libwheel_keep(wheel, id, 0));
	EXPECT_EQ(0, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

const struct test keep_tests[] = {
	TEST(keep_life),
	TEST(keep_says_what_is_wrong),
	TEST(timeout_life),
	TEST(keep_and_stop),
	TEST(keep_on_an_older_module),
	TEST(p11_keep_counts_what_was_seen),
	TEST(p3_keep_armed_too_early),
	TEST(p3_keep_on_monotonic),
	TEST(p3_keep_on_boottime),
	TEST(p3_keep_on_realtime),
	TEST(p3_keep_on_tai),
	TEST(p6_keep_beyond_the_revolution),
	{ NULL, NULL }
};
