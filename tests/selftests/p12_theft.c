// SPDX-License-Identifier: GPL-2.0
/*
 * P12, CPU time: expiries do not take CPU time from other tasks.
 *
 * A victim counts its loop iterations per slice of time, alone and then in several slices
 * alongside attackers, on one CPU. The ratio of their mean to the former is the share of its
 * progress that it keeps. The same attack with timerfds is the reference. The ratio is exact only
 * in a guest that counts instructions as time: tests/vm/suites/owner.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define FIRST_UID	60000
#define MOST_UIDS	64
#define MOST_FILES	128
#define DESCRIPTORS	4096
#define ROUNDS		2
#define SLICE		(200 * WT_MS)
#define TICK		WHEEL_MIN_TICK_NS
#define WATCHERS	1000
#define COPIES		100
#define CGROUPS		"/tmp/cgroups"

/* All shares are in thousandths. */
#define ALL		1000
#define KEPT		950
#define STOLEN		30
/* Difference between two runs with timerfds. */
#define NOISE		10

/**
 * enum conduct - actions of an attacker after it has armed its timers
 * @SLEEPS: acknowledges events with a store, without a system call on the files
 * @SPINS: like @SLEEPS, but never sleeps
 * @CALLS: calls WHEEL_IOC_ENTER, or reads the timerfds, on all files
 * @RINGS: sets all doorbells of its timers, without a system call
 * @KICKS: arms all its timers by their words and kicks, in a cgroup that has 2 % of a CPU
 */
enum conduct { SLEEPS, SPINS, CALLS, RINGS, KICKS };

/**
 * struct manner - an attack
 * @conduct: actions of an attacker
 * @scheme: scheme of the wheels
 * @uids: number of attackers, each with its own uid
 * @files: files per attacker
 * @timers: timers per file
 * @events: events per ring
 * @pause: sleep of the attacker between two actions, in nanoseconds
 * @watched: the first file has WATCHERS * COPIES epoll watches
 * @fair: number of runnable tasks, which is the divisor of a fair share
 */
struct manner {
	enum conduct conduct;
	__u32 scheme;
	__u32 uids;
	__u32 files;
	__u32 timers;
	__u32 events;
	__u64 pause;
	bool watched;
	int fair;
};

/**
 * struct attacker - one process
 * @how: its attack
 * @timerfds: it uses timerfds instead of wheels
 * @loop: its wheels
 * @fd: its files
 * @files: number of elements of @fd
 */
struct attacker {
	const struct manner *how;
	bool timerfds;
	struct wt_loop loop[MOST_FILES];
	int fd[MOST_FILES];
	__u32 files;
};

/* Shares of one CPU: kept by the victim, charged to the attackers. */
struct outcome {
	int kept;
	int charged;
};

/* Turns of an undisturbed victim. */
static __u64 alone;

FIXTURE(attack) {
	struct attacker attacker;
};

FIXTURE_VARIANT(attack) {
	struct manner how;
};

#define ATTACK(name, ...) WT_VARIANT(attack, name, .how = { __VA_ARGS__ })

ATTACK(by_a_sorted_list, SLEEPS, WHEEL_OVERFLOW, 1, 1, 256, 1 << 16, 50 * WT_MS, false, 1);
ATTACK(by_100_files, SLEEPS, WHEEL_HASHED, 1, 100, 64, 1 << 12, 50 * WT_MS, false, 1);
ATTACK(by_64_uids, SLEEPS, WHEEL_HIERARCHICAL, 64, 1, 1024, 1 << 14, 50 * WT_MS, false, 1);
ATTACK(by_100000_watches, SLEEPS, WHEEL_HASHED, 1, 1, 1, 1 << 12, WT_MS, true, 1);
ATTACK(by_a_task_that_spins, SPINS, WHEEL_HASHED, 1, 64, 1, 1 << 12, 50 * WT_MS, false, 2);
ATTACK(by_doorbells, RINGS, WHEEL_HIERARCHICAL, 1, 4, 1 << 16, 1 << 12, 10 * WT_MS, false, 1);
ATTACK(by_kicks, KICKS, WHEEL_HIERARCHICAL, 1, 1, 4096, 4096, 0, false, 1);
ATTACK(by_kicks_on_many_files, KICKS, WHEEL_OVERFLOW, 1, 16, 64, 64, 0, false, 1);
ATTACK(by_calls_and_8_timers, CALLS, WHEEL_HASHED, 1, 64, 8, 64, WT_MS, false, 1);
ATTACK(by_calls_on_100000_watches, CALLS, WHEEL_HASHED, 1, 1, 1, 64, 100 * WT_MS, true, 1);

static __u64 turns(void)
{
	__u64 end = wt_now(WHEEL_CLOCK_MONOTONIC) + SLICE;
	__u64 n = 0;

	while (wt_now(WHEEL_CLOCK_MONOTONIC) < end)
		n++;
	return n;
}

/* Before the first test, wait until the kernel has completed its deferred work after boot. */
__attribute__((constructor)) static void wait_for_quiet(void)
{
	__u64 before;

	alone = turns();
	do {
		before = alone;
		alone = turns();
	} while (alone < before - before / 100 || alone > before + before / 100);
}

FIXTURE_SETUP(attack)
{
}

FIXTURE_TEARDOWN(attack)
{
}

/* Sleep until the next multiple of @ns. */
static void nap(__u64 ns)
{
	wt_sleep_until((wt_now(WHEEL_CLOCK_MONOTONIC) / ns + 1) * ns);
}

/* With CALLS, all timers expire once per pause, while the attacker sleeps. */
static __u64 period_of(const struct manner *how)
{
	return how->conduct == CALLS ? how->pause : TICK;
}

static __u64 first_expiry(const struct manner *how)
{
	__u64 pause = how->pause;

	if (how->conduct != CALLS)
		return TICK;
	return (wt_now(WHEEL_CLOCK_MONOTONIC) / pause + 1) * pause + pause / 2;
}

static bool uses_words(const struct manner *how)
{
	return how->conduct == RINGS || how->conduct == KICKS;
}

/* Timers with words stay unarmed, except that one periodic timer per file causes passes. */
static bool arm_all(struct wt_loop *loop, const struct manner *how)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), first_expiry(how));
	struct wheel_op word = wt_op(WHEEL_OP_ARM, WHEEL_ID(1, 1), 0);
	int fd = loop->ring.fd;

	op.period = period_of(how);
	word.flags = WHEEL_OP_WORD;
	if (uses_words(how))
		return !wt_do(fd, &op) && !wt_arm_like(fd, how->timers - 1, word);
	return !wt_arm_like(fd, how->timers, op);
}

static bool open_wheels(struct attacker *a)
{
	const struct wheel_setup setup = {
		.size = sizeof(setup), .scheme = a->how->scheme, .tick_ns = TICK,
		.timers = a->how->timers, .events = a->how->events,
	};
	__u32 i;

	a->files = a->how->files;
	for (i = 0; i < a->files; i++) {
		if (!wt_loop_open(&a->loop[i], &setup))
			return false;
		a->fd[i] = a->loop[i].ring.fd;
	}
	return true;
}

/* One timerfd corresponds to one timer. */
static bool open_timerfds(struct attacker *a)
{
	__u32 i, timers = a->how->files * a->how->timers;

	a->files = a->how->watched ? 1 : timers < MOST_FILES ? timers : MOST_FILES;
	for (i = 0; i < a->files; i++) {
		a->fd[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
		if (a->fd[i] < 0)
			return false;
	}
	return true;
}

static bool arm(struct attacker *a)
{
	__u64 first = first_expiry(a->how);
	const struct itimerspec every = {
		.it_value = { .tv_sec = first / WT_SEC, .tv_nsec = first % WT_SEC },
		.it_interval = { .tv_nsec = period_of(a->how) },
	};
	bool armed = true;
	__u32 i;

	for (i = 0; armed && i < a->files; i++)
		armed = a->timerfds ? !timerfd_settime(a->fd[i], TFD_TIMER_ABSTIME,
							&every, NULL) :
				      arm_all(&a->loop[i], a->how);
	return armed;
}

/* An epoll instance watches an open file once per descriptor. */
static bool watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int copies[COPIES], watchers, i;

	for (i = 0; i < COPIES; i++)
		copies[i] = dup(fd);
	for (watchers = 0; watchers < WATCHERS; watchers++) {
		int epoll = epoll_create1(0);

		for (i = 0; i < COPIES; i++)
			if (epoll_ctl(epoll, EPOLL_CTL_ADD, copies[i], &event))
				return false;
	}
	return true;
}

static void enter(int fd, __u32 flags)
{
	struct wheel_enter enter = { .size = sizeof(enter), .flags = flags };

	if (wt_ioctl(fd, WHEEL_IOC_ENTER, &enter))
		_exit(1);
}

/* Read or discard all events of all files. */
static void consume(struct attacker *a)
{
	__u64 expiries;
	__u32 i;

	for (i = 0; i < a->files; i++) {
		if (a->timerfds) {
			if (a->how->conduct == CALLS && read(a->fd[i], &expiries, 8) < 0 &&
			    errno != EAGAIN)
				_exit(1);
			continue;
		}
		if (a->how->conduct == CALLS)
			enter(a->fd[i], 0);
		wt_loop_take(&a->loop[i], wt_loop_ready(&a->loop[i]));
	}
}

static __u64 *map_bits(int fd, size_t bits, off_t offset)
{
	void *map = wt_map_at(fd, (bits + 63) / 64 * 8, PROT_READ | PROT_WRITE, offset);

	if (!map)
		_exit(1);
	return map;
}

/* Set all doorbells, and arm @armed timers to expire at once. */
static void ring_all(struct attacker *a, __u32 nr, __u32 armed)
{
	static __u64 *bells[MOST_FILES], *summary[MOST_FILES];
	__u32 i, leaves = a->how->timers / 64;

	if (!bells[nr]) {
		bells[nr] = map_bits(a->fd[nr], a->how->timers, WHEEL_OFF_BELLS);
		summary[nr] = map_bits(a->fd[nr], leaves, WHEEL_OFF_SUMMARY);
	}
	for (i = 1; i < armed; i++)
		wt_scribble(&a->loop[nr].words[i], 1);
	for (i = 0; i < leaves; i++)
		wt_scribble(&bells[nr][i], ~0ULL);
	for (i = 0; i < (leaves + 63) / 64; i++)
		wt_scribble(&summary[nr][i], ~0ULL);
}

static void ring_or_kick(struct attacker *a)
{
	bool kicks = a->how->conduct == KICKS;
	__u32 i;

	for (i = 0; i < a->files; i++) {
		ring_all(a, i, kicks ? a->how->timers : 64);
		if (kicks)
			enter(a->fd[i], WHEEL_ENTER_KICK);
	}
}

static void act(struct attacker *a)
{
	consume(a);
	if (uses_words(a->how))
		ring_or_kick(a);
}

/* Limit this process to 2 % of a CPU. */
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

/* Memory limits have a separate test. */
static bool become(uid_t uid)
{
	const struct rlimit files = { DESCRIPTORS, DESCRIPTORS };

	return !setrlimit(RLIMIT_NOFILE, &files) && wt_become(uid);
}

/* Spend the time between two actions. */
static void rest(const struct manner *how)
{
	if (how->conduct == SPINS)
		turns();
	else if (how->pause)
		nap(how->pause);
}

/* Write one byte when all timers are armed, and run until killed. */
static void attack(struct attacker *a, uid_t uid, int begun)
{
	if (a->how->conduct == KICKS && !limit_myself())
		_exit(1);
	if (!become(uid) || !(a->timerfds ? open_timerfds(a) : open_wheels(a)))
		_exit(1);
	if ((a->how->watched && !watch(a->fd[0])) || !arm(a))
		_exit(1);
	act(a);
	/* Each call that arms a timer permits one more interrupt, which comes before the slice. */
	rest(a->how);
	act(a);
	if (write(begun, "", 1) != 1)
		_exit(1);
	for (;;) {
		rest(a->how);
		act(a);
	}
}

/* Returns true when all attackers have started. */
static bool start(struct attacker *a, pid_t *pids)
{
	__u32 uids = a->how->uids, i;
	int begun[2];
	char byte;

	if (pipe(begun))
		return false;
	for (i = 0; i < uids; i++) {
		pids[i] = fork();
		if (!pids[i])
			attack(a, FIRST_UID + i, begun[1]);
	}
	close(begun[1]);
	for (i = 0; i < uids && read(begun[0], &byte, 1) == 1; i++)
		;
	close(begun[0]);
	return i == uids;
}

static bool end(const pid_t *pids, __u32 uids)
{
	bool killed = true;
	__u32 i;

	for (i = 0; i < uids; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < uids; i++)
		killed &= wt_end_of(pids[i]) == -SIGKILL;
	return killed;
}

/* CPU time charged to the attackers so far. */
static __u64 charged(const pid_t *pids, __u32 uids)
{
	struct timespec ts;
	clockid_t clock;
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < uids; i++) {
		if (clock_getcpuclockid(pids[i], &clock) || clock_gettime(clock, &ts))
			return 0;
		sum += ts.tv_sec * WT_SEC + ts.tv_nsec;
	}
	return sum;
}

/* Returns false if an attacker failed. */
static bool measure(struct attacker *a, struct outcome *outcome)
{
	__u64 beside = 0, time = 0;
	pid_t pids[MOST_UIDS];
	int round;

	for (round = 0; round < ROUNDS; round++) {
		bool started = start(a, pids);

		time -= charged(pids, a->how->uids);
		beside += started ? turns() : 0;
		time += charged(pids, a->how->uids);
		if (!end(pids, a->how->uids) || !started)
			return false;
	}
	outcome->kept = ALL * beside / (ROUNDS * alone);
	outcome->charged = ALL * time / (ROUNDS * SLICE);
	return true;
}

/*
 * The share that a victim must keep. An attacker with CALLS may take what it is charged, and as
 * much in addition as with timerfds.
 */
static int required(const struct manner *how, const struct outcome *wheels,
		    const struct outcome *timerfds)
{
	int share = KEPT / how->fair;
	int reference = timerfds->kept - NOISE;
	int stolen = ALL - reference - timerfds->charged;

	if (how->conduct == CALLS && !how->watched)
		return ALL - wheels->charged - (stolen > STOLEN ? stolen : STOLEN);
	return share < reference ? share : reference;
}

static void print(const char *with, const struct outcome *o)
{
	printf("# %s: the victim keeps %d.%d %%, the attackers are charged %d.%d %%\n", with,
	       o->kept / 10, o->kept % 10, o->charged / 10, o->charged % 10);
}

WT_TEST(attack, p12_theft)
{
	struct outcome wheels, timerfds = { .kept = ALL };
	const struct manner *how = &variant->how;

	self->attacker.how = how;
	ASSERT_TRUE(measure(&self->attacker, &wheels));
	print("wheels", &wheels);
	if (!uses_words(how)) {
		self->attacker.timerfds = true;
		ASSERT_TRUE(measure(&self->attacker, &timerfds));
		print("timerfds", &timerfds);
	}
	EXPECT_LE(required(how, &wheels, &timerfds), wheels.kept);
}

TEST_HARNESS_MAIN
