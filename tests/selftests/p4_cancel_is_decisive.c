// SPDX-License-Identifier: GPL-2.0
/*
 * P4: CANCEL is decisive. If it returns 0, no event follows. Otherwise, the event has been
 * or will be delivered. Races with other threads are in interrupt_race.c and libwheel's
 * race_cancel.c.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define TIMERS	512
#define ROUNDS	40

struct race {
	int fd;
	__u64 gen;
	__u64 start;
	__u64 seed;
	/* The result of CANCEL and the number of events, per slot. */
	int answer[TIMERS];
	int events[TIMERS];
};

FIXTURE(wheel) {
	struct race race;
};

FIXTURE_SETUP(wheel)
{
	self->race.seed = wt_seed();
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->race.fd);
}

/* Cancel each slot once, in random order, in batches of random size. */
static void cancel_all(struct race *r)
{
	struct wheel_op ops[TIMERS];
	__u32 step = 2 * wt_below(&r->seed, TIMERS / 2) + 1;
	__u32 at = wt_below(&r->seed, TIMERS);
	__u32 i, n, done;

	for (i = 0; i < TIMERS; i++, at = (at + step) % TIMERS)
		ops[i] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(at, r->gen), 0);
	for (done = 0; done < TIMERS; done += n) {
		n = 1 + wt_below(&r->seed, 64);
		n = n < TIMERS - done ? n : TIMERS - done;
		wt_batch(r->fd, ops + done, n);
	}
	for (i = 0; i < TIMERS; i++)
		r->answer[WHEEL_ID_SLOT(ops[i].id)] = ops[i].res;
}

static int arm_all(struct race *r, __u64 span)
{
	struct wheel_op ops[TIMERS];
	int i;

	memset(r->events, 0, sizeof(r->events));
	for (i = 0; i < TIMERS; i++)
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, r->gen),
			       r->start + wt_below(&r->seed, span));
	if (wt_batch(r->fd, ops, TIMERS))
		return -1;
	for (i = 0; i < TIMERS; i++)
		if (ops[i].res)
			return -1;
	return 0;
}

/* Count events until no timer is pending and all events have been read. */
static int count_events(struct race *r)
{
	struct wheel_event events[64];
	struct wheel_stats stats;
	int i, n;

	for (;;) {
		if (wt_stats(r->fd, &stats) || !wt_balanced(&stats))
			return -1;
		if (!stats.pending && !stats.unread)
			return 0;
		n = wt_read(r->fd, events, 64);
		if (n < 0)
			return -1;
		for (i = 0; i < n; i++) {
			__u32 slot = WHEEL_ID_SLOT(events[i].id);

			if (slot >= TIMERS ||
			    events[i].id != WHEEL_ID(slot, r->gen))
				return -1;
			r->events[slot]++;
		}
	}
}

/* Each one-shot timer is either cancelled or expires. Returns the number of violations. */
static int wrong(const struct race *r, int *cancelled)
{
	int bad = 0, i;

	for (i = 0; i < TIMERS; i++) {
		if (r->answer[i] == 0)
			bad += r->events[i] != 0;
		else
			bad += r->answer[i] != -ENOENT || r->events[i] != 1;
		*cancelled += r->answer[i] == 0;
	}
	return bad;
}

/* The clock runs, and timers expire while they are cancelled. */
WT_TEST(wheel, p4_cancel_is_decisive_against_the_interrupt)
{
	struct race *r = &self->race;
	int cancelled = 0;

	r->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS, WHEEL_MIN_TICK_NS);
	ASSERT_LE(0, r->fd);
	for (r->gen = 1; r->gen <= ROUNDS; r->gen++) {
		r->start = wt_now(WHEEL_CLOCK_MONOTONIC);
		ASSERT_EQ(0, arm_all(r, 4 * WT_MS));
		cancel_all(r);
		ASSERT_EQ(0, count_events(r));
		ASSERT_EQ(0, wrong(r, &cancelled));
	}
	TH_LOG("%d of %d cancelled", cancelled, ROUNDS * TIMERS);
}

/* CANCEL of a periodic timer returns 1 if one more event can be read, otherwise 0. */
WT_TEST(wheel, p4_cancel_is_decisive_for_a_period)
{
	struct race *r = &self->race;
	struct wheel_event event;
	struct wheel_stats stats;
	__u64 gen;

	r->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, TIMERS, WHEEL_MIN_TICK_NS);
	ASSERT_LE(0, r->fd);
	for (gen = 1; gen <= 300; gen++) {
		__u64 id = WHEEL_ID(1, gen);
		int ret;

		ASSERT_EQ(0, wt_arm_every(r->fd, id,
					  wt_now(WHEEL_CLOCK_MONOTONIC),
					  50 * WT_US));
		while (wt_below(&r->seed, 4))
			ASSERT_EQ(1, wt_read(r->fd, &event, 1));
		ret = wt_cancel(r->fd, id);
		ASSERT_TRUE(ret == 0 || ret == 1);
		ASSERT_EQ(-ENOENT, wt_cancel(r->fd, id));
		ASSERT_EQ(0, wt_stats(r->fd, &stats));
		ASSERT_EQ(0, stats.pending);
		ASSERT_EQ(ret, stats.unread);
		if (ret)
			ASSERT_EQ(1, wt_read(r->fd, &event, 1));
		/* poll() may report a pass that finds nothing, so it is not called here. */
		ASSERT_EQ(0, wt_run(r->fd));
		ASSERT_EQ(0, wt_stats(r->fd, &stats));
		ASSERT_EQ(0, stats.unread);
	}
}

TEST_HARNESS_MAIN
