// SPDX-License-Identifier: GPL-2.0
/*
 * STOP of a wheel with words, while other calls arm and cancel its timers. contract.c compares the
 * words after STOP, and libwheel's word.c the listed operations.
 */
#include <kselftest_harness.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "wheel_test.h"
#include "wheel_words.h"

/* So many that a STOP takes some time. */
#define MANY	65536

struct stop {
	int fd;
	pthread_t thread;
	int ret;
	__u64 unfired;
};

static void *stop_it(void *arg)
{
	struct stop *s = arg;

	s->ret = wt_stop(s->fd, &s->unfired);
	return NULL;
}

static int arm_many(int fd)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), WT_HOUR);

	op.flags = WHEEL_OP_WORD;
	return wt_arm_like(fd, MANY, op);
}

/* The file that a signal handler kicks, and the numbers of kicks that it made and that failed. */
static int stopping, kicks, refused;

/* Kick after a signal has interrupted STOP. */
static void kick_within_stop(int nr)
{
	struct pollfd p = { .fd = stopping };

	(void)nr;
	if (wt_arm_word(stopping, WHEEL_ID(MANY, 1), WT_HOUR) != -ESHUTDOWN || poll(&p, 1, 0))
		return;
	kicks++;
	refused += wt_kick(stopping) == -ESHUTDOWN;
}

/* STOP does not count a timer whose word is set while it drains the others, so the kick fails. */
TEST(kick_within_stop_fails)
{
	static const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never;
	__u64 unfired;

	signal(SIGALRM, kick_within_stop);
	while (!kicks) {
		stopping = wt_open_virtual_words(MANY + 1, WT_MS);
		ASSERT_LE(0, stopping);
		ASSERT_EQ(0, arm_many(stopping));
		setitimer(ITIMER_REAL, &often, NULL);
		ASSERT_EQ(0, wt_stop(stopping, &unfired));
		setitimer(ITIMER_REAL, &never, NULL);
		close(stopping);
	}
	EXPECT_EQ(kicks, refused);
}

/* Arm and cancel timers until the wheel is stopped. Returns the number of cancelled ones. */
static int storm(int fd, __u64 *seed)
{
	static struct wheel_op ops[256];
	int cancelled = 0, shut = 0, i;

	while (!shut) {
		for (i = 0; i < 256; i++) {
			__u32 slot = wt_below(seed, MANY);

			ops[i] = wt_op(i % 4 ? WHEEL_OP_ARM : WHEEL_OP_CANCEL,
				       WHEEL_ID(slot, i % 4 ? 2 : 1), WT_HOUR);
			ops[i].flags = i % 4 ? WHEEL_OP_WORD : 0;
		}
		if (wt_batch(fd, ops, 256))
			return -1;
		for (i = 0; i < 256; i++) {
			cancelled += !(i % 4) && !ops[i].res;
			cancelled -= i % 4 && !ops[i].res;
			shut += ops[i].res == -ESHUTDOWN;
		}
	}
	return cancelled;
}

/* While STOP runs, the word of a slot may be IDLE although the slot is not free. */
TEST(stop_while_others_arm_and_cancel)
{
	__u64 seed = wt_seed();
	struct wheel_stats stats;
	struct stop stop = {};
	int round, gone;

	for (round = 0; round < 5; round++) {
		stop.fd = wt_open_virtual_words(MANY, WT_MS);
		ASSERT_LE(0, stop.fd);
		ASSERT_EQ(0, arm_many(stop.fd));
		ASSERT_EQ(0, pthread_create(&stop.thread, NULL, stop_it,
					    &stop));
		gone = storm(stop.fd, &seed);
		ASSERT_EQ(0, pthread_join(stop.thread, NULL));
		EXPECT_EQ(0, stop.ret);
		EXPECT_EQ(MANY - gone, stop.unfired);
		ASSERT_EQ(0, wt_stats(stop.fd, &stats));
		EXPECT_EQ(0, stats.pending);
		EXPECT_TRUE(wt_balanced(&stats));
		close(stop.fd);
	}
}

TEST_HARNESS_MAIN
