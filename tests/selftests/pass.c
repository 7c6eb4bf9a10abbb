// SPDX-License-Identifier: GPL-2.0
/*
 * One wheel, several descriptors: fork(), and transfer to another process. All share the wheel,
 * which is freed by the last close.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "wheel_test.h"

#define TIMERS	256

FIXTURE(wheel) {
	int fd;
	long refs;
	struct wheel_event events[TIMERS];
};

FIXTURE_SETUP(wheel)
{
	self->refs = wt_module_refs();
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1), 5 * WT_MS));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* Run a function in a child. Returns its result, or minus the signal that killed it. */
static int in_child(int (*what)(int fd), int fd)
{
	pid_t pid = fork();

	if (!pid)
		_exit(what(fd));
	return wt_end_of(pid);
}

static int close_it(int fd)
{
	return close(fd);
}

static int killed(int fd)
{
	wt_arm(fd, WHEEL_ID(2, 1), 5 * WT_MS);
	return raise(SIGKILL);
}

WT_TEST(wheel, close_by_a_child_is_harmless)
{
	struct wheel_stats stats;
	int i;

	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, in_child(close_it, self->fd));
	ASSERT_EQ(-SIGKILL, in_child(killed, self->fd));
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_EQ(2, stats.pending);
	ASSERT_EQ(0, wt_advance(self->fd, 5 * WT_MS, NULL));
	EXPECT_EQ(2, wt_read_all(self->fd, self->events, TIMERS, TIMERS));
}

/* Take a descriptor of another process. */
static int take_fd(pid_t pid, int theirs)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);
	int fd = syscall(SYS_pidfd_getfd, pidfd, theirs, 0);

	close(pidfd);
	return fd;
}

/* A child creates a wheel, and is killed before the timers expire. */
WT_TEST(wheel, received_from_a_process_that_was_killed)
{
	int ready[2], theirs, fd;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		fd = wt_open_virtual(TIMERS, WT_MS);
		if (fd < 0 || wt_arm_many(fd, TIMERS, 3, WT_SEC) ||
		    write(ready[1], &fd, sizeof(fd)) != sizeof(fd))
			_exit(1);
		pause();
	}
	close(ready[1]);
	ASSERT_EQ(sizeof(theirs), read(ready[0], &theirs, sizeof(theirs)));
	close(ready[0]);
	fd = take_fd(pid, theirs);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(-SIGKILL, wt_end_of(pid));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_cancel(fd, WHEEL_ID(0, 3)));
	ASSERT_EQ(0, wt_advance(fd, WT_SEC, NULL));
	EXPECT_EQ(TIMERS - 1, wt_read_all(fd, self->events, TIMERS, TIMERS));
	close(fd);
}

TEST_HARNESS_MAIN
