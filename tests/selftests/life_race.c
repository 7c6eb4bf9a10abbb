// SPDX-License-Identifier: GPL-2.0
/*
 * close() concurrent with all other calls: threads use a descriptor that others close and
 * replace. Each call returns one of its documented results, and all resources are freed.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#include "wheel_test.h"

#define TIMERS	64
#define ROUNDS	50

struct user {
	pthread_t thread;
	/* Called repeatedly until @stop is set. */
	int (*what)(int fd, __u64 *seed);
	int fd;
	__u64 seed;
	atomic_bool *stop;
	/* The first unexpected result. */
	int bad;
};

FIXTURE(race) {
	int fd;
	long refs;
	__u64 seed;
	atomic_bool stop;
};

FIXTURE_SETUP(race)
{
	self->seed = wt_seed();
	self->refs = wt_module_refs();
	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS,
				 WHEEL_MIN_TICK_NS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
}

FIXTURE_TEARDOWN(race)
{
	close(self->fd);
}

/* A closed descriptor: EBADF is a valid result of every call. */
static int or_gone(int ret)
{
	return ret == -EBADF || ret == WT_CALL(EBADF) ? 0 : ret;
}

static int use_arm(int fd, __u64 *seed)
{
	__u64 id = WHEEL_ID(wt_below(seed, TIMERS), 1 + wt_below(seed, 1000));
	int ret = wt_below(seed, 2) ? wt_arm_rel(fd, id, wt_below(seed, WT_MS)) :
				      wt_arm_every(fd, id, 1, 1 + wt_below(seed, WT_MS));

	return ret == -EBUSY || ret == -ESTALE || ret == -ESHUTDOWN ? 0 :
		or_gone(ret);
}

static int use_cancel(int fd, __u64 *seed)
{
	__u64 id = WHEEL_ID(wt_below(seed, TIMERS), 1 + wt_below(seed, 1000));
	int ret = wt_cancel(fd, id);

	return ret == 1 || ret == -ENOENT ? 0 : or_gone(ret);
}

static int use_read(int fd, __u64 *seed)
{
	struct wheel_event events[8];
	int ret = wt_read(fd, events, 1 + wt_below(seed, 8));

	return ret > 0 || ret == -EAGAIN || ret == -ESHUTDOWN ? 0 :
		or_gone(ret);
}

static int use_poll(int fd, __u64 *seed)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, wt_below(seed, 2)) < 0 ? -errno : 0;
}

static int use_epoll(int fd, __u64 *seed)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(0);

	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
	epoll_wait(ep, &event, 1, wt_below(seed, 2));
	if (wt_below(seed, 2))
		epoll_ctl(ep, EPOLL_CTL_DEL, fd, &event);
	return close(ep);
}

static int use_list(int fd, __u64 *seed)
{
	struct wheel_list list = { .cursor = wt_below(seed, TIMERS) };
	struct wheel_op ops[8];

	return or_gone(wt_list(fd, 0, ops, 8, &list));
}

static int use_stats(int fd, __u64 *seed)
{
	struct wheel_setup info;
	struct wheel_stats stats;
	int ret;

	if (wt_below(seed, 2))
		return or_gone(wt_info(fd, &info));
	ret = wt_stats(fd, &stats);
	return !ret && !wt_balanced(&stats) ? WT_LIES : or_gone(ret);
}

static int use_stop(int fd, __u64 *seed)
{
	__u64 unfired;

	if (wt_below(seed, 64))
		return 0;
	return or_gone(wt_stop(fd, &unfired));
}

static int (*const uses[])(int fd, __u64 *seed) = {
	use_arm, use_read, use_cancel, use_poll, use_list,
	use_stats, use_stop, use_epoll,
};

static void *use(void *arg)
{
	struct user *u = arg;

	while (!atomic_load(u->stop) && !u->bad)
		u->bad = u->what(u->fd, &u->seed);
	return NULL;
}

static int start(struct user *users, int n, int fd, atomic_bool *stop,
		 __u64 *seed)
{
	int i;

	for (i = 0; i < n; i++) {
		users[i] = (struct user){
			.what = uses[i], .fd = fd, .stop = stop,
			.seed = wt_random(seed),
		};
		if (pthread_create(&users[i].thread, NULL, use, &users[i]))
			return -1;
	}
	return 0;
}

/* Returns the first unexpected result. */
static int finish(struct user *users, int n, atomic_bool *stop)
{
	int bad = 0, i;

	atomic_store(stop, true);
	for (i = 0; i < n; i++) {
		pthread_join(users[i].thread, NULL);
		if (users[i].bad)
			fprintf(stderr, "# use %d: %d\n", i, users[i].bad);
		bad = bad ?: users[i].bad;
	}
	return bad;
}

/* The descriptor always refers to a wheel, but the wheel is replaced repeatedly. */
WT_TEST(race, close_by_replacement)
{
	struct user users[ARRAY_SIZE(uses)];
	int fresh, i;

	ASSERT_EQ(0, start(users, ARRAY_SIZE(uses), self->fd, &self->stop,
			   &self->seed));
	for (i = 0; i < ROUNDS; i++) {
		fresh = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS,
				      WHEEL_MIN_TICK_NS);
		ASSERT_LE(0, fresh);
		ASSERT_EQ(0, fcntl(fresh, F_SETFL, O_NONBLOCK));
		if (i % 2)
			wt_let_pass(1 + wt_below(&self->seed, 200 * WT_US));
		ASSERT_EQ(self->fd, dup2(fresh, self->fd));
		ASSERT_EQ(0, close(fresh));
	}
	EXPECT_EQ(0, finish(users, ARRAY_SIZE(uses), &self->stop));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(self->refs, wt_module_refs());
}

struct waiter {
	pthread_t thread;
	int fd;
	int ret;
	atomic_bool begun;
	struct wheel_event event;
};

static void *wait_in_read(void *arg)
{
	struct waiter *w = arg;

	atomic_store(&w->begun, true);
	w->ret = wt_read(w->fd, &w->event, 1);
	return NULL;
}

/* A thread blocked in read() holds the file, so it still receives the event. */
WT_TEST(race, close_under_a_reader)
{
	struct waiter w;
	int i;

	for (i = 0; i < 20; i++) {
		w = (struct waiter){
			.fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS,
					    WHEEL_MIN_TICK_NS),
		};
		ASSERT_LE(0, w.fd);
		ASSERT_EQ(0, wt_arm_rel(w.fd, WHEEL_ID(5, 1), 5 * WT_MS));
		ASSERT_EQ(0, pthread_create(&w.thread, NULL, wait_in_read, &w));
		while (!atomic_load(&w.begun))
			wt_let_pass(10 * WT_US);
		wt_let_pass(WT_MS);
		close(w.fd);
		ASSERT_EQ(0, pthread_join(w.thread, NULL));
		/* read() was called before or after close(). */
		EXPECT_TRUE(w.ret == 1 || w.ret == -EBADF);
		if (w.ret == 1)
			EXPECT_EQ(WHEEL_ID(5, 1), w.event.id);
	}
	EXPECT_EQ(self->refs + 1, wt_module_refs());
}

struct setter {
	pthread_t thread;
	pthread_barrier_t *barrier;
	int fd;
	int ret;
};

static void *set_up(void *arg)
{
	struct setter *s = arg;
	struct wheel_setup setup = { .timers = 5 };

	pthread_barrier_wait(s->barrier);
	s->ret = wt_setup(s->fd, &setup);
	return NULL;
}

static void *first_verb(void *arg)
{
	struct setter *s = arg;

	pthread_barrier_wait(s->barrier);
	s->ret = wt_arm_rel(s->fd, WHEEL_ID(4, 1), WT_HOUR);
	return NULL;
}

/* Either one SETUP succeeds, or the first operation sets up the defaults. */
WT_TEST(race, setup_against_setup_and_first_verb)
{
	pthread_barrier_t barrier;
	struct wheel_setup info;
	struct setter s[4];
	int round, i, won;

	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 4));
	for (round = 0; round < 50; round++) {
		int fd = wt_open(0);

		ASSERT_LE(0, fd);
		for (i = 0; i < 4; i++) {
			s[i] = (struct setter){ .barrier = &barrier, .fd = fd };
			ASSERT_EQ(0, pthread_create(&s[i].thread, NULL,
						    i ? set_up : first_verb,
						    &s[i]));
		}
		for (won = 0, i = 0; i < 4; i++) {
			ASSERT_EQ(0, pthread_join(s[i].thread, NULL));
			EXPECT_TRUE(s[i].ret == 0 || (i && s[i].ret == -EBUSY));
			won += i && !s[i].ret;
		}
		EXPECT_GE(1, won);
		ASSERT_EQ(0, wt_info(fd, &info));
		EXPECT_EQ(won ? 5 : 65536, info.timers);
		EXPECT_EQ(0, wt_cancel(fd, WHEEL_ID(4, 1)));
		close(fd);
	}
}

TEST_HARNESS_MAIN
