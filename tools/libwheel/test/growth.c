// SPDX-License-Identifier: MIT
/*
 * Memory: unused slots need no memory, and reserved slots are allocated.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED	true
#else
#define SANITIZED	false
#endif

#define RESERVED	400000

static struct libwheel *open_user(__u32 timers, __u32 flags)
{
	struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .flags = flags,
		.scheme = WHEEL_HIERARCHICAL, .timers = timers,
	};

	return open_wheel(&options);
}

/* Resident memory of the process, in bytes. */
static __u64 resident(void)
{
	unsigned long total, here = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	NEED(file && fscanf(file, "%lu %lu", &total, &here) == 2);
	fclose(file);
	return here * (__u64)sysconf(_SC_PAGESIZE);
}

/*
 * A table of 2^24 slots, for 128 MB of words and 1.6 GB of slots. Using two of them must
 * need less than 8 MB.
 */
static void growth_costs_what_is_used(void)
{
	__u32 last = WHEEL_MAX_TIMERS - 1;
	__u64 before = resident();
	struct libwheel *wheel = open_user(WHEEL_MAX_TIMERS, WHEEL_SETUP_WORDS);
	uint64_t word = WHEEL_ID(last, 1);
	__u64 now = libwheel_now(wheel);

	EXPECT(SANITIZED || resident() < before + 8 * 1048576);
	EXPECT_EQ(0, libwheel_word(wheel, word, 0));
	EXPECT_EQ(0, libwheel_word_arm(wheel, word, now));
	EXPECT_EQ(0, arm_word(wheel, WHEEL_ID(last / 2, 1), now + HOUR));
	/* The neighbours, and words whose page is not allocated, are idle. */
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, last - 1, now));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, last / 2 + 1, now));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, last / 4, now));
	EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, last / 3, now));
	EXPECT_EQ(0, libwheel_word_park(wheel, last / 2));
	EXPECT_EQ(0, libwheel_word_arm(wheel, last / 2, now + 2 * HOUR));
	EXPECT(SANITIZED || resident() < before + 8 * 1048576);
	libwheel_close(wheel);
}

/* All words are idle, for sizes below, at and above the size of the pattern of words.c. */
static void growth_leaves_all_words_idle(void)
{
	static const __u32 timers[] = { 1, 512, 131072, 131073, 400000 };
	size_t i;
	__u32 nr;

	for (i = 0; i < COUNT(timers); i++) {
		struct libwheel *wheel = open_user(timers[i], WHEEL_SETUP_WORDS);

		for (nr = 0; nr < timers[i]; nr++)
			NEED(wheel->words[nr] == WHEEL_WORD_IDLE);
		EXPECT_EQ(-ENOENT, libwheel_word_park(wheel, timers[i]));
		libwheel_close(wheel);
	}
}

/* STOP and LIST skip slots whose memory was never allocated. */
static void growth_lists_what_is_there(void)
{
	struct libwheel *wheel = open_user(WHEEL_MAX_TIMERS, 0);
	struct wheel_op ops[4];
	uint32_t cursor = 0;
	uint64_t unfired;

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(7, 1), 1ULL << 62));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(8000000, 1), 1ULL << 62));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(WHEEL_MAX_TIMERS - 1, 1), 1ULL << 62));
	EXPECT_EQ(2, libwheel_list(wheel, 0, ops, 2, &cursor));
	EXPECT_EQ(WHEEL_ID(8000000, 1), ops[1].id);
	EXPECT_EQ(1, libwheel_list(wheel, 0, ops, 2, &cursor));
	EXPECT_EQ(0, libwheel_list(wheel, 0, ops, 2, &cursor));
	EXPECT_EQ(0, libwheel_stop(wheel, &unfired));
	EXPECT_EQ(3, unfired);
	libwheel_close(wheel);
}

/* If memory is exhausted, reserved slots can be armed, and others cannot. */
static void reserve_is_enough(void)
{
	struct libwheel *wheel = open_user(1 << 20, WHEEL_SETUP_WORDS);
	__u64 now = libwheel_now(wheel);
	struct libwheel *other;
	struct rlimit limit;
	__u64 before;
	__u32 nr;

	if (SANITIZED)
		skip("a sanitizer needs additional memory");
	EXPECT_EQ(0, libwheel_reserve(wheel, RESERVED));
	before = resident();
	NEED(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = 1 << 20;
	NEED(!setrlimit(RLIMIT_AS, &limit));
	for (nr = 0; nr < RESERVED; nr++)
		NEED(!arm_word(wheel, WHEEL_ID(nr, 1), now + HOUR));
	/* The limit is half the size of the words, because the counter is not exact. */
	EXPECT(resident() < before + RESERVED * sizeof(__u64) / 2);
	while (nr < 1 << 20 && !arm(wheel, WHEEL_ID(nr, 1), now + HOUR))
		nr++;
	errno = EXDEV;
	EXPECT_EQ(-ENOMEM, arm(wheel, WHEEL_ID(nr, 1), now + HOUR));
	EXPECT_EQ(-ENOMEM, libwheel_reserve(wheel, 1 << 20));
	EXPECT_EQ(-ENOMEM, libwheel_open(&other, NULL));
	EXPECT_EQ(EXDEV, errno);
	EXPECT_EQ(nr, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

static void reserve_refuses(void)
{
	struct libwheel *wheel = open_virtual(64);
	bool user = libwheel_backend(wheel) == LIBWHEEL_USER;

	EXPECT_EQ(-EINVAL, libwheel_reserve(wheel, 65));
	EXPECT_EQ(user ? 0 : -EOPNOTSUPP, libwheel_reserve(wheel, 64));
	EXPECT_EQ(user ? 0 : -EOPNOTSUPP, libwheel_reserve(wheel, 0));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(63, 1), MS));
	libwheel_close(wheel);
}

const struct test growth_tests[] = {
	TEST(growth_costs_what_is_used),
	TEST(growth_leaves_all_words_idle),
	TEST(growth_lists_what_is_there),
	TEST(reserve_is_enough),
	TEST(reserve_refuses),
	{ NULL, NULL }
};
