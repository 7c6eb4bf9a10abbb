// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the work of the whole machine while a program sleeps in its event loop: elapsed time
 * minus idle time. One instruction takes one nanosecond. This includes system calls, interrupts,
 * switches to and from the idle task, and the periodic work of the kernel, which the floor shows
 * alone.
 *
 * sleep: arm a timer, sleep until it expires, and take it.
 *
 * periodic: the same without arming, if the implementation has periodic timers.
 *
 * idle: for eight seconds, timers were started with a timeout of five seconds, and postponed. Then
 * all are postponed by an hour, or cancelled. The program sleeps while their old deadlines pass, in
 * the next five seconds. Per second.
 *
 * all costs: a timeout is started, postponed ten times, and expires. Per postponement.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "contestant.h"
#include "machine.h"
#include "words.h"

#define MS		1000000ULL
#define FAR_NS		(3000 * NSEC)

#define SLEEPS		50
#define SLEEP_NS	(20 * MS)

/* One group of timers is started per millisecond. */
#define GROUPS		4000
/* Their timeout, which is also the time of the measurement. */
#define IDLE_NS		(5 * NSEC)

#define POSTPONEMENTS	10
#define TIMEOUT_NS	NSEC
/* The program calls its timers at such intervals. A postponement follows after several of them. */
#define SLICE_NS	(10 * MS)
#define SLICES		9

static const struct contestant *c;
static __u32 count;
static __u32 *timers;
static __u64 deadlines[MOST_BATCH];

static __u64 idle_at;
static __u64 time_at;

static void begin(void)
{
	idle_at = idle_ns();
	time_at = now();
}

/* Returns the time since begin() in which the processor was not idle. */
static __u64 busy_since(void)
{
	__u64 ns = now() - time_at;

	return ns - (idle_ns() - idle_at);
}

static void print(const char *operation, const char *unit, double sample)
{
	printf("%s,\"%s\",%u,%s,%s,%.3f\n", mode, operation, count, c ? c->name : "floor", unit,
	       sample);
}

static void open_timers(void)
{
	if (c && c->has_words)
		words_open(c->backend, c->scheme, count);
	else if (c)
		c->open(count, WITH_WAIT);
}

static void close_timers(void)
{
	if (c && c->has_words)
		words_close();
	else if (c)
		c->close();
}

static void call(void (*set)(const __u32 *timers, const __u64 *deadlines, __u32 n, __u32 batch),
		 __u32 from, __u32 n, __u64 deadline)
{
	__u32 i, some;

	for (; n; n -= some, from += some) {
		some = least(n, MOST_BATCH);
		for (i = 0; i < some; i++)
			deadlines[i] = deadline;
		set(timers + from, deadlines, some, 256);
	}
}

static void arm(__u32 from, __u32 n, __u64 deadline)
{
	if (c && c->has_words)
		words_arm(timers + from, n, deadline);
	else if (c)
		call(c->arm, from, n, deadline);
}

static void postpone(__u32 from, __u32 n, __u64 deadline)
{
	if (c && c->has_words)
		words_push(timers + from, n, deadline);
	else if (c)
		call(c->rearm, from, n, deadline);
}

static void cancel(__u32 from, __u32 n)
{
	if (c && c->has_words)
		words_park(timers + from, n);
	else if (c)
		c->cancel(timers + from, n, 256);
}

/* One turn of the event loop. Returns the number of expired timers. */
static __u32 turn(__u64 until)
{
	struct timespec time = timespec_of(until);

	if (c && c->has_words)
		return words_sleep(until);
	if (c)
		return c->wait(until);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	return 0;
}

/* Run the event loop until @until. Returns the number of expired timers. */
static __u32 loop(__u64 until, __u64 *wakes)
{
	__u32 expired = 0;

	for (; now() < until; ++*wakes)
		expired += turn(until);
	return expired;
}

static void one_sleep(void)
{
	__u64 deadline = (now() + SLEEP_NS) / MS * MS;

	c->arm(timers, &deadline, 1, 1);
	while (!c->wait(NEVER))
		;
}

/* In a row, because the state of the machine after other work differs. */
static void measure_sleeps(const char *operation, unsigned int with)
{
	int i;

	c->open(count, WITH_WAIT | with);
	for (i = 0; i < 3; i++)
		one_sleep();
	begin();
	for (i = 0; i < SLEEPS; i++)
		one_sleep();
	print(operation, "instructions", (double)busy_since() / SLEEPS);
	c->close();
}

static void measure_periods(void)
{
	__u32 taken = 0;

	c->open(count, WITH_WAIT);
	c->repeat(0, SLEEP_NS);
	while (taken < 3)
		taken += c->wait(NEVER);
	taken = 0;
	begin();
	while (taken < SLEEPS)
		taken += c->wait(NEVER);
	print("periodic", "instructions", (double)busy_since() / SLEEPS);
	c->close();
}

/* Start or postpone each timer, a group per millisecond. */
static void busy_period(void (*set)(__u32 from, __u32 n, __u64 deadline))
{
	__u64 time = now(), wakes = 0;
	__u32 i;

	for (i = 0; i < GROUPS; i++) {
		__u32 from = (__u64)count * i / GROUPS, to = (__u64)count * (i + 1) / GROUPS;

		/* A round of slow implementations takes longer than a millisecond. */
		set(from, to - from, now() + IDLE_NS);
		time += MS;
		if (loop(time, &wakes))
			die("a timer expired early");
	}
}

static void measure_idle(bool cancelled)
{
	__u64 wakes = 0;
	const __u64 seconds = IDLE_NS / NSEC;

	open_timers();
	busy_period(arm);
	busy_period(postpone);
	if (cancelled)
		cancel(0, count);
	else
		postpone(0, count, now() + FAR_NS);
	begin();
	if (loop(time_at + IDLE_NS, &wakes))
		die("a timer expired early");
	print(cancelled ? "idle, cancelled" : "idle, postponed", "instructions/s",
	      (double)busy_since() / seconds);
	/* The last one is the end of the measurement. */
	print(cancelled ? "idle, cancelled, wake-ups" : "idle, postponed, wake-ups", "per second",
	      (double)(wakes - 1) / seconds);
	close_timers();
}

static void one_life(void)
{
	__u64 time = now(), wakes = 0;
	__u32 used = least(count, MOST_WINDOW), expired = 0;
	int i, slice;

	for (i = 0; i <= POSTPONEMENTS; i++)
		for (slice = 0; slice < SLICES; slice++) {
			__u32 from = used * slice / SLICES, to = used * (slice + 1) / SLICES;

			if (i)
				postpone(from, to - from, time + TIMEOUT_NS);
			else
				arm(from, to - from, time + TIMEOUT_NS);
			time += SLICE_NS;
			expired += loop(time, &wakes);
		}
	expired += loop(time + TIMEOUT_NS + SLICE_NS, &wakes);
	if (c && expired != used)
		die("not each timeout has expired once");
}

static void measure_all_costs(void)
{
	open_timers();
	one_life();
	begin();
	one_life();
	print("all costs", "instructions",
	      (double)busy_since() / least(count, MOST_WINDOW) / POSTPONEMENTS);
	close_timers();
}

void measure_sleep(const struct contestant *contestant, __u32 n)
{
	__u32 i;

	c = contestant;
	count = n;
	timers = allocate(count * sizeof(*timers));
	for (i = 0; i < count; i++)
		timers[i] = i;
	wait_quiet();
	if (c)
		measure_sleeps("sleep", 0);
	if (c && c->take_ring)
		measure_sleeps("sleep, ring", WITH_RING);
	if (c && c->repeat)
		measure_periods();
	if (c == &uring)
		return;
	measure_idle(false);
	measure_idle(true);
	measure_all_costs();
}
