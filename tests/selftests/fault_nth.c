// SPDX-License-Identifier: GPL-2.0
/*
 * Fail the first, second, ... allocation or user copy of each entry point, until a call
 * completes without a failure. A failed call returns an errno and leaves the wheel usable:
 * pending timers stay pending, an event is delivered once, and another timer can be armed.
 * Needs a kernel with /proc/thread-self/fail-nth.
 *
 * Without CAP_SYS_RESOURCE, the memory of a file is charged to its user, whose record is
 * found or allocated first. A failed call leaves no charge behind.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define NTH	"/proc/thread-self/fail-nth"
#define DEBUG	"/sys/kernel/debug/"
#define LIMIT	"/sys/module/wheel_timer/parameters/user_kb"
#define TIMERS	4096
#define FILES	64
#define PENDING	WHEEL_ID(1, 1)
#define FIRED	WHEEL_ID(2, 1)
#define LATER	WHEEL_ID(TIMERS - 1, 1)

/*
 * @fd is a wheel with a pending timer and an unread event; @event is that event after it
 * was read. @other is a second file.
 */
struct world {
	int			fd;
	int			other;
	bool			stopped;
	struct wheel_op		op;
	struct wheel_event	event;
};

/* Skip all tests with a single result. */
static void __attribute__((constructor)) need_failures(void)
{
	if (!access(NTH, W_OK))
		return;
	printf("TAP version 13\n1..0 # SKIP the kernel has no fault injection\n");
	exit(4);
}

/* Fail allocations of any size, also those that may sleep, without messages in the log. */
static bool make_all_fail(void)
{
	return wt_write_file(DEBUG "failslab/ignore-gfp-wait", "0") &&
	       wt_write_file(DEBUG "failslab/verbose", "0") &&
	       wt_write_file(DEBUG "fail_page_alloc/ignore-gfp-wait", "0") &&
	       wt_write_file(DEBUG "fail_page_alloc/min-order", "0") &&
	       wt_write_file(DEBUG "fail_page_alloc/verbose", "0") &&
	       wt_write_file(DEBUG "fail_usercopy/verbose", "0");
}

static bool fail_from(int nth_fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return pwrite(nth_fd, text, len, 0) == len;
}

/* Check whether the fault was injected. If it hits this pread(), it was not injected before. */
static bool has_failed(int nth_fd)
{
	char text[16] = "";
	ssize_t len = pread(nth_fd, text, sizeof(text), 0);
	bool failed = len > 0 && text[0] == '0';

	while (!fail_from(nth_fd, 0))
		;
	return failed;
}

static int raw(int ret)
{
	return ret < 0 ? -errno : 0;
}

static int call_open(struct world *world)
{
	world->other = open(WT_DEVICE, O_RDWR);
	return raw(world->other);
}

/* Set up a new file. After ENOMEM, a second SETUP must succeed. */
static int call_setup(struct world *world)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .clock = WHEEL_CLOCK_VIRTUAL,
		.flags = WHEEL_SETUP_WORDS, .events = 512, .timers = TIMERS,
	};
	int err;

	world->other = open(WT_DEVICE, O_RDWR);
	err = world->other < 0 ? -errno :
	      wt_ioctl(world->other, WHEEL_IOC_SETUP, &setup);
	if (err == -ENOMEM && world->other >= 0 &&
	    wt_ioctl(world->other, WHEEL_IOC_SETUP, &setup))
		return -EBUSY;
	return err;
}

static int call_info(struct world *world)
{
	struct wheel_setup setup = { .size = sizeof(setup) };

	return wt_ioctl(world->fd, WHEEL_IOC_INFO, &setup);
}

static int arm_later(int fd, __u32 flags)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, LATER, WT_HOUR);
	struct wheel_submit batch = {
		.size = sizeof(batch), .ops = wt_addr(&op),
		.op_size = sizeof(op), .count = 1,
	};
	int err;

	op.flags = flags;
	err = wt_ioctl(fd, WHEEL_IOC_SUBMIT, &batch);
	return err ? err : op.res;
}

static int call_arm(struct world *world)
{
	return arm_later(world->fd, 0);
}

/* Set up a new file and arm a timer in it, which allocates the pages of its slot. */
static int call_setup_and_arm(struct world *world)
{
	return call_setup(world) ?: arm_later(world->other, WHEEL_OP_WORD);
}

static int call_list(struct world *world)
{
	struct wheel_list list = {
		.size = sizeof(list), .timers = wt_addr(&world->op),
		.op_size = sizeof(world->op), .count = 1,
	};

	return wt_ioctl(world->fd, WHEEL_IOC_LIST, &list);
}

static int call_stop(struct world *world)
{
	struct wheel_stop stop = { .size = sizeof(stop) };
	int err = wt_ioctl(world->fd, WHEEL_IOC_STOP, &stop);

	world->stopped = true;
	return err;
}

static int call_stats(struct world *world)
{
	struct wheel_stats stats = { .size = sizeof(stats) };

	return wt_ioctl(world->fd, WHEEL_IOC_STATS, &stats);
}

static int call_advance(struct world *world)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = 20 * WT_MS };

	return wt_ioctl(world->fd, WHEEL_IOC_ADVANCE, &advance);
}

static int call_enter(struct world *world)
{
	struct wheel_enter enter = { .size = sizeof(enter), .wait = 1 };

	return wt_ioctl(world->fd, WHEEL_IOC_ENTER, &enter);
}

static int call_read(struct world *world)
{
	int err = raw(read(world->fd, &world->event, sizeof(world->event)));

		/* A failed call may have modified the buffer, but delivers no event. */
	if (err)
		world->event.id = 0;
	return err;
}

static int call_poll(struct world *world)
{
	struct pollfd poll_fd = { .fd = world->fd, .events = POLLIN };

	return raw(poll(&poll_fd, 1, 0));
}

static int map_area(struct world *world, off_t offset, size_t len, int prot)
{
	void *area = mmap(NULL, len, prot, MAP_SHARED, world->fd, offset);

	if (area == MAP_FAILED)
		return -errno;
	while (munmap(area, len))
		;
	return 0;
}

static int call_map_words(struct world *world)
{
	return map_area(world, WHEEL_OFF_WORDS, wt_words_len(TIMERS),
			PROT_READ | PROT_WRITE);
}

static int call_map_ring(struct world *world)
{
	return map_area(world, WHEEL_OFF_EVENTS, wt_page(), PROT_READ);
}

static int call_fdinfo(struct world *world)
{
	char path[64], text[512];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", world->fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	err = raw(read(fd, text, sizeof(text)));
	close(fd);
	return err;
}

FIXTURE(fault) {
	int	nth_fd;
};

FIXTURE_VARIANT(fault) {
	const char	*name;
	int		(*call)(struct world *world);
	__u32		events;
	bool		pays;
};

FIXTURE_VARIANT_ADD(fault, open) { .name = "open", .call = call_open };
FIXTURE_VARIANT_ADD(fault, setup) { .name = "setup", .call = call_setup };
FIXTURE_VARIANT_ADD(fault, info) { .name = "info", .call = call_info };
FIXTURE_VARIANT_ADD(fault, arm) { .name = "arm", .call = call_arm };
FIXTURE_VARIANT_ADD(fault, list) { .name = "list", .call = call_list };
FIXTURE_VARIANT_ADD(fault, stop) { .name = "stop", .call = call_stop };
FIXTURE_VARIANT_ADD(fault, stats) { .name = "stats", .call = call_stats };
FIXTURE_VARIANT_ADD(fault, advance) { .name = "advance", .call = call_advance };
FIXTURE_VARIANT_ADD(fault, enter) { .name = "enter", .call = call_enter, .events = 8 };
FIXTURE_VARIANT_ADD(fault, read) { .name = "read", .call = call_read };
FIXTURE_VARIANT_ADD(fault, poll) { .name = "poll", .call = call_poll };
FIXTURE_VARIANT_ADD(fault, map_words) { .name = "map_words", .call = call_map_words };
FIXTURE_VARIANT_ADD(fault, map_ring) { .name = "map_ring", .call = call_map_ring, .events = 8 };
FIXTURE_VARIANT_ADD(fault, fdinfo) { .name = "fdinfo", .call = call_fdinfo };

FIXTURE_VARIANT_ADD(fault, open_by_a_limited_user) {
	.name = "open, charged", .call = call_open, .pays = true,
};

FIXTURE_VARIANT_ADD(fault, setup_by_a_limited_user) {
	.name = "setup, charged", .call = call_setup, .pays = true,
};

FIXTURE_VARIANT_ADD(fault, arm_by_a_limited_user) {
	.name = "arm, charged", .call = call_setup_and_arm, .pays = true,
};

FIXTURE_SETUP(fault)
{
	ASSERT_TRUE(make_all_fail());
	self->nth_fd = open(NTH, O_RDWR);
	ASSERT_LE(0, self->nth_fd);
}

FIXTURE_TEARDOWN(fault)
{
}

/* Drop or restore CAP_SYS_RESOURCE. Without it, the memory of files is charged to the user. */
static bool set_privilege(bool privileged)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		return false;
	data[0].effective &= ~(1U << CAP_SYS_RESOURCE);
	if (privileged)
		data[0].effective |= 1U << CAP_SYS_RESOURCE;
	return !syscall(SYS_capset, &head, data);
}

static int begin(struct world *world, __u32 events)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .tick_ns = WT_MS, .timers = TIMERS,
		.flags = WHEEL_SETUP_WORDS, .events = events,
	};
	int fd = wt_open_setup(O_NONBLOCK, &setup);

	*world = (struct world){ .fd = fd, .other = -1 };
	if (fd < 0)
		return fd;
	return wt_arm(fd, PENDING, WT_HOUR) ?: wt_arm(fd, FIRED, 5 * WT_MS) ?:
	       wt_advance(fd, 10 * WT_MS, NULL);
}

/* Check that the event is in the ring, was read, or can be read, and exactly once. */
static bool event_is_there_once(struct world *world, __u32 events)
{
	struct wheel_enter enter = { .size = sizeof(enter) };

	if (events)
		return !wt_ioctl(world->fd, WHEEL_IOC_ENTER, &enter) &&
		       enter.ready == 1;
	if (!world->event.id && wt_read(world->fd, &world->event, 1) != 1)
		return false;
	return world->event.id == FIRED && !world->event.seq &&
	       wt_read(world->fd, &world->event, 1) ==
	       (world->stopped ? -ESHUTDOWN : -EAGAIN);
}

/* Check that the wheel supports all operations after a failure. */
static bool is_usable(struct world *world, __u32 events)
{
	int fd = world->fd;
	struct wheel_stats stats;
	__u64 when, unfired;
	int armed;

		/* A failed STOP may or may not have stopped the wheel. The next one stops it. */
	if (world->stopped && wt_stop(fd, &unfired))
		return false;
	armed = wt_arm(fd, LATER, WT_HOUR);
	if (wt_stats(fd, &stats) || !wt_balanced(&stats))
		return false;
	if (world->stopped)
		return armed == -ESHUTDOWN && event_is_there_once(world, events);
	return (!armed || armed == -EBUSY) && !wt_query(fd, LATER, &when) &&
	       when == WT_HOUR && !wt_query(fd, PENDING, &when) && when == WT_HOUR &&
	       event_is_there_once(world, events);
}

WT_TEST(fault, each_failure_leaves_all_as_it_was)
{
	unsigned int n, failures = 0;
	bool failed = true;
	struct world world;
	int err;

	for (n = 1; failed; n++) {
		ASSERT_EQ(0, begin(&world, variant->events));
		ASSERT_TRUE(set_privilege(!variant->pays));
		ASSERT_TRUE(fail_from(self->nth_fd, n));
		err = variant->call(&world);
		failed = has_failed(self->nth_fd);
		ASSERT_TRUE(set_privilege(true));
		failures += failed;
		if (err || !failed)
			ASSERT_TRUE(failed ? err == -ENOMEM || err == -EFAULT : !err)
				TH_LOG("%s: failure %u: errno %d", variant->name, n, -err);
		ASSERT_TRUE(is_usable(&world, variant->events))
			TH_LOG("%s: not usable after failure %u", variant->name, n);
		close(world.fd);
		if (world.other >= 0)
			close(world.other);
	}
	TH_LOG("%s: %u failures", variant->name, failures);
	EXPECT_LT(0, failures);
}

FIXTURE(limited_user) {
	int	nth_fd;
};

/* A low limit: a leaked charge of a page can reduce the number of files that fit. */
FIXTURE_SETUP(limited_user)
{
	const struct rlimit nothing = {};

	ASSERT_TRUE(make_all_fail());
	self->nth_fd = open(NTH, O_RDWR);
	ASSERT_LE(0, self->nth_fd);
	ASSERT_TRUE(wt_write_file(LIMIT, "1024"));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &nothing));
	ASSERT_TRUE(set_privilege(false));
}

FIXTURE_TEARDOWN(limited_user)
{
	wt_write_file(LIMIT, "0");
}

/* The number of files that can be set up until the user's memory limit is reached. */
static int files_left(void)
{
	struct world world[FILES];
	int n = 0, i;

	while (n < FILES && !call_setup(&world[n]))
		n++;
	for (i = 0; i < n; i++)
		close(world[i].other);
	if (n < FILES)
		close(world[n].other);
	return n;
}

/*
 * Let the @nth allocation or copy of a set-up fail. Returns the number of files that can still
 * be set up in addition to this one, or -1 if it could not be armed.
 */
static int left_beside(int nth_fd, unsigned int nth, bool *failed)
{
	bool begun = fail_from(nth_fd, nth);
	struct world world;
	int err, left = -1;

	err = call_setup_and_arm(&world);
	*failed = has_failed(nth_fd);
	if (world.other < 0)
		return -1;
	if (err)
		err = arm_later(world.other, WHEEL_OP_WORD);
	if (begun && (!err || err == -EBUSY))
		left = files_left();
	close(world.other);
	return left;
}

WT_TEST(limited_user, p12_what_failed_is_not_charged)
{
	int wanted, left, counted = 0;
	unsigned int n = 0;
	bool failed;

	wanted = left_beside(self->nth_fd, 0, &failed);
	ASSERT_LT(0, wanted);
	ASSERT_GT(FILES, wanted);
	do {
		left = left_beside(self->nth_fd, ++n, &failed);
		counted += left == wanted;
		if (left != -1)
			ASSERT_EQ(wanted, left)
				TH_LOG("after failure %u", n);
	} while (failed);
	EXPECT_LT(2, counted);
}

TEST_HARNESS_MAIN
