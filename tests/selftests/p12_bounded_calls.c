// SPDX-License-Identifier: GPL-2.0
/*
 * P12, calls of others: a program cannot make another task process its timers.
 *
 * An attacker creates a file with more due timers than a CPU can expire. Each call that touches
 * the file, or a mapping of it, returns after a constant amount of CPU time. CPU time is exact
 * only in a guest that counts instructions as time: tests/vm/suites/owner.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define NOBODY		65534
#define TIMERS		65536
#define EVENTS		(1 << 18)
#define CALLS		20
#define LIMIT		WT_MS
/* A call that finds no event ends after 1 ms and the current step. */
#define SEARCH_LIMIT	(WT_MS + 100 * WT_US)
/* A killed task completes the current step of its pass first. */
#define KILL_LIMIT	(10 * WT_MS)
/* A killed task frees the memory that SETUP has allocated, up to 84 MB. */
#define FREE_LIMIT	(10 * WT_MS)
/* A call that takes longer counts as hanging. */
#define HANGS		(2 * WT_SEC)
#define MANY		(1 << 20)
/* Almost the default maximum of a process. */
#define MAPPINGS	65000

/**
 * struct calls - shared between the caller and the test
 * @number: calls that returned
 * @worst: maximum CPU time of a call
 * @failed: a call failed
 */
struct calls {
	__u32 number;
	__u64 worst;
	bool failed;
};

FIXTURE(hostile) {
	pid_t attacker;
	int fd;
	struct calls *calls;
};

static __u64 cpu_time(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : ts.tv_sec * WT_SEC + ts.tv_nsec;
}

static __u64 my_time(void)
{
	return cpu_time(CLOCK_THREAD_CPUTIME_ID);
}

/* All timers are due in each tick, and the ring always has room. */
static void attack(int ready)
{
	const struct wheel_setup setup = {
		.scheme = WHEEL_HIERARCHICAL, .tick_ns = WHEEL_MIN_TICK_NS, .timers = TIMERS,
		.events = EVENTS,
	};
	struct wheel_op often = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), 0);
	struct wt_loop loop;

	often.period = WHEEL_MIN_TICK_NS;
	if (!wt_become(NOBODY) || !wt_loop_open(&loop, &setup) ||
	    wt_arm_like(loop.ring.fd, TIMERS, often))
		_exit(1);
	if (write(ready, &loop.ring.fd, sizeof(int)) != sizeof(int))
		_exit(1);
	for (;;) {
		wt_let_pass(WT_MS);
		wt_loop_take(&loop, wt_loop_ready(&loop));
	}
}

/* Start the attacker and receive its file. */
static int receive(pid_t *attacker)
{
	int ready[2], pidfd, theirs = -1, fd;

	if (pipe(ready))
		return -1;
	*attacker = fork();
	if (!*attacker)
		attack(ready[1]);
	close(ready[1]);
	if (read(ready[0], &theirs, sizeof(theirs)) != sizeof(theirs))
		return -1;
	close(ready[0]);
	pidfd = syscall(SYS_pidfd_open, *attacker, 0);
	fd = syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	close(pidfd);
	return fd;
}

FIXTURE_SETUP(hostile)
{
	self->calls = mmap(NULL, sizeof(*self->calls), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->calls);
	self->fd = receive(&self->attacker);
	ASSERT_LE(0, self->fd);
	/* By then, the file is deferred and causes no more interrupts. */
	wt_let_pass(100 * WT_MS);
}

FIXTURE_TEARDOWN(hostile)
{
	if (self->attacker > 0 && !kill(self->attacker, SIGKILL))
		wt_end_of(self->attacker);
}

/* Returns true if the process ends within @ns. Otherwise it is killed. */
static bool ends_within(pid_t pid, __u64 ns)
{
	__u64 end = wt_now(WHEEL_CLOCK_MONOTONIC) + ns;
	siginfo_t info = {};

	do {
		wt_let_pass(WT_MS);
		waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT);
	} while (!info.si_pid && wt_now(WHEEL_CLOCK_MONOTONIC) < end);
	if (!info.si_pid)
		kill(pid, SIGKILL);
	wt_end_of(pid);
	return info.si_pid;
}

/* Make the calls in another process, because a call may hang. */
static void call(struct calls *calls, bool (*function)(int fd), int fd)
{
	pid_t pid = fork();
	__u64 begun, took;

	if (pid) {
		ends_within(pid, HANGS);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (calls->number < CALLS) {
		begun = my_time();
		calls->failed |= !function(fd);
		took = my_time() - begun;
		if (took > calls->worst)
			calls->worst = took;
		calls->number++;
		wt_let_pass(WT_MS);
	}
	_exit(0);
}

#define EXPECT_BOUNDED(calls) do { \
	TH_LOG("%u of %u calls returned, each after at most %llu us", (calls)->number, \
	       CALLS, (calls)->worst / WT_US); \
	EXPECT_EQ(CALLS, (calls)->number); \
	EXPECT_FALSE((calls)->failed); \
	EXPECT_GE(LIMIT, (calls)->worst); \
} while (0)

static bool poll_it(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) >= 0;
}

WT_TEST(hostile, p12_poll_of_a_received_file)
{
	call(self->calls, poll_it, self->fd);
	EXPECT_BOUNDED(self->calls);
}

/* The second call polls the file while it holds a system-wide mutex. */
static bool watch_it(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int inner = epoll_create1(0), outer = epoll_create1(0);
	bool added = !epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event) &&
		     !epoll_ctl(inner, EPOLL_CTL_ADD, fd, &event);

	close(outer);
	close(inner);
	return added;
}

WT_TEST(hostile, p12_epoll_of_a_received_file)
{
	call(self->calls, watch_it, self->fd);
	EXPECT_BOUNDED(self->calls);
}

static bool aio_poll(int fd)
{
	struct iocb cb = {
		.aio_fildes = fd, .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN,
	};
	struct timespec timeout = { .tv_nsec = 10 * WT_MS };
	struct iocb *cbs = &cb;
	struct io_event event;
	aio_context_t context = 0;
	bool submitted;

	if (syscall(SYS_io_setup, 1, &context))
		return false;
	submitted = syscall(SYS_io_submit, context, 1, &cbs) == 1;
	syscall(SYS_io_getevents, context, 1, 1, &event, &timeout);
	syscall(SYS_io_destroy, context);
	return submitted;
}

/* CPU time of a kernel worker, or 0 for other processes. */
static __u64 worker_time(const char *pid)
{
	char path[300], comm[32] = "";
	__u64 ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = 0;
	fclose(f);
	if (strncmp(comm, "kworker", 7))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	fclose(f);
	return ns;
}

static __u64 workers_time(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	__u64 sum = 0;

	while (proc && (entry = readdir(proc)))
		sum += worker_time(entry->d_name);
	closedir(proc);
	return sum;
}

WT_TEST(hostile, p12_aio_poll_of_a_received_file)
{
	__u64 before = workers_time(), workers;

	ASSERT_LT(0, before);
	call(self->calls, aio_poll, self->fd);
	workers = workers_time() - before;
	TH_LOG("kernel workers used %llu us in total", workers / WT_US);
	EXPECT_BOUNDED(self->calls);
	EXPECT_GE(CALLS * LIMIT, workers);
}

/* CPU time that a child used since its clock was at @since, until it ended. */
static __u64 time_to_end(pid_t pid, __u64 since)
{
	struct rusage usage;

	if (wait4(pid, NULL, 0, &usage) != pid)
		return HANGS;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * WT_SEC +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * WT_US - since;
}

static bool enter_it(int fd)
{
	struct wheel_enter enter;

	return !wt_enter(fd, 0, 0, &enter);
}

/*
 * A real-time task kills a process @after it has begun to call @function repeatedly. Returns the
 * CPU time that the process needed to end.
 */
static __u64 time_to_die(bool (*function)(int fd), int fd, __u64 after)
{
	const struct sched_param normal = {}, realtime = { .sched_priority = 1 };
	__u64 since, wake;
	clockid_t clock;
	pid_t pid;

	pid = fork();
	if (!pid)
		for (;;)
			function(fd);
	if (sched_setscheduler(0, SCHED_FIFO, &realtime))
		return HANGS;
	wake = wt_now(WHEEL_CLOCK_MONOTONIC) + after;
	wt_sleep_until(wake);
	if (clock_getcpuclockid(pid, &clock))
		return HANGS;
	/* The process ran while this task was late. */
	since = cpu_time(clock) - (wt_now(WHEEL_CLOCK_MONOTONIC) - wake);
	kill(pid, SIGKILL);
	since = time_to_end(pid, since);
	return sched_setscheduler(0, SCHED_OTHER, &normal) ? HANGS : since;
}

WT_TEST(hostile, p12_killed_in_a_pass)
{
	__u64 worst = 0, took;
	int i;

	for (i = 0; i < CALLS; i++) {
		took = time_to_die(enter_it, self->fd, 5 * WT_MS + i * 100 * WT_US);
		if (took > worst)
			worst = took;
	}
	TH_LOG("the owner ended after at most %llu us", worst / WT_US);
	EXPECT_GE(KILL_LIMIT, worst);
}

static struct wheel_event *unread;

static bool read_all(int fd)
{
	return read(fd, unread, MANY * sizeof(*unread)) > 0;
}

/* A task is killed while it reads a million events with one call. */
TEST(p12_killed_in_a_read)
{
	int fd = wt_open_virtual(MANY, WT_MS);
	const size_t size = MANY * sizeof(*unread);
	struct wheel_stats stats;
	__u64 took;

	ASSERT_LE(0, fd);
	unread = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, unread);
	ASSERT_EQ(0, wt_arm_many(fd, MANY, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(fd, WT_MS, NULL));
	took = time_to_die(read_all, fd, 20 * WT_MS);
	ASSERT_EQ(0, wt_stats(fd, &stats));
	TH_LOG("the reader ended after %llu us and left %llu events", took / WT_US, stats.unread);
	EXPECT_LT(0, stats.unread);
	EXPECT_GT(MANY, stats.unread);
	EXPECT_GE(KILL_LIMIT, took);
	munmap(unread, size);
	close(fd);
}

/*
 * A received file, whose owner has moved all timers by their words when they are due. A read()
 * finds no event. It searches for 1 ms, and the next one continues.
 */
TEST(p12_read_of_moved_words)
{
	struct wheel_op word = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), 0);
	const struct wheel_setup setup = { .timers = MANY / 8, .flags = WHEEL_SETUP_WORDS };
	__u64 begun, took, worst = 0;
	struct wheel_event event;
	struct wheel_stats stats;
	struct wt_areas areas;
	int calls = 0;
	__u32 i;

	ASSERT_TRUE(wt_areas_open(&areas, &setup));
	word.flags = WHEEL_OP_WORD;
	word.when = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_SEC;
	ASSERT_EQ(0, wt_arm_like(areas.fd, setup.timers, word));
	for (i = 0; i < setup.timers; i++)
		ASSERT_TRUE(wt_push(&areas.words[i], word.when + WT_HOUR));
	ASSERT_EQ(POLLIN, wt_wait(areas.fd));
	do {
		begun = my_time();
		ASSERT_EQ(-EAGAIN, wt_read(areas.fd, &event, 1));
		took = my_time() - begun;
		if (took > worst)
			worst = took;
		calls++;
		ASSERT_EQ(0, wt_stats(areas.fd, &stats));
	} while (stats.requeued < setup.timers);
	TH_LOG("%d calls for %u timers, each at most %llu us", calls, setup.timers, worst / WT_US);
	EXPECT_LE(WT_MS, worst);
	EXPECT_GE(SEARCH_LIMIT, worst);
	EXPECT_EQ(0, stats.fired);
	wt_areas_close(&areas);
}

/* Configure and close a file of the greatest size. */
static bool set_up(int fd)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .timers = WHEEL_MAX_TIMERS,
		.buckets = WHEEL_MAX_BUCKETS, .events = WHEEL_MAX_EVENTS,
	};

	fd = wt_open_setup(0, &setup);
	return fd >= 0 && !close(fd);
}

/* A task is killed at any time of SETUP or close. */
TEST(p12_killed_in_a_setup)
{
	__u64 begun = my_time(), whole, worst = 0, took;
	int i;

	ASSERT_TRUE(set_up(-1));
	whole = my_time() - begun;
	for (i = 0; i < CALLS; i++) {
		took = time_to_die(set_up, -1, WT_MS + i * whole / CALLS);
		if (took > worst)
			worst = took;
	}
	TH_LOG("SETUP and close take %llu us; killed, at most %llu us", whole / WT_US,
	       worst / WT_US);
	EXPECT_LT(2 * FREE_LIMIT, whole);
	EXPECT_GE(FREE_LIMIT, worst);
}

FIXTURE(mapped) {
	int fd;
	int memory;
	size_t size;
	struct calls *calls;
};

/* A million timers with words, and plain memory of the same size as their doorbells. */
FIXTURE_SETUP(mapped)
{
	struct wheel_setup setup = {
		.scheme = WHEEL_HIERARCHICAL, .timers = MANY, .flags = WHEEL_SETUP_WORDS,
	};
	struct wheel_op word = wt_op(WHEEL_OP_ARM, WHEEL_ID(0, 1), 0);

	word.flags = WHEEL_OP_WORD;
	self->size = MANY / 8;
	self->memory = memfd_create("memory", 0);
	ASSERT_LE(0, self->memory);
	ASSERT_EQ(0, ftruncate(self->memory, self->size));
	self->fd = wt_open_setup(0, &setup);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, wt_arm_like(self->fd, MANY, word));
}

FIXTURE_TEARDOWN(mapped)
{
	close(self->fd);
	close(self->memory);
}

static char *map_bells(int fd, size_t size, bool wheel)
{
	return wt_map_at(fd, size, PROT_READ | PROT_WRITE, wheel ? WHEEL_OFF_BELLS : 0);
}

WT_TEST(mapped, p12_munmap_of_one_page)
{
	char *bells = map_bells(self->fd, self->size, true);
	__u64 begun, took;

	ASSERT_NE(NULL, bells);
	memset(bells, 0, self->size);
	begun = my_time();
	ASSERT_EQ(0, munmap(bells, wt_page()));
	took = my_time() - begun;
	TH_LOG("munmap() took %llu us", took / WT_US);
	EXPECT_GE(LIMIT, took);
}

/* CPU time that a process with many mappings needs to exit, after @signal if that is not 0. */
static __u64 exit_time(int fd, size_t size, bool wheel, int signal)
{
	__u64 begun = 0;
	int pipes[2], i;
	pid_t pid;

	if (pipe(pipes))
		return HANGS;
	pid = fork();
	if (!pid) {
		for (i = 0; i < MAPPINGS; i++) {
			char *map = map_bells(fd, size, wheel);

			if (!map)
				_exit(1);
			*map = 0;
		}
		begun = cpu_time(CLOCK_PROCESS_CPUTIME_ID);
		if (write(pipes[1], &begun, sizeof(begun)) != sizeof(begun))
			_exit(1);
		if (signal)
			pause();
		_exit(0);
	}
	if (read(pipes[0], &begun, sizeof(begun)) != sizeof(begun))
		return HANGS;
	close(pipes[0]);
	close(pipes[1]);
	if (signal)
		kill(pid, signal);
	return time_to_end(pid, begun);
}

WT_TEST(mapped, p12_exit_with_65000_mappings)
{
	static const int signals[] = { 0, SIGKILL };
	int i;

	for (i = 0; i < 2; i++) {
		__u64 plain = exit_time(self->memory, self->size, false, signals[i]);
		__u64 wheel = exit_time(self->fd, self->size, true, signals[i]);

		TH_LOG("exit: %llu us, with plain memory %llu us", wheel / WT_US, plain / WT_US);
		EXPECT_GE(plain + KILL_LIMIT, wheel);
	}
}

static bool stop_it(int fd)
{
	__u64 unfired;

	return !wt_stop(fd, &unfired);
}

/* A task is killed while another one of lower priority stops the same wheel, which takes long. */
WT_TEST(mapped, p12_killed_beside_a_stop)
{
	const struct sched_param param = { .sched_priority = 1 };
	pid_t stops, waits;
	__u64 killed, took;

	stops = fork();
	if (!stops)
		_exit(!stop_it(self->fd));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &param));
	wt_sleep_until(wt_now(WHEEL_CLOCK_MONOTONIC) + 10 * WT_MS);
	waits = fork();
	if (!waits)
		_exit(!stop_it(self->fd));
	wt_sleep_until(wt_now(WHEEL_CLOCK_MONOTONIC) + WT_MS);
	killed = wt_now(WHEEL_CLOCK_MONOTONIC);
	kill(waits, SIGKILL);
	EXPECT_EQ(-SIGKILL, wt_end_of(waits));
	took = wt_now(WHEEL_CLOCK_MONOTONIC) - killed;
	EXPECT_EQ(0, wt_end_of(stops));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){}));
	TH_LOG("the waiting task ended after %llu us, the other %llu us later", took / WT_US,
	       (wt_now(WHEEL_CLOCK_MONOTONIC) - killed - took) / WT_US);
	EXPECT_GE(LIMIT, took);
}

TEST_HARNESS_MAIN
