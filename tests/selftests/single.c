// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT with one operation: if its result cannot be written, the operation has no effect.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define PAGE	wt_page()
#define TIMERS	1024
#define WHEN	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
	/* Two accessible pages, followed by a PROT_NONE page. */
	char *room;
	struct wheel_submit call;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	self->room = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->room);
	ASSERT_EQ(0, mprotect(self->room + 2 * PAGE, PAGE, PROT_NONE));
	self->call = (struct wheel_submit){
		.size = sizeof(self->call), .op_size = sizeof(struct wheel_op),
		.count = 1, .done = 7, .failed = 7, .now = 7,
	};
}

FIXTURE_TEARDOWN(wheel)
{
	munmap(self->room, 3 * PAGE);
	close(self->fd);
}

static long armed(int fd)
{
	struct wheel_stats stats;

	return wt_stats(fd, &stats) ? -1 : (long)stats.armed;
}

/* Submit *op. Returns true if this fails with EFAULT and has no effect. */
static bool refused(int fd, struct wheel_submit *call, const void *op)
{
	long before = armed(fd);

	call->ops = wt_addr(op);
	call->done = 7;
	return wt_ioctl(fd, WHEEL_IOC_SUBMIT, call) == -EFAULT && !call->done &&
	       armed(fd) == before;
}

/* An operation that crosses into an unmapped or read-only page at any offset has no effect. */
WT_TEST(wheel, operation_that_cannot_be_answered)
{
	struct wheel_op arm = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN);
	size_t cut;

	for (cut = 0; cut < sizeof(arm); cut += 4) {
		char *hole = self->room + 2 * PAGE - cut;
		char *before = self->room + PAGE - cut;

		memcpy(hole, &arm, cut);
		EXPECT_TRUE(refused(self->fd, &self->call, hole));
		memcpy(before, &arm, sizeof(arm));
		ASSERT_EQ(0, mprotect(self->room + PAGE, PAGE, PROT_READ));
		EXPECT_TRUE(refused(self->fd, &self->call, before));
		EXPECT_EQ(0, memcmp(before, &arm, sizeof(arm)));
		ASSERT_EQ(0, mprotect(self->room + PAGE, PAGE, PROT_READ | PROT_WRITE));
		if (!cut)
			continue;
		ASSERT_EQ(0, mprotect(self->room, PAGE, PROT_READ));
		EXPECT_TRUE(refused(self->fd, &self->call, before));
		ASSERT_EQ(0, mprotect(self->room, PAGE, PROT_READ | PROT_WRITE));
	}
	EXPECT_EQ(0, armed(self->fd));
}

/* The same for struct wheel_submit, which is not modified. */
WT_TEST(wheel, call_that_cannot_be_answered)
{
	struct wheel_op arm = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN);
	size_t cut;

	self->call.ops = wt_addr(&arm);
	for (cut = 0; cut < sizeof(self->call); cut += 4) {
		char *hole = self->room + 2 * PAGE - cut;
		char *before = self->room + PAGE - cut;

		memcpy(hole, &self->call, cut);
		EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, hole));
		memcpy(before, &self->call, sizeof(self->call));
		ASSERT_EQ(0, mprotect(self->room + PAGE, PAGE, PROT_READ));
		EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, before));
		EXPECT_EQ(0, memcmp(before, &self->call, sizeof(self->call)));
		ASSERT_EQ(0, mprotect(self->room + PAGE, PAGE, PROT_READ | PROT_WRITE));
		if (!cut)
			continue;
		ASSERT_EQ(0, mprotect(self->room, PAGE, PROT_READ));
		EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, before));
		ASSERT_EQ(0, mprotect(self->room, PAGE, PROT_READ | PROT_WRITE));
	}
	EXPECT_EQ(0, armed(self->fd));
}

TEST_HARNESS_MAIN
