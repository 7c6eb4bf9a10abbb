// SPDX-License-Identifier: GPL-2.0
/*
 * A multishot poll of io_uring takes the reported events from the wake-up. It does not call the
 * file's poll function again.
 */
#include <kselftest_harness.h>
#include <poll.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_uring.h"

#define TIMERS	64
#define ENTRIES	8
#define PATIENCE_MS 10000

FIXTURE(uring) {
	struct wt_uring uring;
};

FIXTURE_SETUP(uring)
{
	if (!wt_uring_open(&self->uring))
		SKIP(return, "no io_uring");
}

FIXTURE_TEARDOWN(uring)
{
	wt_uring_close(&self->uring);
}

WT_TEST(uring, p8_hears_of_each_event)
{
	struct wheel_event events[2];
	__u64 unfired;
	int fd = wt_open_virtual(TIMERS, WT_MS);
	__u64 gen;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(wt_uring_watch(&self->uring, fd));
	EXPECT_EQ(0, wt_uring_told(&self->uring, 0));
	for (gen = 1; gen <= 10; gen++) {
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, gen), gen * WT_MS));
		ASSERT_EQ(0, wt_advance(fd, gen * WT_MS, NULL));
		EXPECT_EQ(POLLIN, wt_uring_told(&self->uring, 0));
		EXPECT_EQ(1, wt_read(fd, events, 2));
	}
	EXPECT_EQ(0, wt_uring_told(&self->uring, 0));
	ASSERT_EQ(0, wt_stop(fd, &unfired));
	EXPECT_NE(0, wt_uring_told(&self->uring, 0));
	close(fd);
}

/* The poll begins when the file has no wheel yet. */
WT_TEST(uring, p8_hears_of_the_first_event)
{
	int fd = wt_open(0);
	struct wheel_event event;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(wt_uring_watch(&self->uring, fd));
	ASSERT_EQ(0, wt_arm_rel(fd, WHEEL_ID(1, 1), WT_MS));
	EXPECT_EQ(POLLIN, wt_uring_told(&self->uring, 1));
	EXPECT_EQ(1, wt_read_all(fd, &event, 1, 1));
	close(fd);
}

/* A ring on a running clock, because ADVANCE would be a system call on the file. */
WT_TEST(uring, p8_hears_of_each_event_in_the_ring)
{
	struct wheel_setup setup = { .timers = TIMERS, .events = ENTRIES };
	struct wheel_enter enter;
	struct wt_ring ring;
	__u64 gen;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_TRUE(wt_uring_watch(&self->uring, ring.fd));
	for (gen = 1; gen <= 10; gen++) {
		ASSERT_EQ(0, wt_arm_rel(ring.fd, WHEEL_ID(1, gen), WT_MS));
		/* POLLIN is also reported if the kernel leaves the pass to the program. */
		do {
			ASSERT_EQ(POLLIN, wt_uring_told(&self->uring, 1));
			if (wt_ring_flags(&ring))
				ASSERT_EQ(0, wt_enter(ring.fd, 0, 0, &enter));
		} while (wt_ring_tail(&ring) != gen);
		wt_ring_take(&ring, gen);
	}
	close(ring.fd);
}

/*
 * The first event wakes up the poll. While it is unread, the deferral of the next one does not. It
 * is deferred because the timer of another file is due at the same time, and expires first. On
 * several CPUs, or on a busy machine, it may not be deferred.
 */
WT_TEST(uring, p12_deferral_does_not_wake_again)
{
	int other = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS, WHEEL_MIN_TICK_NS);
	int fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS, WHEEL_MIN_TICK_NS);
	struct wheel_event events[2];
	__u64 gen, now;

	ASSERT_LE(0, other);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(wt_uring_watch(&self->uring, fd));
	for (gen = 1; gen <= 5; gen++) {
		now = wt_now(WHEEL_CLOCK_MONOTONIC);
		ASSERT_EQ(0, wt_arm(other, WHEEL_ID(1, gen), now + 20 * WT_MS));
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(1, gen), now + 20 * WT_MS));
		ASSERT_EQ(0, wt_arm(fd, WHEEL_ID(2, gen), now + 10 * WT_MS));
		EXPECT_EQ(POLLIN, wt_uring_told(&self->uring, 1));
		wt_let_pass(20 * WT_MS);
		EXPECT_EQ(0, wt_uring_told(&self->uring, 0));
		ASSERT_EQ(2, wt_read_all(fd, events, 2, 2));
		wt_uring_told(&self->uring, 0);
		ASSERT_EQ(1, wt_read_all(other, events, 1, 1));
	}
	close(fd);
	close(other);
}

/* A call of ENTER that waits for several events does not delay the poll's wake-up. */
WT_TEST(uring, p8_hears_of_each_event_beside_a_batch)
{
	struct wheel_setup setup = { .timers = TIMERS, .events = ENTRIES };
	struct wheel_enter enter;
	int told = 0, i;
	struct wt_ring ring;
	__u64 now;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_TRUE(wt_uring_watch(&self->uring, ring.fd));
	now = wt_now(WHEEL_CLOCK_MONOTONIC);
	/* The poll watches, so the first event wakes up the call, which waits until the timeout. */
	ASSERT_EQ(0, wt_arm(ring.fd, WHEEL_ID(1, 1), now + 10 * WT_MS));
	ASSERT_EQ(0, wt_enter(ring.fd, ENTRIES, now + 50 * WT_MS, &enter));
	ASSERT_EQ(1, enter.ready);
	EXPECT_EQ(POLLIN, wt_uring_told(&self->uring, 0));
	wt_ring_take(&ring, 1);
	ASSERT_EQ(0, wt_arm_rel(ring.fd, WHEEL_ID(1, 2), WT_MS));
	for (i = 0; i < PATIENCE_MS && !told; i++) {
		wt_let_pass(WT_MS);
		told = wt_uring_told(&self->uring, 0);
	}
	EXPECT_EQ(POLLIN, told);
	close(ring.fd);
}

TEST_HARNESS_MAIN
