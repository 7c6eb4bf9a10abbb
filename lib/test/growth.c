// SPDX-License-Identifier: MIT
/*
 * Memory: unused slots need no memory, and arming one fails if memory is exhausted.
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

/* A table of 2^24 slots, 1.6 GB. Using two of them must need less than 8 MB. */
static void needs_little(__u32 flags)
{
	__u32 last = WHEEL_MAX_TIMERS - 1;
	__u64 before = resident();
	struct libwheel *wheel = open_user(WHEEL_MAX_TIMERS, flags);
	__u64 now = libwheel_now(wheel);

	EXPECT(SANITIZED || resident() < before + 8 * 1048576);
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(last, 1), now + HOUR));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(last / 2, 1), now + HOUR));
	EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, WHEEL_ID(last / 3, 1)));
	EXPECT(SANITIZED || resident() < before + 8 * 1048576);
	libwheel_close(wheel);
}

static void growth_costs_what_is_used(void)
{
	needs_little(0);
	needs_little(WHEEL_SETUP_WORDS);
}

/* Also if the program may write no file, where a write would end it. */
static void growth_leaves_all_words_idle(void)
{
	static const __u32 timers[] = { 1, 512, 131073, 300000, 300000 };
	struct rlimit limit, none;
	struct libwheel *wheel;
	__u32 i, nr;

	NEED(!getrlimit(RLIMIT_FSIZE, &limit));
	none = (struct rlimit){ .rlim_max = limit.rlim_max };
	for (i = 0; i < COUNT(timers); i++) {
		NEED(!setrlimit(RLIMIT_FSIZE, i + 1 < COUNT(timers) ? &limit : &none));
		wheel = open_user(timers[i], WHEEL_SETUP_WORDS);
		NEED(!setrlimit(RLIMIT_FSIZE, &limit));
		for (nr = 0; nr < timers[i]; nr++)
			NEED(wheel->words[nr] == WHEEL_WORD_IDLE);
		EXPECT_EQ(-ENOENT, libwheel_word_arm(wheel, timers[i] - 1, HOUR));
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

/* If memory is exhausted, arming an unused slot fails and changes nothing, not even errno. */
static void growth_without_memory_fails(void)
{
	struct libwheel *wheel = open_user(1 << 20, 0);
	__u64 now = libwheel_now(wheel);
	struct libwheel *other;
	struct rlimit limit;
	__u32 nr = 0;

	if (SANITIZED)
		ktap_skip("a sanitizer needs additional memory");
	NEED(!getrlimit(RLIMIT_AS, &limit));
	limit.rlim_cur = 1 << 20;
	NEED(!setrlimit(RLIMIT_AS, &limit));
	while (nr < 1 << 20 && !arm(wheel, WHEEL_ID(nr, 1), now + HOUR))
		nr++;
	errno = EXDEV;
	EXPECT_EQ(-ENOMEM, arm(wheel, WHEEL_ID(nr, 1), now + HOUR));
	EXPECT_EQ(-ENOMEM, libwheel_open(&other, NULL));
	EXPECT_EQ(EXDEV, errno);
	EXPECT_EQ(nr, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

const struct ktap_test growth_tests[] = {
	TEST(growth_costs_what_is_used),
	TEST(growth_leaves_all_words_idle),
	TEST(growth_lists_what_is_there),
	TEST(growth_without_memory_fails),
	{ NULL, NULL }
};
