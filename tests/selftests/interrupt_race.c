// SPDX-License-Identifier: GPL-2.0
/*
 * Threads arm, move and cancel timers of one file while its interrupts run the pass, if the
 * wheel's lock is free. Each thread knows whether and when each of its timers has to expire:
 * never early, exactly once, and none is lost.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "wheel_test.h"

#define CLOCK	WHEEL_CLOCK_MONOTONIC
#define THREADS	3
#define ROUNDS	600

/* A timer in an hour. The hrtimer is programmed for it after the others have ended. */
#define FAR	THREADS

/* A thread and its timer. The reader posts @came after it has stored the event. */
struct owner {
	pthread_t thread;
	int fd;
	__u32 slot;
	__u64 span;
	__u64 seed;
	__u64 fired, cancelled, moved;
	sem_t came;
	struct wheel_event event;
	__u64 events;
	/* The line of the first failed check, or 0. */
	int wrong;
};

struct reader {
	pthread_t thread;
	int fd;
	struct owner *owners;
	int ret;
};

FIXTURE(file) {
	int fd;
	__u64 seed;
	struct owner owners[THREADS];
	struct reader reader;
};

FIXTURE_VARIANT(file) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(file, hashed) { .scheme = WHEEL_HASHED, .tick = WHEEL_MIN_TICK_NS };
FIXTURE_VARIANT_ADD(file, hierarchical) { .scheme = WHEEL_HIERARCHICAL, .tick = WHEEL_MIN_TICK_NS };

/* With this tick, one ARM takes several ticks. */
FIXTURE_VARIANT_ADD(file, hierarchical_short) { .scheme = WHEEL_HIERARCHICAL, .tick = 100 };

FIXTURE_SETUP(file)
{
	struct wheel_setup setup = {
		.clock = CLOCK, .scheme = variant->scheme, .tick_ns = variant->tick,
		.timers = FAR + 1,
	};
	__u32 i;

	self->seed = wt_seed();
	self->fd = wt_open_setup(0, &setup);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	self->reader = (struct reader){ .fd = self->fd, .owners = self->owners };
	for (i = 0; i < THREADS; i++) {
		self->owners[i] = (struct owner){
			.fd = self->fd, .slot = i, .span = 3 * WHEEL_MIN_TICK_NS,
			.seed = wt_random(&self->seed),
		};
		sem_init(&self->owners[i].came, 0, 0);
	}
}

FIXTURE_TEARDOWN(file)
{
	close(self->fd);
}

/* Pass each event to the thread that armed the timer, until the wheel is stopped. */
static void *hand_out(void *arg)
{
	struct wheel_event events[4];
	struct reader *r = arg;
	int i;

	while ((r->ret = wt_read(r->fd, events, 4)) > 0)
		for (i = 0; i < r->ret; i++) {
			struct owner *o = &r->owners[WHEEL_ID_SLOT(events[i].id) % THREADS];

			o->event = events[i];
			o->events++;
			sem_post(&o->came);
		}
	return NULL;
}

static __u64 soon(struct owner *o)
{
	return wt_now(CLOCK) + wt_below(&o->seed, o->span);
}

/* The timer has expired, or is about to. Returns the line of a failed check, or 0. */
static int expect_event(struct owner *o, __u64 id, __u64 deadline)
{
	struct timespec patience;

	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec += WT_TIMEOUT / 5;
	if (sem_timedwait(&o->came, &patience))
		return __LINE__;
	o->fired++;
	if (o->events != o->fired || o->event.id != id)
		return __LINE__;
	if (o->event.deadline != deadline)
		return __LINE__;
	if (o->event.fired < deadline || o->event.fired > wt_now(CLOCK))
		return __LINE__;
	return 0;
}

/* Arm, move and end one timer. Returns the line of a failed check, or 0. */
static int live(struct owner *o, __u64 gen)
{
	__u64 id = WHEEL_ID(o->slot, gen), deadline = soon(o), when;
	__u64 steps = wt_below(&o->seed, 8);
	int ret;

	if (wt_arm(o->fd, id, deadline))
		return __LINE__;
	for (; steps; steps--) {
		when = soon(o);
		ret = wt_rearm(o->fd, id, when);
		if (ret == -ENOENT)
			return expect_event(o, id, deadline);
		if (ret)
			return __LINE__;
		deadline = when;
		o->moved++;
	}
	if (wt_below(&o->seed, 2))
		return expect_event(o, id, deadline);
	ret = wt_cancel(o->fd, id);
	if (ret == -ENOENT)
		return expect_event(o, id, deadline);
	o->cancelled++;
	return ret ? __LINE__ : 0;
}

static void *live_on(void *arg)
{
	struct owner *o = arg;
	__u64 gen;

	for (gen = 1; gen <= ROUNDS && !o->wrong; gen++)
		o->wrong = live(o, gen);
	return NULL;
}

WT_TEST(file, p3_arms_meet_the_interrupt)
{
	struct wheel_stats want = { .armed = 1, .cancelled = 1 };
	__u64 unfired;
	int i;

	ASSERT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(FAR, 1), WT_HOUR));
	ASSERT_EQ(0, pthread_create(&self->reader.thread, NULL, hand_out, &self->reader));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&self->owners[i].thread, NULL, live_on,
					    &self->owners[i]));
	for (i = 0; i < THREADS; i++) {
		struct owner *o = &self->owners[i];

		ASSERT_EQ(0, pthread_join(o->thread, NULL));
		EXPECT_EQ(0, o->wrong);
		want.armed += ROUNDS;
		want.fired += o->fired;
		want.cancelled += o->cancelled;
		want.rearmed += o->moved;
		EXPECT_LT(0, o->fired);
		EXPECT_LT(0, o->cancelled);
		EXPECT_LT(0, o->moved);
	}
	EXPECT_EQ(0, wt_cancel(self->fd, WHEEL_ID(FAR, 1)));
	EXPECT_LEDGER(self->fd, .armed = want.armed, .fired = want.fired,
		      .cancelled = want.cancelled, .rearmed = want.rearmed);
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	ASSERT_EQ(0, pthread_join(self->reader.thread, NULL));
	EXPECT_EQ(-ESHUTDOWN, self->reader.ret);
}

TEST_HARNESS_MAIN
