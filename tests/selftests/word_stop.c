// SPDX-License-Identifier: GPL-2.0
/*
 * STOP of a wheel with words, while other calls arm and cancel its timers. contract.c compares the
 * words after STOP, and libwheel's word.c the listed operations.
 */
#include <kselftest_harness.h>
#include <pthread.h>

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
	static struct wheel_op ops[MANY];
	int i;

	for (i = 0; i < MANY; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), WT_HOUR);
		ops[i].flags = WHEEL_OP_WORD;
	}
	return wt_batch(fd, ops, MANY);
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

	for (round = 0; round < 20; round++) {
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
