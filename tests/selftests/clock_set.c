// SPDX-License-Identifier: GPL-2.0
/*
 * Settable clocks: their timers follow a step in both directions, and timers of other
 * clocks are not affected. The tests set the system clock and restore it. Set the
 * environment variable WHEEL_KEEP_CLOCK to skip them.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "wheel_test.h"

/* A bounded wheel spans more than a minute, longer than the steps of a test take. */
#define TICK	(10 * WT_MS)
#define BUCKETS	8192

FIXTURE(clock) {
	int fd;
	/* Offset of the clock from the correct time. */
	__s64 shifted;
	struct wheel_event event;
};

FIXTURE_VARIANT(clock) {
	__u32 clock;
	__u32 scheme;
	bool follows;
};

FIXTURE_VARIANT_ADD(clock, realtime) {
	.clock = WHEEL_CLOCK_REALTIME, .scheme = WHEEL_HASHED, .follows = true,
};

FIXTURE_VARIANT_ADD(clock, realtime_bounded) {
	.clock = WHEEL_CLOCK_REALTIME, .scheme = WHEEL_BOUNDED, .follows = true,
};

FIXTURE_VARIANT_ADD(clock, tai) {
	.clock = WHEEL_CLOCK_TAI, .scheme = WHEEL_HASHED, .follows = true,
};

FIXTURE_VARIANT_ADD(clock, monotonic) { .clock = WHEEL_CLOCK_MONOTONIC, .scheme = WHEEL_HASHED };
FIXTURE_VARIANT_ADD(clock, boottime) { .clock = WHEEL_CLOCK_BOOTTIME, .scheme = WHEEL_HASHED };

static int step(__s64 *shifted, __s64 ns)
{
	*shifted += ns;
	return wt_set_clock(ns);
}

FIXTURE_SETUP(clock)
{
	struct wheel_setup setup = {
		.clock = variant->clock, .scheme = variant->scheme,
		.tick_ns = TICK, .timers = 64, .buckets = BUCKETS,
	};

	if (wt_set_clock(0))
		SKIP(return, "no permission to set the clock");
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(clock)
{
	wt_set_clock(-self->shifted);
	close(self->fd);
}

/*
 * The clock is set back by 5 s: the timer is due 5 s later. On a busy machine, it may expire
 * before the clock is set; then another timer is armed.
 */
WT_TEST(clock, p1_never_early_when_set_back)
{
	__u64 when, gen;
	bool quiet;

	for (gen = 1; ; gen++) {
		when = wt_now(variant->clock) + 100 * WT_MS;
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, gen), when));
		ASSERT_EQ(0, step(&self->shifted, -5 * (__s64)WT_SEC));
		if (!variant->follows || wt_now(variant->clock) + 5 * WT_SEC < when)
			break;
		if (wt_cancel(self->fd, WHEEL_ID(1, gen)))
			ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	}
	if (variant->follows) {
		/* On a busy machine, this pause may take longer than the 5 s. */
		wt_let_pass(200 * WT_MS);
		quiet = wt_quiet(self->fd);
		EXPECT_TRUE(quiet || when <= wt_now(variant->clock));
		ASSERT_EQ(0, step(&self->shifted, 5 * WT_SEC));
	}
	ASSERT_LT(0, wt_wait(self->fd));
	EXPECT_LE(when, wt_now(variant->clock));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(when, self->event.deadline);
	EXPECT_LE(when, self->event.fired);
}

/* The clock is set forward by up to an hour: only the timers that are due now expire. */
WT_TEST(clock, p2_bounded_late_when_set_on)
{
	__u64 now = wt_now(variant->clock);
	__u64 far = variant->scheme == WHEEL_BOUNDED ? 60 * WT_SEC : WT_HOUR;
	struct wheel_stats stats;

	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), now + far));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(2, 1), now + 100 * WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(3, 1), now + far / 2));
	ASSERT_EQ(0, step(&self->shifted, far * 3 / 4));
	ASSERT_LT(0, wt_wait(self->fd));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(WHEEL_ID(2, 1), self->event.id);
	if (variant->follows) {
		ASSERT_LT(0, wt_wait(self->fd));
		ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
		EXPECT_EQ(WHEEL_ID(3, 1), self->event.id);
		EXPECT_LE(now + far / 2, wt_now(variant->clock));
	}
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_EQ(variant->follows ? 1 : 2, stats.pending);
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* A periodic timer keeps its grid after a step, and counts the skipped periods as missed. */
WT_TEST(clock, period_over_a_step)
{
	__u64 start = wt_now(variant->clock) + 5 * WT_MS;
	__u64 points = 0, period = 10 * WT_MS;
	int i;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), start, period));
	for (i = 0; i < 6; i++) {
		if (i == 3)
			ASSERT_EQ(0, step(&self->shifted, 2 * WT_SEC));
		ASSERT_LT(0, wt_wait(self->fd));
		ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
		points += 1 + self->event.overrun;
		EXPECT_EQ(start + (points - 1) * period, self->event.deadline);
		EXPECT_LE(self->event.deadline, wt_now(variant->clock));
	}
	if (variant->follows)
		EXPECT_LT(200, points);
}

/*
 * After a step back by an hour, the next period is beyond the span of a bounded wheel, and the
 * timer ends. With other schemes it remains pending.
 */
WT_TEST(clock, period_beyond_a_step_back)
{
	bool over = variant->scheme == WHEEL_BOUNDED;
	__u64 start = wt_now(variant->clock), when;

	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(1, 1), start, 8 * WT_SEC));
	ASSERT_EQ(1, wt_wait(self->fd));
	ASSERT_EQ(0, step(&self->shifted, -(__s64)WT_HOUR));
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(over ? -ENOENT : 0, wt_query(self->fd, WHEEL_ID(1, 1), &when));
	EXPECT_EQ(over ? -ENOENT : 0, wt_cancel(self->fd, WHEEL_ID(1, 1)));
	EXPECT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 2), 0));
}

/* A thread that waits in ENTER for an event that never arrives. */
struct waiter {
	pthread_t thread;
	pid_t tid;
	int err;
	int fd;
	__u32 clock;
	__u64 ended;
	struct wheel_enter enter;
};

static void *wait_in_vain(void *arg)
{
	struct waiter *w = arg;

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	w->err = wt_ioctl(w->fd, WHEEL_IOC_ENTER, &w->enter);
	w->ended = wt_now(w->clock);
	return NULL;
}

/*
 * Start a waiter on a wheel with a ring. Returns 0 when it sleeps, or when @until has passed
 * before that was detected, on a busy machine.
 */
static int begin(struct waiter *w, __u32 clock, __u64 until)
{
	struct wheel_setup setup = { .clock = clock, .timers = 64, .events = 8 };

	w->clock = clock;
	w->enter = (struct wheel_enter){
		.size = sizeof(w->enter), .wait = 1, .until = until,
	};
	w->fd = wt_open_setup(0, &setup);
	if (w->fd < 0 || pthread_create(&w->thread, NULL, wait_in_vain, w))
		return -1;
	while (!__atomic_load_n(&w->tid, __ATOMIC_ACQUIRE))
		wt_let_pass(10 * WT_US);
	return wt_sleeps(w->tid) || until <= wt_now(clock) ? 0 : -1;
}

/* ENTER returns when the clock is set past @until, and not before. */
WT_TEST(clock, enter_gives_up_by_the_clock)
{
	__u64 until = wt_now(variant->clock) + (variant->follows ? WT_HOUR : WT_SEC);
	struct waiter w = { .tid = 0 };

	ASSERT_EQ(0, begin(&w, variant->clock, until));
	ASSERT_EQ(0, step(&self->shifted, 2 * WT_HOUR));
	ASSERT_EQ(0, pthread_join(w.thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(0, w.enter.ready);
	EXPECT_LE(until, w.ended);
	close(w.fd);
}

TEST_HARNESS_MAIN
