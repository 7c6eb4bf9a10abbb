// SPDX-License-Identifier: MIT
/*
 * Timers with words in two processes: a child of fork() that uses its copy of the library, and one
 * that uses the device directly, through the ABI.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define TIMERS	4096
#define ROUNDS	20

static struct libwheel *open_shared(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .flags = WHEEL_SETUP_WORDS,
		.scheme = WHEEL_HIERARCHICAL, .timers = TIMERS,
	};

	return open_wheel(&options);
}

static uint64_t word(struct libwheel *wheel, __u32 slot)
{
	uint64_t id = WHEEL_ID(slot, 1);

	NEED(!libwheel_word(wheel, id, slot));
	return id;
}

static void *map(int fd, size_t size, int protection, off_t offset)
{
	void *area = mmap(NULL, size, protection, MAP_SHARED, fd, offset);

	if (area == MAP_FAILED)
		_exit(2);
	return area;
}

/* The complete protocol of WHEEL_OP_WORD, with separate mappings. Returns 0 or a negative errno. */
static int arm_by_hand(int fd, __u32 slot, __u64 deadline)
{
	long page = sysconf(_SC_PAGESIZE);
	int both = PROT_READ | PROT_WRITE;
	__u64 *words = map(fd, TIMERS * sizeof(__u64), both, WHEEL_OFF_WORDS);
	__u64 *bells = map(fd, page, both, WHEEL_OFF_BELLS);
	__u64 *summary = map(fd, page, both, WHEEL_OFF_SUMMARY);
	struct wheel_kernel_page *kernel = map(fd, page, PROT_READ, WHEEL_OFF_KERNEL);
	struct wheel_enter kick = {
		.size = sizeof(kick), .flags = WHEEL_ENTER_KICK,
	};
	__u64 old = WHEEL_WORD_PARKED;

	if (!__atomic_compare_exchange_n(&words[slot], &old, deadline, 0,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return -EBUSY;
	__atomic_fetch_or(&bells[slot / 64], 1ULL << slot % 64, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(summary, 1ULL << slot / 64, __ATOMIC_SEQ_CST);
	if (deadline >= __atomic_load_n(&kernel->next_wake, __ATOMIC_SEQ_CST))
		return 0;
	return ioctl(fd, WHEEL_IOC_ENTER, &kick) ? -errno : 0;
}

static int status_of(pid_t child)
{
	int status;

	NEED(child > 0 && waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One process arms a timer of another one, which takes its events. None is lost. */
static void p3_word_in_two_processes(void)
{
	struct libwheel *wheel = open_shared();
	__u64 state = test_seed();
	struct wheel_event event;
	uint64_t id;
	int i;

	if (libwheel_backend(wheel) == LIBWHEEL_USER)
		ktap_skip("only /dev/wheel can be shared by processes");
	id = word(wheel, 77);
	for (i = 0; i < ROUNDS; i++) {
		__u64 when = libwheel_now(wheel) + random_below(&state, 3 * MS);
		pid_t child = fork();

		if (!child)
			_exit(!!arm_by_hand(libwheel_fd(wheel), 77, when));
		NEED(libwheel_wait(wheel, &event, 1, -1) == 1);
		EXPECT_EQ(id, event.id);
		EXPECT_EQ(when, event.deadline);
		EXPECT(event.fired >= when);
		EXPECT_EQ(0, status_of(child));
		EXPECT_EQ(0, libwheel_word_reset(wheel, id));
	}
	EXPECT_EQ(0, balanced_stats(wheel).pending);
	libwheel_close(wheel);
}

/* A child that closes its copy, or exits, does not affect the timers of its parent. */
static void fork_leaves_words(void)
{
	struct libwheel *wheel = open_shared();
	uint64_t armed = word(wheel, 1), parked = word(wheel, 2);
	struct wheel_event event;
	int i;

	EXPECT_EQ(0, libwheel_word_arm(wheel, armed, libwheel_now(wheel) + 20 * MS));
	for (i = 0; i < 2; i++) {
		pid_t child = fork();

		if (!child) {
			if (i)
				libwheel_close(wheel);
			_exit(0);
		}
		EXPECT_EQ(0, status_of(child));
	}
	EXPECT_EQ(0, libwheel_word_arm(wheel, parked, libwheel_now(wheel) + HOUR));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
	EXPECT_EQ(armed, event.id);
	EXPECT_EQ(0, libwheel_word_restart(wheel, armed, libwheel_now(wheel)));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
	EXPECT_EQ(armed, event.id);
	EXPECT_EQ(0, libwheel_word_park(wheel, parked));
	libwheel_close(wheel);
}

const struct ktap_test share_tests[] = {
	TEST(p3_word_in_two_processes),
	TEST(fork_leaves_words),
	{ NULL, NULL }
};
