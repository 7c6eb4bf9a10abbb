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
 * all costs: each of up to 16,384 timeouts is started, postponed ten times, and expires. Per
 * postponement.
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

/* Timers are started in groups, ten milliseconds apart, with deadlines a millisecond apart. */
#define GROUPS		400
#define DEADLINES	10
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

static void open_timers(__u32 n)
{
	if (c && c->has_words)
		words_open(c->backend, c->scheme, n);
	else if (c)
		c->open(n, WITH_WAIT);
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

	c->open(1, WITH_WAIT | with);
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

	c->open(1, WITH_WAIT);
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

/* Start or postpone each timer. */
static void busy_period(void (*set)(__u32 from, __u32 n, __u64 deadline))
{
	const __u32 all = GROUPS * DEADLINES;
	__u64 time = now(), wakes = 0;
	__u32 i;

	for (i = 0; i < all; i++) {
		__u32 from = (__u64)count * i / all, to = (__u64)count * (i + 1) / all;

		/* A round of slow implementations takes longer. */
		set(from, to - from, now() + IDLE_NS + i % DEADLINES * MS);
		if (i % DEADLINES != DEADLINES - 1)
			continue;
		time += SLICE_NS;
		if (loop(time, &wakes))
			die("a timer expired early");
	}
}

static void time_idle(const char *operation, const char *wake_ups)
{
	const __u64 seconds = IDLE_NS / NSEC;
	__u64 wakes = 0;

	begin();
	if (loop(time_at + IDLE_NS, &wakes))
		die("a timer expired early");
	print(operation, "instructions/s", (double)busy_since() / seconds);
	/* The last one is the end of the measurement. */
	print(wake_ups, "per second", (double)(wakes - 1) / seconds);
}

static void measure_idle(void)
{
	open_timers(count);
	busy_period(arm);
	busy_period(postpone);
	cancel(0, count);
	time_idle("idle, cancelled", "idle, cancelled, wake-ups");
	busy_period(arm);
	busy_period(postpone);
	postpone(0, count, now() + FAR_NS);
	time_idle("idle, postponed", "idle, postponed, wake-ups");
	close_timers();
}

static void one_life(__u32 used)
{
	__u64 time = now(), wakes = 0;
	__u32 expired = 0;
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
	__u32 used = least(count, MOST_WINDOW);

	open_timers(used);
	one_life(used);
	begin();
	one_life(used);
	print("all costs", "instructions", (double)busy_since() / used / POSTPONEMENTS);
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
	/* Files of the previous implementation are freed asynchronously: wait for that. */
	memory_free();
	wait_quiet();
	if (c)
		measure_sleeps("sleep", 0);
	if (c && c->take_ring)
		measure_sleeps("sleep, ring", WITH_RING);
	if (c && c->repeat)
		measure_periods();
	if (c == &uring)
		return;
	measure_idle();
	measure_all_costs();
}
