// SPDX-License-Identifier: GPL-2.0
/*
 * ADVANCE moves the virtual clock forward, never back. When it returns, the events of all timers
 * that are due by then can be read.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>

#include "wheel_test.h"

#define NONE	(~0ULL)

FIXTURE(wheel) {
	int fd;
	struct wheel_advance advance;
	struct wheel_event event;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(1024, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static int advance(int fd, __u64 now, struct wheel_advance *a)
{
	memset(a, WT_POISON, sizeof(*a));
	a->size = sizeof(*a);
	a->flags = 0;
	a->now = now;
	return wt_ioctl(fd, WHEEL_IOC_ADVANCE, a);
}

WT_TEST(wheel, begins_at_zero)
{
	ASSERT_EQ(0, advance(self->fd, 0, &self->advance));
	EXPECT_EQ(0, self->advance.now);
	EXPECT_EQ(NONE, self->advance.next);
}

/* The clock is set to the nanosecond, on and between tick boundaries. */
WT_TEST(wheel, goes_where_it_is_told)
{
	static const __u64 times[] = {
		0, 1, 999999, WT_MS, WT_MS + 1, 123456789, WT_HOUR,
		WHEEL_MAX_TIME - 1, WHEEL_MAX_TIME, WHEEL_MAX_TIME,
	};
	struct wheel_submit batch;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		ASSERT_EQ(0, advance(self->fd, times[i], &self->advance));
		EXPECT_EQ(times[i], self->advance.now);
		EXPECT_EQ(NONE, self->advance.next);
		ASSERT_EQ(0, wt_submit(self->fd, NULL, 0, &batch));
		EXPECT_EQ(times[i], batch.now);
	}
}

WT_TEST(wheel, never_goes_back)
{
	ASSERT_EQ(0, advance(self->fd, 5 * WT_MS, &self->advance));
	ASSERT_EQ(0, advance(self->fd, 3 * WT_MS, &self->advance));
	EXPECT_EQ(5 * WT_MS, self->advance.now);
	ASSERT_EQ(0, advance(self->fd, 0, &self->advance));
	EXPECT_EQ(5 * WT_MS, self->advance.now);
}

WT_TEST(wheel, not_beyond_the_end)
{
	EXPECT_EQ(-ERANGE, advance(self->fd, WHEEL_MAX_TIME + 1,
				   &self->advance));
	EXPECT_EQ(-ERANGE, advance(self->fd, ~0ULL, &self->advance));
	ASSERT_EQ(0, advance(self->fd, 0, &self->advance));
	EXPECT_EQ(0, self->advance.now);
}

/* I5: @next is the earliest due time, and later than now after all due timers have expired. */
WT_TEST(wheel, next_is_the_earliest)
{
	__u64 whens[1024], seed = wt_seed(), now = 0, least, bound;
	int i, step;

	for (i = 0; i < 1024; i++)
		whens[i] = NONE;
	for (step = 1; step < 1000; step++) {
		i = wt_below(&seed, 1024);
		if (whens[i] == NONE) {
			__u64 when = now + wt_below(&seed, 2 * WT_SEC);

			ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, step), when));
			whens[i] = WHEEL_ID(i, step);
		} else if (!wt_cancel(self->fd, whens[i])) {
			whens[i] = NONE;
		}
		if (step % 8)
			continue;
		now += wt_below(&seed, 20 * WT_MS);
		ASSERT_EQ(0, advance(self->fd, now, &self->advance));
		while (wt_read(self->fd, &self->event, 1) == 1)
			whens[WHEEL_ID_SLOT(self->event.id)] = NONE;
		for (least = NONE, i = 0; i < 1024; i++) {
			if (whens[i] == NONE)
				continue;
			ASSERT_EQ(0, wt_query(self->fd, whens[i], &bound));
			bound = wt_boundary(bound, WT_MS);
			least = bound < least ? bound : least;
		}
		/* A timer that was armed for a time up to now is due at the next tick. */
		if (least != NONE && least <= now)
			least = (now / WT_MS + 1) * WT_MS;
		ASSERT_EQ(least, self->advance.next);
		ASSERT_LT(now, self->advance.next);
	}
}

/* After CANCEL or REARM of the earliest timer, @next is that of the following one. */
WT_TEST(wheel, next_after_a_cancel)
{
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(2, 1), 700 * WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(3, 1), WT_HOUR));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(1, 1)));
	ASSERT_EQ(0, advance(self->fd, WT_MS, &self->advance));
	EXPECT_EQ(700 * WT_MS, self->advance.next);
	ASSERT_EQ(0, wt_rearm(self->fd, WHEEL_ID(2, 1), 2 * WT_HOUR));
	ASSERT_EQ(0, advance(self->fd, WT_MS, &self->advance));
	EXPECT_EQ(WT_HOUR, self->advance.next);
	ASSERT_EQ(0, wt_rearm(self->fd, WHEEL_ID(2, 1), 9 * WT_MS));
	ASSERT_EQ(0, advance(self->fd, WT_MS, &self->advance));
	EXPECT_EQ(9 * WT_MS, self->advance.next);
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(2, 1)));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(3, 1)));
	ASSERT_EQ(0, advance(self->fd, WT_MS, &self->advance));
	EXPECT_EQ(NONE, self->advance.next);
}

/* A past deadline must not set the clock back. Compare a bug in timer.c, fixed in 2020. */
WT_TEST(wheel, past_deadline_then_a_normal_one)
{
	ASSERT_EQ(0, advance(self->fd, WT_HOUR, &self->advance));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 1));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(2, 1), WT_HOUR + 300 * WT_MS));
	ASSERT_EQ(0, advance(self->fd, WT_HOUR + WT_MS, &self->advance));
	EXPECT_EQ(WT_HOUR + 300 * WT_MS, self->advance.next);
	ASSERT_EQ(1, wt_read(self->fd, &self->event, 1));
	EXPECT_EQ(WHEEL_ID(1, 1), self->event.id);
	ASSERT_EQ(0, advance(self->fd, WT_HOUR + 300 * WT_MS - 1,
			     &self->advance));
	EXPECT_TRUE(wt_quiet(self->fd));
	ASSERT_EQ(0, advance(self->fd, WT_HOUR + 300 * WT_MS, &self->advance));
	EXPECT_FALSE(wt_quiet(self->fd));
}

WT_TEST(wheel, other_clocks_are_not_moved)
{
	__u32 clock;
	int fd;

	for (clock = 0; clock < WHEEL_CLOCK_VIRTUAL; clock++) {
		if (!(wt_features() & WHEEL_HAS_CLOCK(clock)))
			continue;
		fd = wt_open_clock(clock, 64, WT_MS);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EOPNOTSUPP, advance(fd, 0, &self->advance));
		EXPECT_EQ(-EOPNOTSUPP, advance(fd, 2 * WT_HOUR,
					       &self->advance));
		close(fd);
	}
}

struct mover {
	pthread_t thread;
	int fd;
	__u64 step;
	int ret;
};

static void *move(void *arg)
{
	struct mover *m = arg;
	int i;

	for (i = 0; i < 500; i++)
		m->ret |= wt_advance(m->fd, i * m->step, NULL);
	return NULL;
}

/* Several threads move the clock. It ends at the latest of their times. */
WT_TEST(wheel, moved_by_threads)
{
	struct wheel_event events[1024];
	struct mover movers[3];
	int i;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), (i + 1) * WT_MS));
	for (i = 0; i < 3; i++) {
		movers[i] = (struct mover){
			.fd = self->fd, .step = (i + 1) * WT_MS / 2,
		};
		ASSERT_EQ(0, pthread_create(&movers[i].thread, NULL, move,
					    &movers[i]));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(movers[i].thread, NULL));
		EXPECT_EQ(0, movers[i].ret);
	}
	ASSERT_EQ(0, advance(self->fd, 0, &self->advance));
	EXPECT_EQ(499 * 3 * WT_MS / 2, self->advance.now);
	ASSERT_EQ(748, wt_read_all(self->fd, events, 1024, 1024));
	for (i = 0; i < 748; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), events[i].id);
}

TEST_HARNESS_MAIN
