// SPDX-License-Identifier: MIT
/*
 * The clocks, and their behaviour when they are set.
 */
#include <stdlib.h>
#include <time.h>

#include "test.h"

static const clockid_t ids[] = {
	[WHEEL_CLOCK_MONOTONIC] = CLOCK_MONOTONIC,
	[WHEEL_CLOCK_BOOTTIME] = CLOCK_BOOTTIME,
	[WHEEL_CLOCK_REALTIME] = CLOCK_REALTIME,
	[WHEEL_CLOCK_TAI] = CLOCK_TAI,
};

static __u64 read_clock(__u32 clock)
{
	struct timespec ts;

	clock_gettime(ids[clock], &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

/* libwheel_now() reads the clock of the same name, and the clock drives its wheel. */
static void clocks_run(void)
{
	struct wheel_event event;
	__u32 clock;

	for (clock = 0; clock < COUNT(ids); clock++) {
		struct libwheel *wheel = open_running(clock, 8);
		__u64 before = read_clock(clock);
		__u64 now = libwheel_now(wheel);

		EXPECT(before <= now && now <= read_clock(clock));
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + 2 * MS));
		EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
		EXPECT(event.fired >= now + 2 * MS);
		EXPECT(read_clock(clock) >= event.fired);
		EXPECT_EQ(-EOPNOTSUPP, advance(wheel, now));
		libwheel_close(wheel);
	}
}

static void set_clock(__s64 by)
{
	__u64 then = read_clock(WHEEL_CLOCK_REALTIME) + by;
	struct timespec ts = { then / SEC, then % SEC };

	NEED(!clock_settime(CLOCK_REALTIME, &ts));
}

/*
 * Arm a timer that is due soon, and set the clock back by an hour before it is due. On a busy
 * machine this may need several tries; the event of a failed try is discarded. Returns the time
 * by which the clock was set back.
 */
static __s64 set_back_in_time(struct libwheel *wheel, __u64 *id)
{
	struct wheel_event event;
	__u64 when, gen;
	__s64 back = 0;

	for (gen = 1; ; gen++) {
		*id = WHEEL_ID(2, gen);
		when = libwheel_now(wheel) + 50 * MS;
		EXPECT_EQ(0, arm(wheel, *id, when));
		set_clock(-(__s64)HOUR);
		back += HOUR;
		if (libwheel_now(wheel) + HOUR < when)
			return back;
		if (libwheel_cancel(wheel, *id))
			NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
	}
}

/* A timer fires when the clock is set past its deadline. Set back, it waits again. */
static void clocks_are_set(void)
{
	static const __u32 settable[] = {
		WHEEL_CLOCK_REALTIME, WHEEL_CLOCK_TAI,
	};
	struct wheel_event event;
	size_t i;

	if (!getenv("LIBWHEEL_TEST_RULES"))
		ktap_skip("the test must not set the clock of this machine");
	for (i = 0; i < COUNT(settable); i++) {
		struct libwheel *wheel = open_running(settable[i], 8);
		__u64 now = libwheel_now(wheel), id;
		__s64 back;

		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + HOUR));
		EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 5 * MS));
		set_clock(HOUR + SEC);
		EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
		EXPECT(event.fired >= now + HOUR);

		back = set_back_in_time(wheel, &id);
		EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 100 * MS));
		EXPECT(!readable(wheel));
		EXPECT_EQ(0, arm(wheel, WHEEL_ID(3, 1),
				 libwheel_now(wheel) + MS));
		EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
		EXPECT_EQ(WHEEL_ID(3, 1), event.id);
		set_clock(back);
		EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
		EXPECT_EQ(id, event.id);
		libwheel_close(wheel);
	}
}

/*
 * A timeout is started after the clock was set back. It expires, also on a bounded wheel, whose
 * range is behind the clock then, and also if it was queued before. This test ends with its events.
 */
static void sets_follow_the_clock(void)
{
	static const __u32 modes[] = { 0, LIBWHEEL_ONE_THREAD };
	static const __u32 schemes[] = { WHEEL_HASHED, WHEEL_BOUNDED };
	struct wheel_event event;
	size_t i;

	if (!getenv("LIBWHEEL_TEST_RULES"))
		ktap_skip("the test must not set the clock of this machine");
	for (i = 0; i < 4; i++) {
		struct libwheel_options options = {
			.size = sizeof(options), .clock = WHEEL_CLOCK_REALTIME,
			.scheme = schemes[i / 2], .mode = modes[i % 2], .buckets = 4096,
		};
		struct libwheel_timeouts *set;
		__u32 slot;

		EXPECT_EQ(0, libwheel_timeout_open(&set, 2, &options));
		EXPECT_EQ(0, libwheel_timeout_start(set, 0, 3 * SEC));
		set_clock(-(__s64)HOUR);
		for (slot = 0; slot < 2; slot++)
			EXPECT_EQ(0, libwheel_timeout_start(set, slot, MS));
		EXPECT_EQ(1, libwheel_timeout_wait(set, &event, 1, -1));
		EXPECT_EQ(1, libwheel_timeout_wait(set, &event, 1, -1));
		set_clock(HOUR);
		libwheel_timeout_close(set);
	}
}

const struct ktap_test clock_tests[] = {
	TEST(clocks_run),
	TEST(clocks_are_set),
	TEST(sets_follow_the_clock),
	{ NULL, NULL }
};
