// SPDX-License-Identifier: MIT
/*
 * workers REQUESTS WORKERS: one wheel for the processes of a pre-forked server.
 *
 *	cc -O2 workers.c -o workers
 *
 * The parent opens /dev/wheel, and the workers inherit it. Each arms the timeouts of its requests.
 * The slot of a timer is the number of the request, and its cookie the worker that armed it. Any
 * worker takes the events, and each event is taken by one worker. The first worker is killed while
 * half of its requests are pending: the others take its timeouts.
 *
 * A wheel of libwheel belongs to one process, so this program uses the system calls of wheel(4).
 * libwheel's user backend cannot do this, because its wheel is in the memory of the process.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/wheel_timer.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_WORKERS	256
#define BATCH		64
#define MS		1000000ULL

/**
 * struct shared - memory of all workers
 * @pending: number of requests that have not ended
 * @completed: number of requests that received a response
 * @expired: number of requests that timed out
 * @inherited: number of these whose timeout was armed by another worker
 * @ended: one byte per request: number of times that it ended
 */
struct shared {
	unsigned int pending;
	unsigned int completed;
	unsigned int expired;
	unsigned int inherited;
	unsigned char ended[];
};

static struct shared *shared;
static unsigned int requests;
static int wheel;

static void die(const char *what)
{
	fprintf(stderr, "workers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void fail(const char *what, int err)
{
	errno = err;
	die(what);
}

/* Expire no more timers. When all events are taken, read() fails in all workers. */
static void stop(void)
{
	struct wheel_stop stop = { .size = sizeof(stop) };

	if (ioctl(wheel, WHEEL_IOC_STOP, &stop))
		die("stop");
}

/* A request has ended. The last one stops the wheel. */
static void end(unsigned int request, unsigned int *outcome)
{
	if (__atomic_fetch_add(&shared->ended[request], 1, __ATOMIC_RELAXED))
		fail("a request ended twice", EPROTO);
	__atomic_fetch_add(outcome, 1, __ATOMIC_RELAXED);
	if (!__atomic_sub_fetch(&shared->pending, 1, __ATOMIC_ACQ_REL))
		stop();
}

/* Execute up to BATCH operations with one system call. */
static void submit(struct wheel_op *ops, unsigned int count)
{
	struct wheel_submit submit = {
		.size = sizeof(submit), .ops = (uintptr_t)ops, .op_size = sizeof(*ops),
		.count = count,
	};

	if (ioctl(wheel, WHEEL_IOC_SUBMIT, &submit))
		die("submit");
}

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * 1000 * MS + (__u64)time.tv_nsec;
}

/* Send requests, each with a timeout. */
static void begin(unsigned int from, unsigned int count, unsigned int worker, unsigned int *seed)
{
	struct wheel_op ops[BATCH] = { 0 };
	unsigned int i;

	for (i = 0; i < count; i++) {
		ops[i].op = WHEEL_OP_ARM;
		ops[i].id = WHEEL_ID(from + i, 1);
		ops[i].when = now() + (rand_r(seed) % 20 + 100) * MS;
		ops[i].cookie = worker;
	}
	submit(ops, count);
	for (i = 0; i < count; i++)
		if (ops[i].res)
			fail("arm", -ops[i].res);
}

/* The responses to every second request arrive. Some may be too late. */
static void complete(unsigned int from, unsigned int count)
{
	struct wheel_op ops[BATCH] = { 0 };
	unsigned int i, n = 0;

	for (i = 0; i < count; i += 2) {
		ops[n].op = WHEEL_OP_CANCEL;
		ops[n++].id = WHEEL_ID(from + i, 1);
	}
	submit(ops, n);
	for (i = 0; i < n; i++)
		if (!ops[i].res)
			end(ops[i].id & WHEEL_SLOT_MASK, &shared->completed);
}

/* Take the events of any worker's timers, until the wheel is stopped. */
static void take(unsigned int worker)
{
	struct wheel_event events[BATCH];
	ssize_t size;
	size_t i;

	while ((size = read(wheel, events, sizeof(events))) > 0 || (size < 0 && errno == EINTR)) {
		for (i = 0; size > 0 && i < size / sizeof(*events); i++) {
			if (events[i].cookie != worker)
				__atomic_fetch_add(&shared->inherited, 1, __ATOMIC_RELAXED);
			end(events[i].id & WHEEL_SLOT_MASK, &shared->expired);
		}
	}
	if (errno != ESHUTDOWN)
		die("read");
}

static void work(unsigned int worker, unsigned int from, unsigned int to)
{
	unsigned int seed = worker + 1, count;

	for (; from < to; from += count) {
		count = to - from < BATCH ? to - from : BATCH;
		begin(from, count, worker, &seed);
		complete(from, count);
	}
	if (!worker)
		raise(SIGKILL);
	take(worker);
	exit(0);
}

/* Wait for all workers. If one fails, the others must not wait for its requests. */
static int join(pid_t first)
{
	int status, failed = 0;
	pid_t pid;

	while ((pid = wait(&status)) > 0) {
		if (pid == first ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL :
				   WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		stop();
		failed = 1;
	}
	return failed;
}

static void explain(void)
{
	fprintf(stderr,
		"usage: workers REQUESTS WORKERS\n"
		"Sends REQUESTS requests from WORKERS processes with one /dev/wheel. Half of them\n"
		"receive a response. The first worker is killed, and the others take its timeouts:\n"
		"	workers 10000 4\n");
	exit(2);
}

/* A number from @least to @most, and nothing else. */
static unsigned int number(const char *text, unsigned int least, unsigned int most)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n < least || n > most)
		explain();
	return n;
}

static void open_wheel(void)
{
	struct wheel_setup setup = {
		.size = sizeof(setup), .scheme = WHEEL_HIERARCHICAL, .timers = requests,
	};

	wheel = open("/dev/wheel", O_RDWR | O_CLOEXEC);
	if (wheel < 0)
		die("/dev/wheel");
	if (ioctl(wheel, WHEEL_IOC_SETUP, &setup))
		die("setup");
	shared = mmap(NULL, sizeof(*shared) + requests, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	shared->pending = requests;
}

int main(int argc, char **argv)
{
	unsigned int workers, i;
	pid_t pid, first = 0;

	if (argc != 3)
		explain();
	requests = number(argv[1], 2, WHEEL_MAX_TIMERS);
	workers = number(argv[2], 2, MOST_WORKERS);
	open_wheel();
	for (i = 0; i < workers; i++) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid)
			work(i, (__u64)requests * i / workers, (__u64)requests * (i + 1) / workers);
		first = i ? first : pid;
	}
	if (join(first))
		return 1;
	if (shared->pending || shared->completed + shared->expired != requests)
		fail("a request did not end", EPROTO);
	printf("requests %u completed %u expired %u taken by another %u\n", requests,
	       shared->completed, shared->expired, shared->inherited);
	if (fflush(stdout))
		die("stdout");
	return 0;
}
