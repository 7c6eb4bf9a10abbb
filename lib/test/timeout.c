// SPDX-License-Identifier: MIT
/*
 * Timeouts: on a VIRTUAL clock, and on a running one, where both backends must agree. Each test
 * also runs with LIBWHEEL_ONE_THREAD, which changes no result.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "test.h"

static __u32 mode;

/* Each test in a process of its own. */
#define ONE_THREAD(test)				\
static void test##_in_one_thread(void)			\
{							\
	mode = LIBWHEEL_ONE_THREAD;			\
	test();						\
}

static struct libwheel_timeouts *open_scheme(__u32 scheme, __u32 clock, __u32 slots)
{
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = scheme, .clock = clock, .mode = mode,
	};
	struct libwheel_timeouts *set = NULL;

	NEED(!libwheel_timeout_open(&set, slots, &options));
	return set;
}

static struct libwheel_timeouts *open_set(__u32 clock, __u32 slots)
{
	return open_scheme(WHEEL_DEFAULT, clock, slots);
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
	struct libwheel_time due = deadline, started;

	EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, deadline));
	EXPECT_EQ(0, libwheel_timeout_start_at(set, 4, deadline));
	/* If the task was preempted, the second one is due at the next tick. */
	started = libwheel_timeout_now(set);
	if (started.ns > due.ns)
		due = libwheel_time_after(started, MS);
	NEED(poll(&ready, 1, -1) == 1);
	while (libwheel_timeout_now(set).ns < due.ns + MS)
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
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = LIBWHEEL_NO_FD | mode,
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

/*
 * Moved to a later deadline, which the wheel does not detect at once, a timeout does not expire at
 * the old one, and it can be stopped or moved back after that.
 */
static void timeout_postponed_beyond_its_old_time(void)
{
	static const __u32 schemes[] = {
		WHEEL_HASHED, WHEEL_HIERARCHICAL, WHEEL_BOUNDED, WHEEL_OVERFLOW,
	};
	struct wheel_event event;
	size_t i;

	for (i = 0; i < COUNT(schemes); i++) {
		struct libwheel_timeouts *set = open_scheme(schemes[i], WHEEL_CLOCK_VIRTUAL, 64);
		const struct libwheel *wheel = libwheel_timeout_wheel(set);
		struct wheel_op ops[4];
		__u32 slot, cursor = 0;

		for (slot = 0; slot < 4; slot++) {
			EXPECT_EQ(0, libwheel_timeout_start_at(set, slot, at(5 * MS)));
			EXPECT_EQ(0, libwheel_timeout_start_at(set, slot, at(HOUR)));
		}
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(6 * MS)));
		EXPECT_EQ(-1, expired_slot(set));
		EXPECT_EQ(4, libwheel_list(wheel, 0, ops, 4, &cursor));
		EXPECT_EQ(HOUR, ops[0].when);
		EXPECT_EQ(0, libwheel_timeout_stop(set, 0));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 1, at(8 * MS)));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 2, at(2 * HOUR)));
		cursor = 0;
		EXPECT_EQ(3, libwheel_list(wheel, 0, ops, 4, &cursor));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(8 * MS)));
		EXPECT_EQ(1, expired_slot(set));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(HOUR - 1)));
		EXPECT_EQ(-1, expired_slot(set));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(HOUR)));
		EXPECT_EQ(3, expired_slot(set));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(2 * HOUR)));
		EXPECT_EQ(1, libwheel_timeout_wait(set, &event, 1, 0));
		EXPECT_EQ(2, event.cookie);
		EXPECT_EQ(2 * HOUR, event.deadline);
		EXPECT_EQ(2 * HOUR, event.fired);
		balanced_stats((struct libwheel *)wheel);
		libwheel_timeout_close(set);
	}
}

/* A stopped timeout is started again before, at and after its old deadline. */
static void timeout_stopped_and_started(void)
{
	static const __u64 again[] = { 3 * MS, 5 * MS, 7 * MS };
	size_t i;

	for (i = 0; i < COUNT(again); i++) {
		struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 8);

		EXPECT_EQ(0, libwheel_timeout_start_at(set, 6, at(5 * MS)));
		EXPECT_EQ(0, libwheel_timeout_stop(set, 6));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 6, at(again[i])));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(again[i] - 1)));
		EXPECT_EQ(-1, expired_slot(set));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(again[i])));
		EXPECT_EQ(6, expired_slot(set));
		/* Stopped until after its old deadline. */
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 6, at(20 * MS)));
		EXPECT_EQ(0, libwheel_timeout_stop(set, 6));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(30 * MS)));
		EXPECT_EQ(-ENOENT, libwheel_timeout_stop(set, 6));
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 6, at(40 * MS)));
		EXPECT_EQ(0, libwheel_timeout_advance(set, at(40 * MS)));
		EXPECT_EQ(6, expired_slot(set));
		libwheel_timeout_close(set);
	}
}

/* Timeouts that are stopped before the earliest deadline of all are never queued. */
static void timeouts_stopped_soon(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, 512);
	struct wheel_stats stats;
	__u32 slot;

	EXPECT_EQ(0, libwheel_timeout_start_at(set, 0, at(10 * MS)));
	for (slot = 1; slot < 512; slot++) {
		EXPECT_EQ(0, libwheel_timeout_start_at(set, slot, at(20 * MS + slot)));
		EXPECT_EQ(0, libwheel_timeout_stop(set, slot));
	}
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(30 * MS)));
	EXPECT_EQ(0, expired_slot(set));
	stats = balanced_stats((struct libwheel *)libwheel_timeout_wheel(set));
	EXPECT_EQ(1, stats.armed);
	EXPECT_EQ(0, stats.pending);
	libwheel_timeout_close(set);
}

#define MANY	20000U
#define ROUND	(100 * MS)

/* Start every @step-th slot from @first on. */
static void start_each(struct libwheel_timeouts *set, __u32 first, __u32 step, __u64 deadline)
{
	for (; first < MANY; first += step)
		NEED(!libwheel_timeout_start_at(set, first, at(deadline)));
}

/*
 * More timeouts than can be recent. Half of them are stopped, others are moved to an earlier or a
 * later deadline.
 */
static void timeouts_started_together(void)
{
	static const struct { __u64 time; int count; } expiries[] = {
		{ 1 * MS, 1 }, { 5 * MS, MANY / 4 }, { 14 * MS, MANY / 8 }, { 50 * MS, MANY / 8 },
	};
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_VIRTUAL, MANY);
	static struct wheel_event events[MANY];
	__u64 begin;
	__u32 slot;
	size_t i;

	for (begin = 0; begin < 12 * ROUND; begin += ROUND) {
		/* The first one is the next one. The others are therefore recent. */
		NEED(!libwheel_timeout_start_at(set, 0, at(begin + MS)));
		start_each(set, 1, 1, begin + 14 * MS);
		for (slot = 2; slot < MANY; slot += 2)
			NEED(!libwheel_timeout_stop(set, slot));
		start_each(set, 1, 4, begin + 5 * MS);
		start_each(set, 3, 8, begin + 50 * MS);
		for (i = 0; i < COUNT(expiries); i++) {
			__u64 time = begin + expiries[i].time;

			NEED(!libwheel_timeout_advance(set, at(time - 1)));
			EXPECT_EQ(0, libwheel_timeout_wait(set, events, MANY, 0));
			NEED(!libwheel_timeout_advance(set, at(time)));
			EXPECT_EQ(expiries[i].count, libwheel_timeout_wait(set, events, MANY, 0));
		}
	}
	balanced_stats((struct libwheel *)libwheel_timeout_wheel(set));
	libwheel_timeout_close(set);
}

/*
 * A start that is due before all others sets the descriptor, also if the slot was used before, or
 * is started for a later time. It is readable until the event was taken.
 */
static void timeout_that_is_next(void)
{
	struct libwheel_timeouts *set = open_set(WHEEL_CLOCK_MONOTONIC, 64);
	struct pollfd ready = { .fd = libwheel_timeout_fd(set), .events = POLLIN };
	struct libwheel_time deadline;
	struct wheel_event event;
	int i;

	EXPECT_EQ(0, libwheel_timeout_start(set, 4, HOUR));
	for (i = 0; i < 3; i++) {
		if (i == 2)
			EXPECT_EQ(0, libwheel_timeout_start(set, 3, HOUR));
		deadline = libwheel_time_after(libwheel_timeout_now(set), 3 * MS);
		EXPECT_EQ(0, libwheel_timeout_start_at(set, 3, deadline));
		/* An hour without the event, and a minute if the test fails. */
		NEED(poll(&ready, 1, 60000) == 1);
		EXPECT_EQ(1, libwheel_timeout_wait(set, &event, 1, HOUR));
		EXPECT_EQ(3, event.cookie);
		EXPECT_EQ(deadline.ns, event.deadline);
		EXPECT(event.fired >= deadline.ns);
		EXPECT_EQ(0, poll(&ready, 1, 0));
	}
	libwheel_timeout_close(set);
}

/*
 * Started timeouts are queued when there are too many recent ones, and postponed ones are queued
 * again at their old time.
 */
static void timeouts_queued_in_one_thread(void)
{
	struct libwheel *wheel;
	struct libwheel_timeouts *set;
	struct wheel_stats stats;
	__u64 queued;

	mode = LIBWHEEL_ONE_THREAD;
	set = open_set(WHEEL_CLOCK_VIRTUAL, MANY);
	wheel = (struct libwheel *)libwheel_timeout_wheel(set);
	if (libwheel_backend(wheel) == LIBWHEEL_KERNEL)
		ktap_skip("the device queues timers when it scans their words");
	start_each(set, 0, 1, SEC);
	queued = balanced_stats(wheel).pending;
	EXPECT(queued >= MANY / 2);
	start_each(set, 0, 1, 2 * SEC);
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(SEC)));
	stats = balanced_stats(wheel);
	EXPECT_EQ(queued, stats.requeued);
	EXPECT_EQ(MANY, stats.pending);
	EXPECT_EQ(0, stats.fired);
	/* The others expire when their far bucket is examined, which is not a cascade. */
	start_each(set, 0, 2, HOUR);
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(2 * SEC)));
	EXPECT_EQ(MANY / 2, balanced_stats(wheel).fired);
	EXPECT_EQ(0, libwheel_timeout_advance(set, at(HOUR)));
	stats = balanced_stats(wheel);
	EXPECT_EQ(MANY, stats.fired);
	EXPECT_EQ(queued + MANY / 2, stats.requeued);
	EXPECT_EQ(0, stats.cascaded);
	libwheel_timeout_close(set);
}

#define RANDOM_SLOTS	24
#define RANDOM_STEPS	20000

/**
 * struct expected - state of a timeout, by the comments of libwheel.h
 * @deadline: deadline; 0: not started
 * @due: boundary of ticks at which it expires at the latest
 * @expired: it has expired, and its event was not taken
 */
struct expected {
	__u64 deadline;
	__u64 due;
	bool expired;
};

static struct expected expected[RANDOM_SLOTS];
static bool equal, bounded;
static __u32 taken;

#define SAME(expect, seen)	(equal &= EXPECT_EQ(expect, seen))

/* "The timer then expires at the first tick boundary", or at the next one if it has passed. */
static __u64 boundary(__u64 deadline, __u64 now)
{
	__u64 due = (deadline + MS - 1) / MS * MS;

	return due > now ? due : now / MS * MS + MS;
}

static void random_start(struct libwheel_timeouts *set, __u64 *state, __u64 now)
{
	__u32 slot = (__u32)random_below(state, RANDOM_SLOTS + 1);
	static const __u64 ranges[] = { 20 * MS, 20 * MS, 5 * SEC, 10 * HOUR };
	__u64 far = ranges[random_below(state, COUNT(ranges))];
	__u64 deadline = now + random_below(state, far);
	struct expected *e = &expected[slot];
	int seen;

	if (!random_below(state, 8))
		deadline = now - random_below(state, now + 1);
	if (!random_below(state, 50))
		deadline |= 1ULL << 63;
	seen = libwheel_timeout_start_at(set, slot, at(deadline));
	if (slot == RANDOM_SLOTS) {
		SAME(-EINVAL, seen);
	} else if (deadline > WHEEL_MAX_TIME) {
		SAME(-ERANGE, seen);
	} else if (e->expired) {
		SAME(-EBUSY, seen);
	} else {
		SAME(0, seen);
		/* An event cannot have a deadline of 0. */
		e->deadline = deadline ? deadline : 1;
		e->due = boundary(deadline, now);
	}
}

static void random_stop(struct libwheel_timeouts *set, __u64 *state)
{
	__u32 slot = (__u32)random_below(state, RANDOM_SLOTS);
	struct expected *e = &expected[slot];
	int expect = e->expired ? -EBUSY : e->deadline ? 0 : -ENOENT;

	SAME(expect, libwheel_timeout_stop(set, slot));
	if (!expect)
		e->deadline = 0;
}

static void random_take(struct libwheel_timeouts *set, __u64 *state, __u64 now)
{
	struct wheel_event events[RANDOM_SLOTS];
	__u32 count = 1 + (__u32)random_below(state, RANDOM_SLOTS);
	__u32 i, all = 0;
	__u64 due = 0;
	int n = libwheel_timeout_wait(set, events, count, 0);

	for (i = 0; i < RANDOM_SLOTS; i++)
		all += expected[i].expired;
	SAME(all < count ? all : count, n);
	for (i = 0; i < (__u32)n; i++) {
		struct expected *e = &expected[events[i].cookie];

		SAME(true, e->expired);
		SAME(e->deadline, events[i].deadline);
		SAME(taken++, events[i].seq);
		SAME(true, events[i].fired >= e->deadline && events[i].fired <= now);
		/* A late scan of a bounded wheel finds those beyond its range in any order. */
		SAME(true, bounded || e->due >= due);
		due = e->due;
		e->expired = false;
		e->deadline = 0;
	}
}

/* The list has each timeout that is started and has not expired, with its deadline. */
static void check_list(struct libwheel_timeouts *set)
{
	struct wheel_op ops[RANDOM_SLOTS];
	__u32 cursor = 0, i, listed = 0;
	int n = libwheel_list(libwheel_timeout_wheel(set), 0, ops, RANDOM_SLOTS, &cursor);

	for (i = 0; i < RANDOM_SLOTS; i++) {
		if (!expected[i].deadline || expected[i].expired)
			continue;
		NEED((int)listed < n);
		SAME(i, WHEEL_ID_SLOT(ops[listed].id));
		SAME(expected[i].deadline, ops[listed++].when);
	}
	SAME(listed, n);
}

/* Random calls against a model that is written from the header. SEED=n repeats them. */
static void random_calls(__u32 scheme)
{
	static const __u64 steps[] = {
		4 * MS, 4 * MS, 4 * MS, 4 * MS, 4 * MS, 300 * MS, 300 * MS, 3 * SEC, 3 * SEC, HOUR,
	};
	struct libwheel_timeouts *set = open_scheme(scheme, WHEEL_CLOCK_VIRTUAL, RANDOM_SLOTS);
	__u64 state = test_seed(), now = 0;
	int step, i;

	memset(expected, 0, sizeof(expected));
	equal = true;
	taken = 0;
	bounded = scheme == WHEEL_BOUNDED && !set->slots;
	for (step = 0; step < RANDOM_STEPS && equal; step++) {
		switch (random_below(&state, 8)) {
		case 0 ... 3:
			random_start(set, &state, now);
			break;
		case 4:
			random_stop(set, &state);
			break;
		case 5:
			random_take(set, &state, now);
			break;
		case 6:
			now += random_below(&state, steps[random_below(&state, COUNT(steps))]);
			SAME(0, libwheel_timeout_advance(set, at(now)));
			for (i = 0; i < RANDOM_SLOTS; i++)
				if (expected[i].deadline && expected[i].due <= now)
					expected[i].expired = true;
			break;
		default:
			check_list(set);
		}
	}
	if (!equal)
		printf("# step %d, scheme %u\n", step, scheme);
	balanced_stats((struct libwheel *)libwheel_timeout_wheel(set));
	libwheel_timeout_close(set);
}

static void timeout_random_calls(void)
{
	__u32 scheme;

	for (scheme = WHEEL_HASHED; scheme <= WHEEL_OVERFLOW; scheme++)
		random_calls(scheme);
}

ONE_THREAD(timeout_life)
ONE_THREAD(timeout_stop_reasons)
ONE_THREAD(timeout_ranges)
ONE_THREAD(timeout_in_the_past)
ONE_THREAD(timeout_that_was_not_taken)
ONE_THREAD(timeout_start_of_a_due_one)
ONE_THREAD(timeout_wait_and_signals)
ONE_THREAD(timeouts_without_a_descriptor)
ONE_THREAD(timeout_postponed_beyond_its_old_time)
ONE_THREAD(timeout_stopped_and_started)
ONE_THREAD(timeouts_stopped_soon)
ONE_THREAD(timeouts_started_together)
ONE_THREAD(timeout_that_is_next)
ONE_THREAD(timeout_random_calls)

const struct ktap_test timeout_tests[] = {
	TEST(timeout_life),
	TEST(timeout_life_in_one_thread),
	TEST(timeout_stop_reasons),
	TEST(timeout_stop_reasons_in_one_thread),
	TEST(timeout_ranges),
	TEST(timeout_ranges_in_one_thread),
	TEST(timeout_in_the_past),
	TEST(timeout_in_the_past_in_one_thread),
	TEST(timeout_that_was_not_taken),
	TEST(timeout_that_was_not_taken_in_one_thread),
	TEST(timeout_start_of_a_due_one),
	TEST(timeout_start_of_a_due_one_in_one_thread),
	TEST(timeout_wait_and_signals),
	TEST(timeout_wait_and_signals_in_one_thread),
	TEST(timeouts_without_a_descriptor),
	TEST(timeouts_without_a_descriptor_in_one_thread),
	TEST(timeout_postponed_beyond_its_old_time),
	TEST(timeout_postponed_beyond_its_old_time_in_one_thread),
	TEST(timeout_stopped_and_started),
	TEST(timeout_stopped_and_started_in_one_thread),
	TEST(timeouts_stopped_soon),
	TEST(timeouts_stopped_soon_in_one_thread),
	TEST(timeouts_started_together),
	TEST(timeouts_started_together_in_one_thread),
	TEST(timeout_that_is_next),
	TEST(timeout_that_is_next_in_one_thread),
	TEST(timeouts_queued_in_one_thread),
	TEST(timeout_random_calls),
	TEST(timeout_random_calls_in_one_thread),
	{ NULL, NULL }
};
