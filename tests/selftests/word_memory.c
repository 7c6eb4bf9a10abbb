// SPDX-License-Identifier: GPL-2.0
/*
 * P10 for words, and memory accounting: pages of words are charged to the opener's
 * memory cgroup when they are first used, until the file is closed and unmapped.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "wheel_test.h"
#include "wheel_words.h"

/* 8 MB of words. */
#define TIMERS	0x100000
#define WORDS	((long)(TIMERS * sizeof(__u64)))
#define A_PAGE	((__u32)wt_page() / 8)
/* Tolerance for charges that CPUs cache, and for page tables. */
#define NOISE	(256 * (long)wt_page())
#define GROUP	"/tmp/wheel-cgroup"
/* Memory that the opener's cgroup has left. */
#define LEFT	(256 * (long)wt_page())
/* Processor time, in seconds, that only a fault without end takes. */
#define HANGS	20

FIXTURE(wheel) {
	long refs;
	long before;
	int fd;
	__u64 *words;
};

/* The memory charged to the opener's cgroup, in bytes, or -1. */
static long charged(void)
{
	FILE *f = fopen(GROUP "/opener/memory.current", "r");
	long number = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1;
	fclose(f);
	return number;
}

/* Open the file as a member of the cgroup, then leave it. The cgroup is empty afterwards. */
static int open_in_group(void)
{
	int fd;

	if (!wt_write_file(GROUP "/opener/cgroup.procs", "0"))
		return -1;
	fd = wt_open_virtual_words(TIMERS, WT_MS);
	return wt_write_file(GROUP "/cgroup.procs", "0") ? fd : -1;
}

FIXTURE_SETUP(wheel)
{
	mkdir(GROUP, 0755);
	if (access(GROUP "/cgroup.procs", F_OK) &&
	    mount("none", GROUP, "cgroup2", 0, NULL))
		SKIP(return, "no cgroup2");
	if (!wt_write_file(GROUP "/cgroup.subtree_control", "+memory"))
		SKIP(return, "no memory controller");
	rmdir(GROUP "/opener");
	ASSERT_EQ(0, mkdir(GROUP "/opener", 0755));
	self->refs = wt_module_refs();
	self->fd = open_in_group();
	ASSERT_LE(0, self->fd);
	self->words = wt_map(self->fd, TIMERS);
	ASSERT_NE(NULL, self->words);
	self->before = charged();
	ASSERT_LT(0, self->before);
}

FIXTURE_TEARDOWN(wheel)
{
	rmdir(GROUP "/opener");
}

/* Check that @bytes are charged for words. */
#define EXPECT_WORDS(bytes) do { \
	long more = charged() - self->before - (bytes); \
	\
	EXPECT_LE(-NOISE, more); \
	EXPECT_GE(NOISE, more); \
} while (0)

#define EXPECT_NO_TRACE() do { \
	EXPECT_GE(NOISE, charged()); \
	EXPECT_EQ(self->refs, wt_module_refs()); \
} while (0)

/* Read the first word of each page. Returns the number of words that are not IDLE. */
static int look_at_all(const __u64 *words)
{
	__u32 i;
	int n = 0;

	for (i = 0; i < TIMERS; i += A_PAGE)
		n += wt_word(&words[i]) != WT_OFF;
	return n;
}

/* A page of words is allocated when the program first accesses it. */
WT_TEST(wheel, comes_when_it_is_needed)
{
	__u32 i;

	EXPECT_WORDS(0);
	for (i = 0; i < TIMERS; i += 128 * A_PAGE)
		ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(i, 1), WT_HOUR));
	EXPECT_WORDS(0);
	for (i = 0; i < TIMERS; i += 128 * A_PAGE)
		EXPECT_EQ(WT_HOUR, wt_word(&self->words[i]));
	EXPECT_EQ(TIMERS / 128 / A_PAGE, look_at_all(self->words));
	EXPECT_WORDS(WORDS);
}

/* This process is not in the cgroup. Pages that a child allocates are charged to the opener. */
WT_TEST(wheel, the_opener_pays_for_others)
{
	pid_t pid;

	if (!wt_bequeath(self->words, WORDS))
		SKIP(return, "this kernel does not let children inherit a device mapping");
	pid = fork();
	if (!pid)
		_exit(look_at_all(self->words));
	EXPECT_EQ(0, wt_end_of(pid));
	EXPECT_WORDS(WORDS);
}

WT_TEST(wheel, the_opener_pays_for_arms)
{
	__u32 i;

	for (i = 0; i < TIMERS; i += A_PAGE)
		ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(i, 1), WT_HOUR));
	/* Each timer needs a page of words, a page of slots and a page of parameters. */
	EXPECT_WORDS(3 * WORDS);
}

/* Limit the memory of the opener's cgroup to @more bytes beyond the current ones. */
static bool limit_memory(long more)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", charged() + more);
	return wt_write_file(GROUP "/opener/memory.max", text);
}

/* Touch all words in a child process. Returns what wt_end_of() returns. */
static int touch_all(int fd)
{
	const struct rlimit limit = { HANGS, HANGS };
	__u64 *words;
	pid_t pid;

	pid = fork();
	if (!pid) {
		words = wt_map(fd, TIMERS);
		if (!words || setrlimit(RLIMIT_CPU, &limit))
			_exit(255);
		_exit(look_at_all(words));
	}
	return wt_end_of(pid);
}

/*
 * The opener's cgroup is full and has no process. A task of another cgroup receives SIGBUS, and an
 * arm fails. Both succeed afterwards.
 */
WT_TEST(wheel, full_cgroup_of_the_opener)
{
	__u32 i;
	int err;

	ASSERT_TRUE(limit_memory(LEFT));
	EXPECT_EQ(-SIGBUS, touch_all(self->fd));
	/* The kernel has charged some pages in advance, so the first arms may succeed. */
	for (i = TIMERS - 1, err = 0; !err && i >= A_PAGE; i -= A_PAGE)
		err = wt_arm_word(self->fd, WHEEL_ID(i, 1), WT_HOUR);
	i += A_PAGE;
	EXPECT_EQ(-ENOMEM, err);
	EXPECT_EQ(-ENOENT, wt_query(self->fd, WHEEL_ID(i, 1), NULL));
	ASSERT_TRUE(wt_write_file(GROUP "/opener/memory.max", "max"));
	EXPECT_EQ(0, touch_all(self->fd));
	EXPECT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(i, 1), WT_HOUR));
}

/* munmap() does not free the pages, because the timers need them. close() frees them. */
WT_TEST(wheel, p10_leaves_no_trace_of_words)
{
	ASSERT_EQ(0, look_at_all(self->words));
	ASSERT_EQ(0, wt_unmap(self->words, TIMERS));
	EXPECT_WORDS(WORDS);
	ASSERT_EQ(0, close(self->fd));
	EXPECT_NO_TRACE();
}

WT_TEST(wheel, p10_leaves_no_trace_of_a_map)
{
	ASSERT_EQ(0, look_at_all(self->words));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_WORDS(WORDS);
	if (self->refs >= 0)
		EXPECT_EQ(self->refs + 1, wt_module_refs());
	ASSERT_EQ(0, wt_unmap(self->words, TIMERS));
	EXPECT_NO_TRACE();
}

TEST_HARNESS_MAIN
