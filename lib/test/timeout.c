// SPDX-License-Identifier: MIT
/*
 * Timeouts: on a VIRTUAL clock, and on a running one, where both backends must agree.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "test.h"

static struct libwheel_timeouts *open_set(__u32 clock, __u32 slots)
{
	struct libwheel_options options = { .size = sizeof(options), .clock = clock };
	struct libwheel_timeouts *set = NULL;

	NEED(!libwheel_timeout_open(&set, slots, &options));
	return set;
}

static struct libwheel_time at(__u64 ns)
{
	return (struct libwheel_time){ ns };
}

/* Returns the slot of the only expired timeout; -1 if there is none. */
static int expired_slot(struct libwheel_timeouts *set)
{
	struct wheel_event events[2];
	int n = libwheel_timeout_wait(set, events, 2, 0);

	EXPECT(n == 0 || n == 1);
	return n == 1 ? (int)events[0].cookie : -1;
}

/* Started, moved in both directions, stopped, expired; the slot is used again. */
static void timeout_life(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 64);
	struct libwheel_time now;
	int i;

	for (i = 0; i < 2; i++) {
		now = libwheel_timeout_now(set);
		EXPECT_EQ(0, libwheel_timeout_start(set, 3, HOUR));
		EXPECT_EQ(0, libwheel_timeout_stop(set, 3));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, libwheel_time_after(now, 5 * MS)));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, libwheel_time_after(now, 9 * MS)));
		EXPECT_EQ(0, libwheel_timeout_start(set, 3, 7 * MS));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(now.ns + 7 * MS - 1)));
		EXPECT_EQ(-1, expired_slot(set));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(now.ns + 7 * MS)));
		EXPECT_EQ(now.ns + 7 * MS, libwheel_timeout_now(set).ns);
		EXPECT_EQ(-EBUSY, libwheel_timeout_start(set, 3, MS));
		EXPECT_EQ(-EBUSY, libwheel_timeout_start_at(set, 3, at(HOUR)));
		EXPECT_EQ(-EBUSY, libwheel_timeout_stop(set, 3));
		EXPECT_EQ(3, expired_slot(set));
	}
	libwheel_timeout_close(set);
	libwheel_timeout_close(NULL);
}

/* libwheel_timeout_stop() returns a different value for each reason. */
static void timeout_stop_reasons(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 64);

	/* Never started, stopped before, expired, its event was taken, no such slot. */
	EXPECT_EQ(-ENOENT, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(-ENOENT, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(0, libwheel_timeout_start(set, 5, MS));
	EXPECT_EQ(0, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(-ENOENT, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(0, libwheel_timeout_start(set, 5, MS));
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(MS)));
	EXPECT_EQ(-EBUSY, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(-EBUSY, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(5, expired_slot(set));
	EXPECT_EQ(-ENOENT, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(-EINVAL, libwheel_timeout_stop(set, 64));
	EXPECT_EQ(-EINVAL, libwheel_timeout_stop(set, ~0U));
	libwheel_timeout_close(set);
}

/* A slot or a time out of range changes nothing, even if its low bits name another slot. */
static void timeout_ranges(void)
{
	static const __u32 slots[] = { 64, 128, (1 << WHEEL_SLOT_BITS) + 3, ~0U };
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 64);
	struct libwheel_timeouts *none = NULL;
	size_t i;

	EXPECT_EQ(0, libwheel_timeout_start(set, 3, MS));
	for (i = 0; i < COUNT(slots); i++) {
		EXPECT_EQ(-EINVAL, libwheel_timeout_start(set, slots[i], HOUR));
		EXPECT_EQ(-EINVAL, libwheel_timeout_start_at(set, slots[i], at(HOUR)));
		EXPECT_EQ(-EINVAL, libwheel_timeout_stop(set, slots[i]));
	}
	EXPECT_EQ(-ERANGE, libwheel_timeout_start(set, 3, -MS));
	EXPECT_EQ(-ERANGE, libwheel_timeout_start(set, 3, ~0ULL));
	EXPECT_EQ(-ERANGE, libwheel_timeout_start_at(set, 3, at(WHEEL_MAX_TIME + 1)));
	EXPECT_EQ(~0ULL, libwheel_time_after(at(~0ULL), 5).ns);
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(MS)));
	EXPECT_EQ(3, expired_slot(set));
	EXPECT_EQ(0, libwheel_timeout_start(set, 3, WHEEL_MAX_TIME - MS));
	EXPECT_EQ(-EINVAL, libwheel_timeout_open(&none, 0, NULL));
	EXPECT_EQ(-EINVAL, libwheel_timeout_open(&none, WHEEL_MAX_TIMERS + 1, NULL));
	EXPECT(!none);
	libwheel_timeout_close(set);
}

/* A deadline in the past, and 0, which is the first time of a VIRTUAL clock, expire. */
static void timeout_in_the_past(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 8);
	int i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, libwheel_timeout_start(set, 7, HOUR));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 7, at(0)));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at((i + 1) * MS)));
		EXPECT_EQ(7, expired_slot(set));
	}
	EXPECT_EQ(0, libwheel_timeout_start_at(set, 2, at(0)));
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(3 * MS)));
	EXPECT_EQ(2, expired_slot(set));
	libwheel_timeout_close(set);
}

/*
 * The deadline has passed and the event was not taken. After a function that reads the clock, both
 * backends refuse to start and to stop the timeout. On the device, the first start of another slot
 * expires timers that the kernel has left to the program.
 */
static void timeout_that_was_not_taken(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_MONOTONIC, 64);
	struct pollfd ready = { .fd = libwheel_timeout_fd(set), .events = POLLIN };
	struct libwheel_time deadline = libwheel_time_after(libwheel_timeout_now(set), 3 * MS);

	EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, deadline));
	EXPECT_EQ(0, libwheel_timeout_start_at(set, 4, deadline));
	NEED(poll(&ready, 1, -1) == 1);
	while (libwheel_timeout_now(set).ns < deadline.ns + MS)
		;
	EXPECT_EQ(0, libwheel_timeout_start(set, 5, HOUR));
	EXPECT_EQ(-EBUSY, libwheel_timeout_stop(set, 3));
	EXPECT_EQ(-EBUSY, libwheel_timeout_start_at(set, 3, libwheel_time_after(deadline, HOUR)));
	EXPECT_EQ(-EBUSY, libwheel_timeout_start(set, 4, HOUR));
	EXPECT_EQ(0, libwheel_timeout_stop(set, 5));
	EXPECT_EQ(2, balanced_stats((struct libwheel *)libwheel_timeout_wheel(set)).fired);
	libwheel_timeout_close(set);
}

/* libwheel_timeout_start() alone reads the clock, too: its own timeout may be due. */
static void timeout_start_of_a_due_one(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_MONOTONIC, 64);
	const struct libwheel *wheel = libwheel_timeout_wheel(set);
	__u64 due = libwheel_now(wheel) + 3 * MS;
	struct pollfd ready = { .fd = libwheel_timeout_fd(set), .events = POLLIN };

	EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, at(due)));
	NEED(poll(&ready, 1, -1) == 1);
	while (libwheel_now(wheel) < due + MS)
		;
	/* On the device, an interrupt may have left it to the program. */
	if (libwheel_backend(wheel) == LIBWHEEL_USER)
		EXPECT_EQ(-EBUSY, libwheel_timeout_start(set, 3, HOUR));
	libwheel_timeout_close(set);
}

static void on_alarm(int number)
{
	(void)number;
}

/* A signal ends the wait, whether or not system calls are restarted. No event is taken. */
static void timeout_wait_and_signals(void)
{
	static const int flags[] = { 0, SA_RESTART };
	const struct itimerval each_ms = { { 0, 1000 }, { 0, 1000 } };
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_MONOTONIC, 64);
	struct wheel_event event;
	size_t i;

	EXPECT_EQ(0, libwheel_timeout_wait(set, &event, 1, 0));
	EXPECT_EQ(0, libwheel_timeout_wait(set, &event, 1, MS));
	EXPECT_EQ(0, libwheel_timeout_start(set, 3, HOUR));
	for (i = 0; i < COUNT(flags); i++) {
		struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags[i] };

		NEED(!sigaction(SIGALRM, &action, NULL));
		NEED(!setitimer(ITIMER_REAL, &each_ms, NULL));
		EXPECT_EQ(-EINTR, libwheel_timeout_wait(set, &event, 1, -1));
		EXPECT_EQ(-EINTR, libwheel_timeout_wait(set, &event, 1, HOUR));
	}
	EXPECT_EQ(0, setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL));
	EXPECT_EQ(0, libwheel_timeout_stop(set, 3));
	EXPECT_EQ(-EINVAL, libwheel_timeout_wait(set, &event, 0, 0));
	libwheel_timeout_close(set);
}

/* The options apply: without a descriptor, the loop sleeps until the next time. */
static void timeouts_without_a_descriptor(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = LIBWHEEL_NO_FD,
		.timers = 3, .tick_ns = 5 * MS,
	};
	struct libwheel_timeouts *set = NULL;
	const struct libwheel *wheel;
	struct wheel_event event;
	struct wheel_setup info;
	uint64_t next;

	NEED(!libwheel_timeout_open(&set, 100, &options));
	wheel = libwheel_timeout_wheel(set);
	EXPECT_EQ(0, libwheel_info(wheel, &info));
	EXPECT_EQ(100, info.timers);
	EXPECT_EQ(5 * MS, info.tick_ns);
	EXPECT_EQ(-EOPNOTSUPP, libwheel_timeout_fd(set));
	EXPECT_EQ(-EOPNOTSUPP, libwheel_timeout_wait(set, &event, 1, -1));
	EXPECT_EQ(0, libwheel_timeout_start(set, 99, 3 * MS));
	while (libwheel_timeout_wait(set, &event, 1, 0) == 0) {
		NEED(!libwheel_next(wheel, &next) && next != ~0ULL);
		while (libwheel_now(wheel) < next)
			;
	}
	EXPECT_EQ(99, event.cookie);
	libwheel_timeout_close(set);
}

const struct ktap_test timeout_tests[] = {
	TEST(timeout_life),
	TEST(timeout_stop_reasons),
	TEST(timeout_ranges),
	TEST(timeout_in_the_past),
	TEST(timeout_that_was_not_taken),
	TEST(timeout_start_of_a_due_one),
	TEST(timeout_wait_and_signals),
	TEST(timeouts_without_a_descriptor),
	{ NULL, NULL }
};
