// SPDX-License-Identifier: GPL-2.0
/*
 * The argument of every command: a struct that contains its size, with known flags and a zero
 * tail, at a valid address. The operations of SUBMIT and LIST have a stride instead.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "wheel_test.h"

#define PAGE	wt_page()
#define WHEN	(5 * WT_MS)

FIXTURE(command) {
	/* Two wheels in the same state, and a page followed by an inaccessible one. */
	int fd;
	int twin;
	char *page;
};

FIXTURE_VARIANT(command) {
	unsigned long cmd;
	__u32 size;
	__u32 known;
	/* The wheel is set up before the command. */
	bool after_setup;
};

#define COMMAND(name, cmd, type, known, after_setup) \
	WT_VARIANT(command, name, cmd, sizeof(struct type), known, after_setup)

COMMAND(setup, WHEEL_IOC_SETUP, wheel_setup, WHEEL_SETUP_WORDS, false);
COMMAND(info, WHEEL_IOC_INFO, wheel_setup, WHEEL_SETUP_WORDS, true);
COMMAND(submit, WHEEL_IOC_SUBMIT, wheel_submit, 0, true);
COMMAND(list, WHEEL_IOC_LIST, wheel_list, 0, true);
COMMAND(stop, WHEEL_IOC_STOP, wheel_stop, 0, true);
COMMAND(stats, WHEEL_IOC_STATS, wheel_stats, 0, true);
COMMAND(advance, WHEEL_IOC_ADVANCE, wheel_advance, 0, true);

/* A wheel with one timer at WHEN and another much later. */
static int make(bool setup)
{
	int fd;

	if (!setup)
		return wt_open(O_NONBLOCK);
	fd = wt_open_virtual(64, WT_MS);
	if (fd < 0 || wt_arm(fd, WHEEL_ID(1, 1), WHEN) ||
	    wt_arm(fd, WHEEL_ID(2, 1), WT_HOUR))
		abort();
	return fd;
}

FIXTURE_SETUP(command)
{
	self->fd = make(variant->after_setup);
	self->twin = make(variant->after_setup);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, self->twin);
	self->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	ASSERT_EQ(0, mprotect(self->page + PAGE, PAGE, PROT_NONE));
}

FIXTURE_TEARDOWN(command)
{
	close(self->fd);
	close(self->twin);
}

/* The argument of a call that has an effect and an output, with the given size. */
static void fill(void *arg, unsigned long cmd, __u32 size)
{
	static struct wheel_op op;
	struct wheel_submit submit = {
		.ops = wt_addr(&op), .op_size = sizeof(op), .count = 1,
	};
	struct wheel_list list = {
		.timers = wt_addr(&op), .op_size = sizeof(op), .count = 1,
	};
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = 77,
	};
	struct wheel_advance advance = { .now = WHEN };

	op = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(1, 1), 0);
	if (cmd == WHEEL_IOC_SETUP)
		memcpy(arg, &setup, sizeof(setup));
	else if (cmd == WHEEL_IOC_SUBMIT)
		memcpy(arg, &submit, sizeof(submit));
	else if (cmd == WHEEL_IOC_LIST)
		memcpy(arg, &list, sizeof(list));
	else if (cmd == WHEEL_IOC_ADVANCE)
		memcpy(arg, &advance, sizeof(advance));
	*(__u32 *)arg = size;
}

/* Check that the wheel is unchanged. Only INFO leaves a file without a configuration. */
static bool untouched(int fd, bool setup)
{
	struct wheel_setup info;
	struct wheel_stats stats;
	__u64 when;

	if (!setup)
		return !wt_info(fd, &info) && info.timers != 77;
	return !wt_stats(fd, &stats) && stats.armed == 2 &&
		stats.pending == 2 && stats.cancelled == 0 &&
		!wt_query(fd, WHEEL_ID(1, 1), &when) && when == WHEN &&
		!wt_query(fd, WHEEL_ID(2, 1), &when) && when == WT_HOUR &&
		wt_quiet(fd);
}

/* Check that the exact size succeeds and returns the same as on the unused twin. */
static bool still_works(int fd, int twin, unsigned long cmd, __u32 size)
{
	char arg[WT_PAGE_MOST] = {}, other[WT_PAGE_MOST] = {};

	fill(arg, cmd, size);
	fill(other, cmd, size);
	return !wt_ioctl(fd, cmd, arg) && !wt_ioctl(twin, cmd, other) &&
		!memcmp(arg + 4, other + 4, sizeof(arg) - 4);
}

WT_TEST(command, every_smaller_size_is_einval)
{
	char arg[WT_PAGE_MOST] = {};
	__u32 size;

	for (size = 0; size < variant->size; size++) {
		fill(arg, variant->cmd, size);
		EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, variant->cmd, arg))
			TH_LOG("size %u", size);
	}
	EXPECT_TRUE(untouched(self->fd, variant->after_setup));
}

WT_TEST(command, zero_tail_is_the_same_call)
{
	static const __u32 more[] = { 1, 4, 8, 64, 512 };
	char arg[WT_PAGE_MOST], exact[WT_PAGE_MOST];
	unsigned int i;
	int fd, twin;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		fd = make(variant->after_setup);
		twin = make(variant->after_setup);
		memset(arg, 0, sizeof(arg));
		memset(exact, 0, sizeof(exact));
		fill(arg, variant->cmd, variant->size + more[i]);
		EXPECT_EQ(0, wt_ioctl(fd, variant->cmd, arg));
		fill(exact, variant->cmd, variant->size);
		EXPECT_EQ(0, wt_ioctl(twin, variant->cmd, exact));
		EXPECT_EQ(0, memcmp(arg + 4, exact + 4, sizeof(arg) - 4));
		close(fd);
		close(twin);
	}
}

/* The suite grown sets the number of bytes by which the structs of the module are longer. */
static __u32 grown(void)
{
	const char *bytes = getenv("WHEEL_GROWN");

	return bytes ? atoi(bytes) : 0;
}

WT_TEST(command, unknown_tail_is_e2big)
{
	char arg[WT_PAGE_MOST];
	__u32 at;

	for (at = variant->size + grown(); at < variant->size + 16; at++) {
		memset(arg, 0, sizeof(arg));
		fill(arg, variant->cmd, variant->size + 16);
		arg[at] = 1;
		EXPECT_EQ(-E2BIG, wt_ioctl(self->fd, variant->cmd, arg));
	}
	EXPECT_TRUE(untouched(self->fd, variant->after_setup));
	EXPECT_TRUE(still_works(self->fd, self->twin, variant->cmd,
				variant->size));
}

WT_TEST(command, unknown_flags_are_einval)
{
	char arg[WT_PAGE_MOST] = {};
	int bit;

	for (bit = 0; bit < 32; bit++) {
		if (1U << bit & variant->known)
			continue;
		fill(arg, variant->cmd, variant->size);
		/* The flags follow the size. */
		((__u32 *)arg)[1] = 1U << bit;
		EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, variant->cmd, arg)) TH_LOG("bit %d", bit);
	}
	EXPECT_TRUE(untouched(self->fd, variant->after_setup));
}

/* An invalid size has no effect. The errno depends on the order of the checks. */
WT_TEST(command, huge_sizes_fail)
{
	static const __u32 sizes[] = {
		0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff,
	};
	char *arg = self->page;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill(arg, variant->cmd, sizes[i]);
		ret = wt_ioctl(self->fd, variant->cmd, arg);
		EXPECT_TRUE(ret == -EINVAL || ret == -E2BIG || ret == -EFAULT);
	}
	EXPECT_TRUE(untouched(self->fd, variant->after_setup));
	EXPECT_TRUE(still_works(self->fd, self->twin, variant->cmd,
				variant->size));
}

WT_TEST(command, bad_addresses_are_efault)
{
	char *end = self->page + PAGE;
	char arg[WT_PAGE_MOST] = {};
	void *ro;

	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd, NULL));
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd, (void *)-4096L));
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd, end));
	/* Only the size, half of it, or all but the last byte can be read. */
	fill(arg, variant->cmd, variant->size);
	memcpy(end - 4, arg, 4);
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd, end - 4));
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd, end - 2));
	memcpy(end - variant->size + 1, arg, variant->size - 1);
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd,
				    end - variant->size + 1));
	/* The struct can be read, but its tail cannot. */
	fill(arg, variant->cmd, variant->size + 8);
	memcpy(end - variant->size, arg, variant->size);
	EXPECT_EQ(-EFAULT, wt_ioctl(self->fd, variant->cmd,
				    end - variant->size));
	EXPECT_TRUE(untouched(self->fd, variant->after_setup));
	/* The output cannot be written. */
	ro = end - variant->size;
	fill(ro, variant->cmd, variant->size);
	ASSERT_EQ(0, mprotect(self->page, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, wt_ioctl(self->twin, variant->cmd, ro));
}

/* At an unaligned address, directly before an inaccessible page. */
WT_TEST(command, end_of_a_page)
{
	char *arg = self->page + PAGE - variant->size;

	fill(arg, variant->cmd, variant->size);
	EXPECT_EQ(0, wt_ioctl(self->fd, variant->cmd, arg));
}

FIXTURE(wheel) {
	int fd;
};

FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(64, WT_MS);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static bool all_zero(const char *p, size_t size)
{
	while (size--)
		if (p[size])
			return false;
	return true;
}

/* With a wider stride, as of a newer header, the tail of an operation must be zero and stays so. */
WT_TEST(wheel, operations_with_a_wider_stride)
{
	static const __u32 strides[] = { 64, 72, 80, 128, 256, 4096 };
	static char room[64 * 4096], listed[64 * 4096];
	unsigned int i, gen;
	struct wheel_op op;

	for (gen = 0; gen < ARRAY_SIZE(strides); gen++) {
		__u32 stride = strides[gen];
		struct wheel_submit batch = {
			.size = sizeof(batch), .ops = wt_addr(room), .op_size = stride, .count = 64,
		};
		struct wheel_list list = {
			.size = sizeof(list), .timers = wt_addr(listed), .op_size = stride,
			.count = 64,
		};

		memset(room, 0, sizeof(room));
		memset(listed, WT_POISON, sizeof(listed));
		for (i = 0; i < 64; i++) {
			op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen + 1), WHEN);
			op.res = 1;
			memcpy(room + i * stride, &op, sizeof(op));
		}
		ASSERT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
		EXPECT_EQ(64, batch.done);
		EXPECT_EQ(0, batch.failed);
		ASSERT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
		EXPECT_EQ(64, list.done);
		for (i = 0; i < 64 * stride; i += stride) {
			memcpy(&op, room + i, sizeof(op));
			ASSERT_EQ(0, op.res);
			EXPECT_TRUE(all_zero(room + i + sizeof(op), stride - sizeof(op)));
			memcpy(&op, listed + i, sizeof(op));
			EXPECT_TRUE(all_zero(listed + i + sizeof(op), stride - sizeof(op)));
			ASSERT_EQ(0, wt_cancel(self->fd, op.id));
		}
	}
}

WT_TEST(wheel, operations_with_a_smaller_stride_are_einval)
{
	struct wheel_op ops[2] = {};
	struct wheel_submit batch = { .size = sizeof(batch), .ops = wt_addr(ops), .count = 2 };
	struct wheel_list list = { .size = sizeof(list), .timers = wt_addr(ops), .count = 2 };
	__u32 stride;

	for (stride = 0; stride < sizeof(*ops); stride++) {
		batch.op_size = stride;
		list.op_size = stride;
		EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, WHEEL_IOC_SUBMIT, &batch));
		EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, WHEEL_IOC_LIST, &list));
	}
}

/* A command number with direction and size bits is unknown, too. */
WT_TEST(wheel, unknown_commands_are_enotty)
{
	const unsigned long others[] = {
		_IO(WHEEL_IOC_TYPE + 1, 5), _IO(WHEEL_IOC_TYPE - 1, 5), 0, 5, 0xffffffffUL,
	};
	const unsigned long bits[] = { 1UL << 30, 2UL << 30, 3UL << 30, 8UL << 16 };
	struct wheel_stats stats = { .size = sizeof(stats) };
	unsigned int nr, i;

	for (nr = 8; nr < 256; nr++)
		EXPECT_EQ(-ENOTTY, wt_ioctl(self->fd, _IO(WHEEL_IOC_TYPE, nr), &stats));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		EXPECT_EQ(-ENOTTY, wt_ioctl(self->fd, others[i], &stats));
	for (nr = 0; nr < 8; nr++)
		for (i = 0; i < ARRAY_SIZE(bits); i++)
			EXPECT_EQ(-ENOTTY, wt_ioctl(self->fd, _IO(WHEEL_IOC_TYPE, nr) | bits[i],
						    &stats));
	EXPECT_EQ(0, wt_ioctl(self->fd, WHEEL_IOC_STATS, &stats));
}

/* Commands of this device fail on other files. */
WT_TEST(wheel, other_files_are_enotty)
{
	struct wheel_stats stats = { .size = sizeof(stats) };
	int pipefd[2];
	int null;

	ASSERT_EQ(0, pipe(pipefd));
	null = open("/dev/null", O_RDWR);
	ASSERT_LE(0, null);
	EXPECT_EQ(-ENOTTY, wt_ioctl(null, WHEEL_IOC_STATS, &stats));
	EXPECT_EQ(-ENOTTY, wt_ioctl(pipefd[0], WHEEL_IOC_STATS, &stats));
	EXPECT_EQ(-EBADF, wt_ioctl(-1, WHEEL_IOC_STATS, &stats));
	EXPECT_EQ(-EBADF, wt_ioctl(open(WT_DEVICE, O_PATH), WHEEL_IOC_STATS,
				   &stats));
}

TEST_HARNESS_MAIN
