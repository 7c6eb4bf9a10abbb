// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share a wheel. One is killed while it arms a kept timer: the exchange of
 * the word, the doorbell, the summary and the kick are four steps, and it may have come to
 * any of them. The timer fires all the same.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	70000
#define SLOT	69999
#define ID	WHEEL_ID(SLOT, 1)
#define BELLS	wt_words_len(TIMERS / 64 + 1)

FIXTURE(keep_killed) {
	int fd;
	__u64 when;
};

FIXTURE_VARIANT(keep_killed) {
	bool bell;
	bool summary;
};

FIXTURE_VARIANT_ADD(keep_killed, after_the_word) {};

FIXTURE_VARIANT_ADD(keep_killed, after_the_bell) {
	.bell = true,
};

FIXTURE_VARIANT_ADD(keep_killed, after_the_summary) {
	.bell = true, .summary = true,
};

FIXTURE_SETUP(keep_killed)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_TOUCH, .timers = TIMERS,
	};
	struct wheel_op op = wt_op(WHEEL_OP_ARM, ID, 0);

	if (!(wt_features() & WHEEL_HAS_KEEP))
		SKIP(return, "no kept timers");
	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
	op.flags = WHEEL_OP_KEEP;
	op.slack = 0;
	op.period = 0;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	self->when = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_MS;
}

FIXTURE_TEARDOWN(keep_killed)
{
	close(self->fd);
}

static void *map(int fd, size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
}

static void set_bit(__u64 *bells, __u32 nr)
{
	__atomic_fetch_or(&bells[nr / 64], 1ULL << nr % 64, __ATOMIC_SEQ_CST);
}

/* Arms the timer as far as the test says, and comes to its end. */
static void arm_and_die(int fd, __u64 when, bool bell, bool summary)
{
	__u64 *words = wt_map(fd, TIMERS);
	__u64 *bells = map(fd, BELLS, WHEEL_OFF_BELLS);
	__u64 *leaves = map(fd, wt_page(), WHEEL_OFF_SUMMARY);

	if (!words || bells == MAP_FAILED || leaves == MAP_FAILED)
		_exit(1);
	if (!wt_cas(&words[SLOT], WT_PARKED, when))
		_exit(2);
	if (bell)
		set_bit(bells, SLOT);
	if (summary)
		set_bit(leaves, SLOT / 64);
	kill(getpid(), SIGKILL);
}

/* An ordinary timer, a minute later, comes first if nobody has looked. */
WT_TEST(keep_killed, p2_its_timer_fires)
{
	struct wheel_event event;
	pid_t pid = fork();
	int status;

	ASSERT_LE(0, pid);
	if (!pid)
		arm_and_die(self->fd, self->when, variant->bell, variant->summary);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 1),
			    wt_now(WHEEL_CLOCK_MONOTONIC) + 60000 * WT_MS));
	ASSERT_EQ(1, wt_wait(self->fd));
	ASSERT_EQ(1, wt_read(self->fd, &event, 1));
	EXPECT_EQ(ID, event.id);
	EXPECT_EQ(self->when, event.deadline);
	EXPECT_LE(self->when, event.fired);
}

TEST_HARNESS_MAIN
