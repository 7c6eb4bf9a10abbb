// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share a wheel. One is killed while it arms a timer by its word: after it has
 * changed the word, the doorbell or the summary, and before the kick. The timer still expires. A
 * kick may take long; it ends when its task is killed.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	70000
#define SLOT	69999
#define ID	WHEEL_ID(SLOT, 1)
#define BELLS	wt_words_len(TIMERS / 64 + 1)
#define BOTH	(PROT_READ | PROT_WRITE)

FIXTURE(word_killed) {
	int fd;
	__u64 when;
};

FIXTURE_VARIANT(word_killed) {
	bool bell;
	bool summary;
};

FIXTURE_VARIANT_ADD(word_killed, after_the_word) {};

FIXTURE_VARIANT_ADD(word_killed, after_the_bell) { .bell = true };
FIXTURE_VARIANT_ADD(word_killed, after_the_summary) { .bell = true, .summary = true };

FIXTURE_SETUP(word_killed)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .timers = TIMERS,
	};
	struct wheel_op op = wt_op(WHEEL_OP_ARM, ID, 0);

	self->fd = wt_open_setup(O_NONBLOCK, &setup);
	ASSERT_LE(0, self->fd);
	op.flags = WHEEL_OP_WORD;
	op.slack = 0;
	op.period = 0;
	ASSERT_EQ(0, wt_do(self->fd, &op));
	self->when = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_MS;
}

FIXTURE_TEARDOWN(word_killed)
{
	close(self->fd);
}

static void set_bit(__u64 *bells, __u32 nr)
{
	__atomic_fetch_or(&bells[nr / 64], 1ULL << nr % 64, __ATOMIC_SEQ_CST);
}

/* Arm the timer up to a given step. Then kill this process. */
static void arm_and_die(int fd, __u64 when, bool bell, bool summary)
{
	__u64 *words = wt_map(fd, TIMERS);
	__u64 *bells = wt_map_at(fd, BELLS, BOTH, WHEEL_OFF_BELLS);
	__u64 *leaves = wt_map_at(fd, wt_page(), BOTH, WHEEL_OFF_SUMMARY);

	if (!words || !bells || !leaves)
		_exit(1);
	if (!wt_cas(&words[SLOT], WT_PARKED, when))
		_exit(2);
	if (bell)
		set_bit(bells, SLOT);
	if (summary)
		set_bit(leaves, SLOT / 64);
	kill(getpid(), SIGKILL);
}

/* If the kernel did not scan the word, another one, a minute later, would expire first. */
WT_TEST(word_killed, p2_its_timer_fires)
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
	ASSERT_EQ(1, wt_next(self->fd, &event));
	EXPECT_EQ(ID, event.id);
	EXPECT_EQ(self->when, event.deadline);
	EXPECT_LE(self->when, event.fired);
}

#define BELLS_LEN	(WHEEL_MAX_TIMERS / 8)
#define LAST_BELL	(WHEEL_MAX_TIMERS / 64 - 1)

/* A child sets the bits of the maximum number of slots and kicks. */
static pid_t kick_at_all(int fd)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	memset(wt_map_at(fd, BELLS_LEN / 64, BOTH, WHEEL_OFF_SUMMARY), 0xff, BELLS_LEN / 64);
	memset(wt_map_at(fd, BELLS_LEN, BOTH, WHEEL_OFF_BELLS), 0xff, BELLS_LEN);
	wt_kick(fd);
	_exit(0);
}

/* Kill the child after the kernel has cleared the first bits. */
static void kill_kicker(pid_t pid, const __u64 *bells)
{
	while (!__atomic_load_n(&bells[LAST_BELL], __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(bells, __ATOMIC_SEQ_CST)) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return;
		sched_yield();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * A scan of 2^24 slots ends when its task is killed, and the next one continues it. On a busy
 * machine, the scan may complete before the signal arrives, so there are several attempts.
 */
TEST(p12_a_kick_can_be_killed)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_HIERARCHICAL, .timers = WHEEL_MAX_TIMERS,
	};
	int fd = wt_open_setup(0, &setup), try;
	__u64 *bells = wt_map_at(fd, BELLS_LEN, BOTH, WHEEL_OFF_BELLS);
	bool left = false;

	ASSERT_NE(NULL, bells);
	for (try = 0; try < 10 && !left; try++) {
		kill_kicker(kick_at_all(fd), bells);
		left = bells[LAST_BELL];
	}
	EXPECT_TRUE(left);
	EXPECT_EQ(0, wt_kick(fd));
	EXPECT_EQ(0, bells[LAST_BELL]);
	close(fd);
}

TEST_HARNESS_MAIN
