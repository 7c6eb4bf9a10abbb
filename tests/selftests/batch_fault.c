// SPDX-License-Identifier: GPL-2.0
/*
 * Batches that stop in the middle: exactly the first @done operations are performed and have
 * a result.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#include "wheel_test.h"

#define PAGE	((int)wt_page())
#define PAGES	8
#define ROOM	(PAGES * PAGE)
#define FIT	(ROOM / (int)sizeof(struct wheel_op))
#define WHEN	(10 * WT_MS)

FIXTURE(wheel) {
	int fd;
	/* FIT operations that arm, directly before an inaccessible page. */
	struct wheel_op *ops;
	struct wheel_submit batch;
};

FIXTURE_SETUP(wheel)
{
	char *room;
	int i;

	self->fd = wt_open_virtual(2 * FIT, WT_MS);
	ASSERT_LE(0, self->fd);
	room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, room);
	ASSERT_EQ(0, mprotect(room + ROOM, PAGE, PROT_NONE));
	self->ops = (struct wheel_op *)room;
	for (i = 0; i < FIT; i++) {
		self->ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), WHEN);
		self->ops[i].res = 7;
	}
	self->batch = (struct wheel_submit){
		.size = sizeof(self->batch), .ops = wt_addr(room),
		.op_size = sizeof(struct wheel_op), .count = FIT,
		.done = ~0U, .failed = ~0U, .now = ~0ULL,
	};
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

/* The number of armed timers, or -1. */
static long armed(int fd)
{
	struct wheel_stats stats;

	return wt_stats(fd, &stats) ? -1 : (long)stats.armed;
}

/* Check that exactly the operations before @done have the result 0. */
static bool answered(const struct wheel_op *ops, __u32 first, __u32 done,
		     __u32 count)
{
	__u32 i;

	for (i = first; i < count; i++)
		if (ops[i].res != (i < done ? 0 : 7))
			return false;
	return true;
}

/* An empty batch reads no operation, so its address may be invalid. */
WT_TEST(wheel, empty_batch_reads_the_clock)
{
	self->batch.ops = 8;
	self->batch.count = 0;
	ASSERT_EQ(0, wt_advance(self->fd, 12345678, NULL));
	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &self->batch));
	EXPECT_EQ(0, self->batch.done);
	EXPECT_EQ(0, self->batch.failed);
	EXPECT_EQ(12345678, self->batch.now);
}

/* For a batch and for a single operation. */
WT_TEST(wheel, bad_address_does_nothing)
{
	static const __u64 addresses[] = {
		0, 8, 0xffffffffffffffffULL, 0xffffffffffffff00ULL,
		0xffff888000000000ULL, 0xffffffff81000000ULL,
		0x8000000000000000ULL, 0x00007fffffffffffULL,
	};
	const __u32 counts[] = { FIT, 1 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		for (k = 0; k < ARRAY_SIZE(counts); k++) {
			self->batch.ops = addresses[i];
			self->batch.count = counts[k];
			self->batch.done = ~0U;
			EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT,
						    &self->batch));
			EXPECT_EQ(0, self->batch.done);
		}
	}
	EXPECT_EQ(0, armed(self->fd));
}

/* Each page is inaccessible at first. The batch is resumed after each page becomes accessible. */
WT_TEST(wheel, goes_on_from_done)
{
	struct wheel_op *ops = self->ops;
	__u32 total = 0;
	int page;

	for (page = 0; page < PAGES; page++)
		ASSERT_EQ(0, mprotect((char *)ops + page * PAGE, PAGE,
				      PROT_NONE));
	for (page = 0; page < PAGES; page++) {
		self->batch.ops = wt_addr(ops + total);
		self->batch.count = FIT - total;
		EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT,
					    &self->batch));
		total += self->batch.done;
		EXPECT_GE(page * PAGE / sizeof(*ops), total);
		EXPECT_EQ(total, armed(self->fd));
		ASSERT_EQ(0, mprotect((char *)ops + page * PAGE, PAGE,
				      PROT_READ | PROT_WRITE));
		EXPECT_TRUE(answered(ops, 0, total,
				     (page + 1) * PAGE / sizeof(*ops)));
	}
	self->batch.ops = wt_addr(ops + total);
	self->batch.count = FIT - total;
	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &self->batch));
	EXPECT_EQ(FIT - total, self->batch.done);
	EXPECT_EQ(FIT, armed(self->fd));
	EXPECT_TRUE(answered(ops, 0, FIT, FIT));
}

/*
 * Place an object so that it ends in an inaccessible page, or begins or ends in a read-only one, at
 * each offset. Returns true if a call with it always fails, and has no effect.
 */
static bool fails_across_pages(int fd, char *end, const void *object, size_t size,
			       bool (*fails)(int fd, void *at))
{
	char *border = end - PAGE;
	bool failed = true;
	size_t cut;

	for (cut = 0; cut < size; cut += 4) {
		char *at = border - cut;

		memcpy(end - cut, object, cut);
		failed &= fails(fd, end - cut);
		memcpy(at, object, size);
		mprotect(border, PAGE, PROT_READ);
		failed &= fails(fd, at) && !memcmp(at, object, size);
		mprotect(border, PAGE, PROT_READ | PROT_WRITE);
		mprotect(border - PAGE, PAGE, PROT_READ);
		failed &= !cut || fails(fd, at);
		mprotect(border - PAGE, PAGE, PROT_READ | PROT_WRITE);
	}
	return failed && !armed(fd);
}

static bool single_fails(int fd, void *op)
{
	struct wheel_submit call = {
		.size = sizeof(call), .ops = wt_addr(op), .op_size = sizeof(struct wheel_op),
		.count = 1, .done = 7,
	};

	return wt_ioctl(fd, WHEEL_IOC_SUBMIT, &call) == -EFAULT && !call.done;
}

/* If the result of a single operation cannot be written, the operation has no effect. */
WT_TEST(wheel, operation_that_cannot_be_answered)
{
	const struct wheel_op arm = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN);

	EXPECT_TRUE(fails_across_pages(self->fd, (char *)self->ops + ROOM, &arm, sizeof(arm),
				       single_fails));
}

static bool call_fails(int fd, void *call)
{
	return wt_ioctl(fd, WHEEL_IOC_SUBMIT, call) == -EFAULT;
}

/* The same for struct wheel_submit, which is not modified. */
WT_TEST(wheel, call_that_cannot_be_answered)
{
	struct wheel_op arm = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), WHEN);

	self->batch.ops = wt_addr(&arm);
	self->batch.count = 1;
	EXPECT_TRUE(fails_across_pages(self->fd, (char *)self->ops + ROOM, &self->batch,
				       sizeof(self->batch), call_fails));
}

WT_TEST(wheel, answers_can_be_written_half_way)
{
	char *half = (char *)self->ops + ROOM / 2;

	ASSERT_EQ(0, mprotect(half, ROOM / 2, PROT_READ));
	EXPECT_EQ(-EFAULT,
		  wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &self->batch));
	EXPECT_GE(FIT / 2, self->batch.done);
	EXPECT_EQ(self->batch.done, armed(self->fd));
	EXPECT_TRUE(answered(self->ops, 0, self->batch.done, FIT));
}

/* A nonzero unknown tail stops the batch there with E2BIG. */
WT_TEST(wheel, a_tail_that_is_not_zero)
{
	static const __u32 places[] = { 0, 1, 31, 32, 63, 64, 65, 99 };
	static char room[100 * 128];
	unsigned int i, gen;

	for (gen = 0; gen < ARRAY_SIZE(places); gen++) {
		long before = armed(self->fd);
		__u32 bad = places[gen];
		struct wheel_op op;

		memset(room, 0, sizeof(room));
		for (i = 0; i < 100; i++) {
			op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen + 1), WHEN);
			op.res = 7;
			memcpy(room + i * 128, &op, sizeof(op));
		}
		room[bad * 128 + 64 + gen * 9] = 1;
		self->batch.ops = wt_addr(room);
		self->batch.op_size = 128;
		self->batch.count = 100;
		EXPECT_EQ(-E2BIG, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT,
					   &self->batch));
		EXPECT_GE(bad, self->batch.done);
		EXPECT_EQ(before + self->batch.done, armed(self->fd));
		for (i = 0; i < 100; i++) {
			memcpy(&op, room + i * 128, sizeof(op));
			EXPECT_EQ(i < self->batch.done ? 0 : 7, op.res);
			wt_cancel(self->fd, op.id);
		}
	}
}

static int alarms;

static void on_alarm(int nr)
{
	(void)nr;
	alarms++;
}

/* Send signals with this period, in microseconds, until the next call. */
static int send_alarms(int us)
{
	const struct itimerval often = { { 0, us }, { 0, us } };
	const struct sigaction action = { .sa_handler = on_alarm };

	return sigaction(SIGALRM, &action, NULL) ?: setitimer(ITIMER_REAL, &often, NULL);
}

/* Frequent signals: a batch completes, or fails with EINTR and returns the progress in @done. */
WT_TEST(wheel, goes_on_after_signals)
{
	enum { N = 50000 };
	struct wheel_op *ops = calloc(N, sizeof(*ops));
	__u32 total;
	int fd, i, ret;

	fd = wt_open_virtual(N, WT_MS);
	ASSERT_LE(0, fd);
	ASSERT_NE(NULL, ops);
	for (i = 0; i < N; i++)
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), WHEN);
	ASSERT_EQ(0, send_alarms(1000));
	for (total = 0; total < N; total += self->batch.done) {
		self->batch.ops = wt_addr(ops + total);
		self->batch.count = N - total;
		self->batch.done = ~0U;
		ret = wt_ioctl(fd, WHEEL_IOC_SUBMIT, &self->batch);
		ASSERT_TRUE(ret == -EINTR || !ret);
		ASSERT_GE(N - total, self->batch.done);
		ASSERT_EQ(ret ? -1 : (int)(N - total),
			  ret ? -1 : (int)self->batch.done);
		ASSERT_EQ(total + self->batch.done, armed(fd));
	}
	ASSERT_EQ(0, send_alarms(0));
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, ops[i].res);
	EXPECT_EQ(N, armed(fd));
	close(fd);
}

/* LIST succeeds after its last slot, even if a signal is pending. */
WT_TEST(wheel, list_ends_despite_signals)
{
	int fd = wt_open_virtual(1, WT_MS), err = 0;
	struct wheel_list list = {};
	struct wheel_op op;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, send_alarms(100));
	for (alarms = 0; alarms < 500 && !err; list.cursor = 0)
		err = wt_list(fd, 0, &op, 1, &list);
	ASSERT_EQ(0, send_alarms(0));
	EXPECT_EQ(0, err);
	close(fd);
}

WT_TEST(wheel, list_into_bad_memory_can_be_repeated)
{
	struct wheel_list list = {
		.size = sizeof(list), .op_size = sizeof(struct wheel_op), .count = 4,
	};
	struct wheel_op ops[8];
	__u64 unfired;

	ASSERT_EQ(0, wt_arm_many(self->fd, 5, 1, WHEN));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	ASSERT_EQ(5, unfired);
	list.timers = 8;
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
	ASSERT_EQ(0, mprotect(self->ops, ROOM, PROT_READ));
	list.timers = wt_addr(self->ops);
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
	EXPECT_EQ(0, list.cursor);
	ASSERT_EQ(0, wt_list(self->fd, 0, ops, 8, &list));
	EXPECT_EQ(5, list.done);
}

TEST_HARNESS_MAIN
