// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs shows all wheels, to root only, while wheels are created and freed.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "wheel_test.h"

#define WHEELS	"/sys/kernel/debug/wheel_timer/wheels"
#define TIMERS	1000
#define TICK	1234567ULL

static char text[1 << 20];

/* The text about the wheel of this test, which is identified by its tick. NULL if not found. */
static const char *our_wheel(void)
{
	int fd = open(WHEELS, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0);
	close(fd);
	text[len] = 0;
	return n ? NULL : strstr(text, "  tick: 1234567\n");
}

FIXTURE(debugfs) {
	int fd;
};

FIXTURE_SETUP(debugfs)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = TIMERS,
		.tick_ns = TICK, .buckets = 256,
	};

	if (access(WHEELS, R_OK))
		SKIP(return, "no debugfs, or no permission");
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(debugfs)
{
	close(self->fd);
}

/* The number after the first occurrence of a key. */
static __u64 entry(const char *wheel, const char *key)
{
	const char *at = strstr(wheel, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : ~0ULL;
}

WT_TEST(debugfs, tells_what_is_pending)
{
	const char *wheel;

	ASSERT_EQ(0, wt_arm_many(self->fd, 300, 1, WT_SEC));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(0, 1)));
	wheel = our_wheel();
	ASSERT_NE(NULL, wheel);
	EXPECT_EQ(256, entry(wheel, "\n  buckets: "));
	EXPECT_EQ(300, entry(wheel, "\n  armed: "));
	EXPECT_EQ(1, entry(wheel, "\n  cancelled: "));
	EXPECT_EQ(299, entry(wheel, "\n  - pending: "));
	EXPECT_EQ(wt_boundary(WT_SEC, TICK), entry(wheel, "\n    next: "));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_SEC, NULL));
	wheel = our_wheel();
	ASSERT_NE(NULL, wheel);
	EXPECT_EQ(299, entry(wheel, "\n  fired: "));
	EXPECT_EQ(0, entry(wheel, "\n  - pending: "));
	EXPECT_EQ(1ULL << 29, entry(wheel, "\n  late: {"));
	EXPECT_EQ(299, entry(wheel, "\n  late: {536870912: "));
}

WT_TEST(debugfs, forgets_what_is_gone)
{
	ASSERT_NE(NULL, our_wheel());
	close(self->fd);
	EXPECT_EQ(NULL, our_wheel());
	self->fd = -1;
}

WT_TEST(debugfs, is_for_root_alone)
{
	struct stat stat;

	ASSERT_EQ(0, lstat(WHEELS, &stat));
	EXPECT_EQ(0400, stat.st_mode & 0777);
	EXPECT_EQ(0, stat.st_uid);
}

static void *come_and_go(void *arg)
{
	int i, fd;

	for (i = 0; i < 300; i++) {
		fd = wt_open_virtual(TIMERS, TICK + i);
		wt_arm(fd, WHEEL_ID(1, 1), WT_SEC);
		close(fd);
	}
	__atomic_store_n((bool *)arg, true, __ATOMIC_RELEASE);
	return NULL;
}

/* A reader sees complete wheels while others are created and freed. */
WT_TEST(debugfs, while_wheels_come_and_go)
{
	bool done = false;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, come_and_go, &done));
	do {
		ASSERT_NE(NULL, our_wheel());
		EXPECT_EQ('\n', text[strlen(text) - 1]);
	} while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE));
	ASSERT_EQ(0, pthread_join(thread, NULL));
}

TEST_HARNESS_MAIN
