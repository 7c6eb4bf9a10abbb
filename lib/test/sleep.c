// SPDX-License-Identifier: MIT
/*
 * Loops that sleep with a timeout: libwheel_next(), and wheels without a descriptor.
 */
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "test.h"

#define ID	WHEEL_ID(1, 1)

/* Only the user backend supports modes. */
static struct libwheel *open_mode(__u32 mode, __u32 clock, __u32 flags)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = mode,
		.clock = clock, .flags = flags, .timers = 64, .tick_ns = MS,
	};

	return open_wheel(&options);
}

static __u64 next_of(struct libwheel *wheel)
{
	uint64_t when = 1;

	NEED(!libwheel_next(wheel, &when));
	return when;
}

static void next_on_a_clock_that_is_moved(void)
{
	struct libwheel *wheel = open_mode(0, WHEEL_CLOCK_VIRTUAL, 0);

	EXPECT_EQ(~0ULL, next_of(wheel));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(2, 1), HOUR));
	EXPECT_EQ(HOUR, next_of(wheel));
	EXPECT_EQ(0, arm(wheel, ID, 5 * MS + 1));
	EXPECT_EQ(6 * MS, next_of(wheel));
	EXPECT_EQ(0, advance(wheel, 6 * MS));
	EXPECT_EQ(0, next_of(wheel));
	EXPECT_EQ(ID, next_id(wheel));
	EXPECT_EQ(HOUR, next_of(wheel));
	EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	EXPECT_EQ(0, next_of(wheel));
	libwheel_close(wheel);
}

/* Includes timers armed by words, which the wheel detects only by a scan. */
static void next_includes_words(void)
{
	struct libwheel *wheel = open_mode(0, WHEEL_CLOCK_VIRTUAL, WHEEL_SETUP_WORDS);
	uint64_t id = ID;

	EXPECT_EQ(0, libwheel_word(wheel, id, 0));
	EXPECT_EQ(~0ULL, next_of(wheel));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, 7 * MS));
	EXPECT_EQ(7 * MS, next_of(wheel));
	EXPECT_EQ(0, libwheel_word_arm(wheel, id, 3 * MS));
	EXPECT_EQ(3 * MS, next_of(wheel));
	EXPECT_EQ(0, advance(wheel, 3 * MS));
	EXPECT_EQ(id, next_id(wheel));
	libwheel_close(wheel);
}

/* The device does not support this. */
static void next_on_a_running_clock(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 64);
	__u64 now = libwheel_now(wheel);
	uint64_t when = 5;

	if (libwheel_backend(wheel) == LIBWHEEL_KERNEL) {
		EXPECT_EQ(-EOPNOTSUPP, libwheel_next(wheel, &when));
		EXPECT_EQ(5, when);
	} else {
		EXPECT_EQ(0, arm(wheel, ID, now + HOUR));
		when = next_of(wheel);
		EXPECT(when >= now + HOUR && when < now + HOUR + MS);
	}
	libwheel_close(wheel);
}

/* The intended use: sleep until then and take events. No event is early or lost. */
static void no_fd_wakes_in_time(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_NO_FD, WHEEL_CLOCK_MONOTONIC,
					   WHEEL_SETUP_WORDS);
	__u64 state = test_seed();
	uint64_t word = WHEEL_ID(2, 1);
	__u64 gen;

	EXPECT_EQ(0, libwheel_word(wheel, word, 0));
	for (gen = 1; gen < 50; gen++) {
		__u64 when = libwheel_now(wheel) + random_below(&state, 3 * MS);
		bool seen = false, seen_word = false;

		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, gen), when));
		EXPECT_EQ(0, gen == 1 ? libwheel_word_arm(wheel, word, when) :
					libwheel_word_restart(wheel, word, when));
		while (!seen || !seen_word) {
			__u64 next = next_of(wheel);
			__u64 id;

			NEED(next != ~0ULL);
			while (libwheel_now(wheel) < next)
				;
			id = next_id(wheel);
			seen |= id == WHEEL_ID(1, gen);
			seen_word |= id == word;
			EXPECT(!id || libwheel_now(wheel) >= when);
		}
	}
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

static void no_fd_has_none(void)
{
	struct libwheel *wheel = open_mode(LIBWHEEL_NO_FD, WHEEL_CLOCK_VIRTUAL, 0);
	struct wheel_event event;

	EXPECT_EQ(-EOPNOTSUPP, libwheel_fd(wheel));
	EXPECT_EQ(-EOPNOTSUPP, libwheel_wait(wheel, &event, 1, 1));
	EXPECT_EQ(-EOPNOTSUPP, libwheel_wait(wheel, &event, 1, -1));
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 0));
	EXPECT_EQ(0, arm(wheel, ID, MS));
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, 0));
	libwheel_close(wheel);
}

/* Arming, moving and taking timers makes no system calls to set a descriptor. */
static void no_fd_sets_none(void)
{
	static const __u32 clocks[] = { WHEEL_CLOCK_VIRTUAL, WHEEL_CLOCK_MONOTONIC };
	static const __u32 calls[] = {
		__NR_timerfd_create, __NR_timerfd_settime, __NR_eventfd2,
	};
	size_t i;

	for (i = 0; i < COUNT(calls); i++)
		answer_calls(calls[i], SECCOMP_RET_KILL_PROCESS);
	for (i = 0; i < COUNT(clocks); i++) {
		struct libwheel *wheel = open_mode(LIBWHEEL_NO_FD, clocks[i], 0);
		__u64 now = libwheel_now(wheel);

		EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), now + HOUR));
		EXPECT_EQ(0, libwheel_rearm(wheel, WHEEL_ID(1, 1), now + MS));
		if (clocks[i] == WHEEL_CLOCK_VIRTUAL)
			EXPECT_EQ(0, advance(wheel, now + MS));
		while (next_of(wheel))
			;
		EXPECT_EQ(WHEEL_ID(1, 1), next_id(wheel));
		libwheel_close(wheel);
	}
}

static void mode_is_of_the_program(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_KERNEL,
		.mode = LIBWHEEL_NO_FD,
	};
	struct libwheel *wheel = NULL;

	EXPECT_EQ(-EOPNOTSUPP, libwheel_open(&wheel, &options));
	options.backend = LIBWHEEL_AUTO;
	setenv("LIBWHEEL_BACKEND", "auto", 1);
	EXPECT_EQ(0, libwheel_open(&wheel, &options));
	EXPECT_EQ(LIBWHEEL_USER, libwheel_backend(wheel));
	libwheel_close(wheel);
	options.mode = 1U << 2;
	EXPECT_EQ(-EINVAL, libwheel_open(&wheel, &options));
	options.mode = 1U << 31;
	EXPECT_EQ(-EINVAL, libwheel_open(&wheel, &options));
}

const struct ktap_test sleep_tests[] = {
	TEST(next_on_a_clock_that_is_moved),
	TEST(next_includes_words),
	TEST(next_on_a_running_clock),
	TEST(no_fd_wakes_in_time),
	TEST(no_fd_has_none),
	TEST(no_fd_sets_none),
	TEST(mode_is_of_the_program),
	{ NULL, NULL }
};
