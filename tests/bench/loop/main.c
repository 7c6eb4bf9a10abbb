// SPDX-License-Identifier: GPL-2.0
/*
 * bench-loop MACHINE: measure the expiry latency of timers in an event loop, and the number of
 * wake-ups while none is due. Prints CSV with the columns bench, measure, timers,
 * implementation, unit and sample, and one line per expired timer. MACHINE is a label for the
 * machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contestant.h"

#define NS		1000000000ULL
#define LEAD		(NS / 10)
#define SPREAD		(2 * NS)
#define FAR		(3600 * NS)
#define IDLE		(2 * NS)
#define EVENTS		64

static const struct contestant *const contestants[] = {
	&wheel, &timerfds, &field,
};

static const struct contestant *c;
static const char *machine;
static __u64 deadlines[TIMERS];
static __u32 pending;

void die(const char *what, int err)
{
	fprintf(stderr, "bench-loop: %s: %s\n", what, strerror(err));
	exit(EXIT_FAILURE);
}

__u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * NS + (__u64)time.tv_nsec;
}

static void print(const char *measure, const char *unit, double sample)
{
	printf("loop,\"%s, %s\",%d,%s,%s,%.3f\n", measure, machine, TIMERS, c->name,
	       unit, sample);
}

void fired(__u32 timer)
{
	__u64 time = now();

	if (time < deadlines[timer])
		die("a timer was early", 0);
	print("lateness", "us", (double)(time - deadlines[timer]) / 1000);
	pending--;
}

/* Wait for one wake-up. Returns 0 if @until was reached without an event. */
static int turn(int epoll, __u64 until)
{
	struct epoll_event events[EVENTS];
	__u64 time = now();
	int left = until > time ? (int)((until - time) / 1000000) + 1 : 0;
	int timeout = c->every_ms >= 0 && c->every_ms < left ? c->every_ms : left;
	int n = epoll_wait(epoll, events, EVENTS, timeout);
	int i;

	if (n < 0)
		die("epoll_wait", errno);
	for (i = 0; i < n; i++)
		c->take(events[i].data.u32);
	if (!n && c->every_ms >= 0)
		c->take(0);
	return n || now() < until;
}

static void arm(__u64 base, __u64 spread)
{
	__u32 i;

	for (i = 0; i < TIMERS; i++) {
		deadlines[i] = base + spread / TIMERS * i +
			       (__u64)rand() % (spread / TIMERS);
		c->arm(i, deadlines[i]);
	}
	pending = TIMERS;
}

static void measure_lateness(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	c->open(epoll);
	arm(now() + LEAD, SPREAD);
	while (pending)
		turn(epoll, now() + FAR);
}

static void measure_silence(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	__u64 until;
	unsigned int wakeups = 0;

	c->open(epoll);
	arm(now() + FAR, SPREAD);
	until = now() + IDLE;
	while (turn(epoll, until))
		wakeups++;
	print("wake-ups in 2 s", "wake-ups", wakeups);
}

/* Measure in a child process, whose resources are released at its exit. */
static void apart(void (*measure)(void))
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		measure();
		exit(EXIT_SUCCESS);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die(c->name, ECHILD);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: bench-loop MACHINE\n");
		return 2;
	}
	machine = argv[1];
	for (i = 0; i < sizeof(contestants) / sizeof(*contestants); i++) {
		c = contestants[i];
		apart(measure_lateness);
		apart(measure_silence);
	}
	return 0;
}
