// SPDX-License-Identifier: GPL-2.0
/*
 * The timeouts of a server in one thread: each request postpones the timeout of its connection by
 * ten minutes, starts one of a second, and stops it when the reply is sent. 64 requests are handled
 * per wait. Connections are random, so that most start a timeout that was stopped more than a
 * second ago. Two sets of libwheel, with and without LIBWHEEL_ONE_THREAD, and two structures that
 * the program would have instead: a lazy heap and a lazy ring. The clock is simulated, and the
 * program waits if a timer has woken it up. Under callgrind the instructions per request, without
 * those of system calls; otherwise the wake-ups per 1000 requests.
 */
#include <errno.h>
#include <libwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <valgrind/callgrind.h>

#include "../../splitmix64.h"
#include "../lazy.h"

#define MS		1000000ULL
#define SECOND		1000000000ULL
#define IDLE		(600 * SECOND)
#define LIMIT		SECOND
#define CONNECTIONS	20000U
#define TIMERS		(2 * CONNECTIONS)
#define WINDOW		64
#define WINDOWS		400

static uint64_t now = SECOND;
static uint64_t wakeup;

/* These two replace the functions of the C library. */

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = now / SECOND, .tv_nsec = now % SECOND };
	return 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	(void)fd;
	(void)flags;
	(void)old;
	wakeup = new->it_value.tv_sec * SECOND + new->it_value.tv_nsec;
	wakeup = wakeup ? wakeup : UINT64_MAX;
	return 0;
}

static void need(int condition)
{
	if (!condition)
		abort();
}

/* libwheel */

static struct libwheel_timeouts *set;

static void open_set(uint32_t mode)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = mode,
	};

	wakeup = UINT64_MAX;
	need(!libwheel_timeout_open(&set, TIMERS, &options));
}

static void open_shared(void)
{
	open_set(0);
}

static void open_private(void)
{
	open_set(LIBWHEEL_ONE_THREAD);
}

static void start_timeout(uint32_t timer, uint64_t delay)
{
	struct libwheel_time deadline = libwheel_time_after((struct libwheel_time){ now }, delay);

	need(!libwheel_timeout_start_at(set, timer, deadline));
}

static void stop_timeout(uint32_t timer)
{
	int err = libwheel_timeout_stop(set, timer);

	/* Two requests of a window may be of the same connection. */
	need(!err || err == -ENOENT);
}

static void wait_timeout(void)
{
	struct wheel_event event;

	libwheel_timeout_now(set);
	if (wakeup <= now)
		need(!libwheel_timeout_wait(set, &event, 1, 0));
}

/* A lazy heap. A timer has one entry, because no deadline is moved to an earlier time. */

static struct { uint64_t deadline, queued; } *lazy;
static struct lazy_entry *heap;
static uint32_t used;

static void open_lazy(void)
{
	lazy = calloc(TIMERS, sizeof(*lazy));
	heap = calloc(TIMERS, sizeof(*heap));
	need(lazy && heap);
	wakeup = UINT64_MAX;
}

static void start_lazy(uint32_t timer, uint64_t delay)
{
	lazy[timer].deadline = now + delay;
	if (lazy[timer].queued)
		return;
	lazy[timer].queued = now + delay;
	lazy_rise(heap, used++, (struct lazy_entry){ now + delay, timer });
	wakeup = heap[0].time;
}

static void stop_lazy(uint32_t timer)
{
	lazy[timer].deadline = 0;
}

static void wait_lazy(void)
{
	while (used && heap[0].time <= now) {
		struct lazy_entry entry = heap[0];

		entry.time = lazy[entry.timer].deadline;
		lazy[entry.timer].queued = entry.time;
		need(!entry.time || entry.time > now);
		if (entry.time)
			lazy_sink(heap, used, entry);
		else if (--used)
			lazy_sink(heap, used, heap[used]);
	}
	wakeup = used ? heap[0].time : UINT64_MAX;
}

/*
 * A lazy ring: an array of timers per tick of 1 ms, and one bit per tick that has any. A deadline
 * beyond the ring is read once per revolution.
 */

#define TICKS	(1U << 17)

static struct bucket {
	uint32_t *timers, count, room;
} ring[TICKS];
static uint64_t occupied[TICKS / 64];
static uint64_t done;

static void open_ring(void)
{
	lazy = calloc(TIMERS, sizeof(*lazy));
	need(!!lazy);
	done = now / MS;
	wakeup = UINT64_MAX;
}

static uint64_t tick_of(uint64_t time)
{
	return (time + MS - 1) / MS;
}

static void append(uint32_t timer, uint64_t deadline)
{
	uint64_t tick = tick_of(deadline);
	struct bucket *b;

	/* The last tick of this revolution. */
	if (tick >= done + TICKS)
		tick = done + TICKS - 1;
	b = &ring[tick % TICKS];
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 8;
		b->timers = realloc(b->timers, b->room * sizeof(*b->timers));
		need(!!b->timers);
	}
	b->timers[b->count++] = timer;
	occupied[tick % TICKS / 64] |= 1ULL << tick % 64;
	lazy[timer].queued = tick * MS;
	if (tick * MS < wakeup)
		wakeup = tick * MS;
}

static void start_ring(uint32_t timer, uint64_t delay)
{
	lazy[timer].deadline = now + delay;
	/* 0 counts as later than any deadline. */
	if (now + delay <= lazy[timer].queued - 1)
		append(timer, now + delay);
}

static void examine(struct bucket *b)
{
	uint32_t i;

	for (i = 0; i < b->count; i++) {
		uint32_t timer = b->timers[i];

		if (tick_of(lazy[timer].queued) != done)
			continue;
		lazy[timer].queued = 0;
		need(!lazy[timer].deadline || lazy[timer].deadline > now);
		if (lazy[timer].deadline)
			append(timer, lazy[timer].deadline);
	}
	b->count = 0;
}

/* Return the next tick that has timers, up to @end. */
static uint64_t next_tick(uint64_t tick, uint64_t end)
{
	while (tick < end) {
		uint64_t bits = occupied[tick % TICKS / 64] >> tick % 64;

		if (bits) {
			tick += __builtin_ctzll(bits);
			break;
		}
		tick += 64 - tick % 64;
	}
	return tick < end ? tick : end;
}

static void wait_ring(void)
{
	uint64_t end = now / MS + 1;

	if (now < wakeup)
		return;
	for (; (done = next_tick(done, end)) < end; done++) {
		occupied[done % TICKS / 64] &= ~(1ULL << done % 64);
		examine(&ring[done % TICKS]);
	}
	wakeup = next_tick(done, done + TICKS) * MS;
}

/* The server. Inlined, so that each way has separate loops. */
static inline __attribute__((always_inline))
void serve(uint64_t step, void (*start)(uint32_t timer, uint64_t delay),
	   void (*stop)(uint32_t timer), void (*wait)(void), uint32_t windows, uint32_t *wakeups)
{
	static __u64 state = 1;
	uint32_t connections[WINDOW], i;

	for (; windows--; now += WINDOW * step) {
		*wakeups += wakeup <= now;
		wait();
		for (i = 0; i < WINDOW; i++) {
			connections[i] = splitmix64(&state) % CONNECTIONS;
			start(2 * connections[i], IDLE);
			start(2 * connections[i] + 1, LIMIT);
		}
		for (i = 0; i < WINDOW; i++)
			stop(2 * connections[i] + 1);
	}
}

#define MEASURE(name, us, open, start, stop, wait) \
do { \
	uint32_t wakeups = 0, timer; \
\
	open(); \
	for (timer = 0; timer < TIMERS; timer++) { \
		start(timer, timer % 2 ? LIMIT : IDLE); \
		if (timer % 2) \
			stop(timer); \
	} \
	/* The wheel is in its usual state after a second and more. */ \
	serve((us) * 1000, start, stop, wait, 2 * SECOND / WINDOW / (us) / 1000 + 1, &wakeups); \
	wakeups = 0; \
	CALLGRIND_ZERO_STATS; \
	serve((us) * 1000, start, stop, wait, WINDOWS, &wakeups); \
	CALLGRIND_DUMP_STATS_AT("library,a request every " #us " us,20000," name \
				",instructions,25600"); \
	if (!RUNNING_ON_VALGRIND) \
		printf("library,\"wake-ups per 1000 requests, every " #us " us\",20000," name \
		       ",wake-ups,%.1f\n", 1000.0 * wakeups / WINDOWS / WINDOW); \
} while (0)

static void start_none(uint32_t timer, uint64_t delay)
{
	__asm__ volatile("" : : "r" (timer), "r" (delay));
}

static void stop_none(uint32_t timer)
{
	__asm__ volatile("" : : "r" (timer));
}

static void none(void)
{
	wakeup = UINT64_MAX;
}

#define MEASURE_ALL(us) \
do { \
	uint32_t tick; \
\
	MEASURE("floor", us, none, start_none, stop_none, none); \
	MEASURE("shared", us, open_shared, start_timeout, stop_timeout, wait_timeout); \
	libwheel_timeout_close(set); \
	MEASURE("one thread", us, open_private, start_timeout, stop_timeout, wait_timeout); \
	libwheel_timeout_close(set); \
	MEASURE("lazy heap", us, open_lazy, start_lazy, stop_lazy, wait_lazy); \
	free(lazy); \
	free(heap); \
	used = 0; \
	MEASURE("lazy ring", us, open_ring, start_ring, stop_lazy, wait_ring); \
	free(lazy); \
	memset(occupied, 0, sizeof(occupied)); \
	for (tick = 0; tick < TICKS; tick++) \
		ring[tick].count = 0; \
} while (0)

int main(void)
{
	MEASURE_ALL(40);
	MEASURE_ALL(200);
	MEASURE_ALL(1000);
	return 0;
}
