// SPDX-License-Identifier: GPL-2.0
/*
 * The module cannot be unloaded while a wheel is open, including by another process or
 * thread.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "wheel_ring.h"
#include "wheel_test.h"

#define NOBODY		65534

FIXTURE(module) {
	int fd;
};

FIXTURE_SETUP(module)
{
	if (wt_module_refs() < 0)
		SKIP(return, "wheel_timer is not a module here");
	if (geteuid())
		SKIP(return, "needs root");
	self->fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, 64, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(module)
{
	close(self->fd);
}

/* Must fail while a wheel is open. */
static int unload(void)
{
	return syscall(SYS_delete_module, "wheel_timer", O_NONBLOCK) ?
		-errno : 0;
}

WT_TEST(module, unload_is_refused)
{
	int i, fd;

	for (i = 0; i < 10; i++)
		EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(1, 1), WT_HOUR));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	fd = wt_open(0);
	EXPECT_LE(0, fd);
	close(fd);
}

/* A file that was never set up also holds a reference. */
WT_TEST(module, unload_is_refused_for_an_unused_file)
{
	int fd = wt_open(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	close(fd);
}

/* Only a child has the wheel open, and arms a timer after its parent has closed it. */
WT_TEST(module, unload_is_refused_for_a_child)
{
	int go[2], ready[2];
	struct wheel_event event;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (write(ready[1], "r", 1) != 1 || read(go[0], &c, 1) ||
		    wt_arm_rel(self->fd, WHEEL_ID(1, 1), WT_MS))
			_exit(1);
		_exit(wt_read(self->fd, &event, 1) == 1 ? 7 : 1);
	}
	close(go[0]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, close(go[1]));
	EXPECT_EQ(7, wt_end_of(pid));
}

static void *read_one(void *arg)
{
	struct wheel_event event;

	return wt_read(*(int *)arg, &event, 1) == 1 ? arg : NULL;
}

/* The descriptor is closed, but a thread is still reading. */
WT_TEST(module, unload_is_refused_for_a_reader)
{
	long refs = wt_module_refs();
	int number = self->fd, other;
	pthread_t thread;
	void *ret;

	/* Holds the module if the reader finishes before unload() is called. */
	other = wt_open(0);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, wt_arm_rel(self->fd, WHEEL_ID(1, 1), 100 * WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_one, &number));
	wt_let_pass(5 * WT_MS);
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(refs, wt_module_refs());
	close(other);
}

/* An epoll instance holds no reference to a wheel and does not delay its release. */
WT_TEST(module, an_epoll_holds_nothing)
{
	struct epoll_event event = { .events = EPOLLIN };
	long refs = wt_module_refs();
	int ep = epoll_create1(0);
	int fd = wt_open(0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	EXPECT_EQ(refs + 1, wt_module_refs());
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(refs, wt_module_refs());
	ASSERT_EQ(0, close(ep));
	EXPECT_EQ(refs, wt_module_refs());
}

/* open() and close() race with attempts to unload, which all fail. */
static void *open_and_close(void *arg)
{
	int i, fd;

	for (i = 0; i < 300; i++) {
		fd = wt_open(0);
		if (fd < 0 || close(fd))
			return arg;
	}
	return NULL;
}

WT_TEST(module, unload_against_open)
{
	pthread_t thread;
	void *failed;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_close, self));
	for (i = 0; i < 300; i++)
		EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
}

/* As an unprivileged user, arm more timers than interrupts expire, and exit. */
static int leave_in_debt(void)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .tick_ns = WHEEL_MIN_TICK_NS,
		.timers = 256, .events = 256,
	};
	struct wt_ring ring;
	__u32 i;

	if (setgid(NOBODY) || setuid(NOBODY) || !wt_ring_open(&ring, &setup))
		return 1;
	for (i = 0; i < setup.timers; i++) {
		struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), 0);

		op.period = WHEEL_MIN_TICK_NS;
		if (wt_do(ring.fd, &op))
			return 1;
	}
	while (!__atomic_load_n(&ring.kernel->event_tail, __ATOMIC_ACQUIRE))
		wt_let_pass(WHEEL_MIN_TICK_NS);
	return 7;
}

/* The module can be unloaded as soon as that process has exited. */
WT_TEST(module, unload_with_a_debt)
{
	int module = open("wheel_timer.ko", O_RDONLY | O_CLOEXEC);
	pid_t pid;

	if (module < 0)
		SKIP(return, "wheel_timer.ko is not in the current directory");
	ASSERT_EQ(0, close(self->fd));
	pid = fork();
	if (!pid)
		_exit(leave_in_debt());
	EXPECT_EQ(7, wt_end_of(pid));
	EXPECT_EQ(0, unload());
	/* An hrtimer that is still running would now call the unloaded module. */
	wt_let_pass(200 * WT_MS);
	ASSERT_EQ(0, syscall(SYS_finit_module, module, "", 0));
	close(module);
}

TEST_HARNESS_MAIN
