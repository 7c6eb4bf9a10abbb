// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/PID/fdinfo shows the configuration and the counters of a wheel, but no secrets.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wheel_test.h"

#define TIMERS	1000

FIXTURE(wheel) {
	int fd;
	char text[4096];
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, 1234567);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static int look(int fd, char *text, size_t room)
{
	char path[64];
	ssize_t len;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	if (info < 0)
		return -errno;
	len = read(info, text, room - 1);
	close(info);
	if (len < 0)
		return -EIO;
	text[len] = 0;
	return 0;
}

/* Check for a line with this value. */
static bool says(const char *text, const char *key, unsigned long long value)
{
	char line[64];

	snprintf(line, sizeof(line), "\n%s:\t%llu\n", key, value);
	return strstr(text, line);
}

WT_TEST(wheel, tells_what_is_in_force)
{
	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	TH_LOG("%s", self->text);
	EXPECT_TRUE(says(self->text, "tick_ns", 1234567));
	EXPECT_TRUE(says(self->text, "clock", WHEEL_CLOCK_VIRTUAL));
	EXPECT_TRUE(says(self->text, "timers", TIMERS));
}

WT_TEST(wheel, tells_what_is_in_it)
{
	ASSERT_EQ(0, wt_arm_many(self->fd, 777, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(800, 1), WT_HOUR));
	ASSERT_EQ(0, wt_cancel(self->fd, WHEEL_ID(776, 1)));
	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	EXPECT_TRUE(says(self->text, "pending", 777));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	EXPECT_TRUE(says(self->text, "pending", 1));
	EXPECT_TRUE(says(self->text, "unread", 776));
}

/* No kernel addresses and no cookies are shown. */
WT_TEST(wheel, tells_no_secrets)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WT_MS);
	const char *at;
	int run;

	op.cookie = 6666666666666666666ULL;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	EXPECT_EQ(NULL, strstr(self->text, "6666666666666666666"));
	EXPECT_EQ(NULL, strcasestr(self->text, "5c84d51e9cf2aaaa"));
	for (run = 0, at = self->text; *at; at++) {
		run = isxdigit(*at) ? run + 1 : 0;
		/* Addresses like ffff888012345678. */
		if (run == 16)
			EXPECT_NE(0, strncasecmp(at - 15, "ffff", 4));
	}
}

/* The number of a line, or 0. */
static unsigned long number(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoul(line + strlen(key), NULL, 10) : 0;
}

/* A slot is allocated when it is first armed. A privileged opener has no limit. */
WT_TEST(wheel, tells_its_memory)
{
	unsigned long before;

	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	before = number(self->text, "\nmemory_kb:\t");
	EXPECT_TRUE(strstr(self->text, "\nwheel:\t"));
	ASSERT_EQ(0, wt_arm_many(self->fd, 777, 1, WT_MS));
	ASSERT_EQ(0, look(self->fd, self->text, sizeof(self->text)));
	EXPECT_LT(before, number(self->text, "\nmemory_kb:\t"));
	EXPECT_EQ(NULL, strstr(self->text, "user_limit_kb"));
}

/* All files of a user count against one limit. */
WT_TEST(wheel, tells_the_limit_of_a_user)
{
	struct wheel_setup setup = { .timers = 100 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		int one, two;

		/* Without privileges. */
		if (setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
			_exit(10);
		one = wt_open(0);
		two = wt_open(0);
		if (one < 0 || two < 0)
			_exit(11);
		if (wt_setup(one, &setup) || wt_setup(two, &setup) ||
		    wt_arm(one, WHEEL_ID(1, 1), WT_HOUR) || wt_arm(two, WHEEL_ID(1, 1), WT_HOUR) ||
		    look(one, self->text, sizeof(self->text)))
			_exit(12);
		TH_LOG("%s", self->text);
		if (number(self->text, "\nuser_memory_kb:\t") !=
		    2 * number(self->text, "\nmemory_kb:\t") ||
		    !number(self->text, "\nuser_limit_kb:\t"))
			_exit(13);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Reading the fdinfo of a new file does not set it up. */
WT_TEST(wheel, of_a_new_file)
{
	struct wheel_setup setup = { .timers = 5 };
	int fd = wt_open(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, look(fd, self->text, sizeof(self->text)));
	EXPECT_EQ(0, wt_setup(fd, &setup));
	close(fd);
}

TEST_HARNESS_MAIN
