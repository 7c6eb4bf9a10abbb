// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share a wheel. One is killed while it arms a timer by its word: after it has
 * changed the word, the doorbell or the summary, and before the kick. The timer still expires. A
 * kick may take long; it ends when its task receives a signal.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
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

/* Doorbells that the kick reads last, and the number of signals that found them set. */
static const __u64 *last_bells;
static int interruptions;

static void count_interruption(int nr)
{
	(void)nr;
	interruptions += !!*last_bells;
}

/*
 * A signal interrupts the scan of a kick. The next pass continues the scan; on a VIRTUAL clock, the
 * restarted call does. Otherwise another timer, 10 s later, would expire first.
 */
TEST(p8_a_kick_goes_on_after_signals)
{
	static const struct itimerval soon = { .it_value.tv_usec = 200 }, never;
	struct wheel_setup setup = { .timers = TIMERS };
	struct wheel_event event;
	struct wt_areas areas;
	int try;

	signal(SIGALRM, count_interruption);
	for (try = 0; try < 1000 && interruptions < 10; try++) {
		bool virtual = interruptions % 2;
		__u64 now = virtual ? 0 : wt_now(WHEEL_CLOCK_MONOTONIC);

		setup.clock = virtual ? WHEEL_CLOCK_VIRTUAL : WHEEL_CLOCK_MONOTONIC;
		ASSERT_TRUE(wt_areas_open(&areas, &setup));
		ASSERT_EQ(0, wt_arm_word(areas.fd, ID, 0));
		ASSERT_EQ(0, wt_arm(areas.fd, WHEEL_ID(1, 1), now + 10 * WT_SEC));
		ASSERT_TRUE(wt_unpark(&areas.words[SLOT], now + 100 * WT_MS));
		memset(areas.summary, 0xff, wt_page());
		memset(areas.bells, 0xff, BELLS);
		last_bells = &areas.bells[SLOT / 64];
		setitimer(ITIMER_REAL, &soon, NULL);
		ASSERT_EQ(0, wt_kick(areas.fd));
		setitimer(ITIMER_REAL, &never, NULL);
		if (virtual) {
			EXPECT_EQ(0, *last_bells);
			ASSERT_EQ(0, wt_advance(areas.fd, WT_SEC, NULL));
		}
		ASSERT_EQ(1, wt_next(areas.fd, &event));
		EXPECT_EQ(ID, event.id);
		wt_areas_close(&areas);
	}
	EXPECT_EQ(10, interruptions);
}

TEST_HARNESS_MAIN
