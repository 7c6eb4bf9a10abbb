// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping areas: shared, from the start, in full length, not executable, and with no more
 * access than the file and the area allow.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "wheel_test.h"
#include "wheel_words.h"

/* Three pages of words and one word, in a mapping of four pages. */
#define TIMERS	(3 * (int)wt_page() / 8 + 1)
#define RW	(PROT_READ | PROT_WRITE)

FIXTURE(wheel) {
	int fd;
	size_t page;
	size_t len;
	char *map;
};

FIXTURE_SETUP(wheel)
{
	self->page = wt_page();
	self->len = wt_words_len(TIMERS);
	self->fd = wt_open_virtual_words(TIMERS, WT_MS);
	ASSERT_LE(0, self->fd);
	self->map = (char *)wt_map(self->fd, TIMERS);
	ASSERT_NE(NULL, self->map);
}

FIXTURE_TEARDOWN(wheel)
{
	munmap(self->map, self->len);
	close(self->fd);
}

/* The errno of mmap(), or 0. A new mapping is removed again. */
static int map_errno(int fd, size_t len, int prot, int flags, off_t offset)
{
	void *map = mmap(NULL, len, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return errno;
	munmap(map, len);
	return 0;
}

static int errno_of(int ret)
{
	return ret < 0 ? errno : 0;
}

/* Each area must be mapped whole, from its start, shared, and not executable. */
WT_TEST(wheel, areas)
{
	const struct {
		off_t offset;
		size_t len;
		int prot;
	} areas[] = {
		{ WHEEL_OFF_KERNEL, self->page, PROT_READ },
		{ WHEEL_OFF_USER, self->page, RW },
		{ WHEEL_OFF_EVENTS, self->page, PROT_READ },
		{ WHEEL_OFF_WORDS, self->len, RW },
		{ WHEEL_OFF_BELLS, self->page, RW },
		{ WHEEL_OFF_SUMMARY, self->page, RW },
	};
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .timers = TIMERS, .events = 8,
	};
	int fd = wt_open_setup(0, &setup);
	unsigned int i, k;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		size_t len = areas[i].len, lens[] = {
			len + 1, len + self->page, 2 * len, 1UL << 30,
			len > self->page ? len - self->page : 2 * len,
		};
		off_t offset = areas[i].offset;
		int prot = areas[i].prot;
		char *map;

		/* The kernel rounds the length up to whole pages. */
		EXPECT_EQ(0, map_errno(fd, len, prot, MAP_SHARED | MAP_POPULATE, offset));
		EXPECT_EQ(0, map_errno(fd, len - 1, PROT_READ, MAP_SHARED, offset));
		for (k = 0; k < ARRAY_SIZE(lens); k++)
			EXPECT_EQ(EINVAL, map_errno(fd, lens[k], prot, MAP_SHARED, offset));
		EXPECT_EQ(EINVAL, map_errno(fd, len, prot, MAP_SHARED, offset + self->page));
		EXPECT_EQ(EINVAL, map_errno(fd, len, prot, MAP_SHARED, offset + 0x8000000));
		EXPECT_EQ(EINVAL, map_errno(fd, len, prot, MAP_PRIVATE, offset));
		EXPECT_EQ(EPERM, map_errno(fd, len, prot | PROT_EXEC, MAP_SHARED, offset));
		EXPECT_EQ(prot == RW ? 0 : EPERM, map_errno(fd, len, RW, MAP_SHARED, offset));
		map = mmap(NULL, len, prot, MAP_SHARED, fd, offset);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_EQ(EACCES, errno_of(mprotect(map, self->page, PROT_READ | PROT_EXEC)));
		EXPECT_EQ(prot == RW ? 0 : EACCES, errno_of(mprotect(map, len, RW)));
		munmap(map, len);
	}
	close(fd);
}

/* A file has only the areas that SETUP has requested. */
WT_TEST(wheel, absent_areas)
{
	struct wheel_setup setup = { .timers = TIMERS, .events = 8 };
	int fd = wt_open_setup(0, &setup);

	ASSERT_LE(0, fd);
	EXPECT_EQ(EINVAL, map_errno(fd, self->len, RW, MAP_SHARED, WHEEL_OFF_WORDS));
	EXPECT_EQ(EINVAL, map_errno(fd, self->page, RW, MAP_SHARED, WHEEL_OFF_BELLS));
	EXPECT_EQ(EINVAL, map_errno(self->fd, self->page, PROT_READ, MAP_SHARED,
				    WHEEL_OFF_EVENTS));
	close(fd);
}

/* Before SETUP, mmap() fails and does not set up the file. */
WT_TEST(wheel, not_without_setup)
{
	struct wheel_setup setup = { .flags = WHEEL_SETUP_WORDS };
	int fd = wt_open(0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(EINVAL, map_errno(fd, 65536 * 8, RW, MAP_SHARED,
				    WHEEL_OFF_WORDS));
	EXPECT_EQ(0, wt_setup(fd, &setup));
	EXPECT_EQ(0, map_errno(fd, 65536 * 8, RW, MAP_SHARED, WHEEL_OFF_WORDS));
	close(fd);
}

/* A file opened read-only can be mapped for reading only, also with mprotect(). */
WT_TEST(wheel, read_only_file)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .timers = TIMERS,
	};
	int fd = open(WT_DEVICE, O_RDONLY | O_CLOEXEC);
	char *map;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, wt_setup(fd, &setup));
	EXPECT_EQ(EACCES, map_errno(fd, self->len, RW, MAP_SHARED,
				    WHEEL_OFF_WORDS));
	map = mmap(NULL, self->len, PROT_READ, MAP_SHARED, fd, WHEEL_OFF_WORDS);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(WT_OFF, wt_word((__u64 *)map));
	EXPECT_EQ(EACCES, errno_of(mprotect(map, self->len, RW)));
	EXPECT_EQ(EACCES, errno_of(mprotect(map, self->len, PROT_WRITE)));
	munmap(map, self->len);
	close(fd);
}

/* The part of the last page beyond the words is cleared and has no function. */
WT_TEST(wheel, the_rest_of_the_last_page)
{
	__u64 *words = (__u64 *)self->map;
	size_t i, end = self->len / sizeof(*words);
	struct wheel_stats stats;

	for (i = TIMERS; i < end; i++) {
		__u64 word = wt_word(&words[i]);

		ASSERT_TRUE(word == WT_OFF || !word);
		wt_scribble(&words[i], 1);
	}
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_TRUE(wt_quiet(self->fd));
	EXPECT_EQ(-EINVAL, wt_arm_word(self->fd, WHEEL_ID(TIMERS, 1), 1));
	ASSERT_EQ(0, wt_stats(self->fd, &stats));
	EXPECT_EQ(0, stats.armed);
}

/* A part of the mapping can be removed. The other parts remain valid. */
WT_TEST(wheel, unmapped_in_part)
{
	__u64 *words = (__u64 *)self->map;
	__u64 *last = &words[TIMERS - 1];

	ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(0, 1), WT_MS));
	ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(600, 1), WT_MS));
	ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(TIMERS - 1, 1), WT_MS));
	ASSERT_EQ(0, munmap(self->map + self->page, self->page));
	EXPECT_EQ(WT_MS, wt_word(&words[0]));
	EXPECT_TRUE(wt_park(last));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(WT_OFF, wt_word(&words[0]));
	EXPECT_EQ(WT_PARKED, wt_word(last));
}

WT_TEST(wheel, moved)
{
	char *goal = mmap(NULL, self->len, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 *words;

	ASSERT_NE(MAP_FAILED, goal);
	ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(1, 1), WT_MS));
	words = mremap(self->map, self->len, self->len,
		       MREMAP_MAYMOVE | MREMAP_FIXED, goal);
	ASSERT_EQ((void *)goal, (void *)words);
	self->map = goal;
	ASSERT_TRUE(wt_push(&words[1], WT_SEC));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_EQ(WT_OFF, wt_word(&words[1]));
}

static int remap_errno(void *map, size_t from, size_t to)
{
	void *moved = mremap(map, from, to, MREMAP_MAYMOVE);

	return moved == MAP_FAILED ? errno : 0;
}

WT_TEST(wheel, never_grows)
{
	EXPECT_EQ(EFAULT, remap_errno(self->map, self->len,
				      self->len + self->page));
	EXPECT_EQ(EFAULT, remap_errno(self->map, self->len, 64 * self->len));
	/* This would create a second mapping. */
	EXPECT_NE(0, remap_errno(self->map, 0, 2 * self->len));
	/* The first mapping is unchanged. */
	EXPECT_EQ(WT_OFF, wt_word((__u64 *)self->map + TIMERS - 1));
}

WT_TEST(wheel, shrinks)
{
	ASSERT_EQ(self->map, mremap(self->map, self->len, self->page, 0));
	ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(1, 1), WT_MS));
	EXPECT_EQ(WT_MS, wt_word((__u64 *)self->map + 1));
	EXPECT_NE(0, remap_errno(self->map, self->page, self->len));
}

/* madvise() may succeed or fail. The words do not change. */
WT_TEST(wheel, advice_changes_nothing)
{
	const int advice[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_FREE, MADV_HUGEPAGE,
		MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_COLD,
		MADV_PAGEOUT, MADV_WILLNEED, MADV_SEQUENTIAL, MADV_RANDOM,
		MADV_DODUMP, MADV_DONTDUMP, MADV_WIPEONFORK, 22, 23, 24, 25,
	};
	__u64 *words = (__u64 *)self->map;
	unsigned int i, slot;

	for (i = 0; i < ARRAY_SIZE(advice); i++) {
		slot = i * 64;
		ASSERT_EQ(0, wt_arm_word(self->fd, WHEEL_ID(slot, 1), WT_MS));
		madvise(self->map, self->len, advice[i]);
		ASSERT_EQ(WT_MS, wt_word(&words[slot]))
			TH_LOG("advice %d", advice[i]);
		ASSERT_TRUE(wt_push(&words[slot], WT_SEC));
	}
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	for (i = 0; i < ARRAY_SIZE(advice); i++)
		EXPECT_EQ(WT_OFF, wt_word(&words[i * 64]));
	msync(self->map, self->len, MS_SYNC);
}

TEST_HARNESS_MAIN
