// SPDX-License-Identifier: GPL-2.0
/*
 * Time namespaces: a file has the clock of the one in which it was set up. It can be used in all
 * that have the same offset, and is rejected in others, except with a virtual clock.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_words.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x00000080
#endif

#define CANNOT	200
/* Seconds that only a wait for a time of another clock exceeds. */
#define HANGS	60

FIXTURE(namespace) {
};

FIXTURE_SETUP(namespace)
{
}

FIXTURE_TEARDOWN(namespace)
{
}

static int shift(const char *offsets)
{
	int fd = open("/proc/self/timens_offsets", O_WRONLY);
	ssize_t len = strlen(offsets);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write(fd, offsets, len);
	close(fd);
	return done == len ? 0 : -1;
}

/* Run a function in a new time namespace. Returns its result, or CANNOT. */
static int in_namespace(const char *offsets, int (*what)(int fd), int fd)
{
	pid_t pid = fork();
	int end;

	if (!pid) {
		/* Only children are in the new namespace. */
		if (unshare(CLONE_NEWTIME) || shift(offsets))
			_exit(CANNOT);
		pid = fork();
		if (!pid) {
			alarm(HANGS);
			_exit(what(fd));
		}
		end = wt_end_of(pid);
		_exit(end < 0 ? CANNOT + 1 : end);
	}
	return wt_end_of(pid);
}

static int submit(int fd, struct wheel_op op)
{
	return -(wt_batch(fd, &op, 1) ?: op.res);
}

static int absolute(int fd)
{
	return submit(fd, wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), wt_now(0) + WT_HOUR));
}

static int relative(int fd)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(3, 1), WT_HOUR);

	op.flags = WHEEL_OP_REL;
	return submit(fd, op);
}

static int listing(int fd)
{
	struct wheel_op op;
	struct wheel_list list = {
		.size = sizeof(list), .timers = wt_addr(&op), .op_size = sizeof(op), .count = 1,
	};

	return -wt_ioctl(fd, WHEEL_IOC_LIST, &list);
}

static int reading(int fd)
{
	struct wheel_event event;

	return read(fd, &event, sizeof(event)) < 0 ? errno : 0;
}

static int mapping(int fd)
{
	void *page = mmap(NULL, wt_page(), PROT_READ, MAP_SHARED, fd, WHEEL_OFF_KERNEL);

	return page == MAP_FAILED ? errno : 0;
}

/* The result of SETUP of a file that is not set up. */
static int setup(int fd)
{
	struct wheel_setup setup = { .timers = 64 };

	return -wt_setup(fd, &setup);
}

/* Arm a timer, wait for its event, and compare all times with those of the caller's clock. */
static int expiry(int clock)
{
	struct wheel_setup setup = { .timers = 64, .clock = clock, .tick_ns = WT_MS };
	__u64 when = wt_now(clock) + 5 * WT_MS;
	struct wheel_event event;
	int fd = wt_open_setup(0, &setup);

	if (fd < 0 || wt_arm(fd, WHEEL_ID(1, 1), when) || wt_read(fd, &event, 1) != 1)
		return 1;
	if (wt_now(clock) < event.fired || event.fired < when || event.deadline != when)
		return 2;
	return event.fired - when > WT_HOUR ? 3 : 0;
}

/* The same for a timer with a word, which the kernel has to detect. */
static int expiry_of_a_word(int clock)
{
	const struct wheel_setup setup = { .timers = 64, .clock = clock, .tick_ns = WT_MS };
	struct wheel_event event;
	struct wt_areas areas;
	__u64 when;

	if (!wt_areas_open(&areas, &setup) || wt_arm_word(areas.fd, WHEEL_ID(1, 1), 0))
		return 1;
	when = wt_now(clock) + 5 * WT_MS;
	if (wt_set_word(&areas, 1, WT_PARKED, when) < 0 || wt_next(areas.fd, &event) != 1)
		return 2;
	return wt_now(clock) < event.fired || event.fired < when || event.deadline != when ||
	       event.fired - when > WT_HOUR ? 3 : 0;
}

/* ENTER waits until a time of the caller's clock. */
static int timeout(int clock)
{
	const struct wheel_setup setup = { .timers = 64, .clock = clock, .events = 8 };
	__u64 until = wt_now(clock) + 5 * WT_MS;
	struct wheel_enter enter;
	struct wt_ring ring;

	if (!wt_ring_open(&ring, &setup) || wt_enter(ring.fd, 1, until, &enter))
		return 1;
	return wt_now(clock) < until || wt_now(clock) - until > WT_HOUR ? 2 : 0;
}

/*
 * The clock is behind that of the kernel, for which the last deadlines are beyond its end. One
 * causes no interrupt.
 */
static int last_deadline(int clock)
{
	struct wheel_setup setup = { .timers = 64, .clock = clock, .tick_ns = WT_MS };
	int fd = wt_open_setup(0, &setup);
	struct wheel_event event;
	struct wheel_stats stats;

	if (fd < 0 || wt_arm(fd, WHEEL_ID(1, 1), WHEEL_MAX_TIME) ||
	    wt_arm(fd, WHEEL_ID(2, 1), wt_now(clock) + 5 * WT_MS))
		return 1;
	if (wt_read(fd, &event, 1) != 1 || event.id != WHEEL_ID(2, 1))
		return 2;
	/* The one for the event. */
	if (wt_stats(fd, &stats))
		return 3;
	return stats.wakeups > 1 ? 4 : 0;
}

static int virtual(int fd)
{
	struct wheel_event event;

	fd = wt_open_virtual(64, WT_MS);
	return fd < 0 || wt_arm(fd, WHEEL_ID(1, 1), WT_MS) ||
		wt_advance(fd, WT_MS, NULL) || wt_read(fd, &event, 1) != 1;
}

static int enter(int fd, __u64 until)
{
	struct wheel_enter e = { .size = sizeof(e), .wait = 1, .until = until };

	return wt_ioctl(fd, WHEEL_IOC_ENTER, &e);
}

/* The errno of ENTER until a time in the past. An @until of 0 is not converted and accepted. */
static int until(int fd)
{
	return enter(fd, 0) ? 1 : -enter(fd, 1);
}

#define SHIFTED		"monotonic 86400 0\nboottime 86400 0\n"
#define OTHER		"monotonic 86400 1\nboottime 86400 0\n"
#define BEHIND		"monotonic -1 0\n"
#define NOT_SHIFTED	"monotonic 0 0\n"

/* Events contain absolute times, which are not converted: the whole file is rejected. */
WT_TEST(namespace, a_file_is_rejected_when_shifted)
{
	static int (* const uses[])(int fd) = {
		absolute, relative, listing, reading,
	};
	__u32 clocks[] = { WHEEL_CLOCK_MONOTONIC, WHEEL_CLOCK_BOOTTIME };
	struct wheel_setup ring = { .timers = 64, .events = 8 };
	unsigned int i, use;
	int fd, ret;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		fd = wt_open_clock(clocks[i], 64, WT_MS);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, wt_arm_rel(fd, WHEEL_ID(2, 1), WT_HOUR));
		for (use = 0; use < ARRAY_SIZE(uses); use++) {
			ret = in_namespace(SHIFTED, uses[use], fd);
			if (ret == CANNOT)
				SKIP(return, "no time namespaces");
			EXPECT_EQ(EOPNOTSUPP, ret) TH_LOG("use %u", use);
		}
		EXPECT_LEDGER(fd, .armed = 1);
		close(fd);
	}

	fd = wt_open_setup(0, &ring);
	EXPECT_EQ(EOPNOTSUPP, in_namespace(SHIFTED, mapping, fd));
	EXPECT_EQ(0, in_namespace(NOT_SHIFTED, mapping, fd));
	close(fd);
}

/* In a namespace with offsets of 0, all operations are allowed. */
WT_TEST(namespace, a_file_is_accepted_when_not_shifted)
{
	static int (* const uses[])(int fd) = { absolute, relative, listing };
	int fd = wt_open_clock(WHEEL_CLOCK_MONOTONIC, 64, WT_MS);
	unsigned int use;
	int ret;

	ASSERT_LE(0, fd);
	for (use = 0; use < ARRAY_SIZE(uses); use++) {
		ret = in_namespace(NOT_SHIFTED, uses[use], fd);
		if (ret == CANNOT)
			SKIP(return, "no time namespaces");
		EXPECT_EQ(0, ret) TH_LOG("use %u", use);
	}
	close(fd);
}

/* Of a file that is set up in a namespace, all times are those of its clock. */
WT_TEST(namespace, times_are_those_of_the_namespace)
{
	static int (* const uses[])(int clock) = { expiry, expiry_of_a_word, timeout };
	unsigned int use;
	int clock, ret;

	for (use = 0; use < ARRAY_SIZE(uses); use++) {
		for (clock = WHEEL_CLOCK_MONOTONIC; clock <= WHEEL_CLOCK_TAI; clock++) {
			ret = in_namespace(SHIFTED, uses[use], clock);
			if (ret == CANNOT)
				SKIP(return, "no time namespaces");
			EXPECT_EQ(0, ret) TH_LOG("use %u, clock %u", use, clock);
		}
	}
}

WT_TEST(namespace, last_deadline_of_a_clock_that_is_behind)
{
	int ret = in_namespace(BEHIND, last_deadline, WHEEL_CLOCK_MONOTONIC);

	if (ret == CANNOT)
		SKIP(return, "no time namespaces");
	EXPECT_EQ(0, ret);
}

/* It can be used in namespaces with the same offset, and in no others. */
WT_TEST(namespace, offset_is_that_of_the_setup)
{
	static int (* const uses[])(int fd) = { absolute, relative, listing };
	int fd = wt_open(O_NONBLOCK), ret;
	unsigned int use;

	ASSERT_LE(0, fd);
	ret = in_namespace(SHIFTED, setup, fd);
	if (ret == CANNOT)
		SKIP(return, "no time namespaces");
	ASSERT_EQ(0, ret);
	for (use = 0; use < ARRAY_SIZE(uses); use++) {
		EXPECT_EQ(EOPNOTSUPP, uses[use](fd)) TH_LOG("use %u", use);
		EXPECT_EQ(EOPNOTSUPP, in_namespace(OTHER, uses[use], fd)) TH_LOG("use %u", use);
		EXPECT_EQ(0, in_namespace(SHIFTED, uses[use], fd)) TH_LOG("use %u", use);
	}
	EXPECT_EQ(EOPNOTSUPP, reading(fd));
	EXPECT_EQ(EAGAIN, in_namespace(SHIFTED, reading, fd));
	EXPECT_LEDGER(fd, .armed = 2);
	close(fd);
}

WT_TEST(namespace, virtual_times_are_good_when_shifted)
{
	int ret = in_namespace(SHIFTED, virtual, -1);

	if (ret == CANNOT)
		SKIP(return, "no time namespaces");
	EXPECT_EQ(0, ret);
}

WT_TEST(namespace, no_waiting_until_a_shifted_time)
{
	struct wheel_setup setup = { .timers = 64, .events = 8 };
	int fd = wt_open_setup(0, &setup);
	int ret = in_namespace(SHIFTED, until, fd);

	if (ret == CANNOT)
		SKIP(return, "no time namespaces");
	EXPECT_EQ(EOPNOTSUPP, ret);
	EXPECT_EQ(0, in_namespace(NOT_SHIFTED, until, fd));
	close(fd);
}

TEST_HARNESS_MAIN
