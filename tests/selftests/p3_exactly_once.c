// SPDX-License-Identifier: GPL-2.0
/*
 * P3: each armed timer expires exactly once or is cancelled. At every quiescent point, armed =
 * fired + cancelled + pending.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"

#define TIMERS	2048
#define ROUNDS	20

FIXTURE(wheel) {
	int fd;
	__u64 seed;
	struct wheel_event events[TIMERS];
	/* Per slot: generation of the armed timer, number of events, number of cancels. */
	__u64 gen[TIMERS];
	int seen[TIMERS];
	int cancelled[TIMERS];
};

FIXTURE_VARIANT(wheel) {
	__u32 scheme;
};

FIXTURE_VARIANT_ADD(wheel, hashed) {
	.scheme = WHEEL_HASHED,
};

FIXTURE_VARIANT_ADD(wheel, hierarchical) {
	.scheme = WHEEL_HIERARCHICAL,
};

FIXTURE_VARIANT_ADD(wheel, bounded) {
	.scheme = WHEEL_BOUNDED,
};

FIXTURE_VARIANT_ADD(wheel, overflow) {
	.scheme = WHEEL_OVERFLOW,
};

FIXTURE_SETUP(wheel)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = variant->scheme,
		.timers = TIMERS, .buckets = 1024,
	};

	if (!(wt_features() & WHEEL_HAS_SCHEME(variant->scheme)))
		SKIP(return, "the module has no such scheme");
	self->seed = wt_seed();
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* Read all events. Returns the number of events that belong to no armed timer. */
static int strangers(int fd, struct wheel_event *events, const __u64 *gen,
		     int *seen)
{
	int n = wt_read_all(fd, events, TIMERS, TIMERS);
	int bad = 0, i;

	for (i = 0; i < n; i++) {
		__u32 slot = WHEEL_ID_SLOT(events[i].id);

		if (slot >= TIMERS || events[i].id != WHEEL_ID(slot, gen[slot]))
			bad++;
		else
			seen[slot]++;
	}
	return n < 0 ? n : bad;
}

/* Arm all timers, cancel and move some while the clock advances, then let the others expire. */
WT_TEST(wheel, p3_exactly_once)
{
	__u64 now = 0, armed = 0, cancels = 0, n;
	struct wheel_stats stats;
	int round, i, step;

	for (round = 1; round <= ROUNDS; round++) {
		n = 1 + wt_below(&self->seed, TIMERS);
		for (i = 0; i < (int)n; i++) {
			self->gen[i] = round;
			self->seen[i] = 0;
			self->cancelled[i] = 0;
			ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, round), now +
					    wt_below(&self->seed, WT_SEC)));
		}
		armed += n;
		for (step = 0; step < 10; step++) {
			for (i = 0; i < 20; i++) {
				__u64 slot = wt_below(&self->seed, n);
				__u64 id = WHEEL_ID(slot, round);

				if (i & 1)
					wt_rearm(self->fd, id, now +
						 wt_below(&self->seed, WT_SEC));
				else if (!wt_cancel(self->fd, id))
					self->cancelled[slot]++;
			}
			now += wt_below(&self->seed, WT_SEC / 8);
			ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
			ASSERT_EQ(0, wt_stats(self->fd, &stats));
			EXPECT_TRUE(wt_balanced(&stats));
			EXPECT_EQ(armed, stats.armed);
			ASSERT_EQ(0, strangers(self->fd, self->events,
					       self->gen, self->seen));
		}
		now += 3 * WT_SEC;
		ASSERT_EQ(0, wt_advance(self->fd, now, NULL));
		ASSERT_EQ(0, strangers(self->fd, self->events, self->gen,
				       self->seen));
		for (i = 0; i < (int)n; i++) {
			ASSERT_EQ(1, self->seen[i] + self->cancelled[i]);
			cancels += self->cancelled[i];
		}
	}
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_EQ(armed - cancels, stats.fired);
	EXPECT_EQ(cancels, stats.cancelled);
	EXPECT_EQ(0, stats.pending);
	EXPECT_EQ(0, stats.unread);
}

#define THREADS	3
#define SHARE	2000

struct armer {
	pthread_t thread;
	int fd;
	int first;
	int failed;
	__u64 seed;
};

static void *arm_some(void *arg)
{
	struct armer *a = arg;
	int i;

	for (i = 0; i < SHARE; i++) {
		__u64 delay = wt_below(&a->seed, 2 * WT_MS);

		a->failed |= wt_arm_rel(a->fd, WHEEL_ID(a->first + i, 1),
					delay);
	}
	return NULL;
}

FIXTURE(running) {
	int fd;
	struct armer armers[THREADS];
	struct wheel_event events[THREADS * SHARE];
	unsigned char seen[THREADS * SHARE];
};

FIXTURE_SETUP(running)
{
	__u64 seed = wt_seed();
	int i;

	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, THREADS * SHARE,
				 100 * WT_US);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < THREADS; i++) {
		self->armers[i].fd = self->fd;
		self->armers[i].first = i * SHARE;
		self->armers[i].seed = wt_random(&seed);
	}
}

FIXTURE_TEARDOWN(running)
{
	close(self->fd);
}

/* Several threads arm timers while the clock runs and the main thread reads. */
WT_TEST(running, p3_exactly_once_while_threads_arm)
{
	struct wheel_stats stats;
	int got, n, i;

	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&self->armers[i].thread, NULL,
					    arm_some, &self->armers[i]));
	for (got = 0; got < THREADS * SHARE; got += n) {
		n = wt_read(self->fd, self->events, THREADS * SHARE);
		ASSERT_LT(0, n);
		for (i = 0; i < n; i++) {
			__u32 slot = WHEEL_ID_SLOT(self->events[i].id);

			ASSERT_GT(THREADS * SHARE, slot);
			EXPECT_EQ(1, WHEEL_ID_GEN(self->events[i].id));
			EXPECT_EQ(0, self->seen[slot]++);
			EXPECT_EQ(got + i, self->events[i].seq);
		}
	}
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(self->armers[i].thread, NULL));
		EXPECT_EQ(0, self->armers[i].failed);
	}
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_TRUE(wt_balanced(&stats));
	EXPECT_EQ(THREADS * SHARE, stats.armed);
	EXPECT_EQ(THREADS * SHARE, stats.fired);
	EXPECT_EQ(0, stats.pending);
	EXPECT_EQ(0, stats.unread);
	EXPECT_TRUE(wt_quiet(self->fd));
}

struct mover {
	pthread_t thread;
	int fd;
	__u64 seed;
	/* The deadline of the last successful move, per slot. */
	__u64 when[TIMERS];
	int bad;
};

static void *move_all(void *arg)
{
	struct mover *m = arg;
	int i, round, ret;

	for (round = 0; round < 3; round++)
		for (i = 0; i < TIMERS; i++) {
			__u64 when = wt_now(WHEEL_CLOCK_MONOTONIC) +
				wt_below(&m->seed, WT_MS);

			ret = wt_rearm(m->fd, WHEEL_ID(i, 1), when);
			if (!ret)
				m->when[i] = when;
			else if (ret != -ENOENT)
				m->bad = ret;
		}
	return NULL;
}

/* Timers are moved while they expire: an event has the last accepted deadline. */
WT_TEST(running, p3_exactly_once_while_moved)
{
	__u64 now = wt_now(WHEEL_CLOCK_MONOTONIC);
	struct mover m = { .fd = self->fd, .seed = now };
	struct wheel_stats stats;
	int got, n, i;

	for (i = 0; i < TIMERS; i++) {
		m.when[i] = now + i * 10 * WT_US;
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), m.when[i]));
	}
	ASSERT_EQ(0, pthread_create(&m.thread, NULL, move_all, &m));
	for (got = 0; got < TIMERS; got += n) {
		n = wt_read(self->fd, self->events + got, TIMERS);
		ASSERT_LT(0, n);
	}
	ASSERT_EQ(0, pthread_join(m.thread, NULL));
	EXPECT_EQ(0, m.bad);
	for (i = 0; i < TIMERS; i++) {
		__u32 slot = WHEEL_ID_SLOT(self->events[i].id);

		ASSERT_GT(TIMERS, slot);
		EXPECT_EQ(0, self->seen[slot]++);
		EXPECT_EQ(m.when[slot], self->events[i].deadline);
	}
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_TRUE(wt_balanced(&stats));
	EXPECT_EQ(TIMERS, stats.fired);
	EXPECT_TRUE(wt_quiet(self->fd));
}

TEST_HARNESS_MAIN
