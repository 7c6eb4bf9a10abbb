// SPDX-License-Identifier: GPL-2.0
/*
 * P12, CPU time: a program that lets the kernel work for it in softirqs takes nobody's
 * time beyond its share, with any number of files and asleep itself; nor does one that arms
 * kept timers and kicks the kernel as fast as its cgroup lets it.
 *
 * A victim counts how often it gets around in a slice of time, alone and beside an
 * attacker in turns, all on one CPU. The ratio of the two medians is what is left of
 * its speed. That is no matter of luck where the guest counts instructions for time,
 * and only there is it tested: tests/vm/rungs/payer.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define NOBODY		65534
#define ROUNDS		5
#define SLICE		(200 * WT_MS)
#define ACKNOWLEDGE	(50 * WT_MS)
#define TICK		WHEEL_MIN_TICK_NS
#define MOST_FILES	64
#define CGROUPS		"/tmp/cgroups"

/**
 * struct manner - how to attack
 * @scheme: of the wheels
 * @files: how many there are
 * @timers: of each
 * @events: of each one's ring
 * @spins: the attacker does not even sleep
 * @kicks: its timers are kept ones; it arms them all and kicks, in a cgroup that has 2 % of
 *	a CPU
 * @left: so much of the victim's speed is left at least, in percent
 */
struct manner {
	__u32 scheme;
	__u32 files;
	__u32 timers;
	__u32 events;
	bool spins;
	bool kicks;
	int left;
};

FIXTURE(attack) {
	struct wt_loop loop[MOST_FILES];
};

FIXTURE_VARIANT(attack) {
	struct manner how;
};

FIXTURE_VARIANT_ADD(attack, with_many_timers) {
	.how.scheme = WHEEL_HIERARCHICAL, .how.files = 1, .how.timers = 1024,
	.how.events = 1 << 20, .how.left = 90,
};

FIXTURE_VARIANT_ADD(attack, with_a_sorted_list) {
	.how.scheme = WHEEL_OVERFLOW, .how.files = 1, .how.timers = 1024,
	.how.events = 1 << 20, .how.left = 90,
};

FIXTURE_VARIANT_ADD(attack, with_many_files) {
	.how.scheme = WHEEL_HASHED, .how.files = MOST_FILES, .how.timers = 1,
	.how.events = 1 << 12, .how.left = 90,
};

/* The scheduler gives each the half; what is beyond is taken of both. */
FIXTURE_VARIANT_ADD(attack, that_spins_besides) {
	.how.scheme = WHEEL_HASHED, .how.files = MOST_FILES, .how.timers = 1,
	.how.events = 1 << 12, .how.spins = true, .how.left = 45,
};

FIXTURE_VARIANT_ADD(attack, that_kicks) {
	.how.scheme = WHEEL_HIERARCHICAL, .how.files = 1, .how.timers = 4096,
	.how.events = 4096, .how.kicks = true, .how.left = 90,
};

FIXTURE_VARIANT_ADD(attack, that_kicks_many_files) {
	.how.scheme = WHEEL_OVERFLOW, .how.files = 16, .how.timers = 64,
	.how.events = 64, .how.kicks = true, .how.left = 90,
};

/* Turns that the victim makes in a slice of time. */
static __u64 turns(void)
{
	__u64 end = wt_now(WHEEL_CLOCK_MONOTONIC) + SLICE;
	__u64 n = 0;

	while (wt_now(WHEEL_CLOCK_MONOTONIC) < end)
		n++;
	return n;
}

/* After a boot the kernel has work of its own for a while. */
static void wait_for_quiet(void)
{
	__u64 n = turns(), before;

	do {
		before = n;
		n = turns();
	} while (n < before - before / 100 || n > before + before / 100);
}

FIXTURE_SETUP(attack)
{
	if (!getenv("WHEEL_COUNTED"))
		SKIP(return, "needs a guest that counts instructions");
	wait_for_quiet();
}

FIXTURE_TEARDOWN(attack)
{
}

/*
 * Periodic timers, whose events are acknowledged by a store, now and then; or kept ones, of
 * which none is armed yet.
 */
static bool arm_all(struct wt_loop *loop, const struct manner *how)
{
	const struct wheel_setup setup = {
		.size = sizeof(setup), .scheme = how->scheme, .tick_ns = TICK,
		.timers = how->timers, .events = how->events,
	};
	__u32 i;

	if (!wt_loop_open(loop, &setup))
		return false;
	for (i = 0; i < how->timers; i++) {
		struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, 1), 0);

		if (how->kicks)
			op.flags = WHEEL_OP_KEEP;
		else
			op.period = TICK;
		if (wt_do(loop->ring.fd, &op))
			return false;
	}
	return true;
}

static __u64 *map_bits(int fd, off_t offset)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	return map == MAP_FAILED ? NULL : map;
}

/* All of them are due now, and the kernel is told, again and again. */
static void kick_forever(struct wt_loop *loop, const struct manner *how)
{
	struct wheel_enter enter = { .size = sizeof(enter), .flags = WHEEL_ENTER_KICK };
	__u64 *bells[MOST_FILES], *summary[MOST_FILES];
	__u32 i, n;

	for (i = 0; i < how->files; i++) {
		bells[i] = map_bits(loop[i].ring.fd, WHEEL_OFF_BELLS);
		summary[i] = map_bits(loop[i].ring.fd, WHEEL_OFF_SUMMARY);
		if (!bells[i] || !summary[i])
			_exit(1);
	}
	for (i = 0; ; i = (i + 1) % how->files) {
		wt_loop_take(&loop[i], wt_loop_ready(&loop[i]));
		for (n = 0; n < how->timers; n++)
			wt_scribble(&loop[i].words[n], 1);
		for (n = 0; n < how->timers / 64; n++)
			wt_scribble(&bells[i][n], ~0ULL);
		wt_scribble(summary[i], ~0ULL);
		enter.size = sizeof(enter);
		if (wt_ioctl(loop[i].ring.fd, WHEEL_IOC_ENTER, &enter))
			_exit(1);
	}
}

/* This process gets 2 % of a CPU from now on. */
static bool limit_myself(void)
{
	if (mkdir(CGROUPS, 0700) && errno != EEXIST)
		return false;
	if (access(CGROUPS "/cgroup.procs", F_OK) &&
	    mount("cgroup2", CGROUPS, "cgroup2", 0, NULL))
		return false;
	if (mkdir(CGROUPS "/attacker", 0700) && errno != EEXIST)
		return false;
	return wt_write_file(CGROUPS "/cgroup.subtree_control", "+cpu") &&
	       wt_write_file(CGROUPS "/attacker/cpu.max", "2000 100000") &&
	       wt_write_file(CGROUPS "/attacker/cgroup.procs", "0");
}

/* Says by a byte that it has begun, and goes on until it is killed. */
static void attack(struct wt_loop *loop, const struct manner *how, int begun)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	__u32 i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (how->kicks && !limit_myself())
		_exit(1);
	/* Memory is another test's matter. */
	if (setrlimit(RLIMIT_MEMLOCK, &unlimited) || setgid(NOBODY) || setuid(NOBODY))
		_exit(1);
	for (i = 0; i < how->files; i++)
		if (!arm_all(&loop[i], how))
			_exit(1);
	if (write(begun, "", 1) != 1)
		_exit(1);
	if (how->kicks)
		kick_forever(loop, how);
	for (;;) {
		if (how->spins)
			turns();
		else
			wt_let_pass(ACKNOWLEDGE);
		for (i = 0; i < how->files; i++)
			wt_loop_take(&loop[i], wt_loop_ready(&loop[i]));
	}
}

static int ascending(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

static __u64 median(__u64 *n)
{
	qsort(n, ROUNDS, sizeof(*n), ascending);
	return n[ROUNDS / 2];
}

WT_TEST(attack, p12_cpu_is_paid)
{
	__u64 alone[ROUNDS], beside[ROUNDS];
	int begun[2], left, round;
	pid_t attacker;
	char byte;

	for (round = 0; round < ROUNDS; round++) {
		alone[round] = turns();
		ASSERT_EQ(0, pipe(begun));
		attacker = fork();
		if (!attacker)
			attack(self->loop, &variant->how, begun[1]);
		close(begun[1]);
		ASSERT_EQ(1, read(begun[0], &byte, 1));
		close(begun[0]);
		beside[round] = turns();
		kill(attacker, SIGKILL);
		ASSERT_EQ(-SIGKILL, wt_end_of(attacker));
	}
	left = 100 * median(beside) / median(alone);
	TH_LOG("beside the attacker the victim has %d %% of its speed", left);
	EXPECT_LE(variant->how.left, left);
}

TEST_HARNESS_MAIN
