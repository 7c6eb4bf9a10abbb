// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime and sharing of words: fork(), close(), and pages that are referenced by
 * other parts of the kernel.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "wheel_test.h"
#include "wheel_words.h"

/* Two pages of words with the largest page size, more pages with a smaller one. */
#define TIMERS	(2 * WT_PAGE_MOST / 8)
#define ID	WHEEL_ID(1, 1)

FIXTURE(wheel) {
	int fd;
	size_t len;
	__u64 *words;
	long refs;
};

FIXTURE_SETUP(wheel)
{
	self->refs = wt_module_refs();
	self->fd = wt_open_words(TIMERS, WT_MS, &self->words);
	ASSERT_LE(0, self->fd);
	self->len = wt_words_len(TIMERS);
	ASSERT_EQ(0, wt_arm_word(self->fd, ID, WT_MS));
}

FIXTURE_TEARDOWN(wheel)
{
}

WT_TEST(wheel, a_child_has_no_map)
{
	pid_t pid = fork();

	if (!pid)
		_exit(wt_word(&self->words[1]) == WT_MS);
	EXPECT_EQ(-SIGSEGV, wt_end_of(pid));
	EXPECT_EQ(WT_MS, wt_word(&self->words[1]));
}

/* If the parent requests it with madvise(), the child shares the words like a thread. */
WT_TEST(wheel, a_child_has_a_map_by_advice)
{
	pid_t pid;

	if (!wt_bequeath(self->words, self->len))
		SKIP(return, "this kernel does not let children inherit a device mapping");
	pid = fork();
	if (!pid) {
		close(self->fd);
		_exit(wt_push(&self->words[1], WT_SEC) ? 7 : 1);
	}
	EXPECT_EQ(7, wt_end_of(pid));
	EXPECT_EQ(WT_SEC, wt_word(&self->words[1]));
}

/* The child's mapping outlives that of the parent, and holds the wheel. */
WT_TEST(wheel, a_child_is_the_last_to_go)
{
	int go[2];
	pid_t pid;
	char byte;

	ASSERT_EQ(0, pipe(go));
	if (!wt_bequeath(self->words, self->len))
		SKIP(return, "this kernel does not let children inherit a device mapping");
	pid = fork();
	if (!pid) {
		close(self->fd);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		_exit(wt_word(&self->words[1]) == WT_MS ? 7 : 2);
	}
	ASSERT_EQ(0, munmap(self->words, self->len));
	ASSERT_EQ(0, close(self->fd));
	if (self->refs >= 0)
		EXPECT_EQ(self->refs + 1, wt_module_refs());
	ASSERT_EQ(1, write(go[1], "g", 1));
	EXPECT_EQ(7, wt_end_of(pid));
	EXPECT_EQ(self->refs, wt_module_refs());
}

/* A mapping holds the wheel and the module until it is removed. */
WT_TEST(wheel, lives_until_the_last_map_is_gone)
{
	int i;

	ASSERT_EQ(0, close(self->fd));
	for (i = 0; i < TIMERS; i++)
		wt_word(&self->words[i]);
	if (self->refs >= 0)
		EXPECT_EQ(self->refs + 1, wt_module_refs());
	ASSERT_EQ(0, munmap(self->words, self->len / 2));
	wt_word(&self->words[TIMERS - 1]);
	if (self->refs >= 0)
		EXPECT_EQ(self->refs + 1, wt_module_refs());
	ASSERT_EQ(0, munmap((char *)self->words + self->len / 2, self->len / 2));
	EXPECT_EQ(self->refs, wt_module_refs());
}

/*
 * A page in a pipe outlives the mapping and the wheel. Its contents remain, so it was not
 * allocated again.
 */
WT_TEST(wheel, held_by_a_pipe)
{
	struct iovec iov = { self->words, self->len };
	__u64 word;
	int pipes[2];
	ssize_t got;

	ASSERT_EQ(0, pipe(pipes));
	got = vmsplice(pipes[1], &iov, 1, 0);
	ASSERT_EQ(0, munmap(self->words, self->len));
	ASSERT_EQ(0, close(self->fd));
	if (got > 0) {
		ASSERT_EQ(sizeof(word), read(pipes[0], &word, sizeof(word)));
		EXPECT_EQ(WT_OFF, word);
		ASSERT_EQ(sizeof(word), read(pipes[0], &word, sizeof(word)));
		EXPECT_EQ(WT_MS, word);
	}
	close(pipes[0]);
	close(pipes[1]);
	EXPECT_EQ(self->refs, wt_module_refs());
}

/* The words serve as a buffer of read() and SUBMIT, including calls on the same file. */
WT_TEST(wheel, is_a_buffer)
{
	struct wheel_event *event = (void *)self->words;
	struct wheel_op *op = (void *)self->words;
	int fd;

	fd = open("/proc/self/maps", O_RDONLY | O_DIRECT);
	if (fd >= 0) {
		if (read(fd, self->words, self->len) < 0)
			EXPECT_EQ(EINVAL, errno);
		close(fd);
	}
	wt_scribble(&self->words[1], WT_MS);
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(1, wt_read(self->fd, event, 1));
	EXPECT_EQ(ID, event->id);
	*op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), WT_SEC);
	op->flags = WHEEL_OP_WORD;
	EXPECT_EQ(0, wt_do(self->fd, op));
}

TEST_HARNESS_MAIN
