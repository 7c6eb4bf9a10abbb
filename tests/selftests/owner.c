// SPDX-License-Identifier: GPL-2.0
/*
 * Due timers that an interrupt leaves to the owner of the file, and how the owner is notified.
 * STATS does not count as a call of the owner, so it can observe a deferred file.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_words.h"

/* Upper limit on the number of timers that one interrupt expires: see dev/event.c. */
#define FEW	8
#define MANY	200
#define ROOM	256
/* Timers are not due before the calls that arm them have returned: see arm_ahead(). */
#define AHEAD	(WT_SEC / 2)
#define TICK	WHEEL_MIN_TICK_NS
/* Several ticks. A file that is not deferred has expired its due timers by then. */
#define A_WHILE	(20 * WT_MS)

FIXTURE(owner) {
	int fd;
	struct wheel_stats stats;
	struct wheel_event events[ROOM];
};

static int open_owner(void)
{
	struct wheel_setup setup = { .scheme = WHEEL_HIERARCHICAL, .timers = 1024 };

	return wt_open_setup(O_NONBLOCK, &setup);
}

FIXTURE_SETUP(owner)
{
	self->fd = open_owner();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(owner)
{
	close(self->fd);
}

/*
 * Arm MANY timers for one time, which is after the call. If a busy machine takes longer, begin
 * again with another file and a later time. Returns 0 or an error.
 */
static int arm_ahead(int *fd)
{
	__u64 ahead = AHEAD, when;
	int err;

	for (;;) {
		when = wt_now(WHEEL_CLOCK_MONOTONIC) + ahead;
		err = wt_arm_many(*fd, MANY, 1, when);
		if (err || wt_now(WHEEL_CLOCK_MONOTONIC) < when)
			return err;
		ahead *= 2;
		close(*fd);
		*fd = open_owner();
		if (*fd < 0)
			return *fd;
	}
}

/* Wait until an interrupt has left the pass to the program. */
static int wait_deferred(int fd, struct wheel_stats *stats)
{
	int ret;

	while (!(ret = wt_stats(fd, stats)) && !stats->deferred)
		wt_let_pass(WT_MS);
	return ret;
}

/* The interrupt expires the first timers. The program reads the others, in order. */
WT_TEST(owner, p9_interrupt_expires_few_timers)
{
	int i, n = 0, ret;

	ASSERT_EQ(0, arm_ahead(&self->fd));
	ASSERT_EQ(0, wait_deferred(self->fd, &self->stats));
	EXPECT_GE(FEW, self->stats.fired);
	EXPECT_EQ(MANY, self->stats.fired + self->stats.pending);
	EXPECT_EQ(self->stats.fired, self->stats.unread);
	while (n < MANY) {
		ret = wt_read(self->fd, self->events + n, ROOM - n);
		ASSERT_LT(0, ret);
		n += ret;
	}
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), self->events[i].id);
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* P4: a due timer that has not expired can be cancelled. POLLIN does not guarantee an event. */
WT_TEST(owner, p4_due_timer_can_be_cancelled)
{
	struct wheel_op ops[MANY];
	struct wheel_submit batch;
	int i, n;

	for (i = 0; i < MANY; i++)
		ops[i] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(i, 1), 0);
	ASSERT_EQ(0, arm_ahead(&self->fd));
	ASSERT_EQ(0, wait_deferred(self->fd, &self->stats));
	EXPECT_EQ(POLLIN, wt_wait(self->fd));
	ASSERT_EQ(0, wt_submit(self->fd, ops, MANY, &batch));
	n = wt_read_all(self->fd, self->events, ROOM, MANY);
	/* Each one was either cancelled or read. */
	EXPECT_EQ((int)batch.failed, n);
	for (i = 0; i < n; i++)
		EXPECT_EQ(-ENOENT, ops[WHEEL_ID_SLOT(self->events[i].id)].res);
	EXPECT_LT(n, MANY);
	EXPECT_TRUE(wt_quiet(self->fd));
}

/* STOP of a deferred file: due timers are counted as unfired. */
WT_TEST(owner, stop_returns_due_timers)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	__u64 unfired;

	ASSERT_EQ(0, arm_ahead(&self->fd));
	ASSERT_EQ(0, wait_deferred(self->fd, &self->stats));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	EXPECT_EQ(MANY - self->stats.fired, unfired);
	EXPECT_EQ((int)self->stats.fired,
		  wt_read_all(self->fd, self->events, ROOM, self->stats.fired));
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLHUP, p.revents);
	EXPECT_EQ(-ESHUTDOWN, wt_read(self->fd, self->events, 1));
}

/* WHEEL_RING_BACKLOG requests a system call from a program that makes none. */
WT_TEST(owner, flag_in_the_ring_requests_a_call)
{
	struct wheel_setup setup = { .scheme = WHEEL_HIERARCHICAL, .timers = 1024,
				     .events = ROOM };
	struct wheel_enter enter;
	struct wt_ring ring;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	ASSERT_EQ(0, wt_arm_many(ring.fd, MANY, 1, wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD));
	while (!(wt_ring_flags(&ring) & WHEEL_RING_BACKLOG))
		wt_let_pass(WT_MS);
	EXPECT_GE(FEW, wt_ring_tail(&ring));
	EXPECT_EQ(POLLIN, wt_wait(ring.fd));
	ASSERT_EQ(0, wt_enter(ring.fd, 0, 0, &enter));
	EXPECT_EQ(MANY, enter.ready);
	EXPECT_EQ(MANY, wt_ring_tail(&ring));
	EXPECT_EQ(0, wt_ring_flags(&ring));
	wt_ring_take(&ring, MANY);
	EXPECT_TRUE(wt_quiet(ring.fd));
	close(ring.fd);
}

/* Sorted lists: the timers of an owner may be queued again by a walk, so its calls expire them. */
static const struct wheel_setup sorted = {
	.scheme = WHEEL_OVERFLOW, .timers = WHEEL_OVERFLOW_TIMERS, .buckets = 256,
};

/*
 * Open a ring, and arm a periodic timer of it, and as many others beyond the ring as there can be.
 * Returns false if the timer may have been due before the call ended, which then expires it.
 */
static bool arm_periodic_in_time(struct wt_ring *ring, __u64 ahead)
{
	struct wheel_setup setup = sorted;
	__u64 when;

	setup.events = ROOM;
	if (!wt_ring_open(ring, &setup) ||
	    wt_arm_many(ring->fd, sorted.timers - 1, 1, wt_now(WHEEL_CLOCK_MONOTONIC) + WT_HOUR))
		return false;
	when = wt_now(WHEEL_CLOCK_MONOTONIC) + ahead;
	return !wt_arm_every(ring->fd, WHEEL_ID(sorted.timers - 1, 1), when, WT_HOUR / 2) &&
	       wt_now(WHEEL_CLOCK_MONOTONIC) < when;
}

TEST(p12_interrupt_queues_no_periodic_timer_in_a_list)
{
	struct wheel_enter enter;
	struct wheel_stats stats;
	struct wt_ring ring;
	__u64 ahead;

	for (ahead = WT_MS; !arm_periodic_in_time(&ring, ahead); ahead *= 2) {
		ASSERT_GT(WT_HOUR, ahead);
		close(ring.fd);
	}
	while (!wt_ring_flags(&ring) && !wt_ring_tail(&ring))
		wt_let_pass(WT_MS);
	ASSERT_EQ(0, wt_stats(ring.fd, &stats));
	EXPECT_EQ(1, stats.deferred);
	EXPECT_EQ(0, stats.fired);
	EXPECT_EQ(0, wt_ring_tail(&ring));
	ASSERT_EQ(0, wt_enter(ring.fd, 1, WT_FOREVER, &enter));
	EXPECT_EQ(1, wt_ring_tail(&ring));
	EXPECT_EQ(0, wt_ring_flags(&ring));
	close(ring.fd);
}

/* Timers with words, of which one was moved to a time beyond the ring. */
TEST(p12_interrupt_queues_no_moved_timer_in_a_list)
{
	struct wheel_event events[2];
	struct wheel_stats stats;
	struct wt_areas areas;
	__u64 when;

	ASSERT_TRUE(wt_areas_open(&areas, &sorted));
	when = wt_now(WHEEL_CLOCK_MONOTONIC) + AHEAD;
	ASSERT_EQ(0, wt_arm_word(areas.fd, WHEEL_ID(0, 1), when));
	ASSERT_EQ(0, wt_arm_word(areas.fd, WHEEL_ID(1, 1), when));
	ASSERT_TRUE(wt_push(&areas.words[0], when + WT_HOUR));
	EXPECT_EQ(POLLIN, wt_wait(areas.fd));
	ASSERT_EQ(0, wt_stats(areas.fd, &stats));
	EXPECT_EQ(1, stats.deferred);
	EXPECT_EQ(0, stats.fired);
	EXPECT_EQ(0, stats.requeued);
	EXPECT_EQ(1, wt_read(areas.fd, events, 2));
	EXPECT_EQ(WHEEL_ID(1, 1), events[0].id);
	EXPECT_LEDGER(areas.fd, .armed = 2, .fired = 1, .requeued = 1);
	wt_areas_close(&areas);
}

/* A deferred file is readable, but poll() runs no pass. */
WT_TEST(owner, p12_poll_expires_nothing)
{
	__u64 passes;
	int i;

	ASSERT_EQ(0, arm_ahead(&self->fd));
	ASSERT_EQ(0, wait_deferred(self->fd, &self->stats));
	passes = self->stats.passes;
	for (i = 0; i < 10; i++)
		EXPECT_EQ(POLLIN, wt_wait(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(passes, self->stats.passes);
	EXPECT_GE(FEW, self->stats.fired);
}

/* An owner that only takes events from its ring and polls causes no interrupts. */
WT_TEST(owner, p12_a_sleeping_owner_causes_no_interrupts)
{
	const struct wheel_setup setup = { .timers = FEW, .tick_ns = TICK, .events = ROOM };
	struct wt_ring ring;
	__u64 wakeups;
	int i;

	ASSERT_TRUE(wt_ring_open(&ring, &setup));
	for (i = 0; i < FEW; i++)
		ASSERT_EQ(0, wt_arm_every(ring.fd, WHEEL_ID(i, 1), 0, TICK));
	wt_let_pass(A_WHILE);
	wt_ring_take(&ring, wt_ring_tail(&ring));
	wt_let_pass(A_WHILE);
	ASSERT_EQ(0, wt_stats(ring.fd, &self->stats));
	EXPECT_NE(0, wt_ring_flags(&ring));
	wakeups = self->stats.wakeups;
	for (i = 0; i < 10; i++) {
		wt_ring_take(&ring, wt_ring_tail(&ring));
		EXPECT_EQ(POLLIN, wt_wait(ring.fd));
		wt_let_pass(A_WHILE);
	}
	ASSERT_EQ(0, wt_stats(ring.fd, &self->stats));
	EXPECT_EQ(wakeups, self->stats.wakeups);
	wt_ring_unmap(&ring);
	close(ring.fd);
}

/* After a call that leaves nothing due, the interrupt expires timers again. */
WT_TEST(owner, p2_interrupts_resume_after_a_call)
{
	__u64 wakeups;

	ASSERT_EQ(0, arm_ahead(&self->fd));
	ASSERT_EQ(0, wait_deferred(self->fd, &self->stats));
	EXPECT_EQ(MANY, wt_read_all(self->fd, self->events, ROOM, MANY));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	wakeups = self->stats.wakeups;
	ASSERT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(0, 2), WT_MS));
	ASSERT_EQ(POLLIN, wt_wait(self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_LT(wakeups, self->stats.wakeups);
	EXPECT_EQ(1, wt_read(self->fd, self->events, 1));
}

/* More timers than a call processes within a millisecond. */
#define CROWD	100000
/* Number of calls after which one must have been interrupted. */
#define TRIES	100

/* The file of a call, its edge-triggered epoll, signals halfway through it, and edges then. */
static int called, watch, interruptions, edges;

static void count_interruption(int nr)
{
	struct wheel_stats stats = {};
	struct epoll_event event;

	(void)nr;
	wt_stats(called, &stats);
	/* The first timers are no longer pending, the last ones are. */
	if (stats.fired + stats.cancelled - 1 < CROWD - 1) {
		interruptions++;
		edges += epoll_wait(watch, &event, 1, 0);
	}
}

static int open_crowd(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	called = wt_open_virtual(CROWD, WT_MS);
	watch = epoll_create1(0);
	signal(SIGALRM, count_interruption);
	return epoll_ctl(watch, EPOLL_CTL_ADD, called, &event) ?:
	       wt_arm_many(called, CROWD, 1, WT_MS);
}

static void send_signals(bool on)
{
	const struct itimerval every = { { 0, on * 1000 }, { 0, on * 1000 } };

	setitimer(ITIMER_REAL, &every, NULL);
}

/* After a signal, ADVANCE wakes up those that wait for its events, is restarted and continues. */
WT_TEST(owner, p3_signals_interrupt_advance)
{
	__u64 next;
	int i;

	for (i = 0; i < TRIES && !interruptions; i++) {
		ASSERT_EQ(0, open_crowd());
		send_signals(true);
		ASSERT_EQ(0, wt_advance(called, WT_MS, &next));
		send_signals(false);
		ASSERT_EQ(0, wt_stats(called, &self->stats));
		EXPECT_EQ(CROWD, self->stats.fired);
		EXPECT_EQ(~0ULL, next);
		close(called);
	}
	EXPECT_LT(0, edges);
}

/* After a signal, STOP is restarted, and returns the total number of timers. */
WT_TEST(owner, p3_signals_interrupt_stop)
{
	__u64 unfired;
	int i;

	for (i = 0; i < TRIES && !interruptions; i++) {
		ASSERT_EQ(0, open_crowd());
		send_signals(true);
		ASSERT_EQ(0, wt_stop(called, &unfired));
		send_signals(false);
		EXPECT_EQ(CROWD, unfired);
		ASSERT_EQ(0, wt_stop(called, &unfired));
		EXPECT_EQ(0, unfired);
		close(called);
	}
	EXPECT_LT(0, interruptions);
}

TEST_HARNESS_MAIN
