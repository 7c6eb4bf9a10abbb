// SPDX-License-Identifier: GPL-2.0
/*
 * P7: the interrupt expires timers while the program makes no call. It wakes up the program for
 * events alone, not for timers that were moved or parked by their words.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	64
#define ROOM	256
/* More moved timers than interrupts examine in a millisecond. */
#define BURST	2000
/* Timers are not due before the calls that arm them have returned. */
#define AHEAD	(WT_SEC / 2)
/* Several ticks. */
#define APART	(3 * WT_MS)

/* Arm @n timers, @APART from each other. Returns 0 or an error. */
static int arm_spread(int fd, int n, __u64 gen, __u32 flags, __u64 first)
{
	struct wheel_op ops[TIMERS] = {};
	int i;

	for (i = 0; i < n; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen), first + i * APART);
		ops[i].flags = flags;
	}
	return wt_batch(fd, ops, n);
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/*
 * An upper limit that is exact if instructions are counted as time. Otherwise, timers become due
 * together if the machine is busy, and the program may have to run the pass itself.
 */
static long at_most(long exact)
{
	return getenv("WHEEL_COUNTED") ? exact : exact + TIMERS / 4;
}

/*
 * Three times, wait for TIMERS events, which must wake up the task once. The first event of a file
 * always causes a wake-up. @before is called when the timers were armed.
 */
static void wait_for_several(struct __test_metadata *_metadata, void (*before)(int fd))
{
	const struct wheel_setup setup = { .timers = TIMERS, .events = ROOM };
	struct wheel_enter enter;
	struct wt_ring ring;
	long begun;
	__u64 gen;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	for (gen = 1; gen <= 3; gen++) {
		ASSERT_EQ(0, arm_spread(ring.fd, TIMERS, gen, 0,
					wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD));
		if (before)
			before(ring.fd);
		begun = sleeps();
		ASSERT_EQ(0, wt_enter(ring.fd, TIMERS, WT_FOREVER, &enter));
		EXPECT_EQ(TIMERS, enter.ready);
		EXPECT_GE(at_most(gen == 1 ? 2 : 1), sleeps() - begun);
		/* The events are ready, so this does not wait, either. */
		ASSERT_EQ(0, wt_enter(ring.fd, 1, WT_FOREVER, &enter));
		wt_ring_take(&ring, gen * TIMERS);
	}
	close(ring.fd);
}

/* A task that waits for several events sleeps until they have expired. */
TEST(a_waiter_for_several_events_is_woken_once)
{
	wait_for_several(_metadata, NULL);
}

static void enter_without_waiting(int fd)
{
	struct wheel_enter enter;

	wt_enter(fd, 0, 0, &enter);
	wt_enter(fd, 1, 0, &enter);
}

/* Calls that do not wait, or find their events, do not wake up a later one that waits for more. */
TEST(calls_that_do_not_wait_wake_up_nobody)
{
	wait_for_several(_metadata, enter_without_waiting);
}

/* The events of a program that only reads its ring. */
TEST(events_arrive_without_a_system_call)
{
	const struct wheel_setup setup = { .timers = TIMERS, .events = ROOM };
	struct wheel_stats stats;
	struct wheel_enter enter;
	struct wt_ring ring;
	__u32 taken = 0;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_EQ(0, arm_spread(ring.fd, TIMERS, 1, 0, wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD));
	while (taken < TIMERS) {
		taken = wt_ring_tail(&ring);
		wt_ring_take(&ring, taken);
		/* Timers of a late interrupt. */
		if (wt_ring_flags(&ring) & WHEEL_RING_BACKLOG)
			ASSERT_EQ(0, wt_enter(ring.fd, 0, 0, &enter));
	}
	ASSERT_EQ(0, wt_stats(ring.fd, &stats));
	EXPECT_GE(at_most(0), (long)stats.deferred);
	close(ring.fd);
}

/*
 * After an expiry, the interrupt pauses for longer than a tick. If the program has taken all events
 * meanwhile, a timer that is due in the pause causes an edge.
 */
TEST(p8_edge_after_the_pause)
{
	const struct wheel_setup setup = { .timers = 2, .tick_ns = WHEEL_MIN_TICK_NS,
					   .events = ROOM };
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0);
	struct wheel_enter enter;
	struct wt_ring ring;
	__u32 taken = 0;
	__u64 gen, when;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, ring.fd, &event));
	for (gen = 1; gen <= 8; gen++) {
		when = wt_now(WHEEL_CLOCK_MONOTONIC) + 2 * WT_MS;
		ASSERT_EQ(0, wt_arm(ring.fd, WHEEL_ID(0, gen), when));
		ASSERT_EQ(0, wt_arm(ring.fd, WHEEL_ID(1, gen), when + WHEEL_MIN_TICK_NS));
		while (taken < 2 * gen) {
			ASSERT_EQ(1, epoll_wait(epoll, &event, 1, 60000));
			do {
				taken = wt_ring_tail(&ring);
				wt_ring_take(&ring, taken);
				if (wt_ring_flags(&ring) & WHEEL_RING_BACKLOG)
					ASSERT_EQ(0, wt_enter(ring.fd, 0, 0, &enter));
			} while (taken != wt_ring_tail(&ring));
		}
	}
	close(epoll);
	close(ring.fd);
}

FIXTURE(words) {
	struct wt_areas areas;
	__u64 now;
};

FIXTURE_VARIANT(words) {
	__u32 events;
	bool park;
};

FIXTURE_VARIANT_ADD(words, parked) { .park = true };
FIXTURE_VARIANT_ADD(words, postponed) {};
FIXTURE_VARIANT_ADD(words, parked_with_a_ring) { .events = ROOM, .park = true };

FIXTURE_SETUP(words)
{
	const struct wheel_setup setup = { .timers = BURST + 1, .flags = WHEEL_SETUP_WORDS,
					   .events = variant->events };

	ASSERT_TRUE(wt_areas_open(&self->areas, &setup));
	self->now = wt_now(WHEEL_CLOCK_MONOTONIC);
}

FIXTURE_TEARDOWN(words)
{
	wt_areas_close(&self->areas);
}

/* Park or postpone the timer of a slot. It remains queued until its old deadline. */
static void move_away(struct wt_areas *areas, __u32 slot, __u64 to)
{
	__atomic_store_n(&areas->words[slot], to, __ATOMIC_RELEASE);
}

/*
 * Wait until @moved timers were found to be parked or postponed. Returns the number of wake-ups, or
 * a negative errno.
 */
static int watch_until_found(int fd, __u64 moved, bool park)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct wheel_stats stats;
	struct wheel_enter enter;
	int woken = 0, ret;

	do {
		if (poll(&p, 1, 1)) {
			woken++;
			wt_kick(fd);
			wt_enter(fd, 0, 0, &enter);
		}
		ret = wt_stats(fd, &stats);
	} while (!ret && (park ? stats.cancelled : stats.requeued) < moved);
	return ret ?: woken;
}

/* Timers that are due one after the other. */
WT_TEST(words, p7_moved_timers_wake_up_nobody)
{
	__u64 first = self->now + AHEAD;
	int i;

	ASSERT_EQ(0, arm_spread(self->areas.fd, TIMERS, 1, WHEEL_OP_WORD, first));
	for (i = 0; i < TIMERS; i++)
		move_away(&self->areas, i, variant->park ? WT_PARKED : first + WT_HOUR);
	EXPECT_GE(at_most(0), watch_until_found(self->areas.fd, TIMERS, variant->park));
}

/* Timers due at the same tick: more than an interrupt examines. It continues after its pause. */
WT_TEST(words, p7_a_burst_of_moved_timers_wakes_up_nobody)
{
	const int burst = getenv("WHEEL_COUNTED") ? 300 : 0;
	struct wheel_op first = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), self->now + AHEAD);
	int i;

	if (!burst)
		SKIP(return, "the pauses are exact only if instructions are counted as time");
	first.flags = WHEEL_OP_WORD;
	ASSERT_EQ(0, wt_arm_like(self->areas.fd, burst, first));
	for (i = 0; i < burst; i++)
		move_away(&self->areas, i, variant->park ? WT_PARKED : first.when + WT_HOUR);
	EXPECT_EQ(0, watch_until_found(self->areas.fd, burst, variant->park));
}

/*
 * A timer that a long burst of moved timers precedes is late by little more than a millisecond:
 * then the program is woken to run the pass itself.
 */
WT_TEST(words, p2_a_burst_of_moved_timers_delays_no_other)
{
	struct wheel_op first = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), self->now + AHEAD);
	struct pollfd p = { .fd = self->areas.fd, .events = POLLIN };
	struct wheel_stats stats;
	struct wheel_event event;
	int i, woken;

	first.flags = WHEEL_OP_WORD;
	ASSERT_EQ(0, wt_arm_like(self->areas.fd, BURST, first));
	for (i = 0; i < BURST; i++)
		move_away(&self->areas, i, variant->park ? WT_PARKED : first.when + WT_HOUR);
	do {
		woken = poll(&p, 1, 1);
		ASSERT_EQ(0, wt_stats(self->areas.fd, &stats));
	} while (!woken && (variant->park ? stats.cancelled : stats.requeued) < BURST);
	ASSERT_EQ(1, woken);
	EXPECT_EQ(1, stats.deferred);
	EXPECT_EQ(0, stats.fired);
	EXPECT_LT(0, variant->park ? stats.cancelled : stats.requeued);
	/* POLLIN without an event. Afterwards, a blocking call waits for the next event. */
	if (variant->events)
		return;
	do {
		ASSERT_EQ(-EAGAIN, wt_read(self->areas.fd, &event, 1));
	} while (poll(&p, 1, 0));
	ASSERT_EQ(0, wt_arm_rel(self->areas.fd, WHEEL_ID(BURST, 1), WT_MS));
	ASSERT_EQ(0, fcntl(self->areas.fd, F_SETFL, O_RDWR));
	EXPECT_EQ(1, wt_read(self->areas.fd, &event, 1));
	EXPECT_EQ(WHEEL_ID(BURST, 1), event.id);
}

/* After poll() has reported an event, a read() of a blocking file does not wait. */
TEST(poll_that_reports_an_event_is_followed_by_one)
{
	struct pollfd p = { .events = POLLIN };
	struct wheel_event event;
	struct wt_areas areas;
	int i;

	ASSERT_TRUE(wt_areas_open(&areas, &(struct wheel_setup){
		.timers = TIMERS, .flags = WHEEL_SETUP_WORDS }));
	p.fd = areas.fd;
	ASSERT_EQ(0, fcntl(p.fd, F_SETFL, 0));
	ASSERT_EQ(0, arm_spread(p.fd, TIMERS, 1, WHEEL_OP_WORD,
				wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD));
	for (i = 0; i + 1 < TIMERS; i++)
		move_away(&areas, i, WT_PARKED);
	ASSERT_EQ(1, poll(&p, 1, -1));
	/* The last timer has expired, not one of those that were parked. */
	ASSERT_EQ(1, wt_read(p.fd, &event, 1));
	EXPECT_EQ(WHEEL_ID(TIMERS - 1, 1), event.id);
	wt_areas_close(&areas);
}

/* WHEEL_RING_BACKLOG: timers are due. It is not set for as many as an interrupt expires. */
TEST(flag_is_not_set_if_nothing_is_due)
{
	const struct wheel_setup setup = { .timers = TIMERS, .events = 8 };
	struct wheel_stats stats;
	struct wt_ring ring;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_EQ(0, wt_arm_many(ring.fd, 8, 1, wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD));
	while (wt_ring_tail(&ring) < 8)
		wt_let_pass(WT_MS);
	ASSERT_EQ(0, wt_stats(ring.fd, &stats));
	EXPECT_EQ(0, stats.deferred);
	EXPECT_EQ(0, wt_ring_flags(&ring));
	close(ring.fd);
}

TEST_HARNESS_MAIN
