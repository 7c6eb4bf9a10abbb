// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in mapped memory, due timers while the ring is full, and
 * WHEEL_IOC_ENTER, which waits for many events or for a time.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define ENTRIES	8
#define TIMERS	64

FIXTURE(ring) {
	struct wt_ring ring;
	struct wheel_enter enter;
	struct wheel_stats stats;
};

FIXTURE_SETUP(ring)
{
	ASSERT_TRUE(wt_ring_open_virtual(&self->ring, TIMERS, ENTRIES - 1));
}

FIXTURE_TEARDOWN(ring)
{
	close(self->ring.fd);
}

WT_TEST(ring, is_rounded_up)
{
	EXPECT_EQ(ENTRIES, self->ring.setup.events);
	EXPECT_EQ(0, wt_ring_tail(&self->ring));
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
	/* Only files with words use it. */
	EXPECT_EQ(0, self->ring.kernel->next_wake);
}

WT_TEST(ring, p8_nothing_lost_when_it_is_full)
{
	__u32 head = 0, seen = 0;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, TIMERS, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_SEC, NULL));
	EXPECT_EQ(ENTRIES, wt_ring_tail(&self->ring));
	EXPECT_EQ(WHEEL_RING_BACKLOG, wt_ring_flags(&self->ring));
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(ENTRIES, self->stats.unread);
	EXPECT_EQ(TIMERS - ENTRIES, self->stats.pending);
	while (seen < TIMERS) {
		ASSERT_NE(wt_ring_tail(&self->ring), head);
		for (; head != wt_ring_tail(&self->ring); head++)
			EXPECT_EQ(WHEEL_ID(seen++, 1), wt_ring_at(&self->ring, head)->id);
		wt_ring_take(&self->ring, head);
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
		EXPECT_EQ(seen < TIMERS ? ENTRIES : 0, self->enter.ready);
	}
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(0, self->stats.unread);
	EXPECT_EQ(TIMERS, self->stats.fired);
}

/* Timers that waited for space expire before timers that are due later. */
WT_TEST(ring, p5_timers_that_waited_for_room_expire_first)
{
	__u32 i;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES + 1, 1), 2 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_advance(self->ring.fd, 2 * WT_MS, NULL));
	ASSERT_EQ(ENTRIES + 2, wt_ring_tail(&self->ring));
	for (i = ENTRIES; i < ENTRIES + 2; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), wt_ring_at(&self->ring, i)->id);
}

/*
 * The clock moves while the ring is full and no timer is due. A timer armed in the past afterwards
 * is due at the next tick, after those that were armed before.
 */
WT_TEST(ring, p5_a_full_ring_does_not_hold_back_the_clock)
{
	__u64 now = 3 * WT_MS + 1, next;
	__u32 i;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, ENTRIES, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES, 1), 4 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	ASSERT_EQ(0, wt_advance(self->ring.fd, now, &next));
	EXPECT_EQ(4 * WT_MS, next);
	EXPECT_EQ(0, wt_ring_flags(&self->ring));
	ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(ENTRIES + 1, 1), WT_MS));
	wt_ring_take(&self->ring, ENTRIES);
	ASSERT_EQ(0, wt_advance(self->ring.fd, now, &next));
	EXPECT_EQ(4 * WT_MS, next);
	EXPECT_EQ(ENTRIES, wt_ring_tail(&self->ring));
	ASSERT_EQ(0, wt_advance(self->ring.fd, 4 * WT_MS, NULL));
	ASSERT_EQ(ENTRIES + 2, wt_ring_tail(&self->ring));
	for (i = ENTRIES; i < ENTRIES + 2; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), wt_ring_at(&self->ring, i)->id);
}

/* With an invalid head, no timer is lost. */
WT_TEST(ring, a_wrong_head_loses_nothing)
{
	static const __u32 heads[] = { ~0U, 1, 1U << 31, 0xcccccccc };
	unsigned int i;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, TIMERS, 1, WT_MS));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		wt_ring_take(&self->ring, heads[i]);
		ASSERT_EQ(0, wt_advance(self->ring.fd, i * WT_MS, NULL));
		ASSERT_EQ(0, wt_enter(self->ring.fd, 0, 0, &self->enter));
		EXPECT_GE(ENTRIES, self->enter.ready);
	}
	ASSERT_EQ(0, wt_stats(self->ring.fd, &self->stats));
	EXPECT_EQ(TIMERS, self->stats.fired + self->stats.pending);
	EXPECT_TRUE(wt_balanced(&self->stats));
}

WT_TEST(ring, read_does_not_see_it)
{
	struct wheel_event event;

	ASSERT_EQ(0, wt_arm_many(self->ring.fd, 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->ring.fd, WT_MS, NULL));
	EXPECT_EQ(-1, read(self->ring.fd, &event, sizeof(event)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(1, wt_wait(self->ring.fd));
}

WT_TEST(ring, says_what_is_wrong)
{
	struct wheel_enter e;
	int plain;

	EXPECT_EQ(-EINVAL, wt_enter(self->ring.fd, ENTRIES + 1, 0, &e));
	memset(&e, 0, sizeof(e));
	e.size = sizeof(e);
	e.flags = 2;
	EXPECT_EQ(-EINVAL, wt_ioctl(self->ring.fd, WHEEL_IOC_ENTER, &e));
	e.flags = WHEEL_ENTER_KICK;
	EXPECT_EQ(-EOPNOTSUPP, wt_ioctl(self->ring.fd, WHEEL_IOC_ENTER, &e));
	EXPECT_EQ(-ERANGE, wt_enter(self->ring.fd, 1, 1ULL << 63, &e));
	EXPECT_EQ(-ERANGE, wt_enter(self->ring.fd, 1, ~0ULL - 1, &e));
	plain = wt_open(O_RDWR);
	ASSERT_LE(0, plain);
	EXPECT_EQ(-EOPNOTSUPP, wt_enter(plain, 0, 0, &e));
	close(plain);
}

WT_TEST(ring, that_fails_writes_nothing)
{
	struct wheel_enter e, was = { .size = sizeof(e), .wait = ENTRIES + 1 };

	was.ready = 0xcccccccc;
	e = was;
	EXPECT_EQ(-EINVAL, wt_ioctl(self->ring.fd, WHEEL_IOC_ENTER, &e));
	EXPECT_EQ(0, memcmp(&was, &e, sizeof(e)));
}

struct waiter {
	int fd;
	pid_t tid;
	__u32 wait;
	__u64 until;
	int err;
	struct wheel_enter enter;
};

static void *wait_in_enter(void *arg)
{
	struct waiter *w = arg;

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	w->err = wt_enter(w->fd, w->wait, w->until, &w->enter);
	return NULL;
}

/* Events arrive one at a time. The waiter sleeps until all five are available. */
WT_TEST(ring, waits_for_many)
{
	struct waiter w = { .fd = self->ring.fd, .wait = 5, .until = WT_FOREVER };
	pthread_t thread;
	__u64 t;

	for (t = 0; t < 5; t++)
		ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(t, 1), (t + 1) * WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	for (t = 1; t <= 5; t++)
		ASSERT_EQ(0, wt_advance(self->ring.fd, t * WT_MS, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(5, w.enter.ready);
}

/* Run on one CPU with real-time priority: other threads run there only while the caller sleeps. */
static int rule_one_cpu(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return sched_setaffinity(0, sizeof(first), &first) ||
	       sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

#define LONG_RING	128

/*
 * The ring fills and the waiter is woken. Before it runs, all events are taken. It then has
 * to move due timers into the ring itself, more than it expires under one lock hold.
 */
TEST(gets_what_waits_in_the_kernel)
{
	struct waiter w = { .wait = LONG_RING, .until = WT_FOREVER };
	struct wt_ring ring;
	struct wheel_stats stats;
	pthread_t thread;

	if (rule_one_cpu())
		SKIP(return, "no real-time priority");
	ASSERT_TRUE(wt_ring_open_virtual(&ring, 512, LONG_RING));
	w.fd = ring.fd;
	ASSERT_EQ(0, wt_arm_many(w.fd, 4 * LONG_RING, 1, WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	while (!__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE))
		wt_let_pass(10 * WT_US);
	ASSERT_TRUE(wt_sleeps(w.tid));
	ASSERT_EQ(0, wt_advance(w.fd, WT_MS, NULL));
	ASSERT_EQ(LONG_RING, wt_ring_tail(&ring));
	wt_ring_take(&ring, LONG_RING);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(LONG_RING, w.enter.ready);
	ASSERT_EQ(0, wt_stats(w.fd, &stats));
	EXPECT_EQ(LONG_RING, stats.unread);
	EXPECT_EQ(2 * LONG_RING, stats.pending);
	close(w.fd);
}

/* Events up to @until are delivered, regardless of where the waiter was when the clock moved. */
WT_TEST(ring, misses_nothing_by_its_time)
{
	struct waiter w = { .fd = self->ring.fd, .wait = 5 };
	pthread_t thread;
	__u64 round;

	for (round = 1; round <= 300; round++) {
		w.until = round * WT_MS;
		ASSERT_EQ(0, wt_arm(self->ring.fd, WHEEL_ID(0, round), w.until));
		ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
		ASSERT_EQ(0, wt_advance(self->ring.fd, w.until, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, w.err);
		ASSERT_EQ(1, w.enter.ready);
		wt_ring_take(&self->ring, round);
	}
}

TEST_HARNESS_MAIN
