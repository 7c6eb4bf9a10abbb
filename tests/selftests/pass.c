// SPDX-License-Identifier: GPL-2.0
/*
 * One wheel, several descriptors: fork(), and transfer over a socket. All share the wheel, which
 * is freed by the last close.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/socket.h>

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

static int send_fd(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = {};
	char byte = 1;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int socket)
{
	char control[CMSG_SPACE(sizeof(int))] = {};
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int fd = -1;

	if (recvmsg(socket, &msg, 0) != 1)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

/* A child creates a wheel, sends it, and has exited when the timers expire. */
WT_TEST(wheel, sent_by_a_process_that_is_gone)
{
	int sockets[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		SKIP(return, "no sockets");
	pid = fork();
	if (!pid) {
		fd = wt_open_virtual(TIMERS, WT_MS);
		_exit(fd < 0 || wt_arm_many(fd, TIMERS, 3, WT_SEC) ||
		      send_fd(sockets[1], fd));
	}
	ASSERT_EQ(0, wt_end_of(pid));
	fd = receive_fd(sockets[0]);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_cancel(fd, WHEEL_ID(0, 3)));
	ASSERT_EQ(0, wt_advance(fd, WT_SEC, NULL));
	EXPECT_EQ(TIMERS - 1, wt_read_all(fd, self->events, TIMERS, TIMERS));
	close(fd);
}

TEST_HARNESS_MAIN
