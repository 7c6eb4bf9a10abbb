// SPDX-License-Identifier: GPL-2.0
/*
 * P12, memory: the total memory of a user's files is limited, regardless of their number, and
 * is released by close().
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "wheel_test.h"

#define LIMIT_FILE	"/sys/module/wheel_timer/parameters/user_kb"
#define LIMIT_KB	4096
#define NOBODY		65534
#define FILES		64
#define TIMERS		1000000
#define BATCH		1024

/* Set the memory limit of a user's files in KiB, in addition to RLIMIT_MEMLOCK. 0: default. */
static bool limit_users(int kb)
{
	FILE *f = fopen(LIMIT_FILE, "w");
	bool ok = f && fprintf(f, "%d", kb) > 0;

	return f && !fclose(f) && ok;
}

FIXTURE(user) {
	int fd[FILES];
	struct wheel_op ops[BATCH];
};

/* The test runs in a separate process, which remains unprivileged. */
FIXTURE_SETUP(user)
{
	const struct rlimit nothing = {};

	if (geteuid())
		SKIP(return, "needs root to set the limit");
	ASSERT_TRUE(limit_users(LIMIT_KB));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &nothing));
	ASSERT_EQ(0, setgid(NOBODY));
	ASSERT_EQ(0, setuid(NOBODY));
}

FIXTURE_TEARDOWN(user)
{
}

static int open_with(__u32 timers, __u32 events)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .scheme = WHEEL_HIERARCHICAL,
		.timers = timers, .events = events,
	};

	return wt_open_setup(O_RDWR, &setup);
}

/* Open files with rings of 768 KiB until the limit is reached. Returns their number. */
static int open_all(int *fd)
{
	int n = 0;

	while (n < FILES && (fd[n] = open_with(64, 1 << 14)) >= 0)
		n++;
	return n;
}

WT_TEST(user, p12_memory_of_one_file)
{
	EXPECT_EQ(-EDQUOT, open_with(1, 1 << 20));
	EXPECT_LE(0, open_with(1, 1 << 10));
}

WT_TEST(user, p12_memory_of_many_files)
{
	int n = open_all(self->fd), again;

	EXPECT_EQ(-EDQUOT, self->fd[n]);
	EXPECT_LT(2, n);
	EXPECT_GT(LIMIT_KB / 768 + 1, n);
	close(self->fd[0]);
	self->fd[0] = open_with(64, 1 << 14);
	EXPECT_LE(0, self->fd[0]);
	for (again = 0; again < n; again++)
		close(self->fd[again]);
	EXPECT_EQ(n, open_all(self->fd));
}

/* Slots are allocated page by page. At the limit, an arm fails, and earlier timers remain. */
WT_TEST(user, p12_memory_of_slots)
{
	struct wheel_submit batch;
	__u32 armed = 0;
	int i;

	self->fd[0] = open_with(TIMERS, 0);
	ASSERT_LE(0, self->fd[0]);
	do {
		for (i = 0; i < BATCH; i++)
			self->ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(armed + i, 1),
					     WHEEL_MAX_TIME);
		ASSERT_EQ(0, wt_submit(self->fd[0], self->ops, BATCH, &batch));
		for (i = 0; i < BATCH && !self->ops[i].res; i++)
			armed++;
	} while (i == BATCH);
	EXPECT_EQ(-EDQUOT, self->ops[i].res);
	EXPECT_GT(LIMIT_KB * 1024 / 64, armed);
	EXPECT_LT(0, armed);
	EXPECT_EQ(0, wt_cancel(self->fd[0], WHEEL_ID(armed - 1, 1)));
	EXPECT_EQ(0, wt_arm(self->fd[0], WHEEL_ID(armed - 1, 2), WHEEL_MAX_TIME));
}

/* With privilege there is no limit. The module parameter is reset. */
TEST(p12_memory_of_root)
{
	int fd;

	if (geteuid())
		SKIP(return, "needs root");
	fd = open_with(1, 1 << 17);
	EXPECT_LE(0, fd);
	close(fd);
	EXPECT_TRUE(limit_users(0));
}

TEST_HARNESS_MAIN
