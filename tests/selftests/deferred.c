// SPDX-License-Identifier: GPL-2.0
/*
 * A deferred file: the interrupt has left due timers to the owner. Its hrtimer is inactive until
 * the owner makes a system call. Only read(), ENTER and SUBMIT of the owner expire timers.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define TIMERS		100
#define RING		128
/* Upper limit on the number of timers that one interrupt expires. */
#define SHORT		8
#define TICK		WHEEL_MIN_TICK_NS
/* Several ticks. A file that is not deferred has expired its due timers by then. */
#define A_WHILE		(20 * WT_MS)

FIXTURE(deferred) {
	struct wt_ring ring;
	int fd;
	struct wheel_stats stats;
	struct wheel_event events[2 * TIMERS];
};

FIXTURE_SETUP(deferred)
{
	const struct wheel_setup with_ring = {
		.timers = TIMERS, .tick_ns = TICK, .events = RING,
	};
	struct wheel_setup setup = { .timers = TIMERS, .tick_ns = TICK };

	ASSERT_TRUE(wt_ring_open(&self->ring, &with_ring));
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(deferred)
{
	wt_ring_unmap(&self->ring);
	close(self->ring.fd);
	close(self->fd);
}

/*
 * Arm more timers for one tick than an interrupt expires, and wait until they are due. If they
 * were due during the call that arms them, that call would expire them.
 */
static int defer(int fd, __u64 gen)
{
	__u64 when = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_SEC / 2;
	int err = wt_arm_many(fd, TIMERS, gen, when);

	wt_let_pass(when + A_WHILE - wt_now(WHEEL_CLOCK_MONOTONIC));
	return err;
}

static int poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

WT_TEST(deferred, p12_an_interrupt_takes_few_timers)
{
	ASSERT_EQ(0, defer(self->fd, 1));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_GE(SHORT, self->stats.fired);
	EXPECT_EQ(POLLIN, poll_now(self->fd));
	EXPECT_EQ(TIMERS, self->stats.fired + self->stats.pending);
	EXPECT_EQ(TIMERS, wt_read_all(self->fd, self->events, TIMERS, TIMERS));
	EXPECT_EQ(-EAGAIN, wt_read(self->fd, self->events, 1));
	EXPECT_EQ(0, poll_now(self->fd));
}

WT_TEST(deferred, p12_a_sleeping_owner_causes_no_interrupts)
{
	__u64 wakeups, fired;
	int i;

	for (i = 0; i < SHORT; i++)
		ASSERT_EQ(0, wt_arm_every(self->ring.fd, WHEEL_ID(i, 1), 0, TICK));
	wt_let_pass(A_WHILE);
	wt_ring_take(&self->ring, wt_ring_tail(&self->ring));
	wt_let_pass(A_WHILE);
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_NE(0, wt_ring_flags(&self->ring));
	wakeups = self->stats.wakeups;
	fired = self->stats.fired;
	for (i = 0; i < 10; i++) {
		wt_ring_take(&self->ring, wt_ring_tail(&self->ring));
		EXPECT_EQ(POLLIN, poll_now(self->ring.fd));
		wt_let_pass(A_WHILE);
	}
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(wakeups, self->stats.wakeups);
	EXPECT_EQ(fired, self->stats.fired);
}

WT_TEST(deferred, p12_poll_expires_nothing)
{
	__u64 passes;
	int i;

	ASSERT_EQ(0, defer(self->fd, 1));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	passes = self->stats.passes;
	for (i = 0; i < 10; i++)
		EXPECT_EQ(POLLIN, poll_now(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(passes, self->stats.passes);
	EXPECT_GE(SHORT, self->stats.fired);
}

/* A due timer that has not expired yet is pending and can be cancelled. */
WT_TEST(deferred, p4_cancel_of_a_due_timer)
{
	int i, cancelled = 0;

	ASSERT_EQ(0, defer(self->fd, 1));
	for (i = TIMERS - 1; i >= 0 && !wt_query(self->fd, WHEEL_ID(i, 1), NULL); i--)
		cancelled += !wt_cancel(self->fd, WHEEL_ID(i, 1));
	EXPECT_LT(0, cancelled);
	EXPECT_EQ(TIMERS - cancelled,
		  wt_read_all(self->fd, self->events, TIMERS, TIMERS - cancelled));
	EXPECT_EQ(-EAGAIN, wt_read(self->fd, self->events, 1));
	EXPECT_EQ(0, poll_now(self->fd));
}

WT_TEST(deferred, p4_stop_counts_due_timers)
{
	int unread = 0, n;
	__u64 unfired;

	ASSERT_EQ(0, defer(self->fd, 1));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	while ((n = wt_read(self->fd, self->events, TIMERS)) > 0)
		unread += n;
	EXPECT_EQ(-ESHUTDOWN, n);
	EXPECT_EQ(TIMERS, unread + unfired);
	EXPECT_GE(SHORT, unread);
}

/* The flag is set before the ring is full, and ENTER clears it. */
WT_TEST(deferred, p8_flag_requests_a_call)
{
	struct wheel_enter enter;
	__u32 head = 0;
	__u64 gen;

	for (gen = 1; gen <= 5; gen++) {
		ASSERT_EQ(0, defer(self->ring.fd, gen));
		EXPECT_GE(SHORT, wt_ring_tail(&self->ring) - head);
		EXPECT_EQ(WHEEL_RING_BACKLOG, wt_ring_flags(&self->ring));
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &enter));
		EXPECT_EQ(TIMERS, enter.ready);
		EXPECT_EQ(0, wt_ring_flags(&self->ring));
		head = wt_ring_tail(&self->ring);
		wt_ring_take(&self->ring, head);
		EXPECT_EQ(0, poll_now(self->ring.fd));
	}
}

/* Due timers stay pending while the ring is full. */
WT_TEST(deferred, p8_full_ring)
{
	const struct wheel_setup setup = { .timers = TIMERS, .tick_ns = TICK, .events = SHORT };
	struct wheel_enter enter;
	struct wt_ring ring;
	__u32 head = 0;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_EQ(0, defer(ring.fd, 1));
	while (wt_ring_flags(&ring)) {
		ASSERT_EQ(0, wt_enter(ring.fd, 0, 0, &enter));
		ASSERT_EQ(0, wt_stats(ring.fd, &self->stats));
		ASSERT_GE(SHORT, enter.ready);
		ASSERT_EQ(TIMERS, wt_ring_tail(&ring) + self->stats.pending);
		head = wt_ring_tail(&ring);
		wt_ring_take(&ring, head);
	}
	EXPECT_EQ(TIMERS, head);
	wt_ring_unmap(&ring);
	close(ring.fd);
}

/* After a call that leaves nothing due, the interrupt expires timers again. */
WT_TEST(deferred, p2_interrupts_resume_after_a_call)
{
	__u64 wakeups;

	ASSERT_EQ(0, defer(self->fd, 1));
	EXPECT_EQ(TIMERS, wt_read_all(self->fd, self->events, TIMERS, TIMERS));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	wakeups = self->stats.wakeups;
	ASSERT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(0, 2), WT_MS));
	ASSERT_EQ(POLLIN, wt_wait(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_LT(wakeups, self->stats.wakeups);
	EXPECT_EQ(1, wt_read(self->fd, self->events, 1));
}

TEST_HARNESS_MAIN
