// SPDX-License-Identifier: MIT
/*
 * libwheel_open(): requested and effective options, and invalid ones.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

#define NOBODY	65534
#define SIZE	sizeof(struct libwheel_options)

static const struct libwheel_options plain = { .size = sizeof(plain) };

/* Open a wheel and close it. Returns the result of libwheel_open(). */
static int try_open(const struct libwheel_options *options)
{
	struct libwheel *wheel = NULL;
	int err = libwheel_open(&wheel, options);

	EXPECT_EQ(!err, !!wheel);
	libwheel_close(wheel);
	return err;
}

static void open_defaults(void)
{
	struct libwheel *wheel;
	struct wheel_setup info;

	EXPECT_EQ(0, libwheel_open(&wheel, NULL));
	EXPECT_EQ(0, libwheel_info(wheel, &info));
	EXPECT_EQ(WHEEL_CLOCK_MONOTONIC, info.clock);
	EXPECT_EQ(WHEEL_HIERARCHICAL, info.scheme);
	EXPECT_EQ(MS, info.tick_ns);
	EXPECT_EQ(65536, info.timers);
	EXPECT(info.features & WHEEL_HAS_SCHEME(WHEEL_OVERFLOW));
	EXPECT(info.features & WHEEL_HAS_CLOCK(WHEEL_CLOCK_VIRTUAL));
	libwheel_close(wheel);
	libwheel_close(NULL);
}

/* Buckets are rounded up to a power of two, and to at least timers / 32. */
static void open_slots(void)
{
	static const struct {
		__u32 timers, buckets, given;
	} rows[] = {
		{ 0, 0, 4096 }, { 1, 0, 256 }, { 1, 1, 1 }, { 1, 3, 4 },
		{ 4096, 0, 256 }, { 16 * 257, 0, 512 }, { 1000, 3, 32 },
		{ 1000, 100, 128 }, { 65536, 1, 2048 }, { 65537, 1, 4096 },
		{ 1 << 20, 1, 32768 }, { 1 << 20, 0, 65536 }, { 64, 1 << 20, 1 << 20 },
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		struct libwheel_options options = plain;
		struct libwheel *wheel;
		struct wheel_setup info;

		options.scheme = WHEEL_HASHED;
		options.timers = rows[i].timers;
		options.buckets = rows[i].buckets;
		wheel = open_wheel(&options);
		libwheel_info(wheel, &info);
		EXPECT_EQ(rows[i].given, info.buckets);
		libwheel_close(wheel);
	}
}

static void open_refuses(void)
{
	static const struct {
		int err;
		struct libwheel_options options;
	} rows[] = {
		{ -EINVAL, { .flags = 1U << 2 } },
		{ -EINVAL, { .flags = 1U << 31 } },
		{ -EINVAL, { .backend = 3 } },
		{ -EINVAL, { .clock = 5 } },
		{ -EINVAL, { .clock = 1U << 31 } },
		{ -EINVAL, { .scheme = WHEEL_OVERFLOW + 1 } },
		{ -EINVAL, { .scheme = 1U << 31 } },
		{ -EINVAL, { .mode = 1U << 3 } },
		{ -EINVAL, { .tick_ns = 1ULL << 63 } },
		{ -EINVAL, { .clock = WHEEL_CLOCK_VIRTUAL, .tick_ns = ~0ULL } },
		{ -EINVAL, { .timers = WHEEL_MAX_TIMERS + 1 } },
		{ -EINVAL, { .timers = ~0U } },
		{ -EINVAL, { .buckets = WHEEL_MAX_BUCKETS + 1 } },
		{ -EINVAL, { .buckets = ~0U } },
		{ 0, { .scheme = WHEEL_OVERFLOW, .timers = WHEEL_OVERFLOW_TIMERS } },
		{ -EINVAL, { .scheme = WHEEL_OVERFLOW,
			     .timers = WHEEL_OVERFLOW_TIMERS + 1 } },
		{ -EPROTOTYPE, { .scheme = WHEEL_HIERARCHICAL,
				 .clock = WHEEL_CLOCK_REALTIME } },
		{ -EPROTOTYPE, { .scheme = WHEEL_OVERFLOW,
				 .clock = WHEEL_CLOCK_TAI } },
	};
	struct libwheel_options options;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		options = rows[i].options;
		options.size = sizeof(options);
		if (!EXPECT_EQ(rows[i].err, try_open(&options)))
			ktap_fail("ended");
	}
}

/*
 * The size of the options: too small, of a newer program, and of a newer program that uses
 * unsupported members.
 */
static void open_sizes(void)
{
	struct {
		struct libwheel_options options;
		__u64 tail;
	} newer = { .options = plain };

	newer.options.size = 0;
	EXPECT_EQ(-EINVAL, try_open(&newer.options));
	newer.options.size = sizeof(plain) - 1;
	EXPECT_EQ(-EINVAL, try_open(&newer.options));
	newer.options.size = sizeof(newer);
	EXPECT_EQ(0, try_open(&newer.options));
	newer.tail = 1;
	EXPECT_EQ(-E2BIG, try_open(&newer.options));
	/* The size exceeds the limit, so the memory behind the struct is not read. */
	newer.tail = 0;
	newer.options.size = ~0U;
	EXPECT_EQ(-E2BIG, try_open(&newer.options));
}

/* The program's choice overrides that of the environment. */
static void open_backend(void)
{
	struct libwheel_options options = plain;
	struct libwheel *wheel;
	const char *name = getenv("LIBWHEEL_BACKEND");

	wheel = open_wheel(&options);
	if (name && !strcmp(name, "kernel"))
		EXPECT_EQ(LIBWHEEL_KERNEL, libwheel_backend(wheel));
	if (name && !strcmp(name, "user"))
		EXPECT_EQ(LIBWHEEL_USER, libwheel_backend(wheel));
	libwheel_close(wheel);

	setenv("LIBWHEEL_BACKEND", "kernel", 1);
	options.backend = LIBWHEEL_USER;
	wheel = open_wheel(&options);
	EXPECT_EQ(LIBWHEEL_USER, libwheel_backend(wheel));
	libwheel_close(wheel);
	options.backend = LIBWHEEL_AUTO;
	EXPECT_EQ(access("/dev/wheel", F_OK) ? -ENODEV : 0, try_open(&options));
	setenv("LIBWHEEL_BACKEND", "auto", 1);
	EXPECT_EQ(0, try_open(&options));
	setenv("LIBWHEEL_BACKEND", "neither", 1);
	EXPECT_EQ(-ENOPROTOOPT, try_open(&options));
}

/* The message of an error of libwheel_open() contains the remedy. */
static void open_errors_name_the_remedy(void)
{
	EXPECT(!!strstr(libwheel_strerror(-ENODEV), "modprobe wheel_timer"));
	EXPECT(!!strstr(libwheel_strerror(-ENOPROTOOPT), "LIBWHEEL_BACKEND"));
	EXPECT(!!strstr(libwheel_strerror(-EPROTOTYPE), "WHEEL_HASHED"));
	EXPECT(!strstr(libwheel_strerror(-ENOENT), "/dev/wheel"));
}

/* An empty LIBWHEEL_BACKEND is treated as unset. */
static void open_with_nothing_in_the_environment(void)
{
	struct libwheel *wheel;
	int backend;

	unsetenv("LIBWHEEL_BACKEND");
	wheel = open_wheel(&plain);
	backend = libwheel_backend(wheel);
	libwheel_close(wheel);
	setenv("LIBWHEEL_BACKEND", "", 1);
	wheel = open_wheel(&plain);
	EXPECT_EQ(backend, libwheel_backend(wheel));
	libwheel_close(wheel);
}

/* As under the device rules of a container or a service. */
static void open_auto_where_devices_are_forbidden(void)
{
	struct libwheel_options options = plain;
	struct libwheel *wheel;

	setenv("LIBWHEEL_BACKEND", "auto", 1);
	answer_calls(__NR_openat, SECCOMP_RET_ERRNO | EPERM);
	wheel = open_wheel(&options);
	EXPECT_EQ(LIBWHEEL_USER, libwheel_backend(wheel));
	libwheel_close(wheel);
	options.backend = LIBWHEEL_KERNEL;
	EXPECT_EQ(-EPERM, try_open(&options));
}

/*
 * On the device, a short tick needs a privilege. This is checked before the combination of scheme
 * and clock.
 */
static void open_short_tick(void)
{
	struct libwheel_options options = plain;
	struct libwheel *wheel = open_wheel(&options);
	bool user = libwheel_backend(wheel) == LIBWHEEL_USER;

	libwheel_close(wheel);
	options.tick_ns = WHEEL_MIN_TICK_NS - 1;
	if (getenv("LIBWHEEL_TEST_RULES"))
		EXPECT_EQ(0, try_open(&options));
	NEED(geteuid() || (!setgid(NOBODY) && !setuid(NOBODY)));
	EXPECT_EQ(user ? 0 : -EPERM, try_open(&options));
	options.scheme = WHEEL_HIERARCHICAL;
	options.clock = WHEEL_CLOCK_REALTIME;
	EXPECT_EQ(user ? -EPROTOTYPE : -EPERM, try_open(&options));
	options = plain;
	options.tick_ns = WHEEL_MIN_TICK_NS;
	EXPECT_EQ(0, try_open(&options));
	options.tick_ns = 1;
	options.clock = WHEEL_CLOCK_VIRTUAL;
	EXPECT_EQ(0, try_open(&options));
}

static int open_fds(void)
{
	int count = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* No descriptor remains open, even if opening failed. */
static void open_and_close_leave_no_fd(void)
{
	struct libwheel_options bad = plain;
	int before = open_fds();
	int i;

	bad.scheme = WHEEL_HIERARCHICAL;
	bad.clock = WHEEL_CLOCK_REALTIME;
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(0, try_open(&plain));
		EXPECT_EQ(-EPROTOTYPE, try_open(&bad));
	}
	EXPECT_EQ(before, open_fds());
}

/* Errors are reported only by the return value. */
static void errno_is_left_alone(void)
{
	struct libwheel *wheel = open_virtual(8);
	struct wheel_event event;

	errno = EXDEV;
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, WHEEL_ID(1, 1)));
	EXPECT_EQ(0, libwheel_expirations(wheel, &event, 1));
	EXPECT_EQ(-EINVAL, libwheel_expirations(wheel, &event, 0));
	EXPECT_EQ(-ERANGE, advance(wheel, 1ULL << 63));
	EXPECT_EQ(0, advance(wheel, 1));
	EXPECT_EQ(0, libwheel_wait(wheel, &event, 1, 0));
	libwheel_close(wheel);
	setenv("LIBWHEEL_BACKEND", "kernel", 1);
	try_open(&plain);
	EXPECT_EQ(EXDEV, errno);
}

/* The documented errors have separate messages, others that of strerror(). */
static void errors_have_words(void)
{
	static const int ours[] = {
		EINVAL, E2BIG, ENOENT, EBUSY, ESTALE, ERANGE, EDQUOT, ESHUTDOWN, EPERM,
		EACCES, EOPNOTSUPP, ECHILD, ENODEV, ENOPROTOOPT, EPROTOTYPE,
	};
	size_t i, j;

	errno = EXDEV;
	EXPECT_EQ(0, strcmp(strerror(ENOMEM), libwheel_strerror(-ENOMEM)));
	EXPECT(!!strstr(libwheel_strerror(-123456), "123456"));
	EXPECT(!!strstr(libwheel_strerror(INT_MIN), "2147483648"));
	for (i = 0; i < COUNT(ours); i++) {
		EXPECT(!!strcmp(strerror(ours[i]), libwheel_strerror(-ours[i])));
		for (j = 0; j < i; j++)
			EXPECT(!!strcmp(libwheel_strerror(-ours[j]),
					libwheel_strerror(-ours[i])));
	}
	EXPECT_EQ(EXDEV, errno);
}

/* True if the message for -EINVAL contains @text, after a function has returned @ret. */
static bool blames(int ret, const char *text)
{
	const char *message = libwheel_strerror(-EINVAL);

	if (ret == -EINVAL && strstr(message, text))
		return true;
	printf("# %d, %s, not %s\n", ret, message, text);
	return false;
}

/* The message for -EINVAL names the option. */
static void invalid_options_are_named(void)
{
	static const struct {
		struct libwheel_options options;
		const char *text;
	} cases[] = {
		{ { .size = 8 }, "options.size" },
		{ { .size = SIZE, .flags = 1U << 31 }, "options.flags" },
		{ { .size = SIZE, .backend = LIBWHEEL_USER + 1 }, "options.backend" },
		{ { .size = SIZE, .mode = 1U << 31 }, "options.mode" },
		{ { .size = SIZE, .clock = WHEEL_CLOCK_VIRTUAL + 1 }, "options.clock" },
		{ { .size = SIZE, .scheme = WHEEL_OVERFLOW + 1 }, "options.scheme" },
		{ { .size = SIZE, .tick_ns = WHEEL_MAX_TIME + 1 }, "options.tick_ns" },
		{ { .size = SIZE, .buckets = WHEEL_MAX_BUCKETS + 1 }, "options.buckets" },
		{ { .size = SIZE, .timers = WHEEL_MAX_TIMERS + 1 }, "2^24" },
		{ { .size = SIZE, .scheme = WHEEL_OVERFLOW, .timers = WHEEL_OVERFLOW_TIMERS + 1 },
		  "WHEEL_OVERFLOW_TIMERS" },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		EXPECT(blames(try_open(&cases[i].options), cases[i].text));
}

/* The same for a single operation, one of a batch, and other arguments. */
static void invalid_operations_are_named(void)
{
	static const struct {
		struct wheel_op op;
		const char *text;
	} cases[] = {
		{ { .op = 0 }, "WHEEL_OP_" },
		{ { .op = WHEEL_OP_QUERY + 1 }, "WHEEL_OP_" },
		{ { .op = WHEEL_OP_ARM, .id = WHEEL_ID(8, 1) }, "slot" },
		{ { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1), .flags = 1U << 31 }, "flags" },
		{ { .op = WHEEL_OP_CANCEL, .id = WHEEL_ID(1, 1), .flags = WHEEL_OP_REL }, "flags" },
		{ { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1), .flags = WHEEL_OP_WORD, .period = 1 },
		  "period" },
		{ { .op = WHEEL_OP_REARM, .id = WHEEL_ID(1, 1), .cookie = 1 }, "not use" },
		{ { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1), .reserved = { 1 } }, "not use" },
	};
	struct libwheel *wheel = open_words(8);
	struct wheel_op batch[2];
	struct wheel_event event;
	uint32_t cursor = 0;
	uint64_t id;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		struct wheel_op op = cases[i].op;

		EXPECT(blames(libwheel_do(wheel, &op), cases[i].text));
		EXPECT(blames(libwheel_expirations(wheel, &event, 0), "room"));
		batch[0] = cases[i].op;
		batch[1] = (struct wheel_op){ .op = WHEEL_OP_QUERY, .id = WHEEL_ID(1, 1) };
		EXPECT_EQ(2, libwheel_submit(wheel, batch, 2, NULL));
		EXPECT(blames(batch[0].res, cases[i].text));
	}
	id = WHEEL_ID(8, 0);
	EXPECT(blames(libwheel_list(wheel, 1, batch, 2, &cursor), "list"));
	EXPECT(blames(libwheel_rearm_or_arm(wheel, &id, HOUR, 0), "slot"));
	EXPECT(blames(libwheel_expirations(wheel, &event, 0), "room"));
	EXPECT(blames(arm(wheel, WHEEL_ID(8, 1), HOUR), "slot"));
	EXPECT(blames(libwheel_arm_every(wheel, WHEEL_ID(1, 1), HOUR, 0, 0), "period"));
	libwheel_close(wheel);
}

const struct ktap_test options_tests[] = {
	TEST(open_defaults),
	TEST(open_slots),
	TEST(open_refuses),
	TEST(open_sizes),
	TEST(open_backend),
	TEST(open_errors_name_the_remedy),
	TEST(open_with_nothing_in_the_environment),
	TEST(open_auto_where_devices_are_forbidden),
	TEST(open_short_tick),
	TEST(open_and_close_leave_no_fd),
	TEST(errno_is_left_alone),
	TEST(errors_have_words),
	TEST(invalid_options_are_named),
	TEST(invalid_operations_are_named),
	{ NULL, NULL }
};
