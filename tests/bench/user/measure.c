// SPDX-License-Identifier: GPL-2.0
/*
 * Measure one implementation with @count pending timers at random deadlines far in the
 * future. Each round uses another window of the timers, and restores their state. Steps
 * that belong to no result are not timed.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../splitmix64.h"
#include "contestant.h"
#include "machine.h"
#include "words.h"

#define ROUNDS		3

/* One row for each of 1, 16, 256 and 4096. Only row 0 is valid if batches are not supported. */
#define BATCHES		4

/* The row of the batch at which io_uring's cost is lowest. */
#define BEST_BATCH	2

/* Deadlines are 50 to 67 minutes away, so no timer expires during the measurement. */
#define FAR_NS		(3000 * NSEC)
#define SPREAD_NS	(1000 * NSEC)

#define TICK_NS		1000000ULL

/*
 * Minimum number of timers for which memory is measured, as the decrease of free memory.
 * The constant memory of an implementation is then only a few bytes per timer.
 */
#define LEAST_FOR_BYTES	10000

/* Number of single expiries per round. */
#define LONE_TIMES	25

/* Maximum number of timers that expire together, next to a busy process. */
#define MOST_TAIL	100000

enum operation {
	START_AT, START, STOP, PUSH, PARK, WORD, WORD_RUNG, RESTART,
	ARM_CANCEL, ARM, CANCEL, REARM, QUERY,
	EXPIRY, EXPIRY_RING, TAIL, LONE, LONE_RING, LONE_SPIN,
	BYTES, BYTES_WORDS,
	OPERATIONS
};

/**
 * struct row - operation
 * @name: printed name
 * @rival: equivalent operation of implementations without words
 * @once: not measured in batches
 */
static const struct row {
	const char *name;
	enum operation rival;
	bool once;
} rows[OPERATIONS] = {
	[START_AT]	= { "start at", PUSH, true },
	[START]		= { "start", PUSH, true },
	[STOP]		= { "stop", CANCEL, true },
	[PUSH]		= { "push", PUSH, true },
	[PARK]		= { "park", CANCEL, true },
	[WORD]		= { "word", ARM_CANCEL, true },
	[WORD_RUNG]	= { "word, rung", ARM_CANCEL, true },
	[RESTART]	= { "restart", ARM, true },
	[ARM_CANCEL]	= { "arm + cancel", ARM_CANCEL },
	[ARM]		= { "arm", ARM },
	[CANCEL]	= { "cancel", CANCEL },
	[REARM]		= { "re-arm", REARM },
	[QUERY]		= { "query", QUERY },
	[EXPIRY]	= { "expiry", EXPIRY },
	[EXPIRY_RING]	= { "expiry, ring", EXPIRY, true },
	[TAIL]		= { "expiry, busy", TAIL, true },
	[LONE]		= { "lone", LONE, true },
	[LONE_RING]	= { "lone, ring", LONE, true },
	[LONE_SPIN]	= { "lone, no call", LONE_SPIN, true },
	[BYTES]		= { "bytes", BYTES, true },
	[BYTES_WORDS]	= { "bytes, words", BYTES_WORDS, true },
};

static const struct contestant *c;
static __u32 count;

/* The order of the operations. It is repeated, so that each window is contiguous. */
static __u32 *order;
static __u64 *deadlines;
static __u32 window_size;
static __u32 window_at;

/* Instructions of an iteration of the busy process. */
#define BUSY_LOOP	2

/* The iterations of the process that wants the same CPU, or NULL. */
static __u64 *busy;

static __u64 random_below(__u64 limit)
{
	static __u64 state = 1;

	return splitmix64(&state) % limit;
}

static void draw_deadlines(void)
{
	__u64 base = now() + FAR_NS;
	__u32 i;

	for (i = 0; i < window_size; i++)
		deadlines[i] = base + random_below(SPREAD_NS);
}

static void draw_order(void)
{
	__u32 i;

	for (i = 0; i < count; i++) {
		__u32 j = c->oldest ? i : (__u32)random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i < count; i++)
		order[count + i] = order[i];
}

/* Returns the timers that were armed longest ago, and draws new deadlines. */
static const __u32 *next_window(void)
{
	const __u32 *window = order + window_at;

	window_at = (window_at + window_size) % count;
	draw_deadlines();
	return window;
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

static inline __u32 batch_of(int row)
{
	return 1U << 4 * row;
}

/* Columns: bench, operation, timers, implementation, unit, sample. */
static void print_sample(enum operation operation, int row, double sample)
{
	const char *unit = operation >= BYTES ? "bytes" :
			   counted ? "instructions" : "ns";

	printf("%s,\"%s", mode, rows[operation].name);
	if (!rows[operation].once)
		printf(", batch %u", batch_of(row));
	printf("\",%u,%s,%s,%.3f\n", count, c->name, unit, sample);
}

/*
 * Print a sample. Without batches, the cost is the same for all batch sizes. Without
 * words, it is also that of the operations that need them.
 */
static void print_samples(enum operation operation, int row, double sample)
{
	bool batches = operation == EXPIRY ? c->takes : c->calls;
	int i;

	print_sample(operation, row, sample);
	for (i = 1; i < BATCHES && batch_of(i) <= window_size; i++)
		if (!batches && !rows[operation].once)
			print_sample(operation, i, sample);
	for (i = 0; i < OPERATIONS; i++)
		if (!c->has_words && rows[i].rival == operation && (int)operation != i &&
		    !(i == START && c->reads_clock) &&
		    row == (batches && !rows[operation].once ? BEST_BATCH : 0))
			print_sample(i, 0, sample);
}

static void keep(enum operation operation, int row, const __u64 *ns)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		print_samples(operation, row, (double)ns[i] / window_size);
}

static void fill(void (*arm)(const __u32 *timers, const __u64 *deadlines,
			     __u32 n, __u32 batch))
{
	__u32 i;

	for (i = 0; i < count; i += window_size) {
		__u32 n = least(count - i, window_size);

		draw_deadlines();
		arm(order + i, deadlines, n, 256);
	}
	window_at = 0;
}

/* Move timers to deadlines later than all others, as a word does. */
static void time_later(__u32 batch)
{
	__u64 push[ROUNDS];
	__u32 j;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const __u32 *window = next_window();
		__u64 start;

		for (j = 0; j < window_size; j++)
			deadlines[j] += 2 * SPREAD_NS;
		start = now();
		c->rearm(window, deadlines, window_size, batch);
		push[i] = lap(start);
	}
	keep(PUSH, 0, push);
}

/*
 * The same, for equal delays, as in time_timeouts(). The clock is read for each timer, as by
 * libwheel_timeout_start().
 */
static void time_delays(void)
{
	__u64 push[ROUNDS];
	__u32 j;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const __u32 *window = next_window();
		__u64 start = now();

		for (j = 0; j < window_size; j++)
			deadlines[j] = now() + FAR_NS + 3 * SPREAD_NS;
		c->rearm(window, deadlines, window_size, 1);
		push[i] = lap(start);
	}
	keep(START, 0, push);
}

/* Measure all operations that are system calls, in batches of one size. */
static void time_calls(int row)
{
	__u64 arm[ROUNDS], cancel[ROUNDS], both[ROUNDS], rearm[ROUNDS], query[ROUNDS];
	__u32 batch = batch_of(row);
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const __u32 *window = next_window();
		__u64 start = now();

		c->cancel(window, window_size, batch);
		cancel[i] = lap(start);
		start = now();
		c->arm(window, deadlines, window_size, batch);
		arm[i] = lap(start);
		both[i] = arm[i] + cancel[i];
		window = next_window();
		start = now();
		c->rearm(window, deadlines, window_size, batch);
		rearm[i] = lap(start);
		start = now();
		if (c->query)
			c->query(window, window_size, batch);
		query[i] = lap(start);
	}
	keep(ARM_CANCEL, row, both);
	keep(ARM, row, arm);
	keep(CANCEL, row, cancel);
	keep(REARM, row, rearm);
	if (c->query)
		keep(QUERY, row, query);
}

/* Yield while nothing has expired, because another thread may deliver the expiries. */
static void take_all(__u32 (*take)(__u32 batch), __u32 batch)
{
	__u32 taken = 0;

	while (taken < window_size) {
		__u32 n = take(batch);

		if (!n)
			sched_yield();
		taken += n;
	}
	if (taken != window_size)
		die("more timers expired than there were");
}

/*
 * Arm a window of timers for the same tick boundary of the wheel. Returns that time, or 0
 * if it passed before all of them were armed.
 */
static __u64 arm_soon(const __u32 *window, __u64 lead)
{
	__u64 due = (now() + lead) / TICK_NS * TICK_NS;
	__u32 i;

	for (i = 0; i < window_size; i++)
		deadlines[i] = due;
	c->arm(window, deadlines, window_size, 256);
	return now() < due ? due : 0;
}

static __u64 busy_loops(void)
{
	return busy ? __atomic_load_n(busy, __ATOMIC_RELAXED) : 0;
}

/*
 * Returns the time from the due time until the program has taken the last expiry. Next to a busy
 * process, returns the time that this process did not run since before the program slept.
 */
static __u64 time_expiry(__u32 (*take)(__u32 batch), __u32 batch)
{
	const __u32 *window = next_window();
	__u64 lead = 3 * TICK_NS;
	struct timespec time;
	__u64 due, start, others, ns;

	c->cancel(window, window_size, 256);
	while (!(due = arm_soon(window, lead))) {
		take_all(take, batch);
		lead *= 2;
	}
	time = timespec_of(due);
	start = busy ? now() : due;
	others = busy_loops();
	/* Sleep like a program without other work. It may run again long after the due time. */
	if (busy)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	while (now() < due)
		;
	take_all(take, batch);
	ns = now() - start;
	ns -= BUSY_LOOP * (busy_loops() - others);
	draw_deadlines();
	c->arm(window, deadlines, window_size, 256);
	return ns;
}

static void time_expiries(enum operation operation, int row,
			  __u32 (*take)(__u32 batch))
{
	__u64 ns[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++)
		ns[i] = time_expiry(take, batch_of(row));
	keep(operation, row, ns);
}

/* Arm timers, which may call the kernel. Then push them, and park them. */
static void time_push(void)
{
	__u64 push[ROUNDS], park[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__u64 later = now() + FAR_NS + SPREAD_NS;
		const __u32 *window = next_window();
		__u64 start;

		words_arm(window, window_size, later);
		start = now();
		words_push(window, window_size, later + 1);
		push[i] = lap(start);
		start = now();
		words_park(window, window_size);
		park[i] = lap(start);
	}
	keep(PUSH, 0, push);
	keep(PARK, 0, park);
}

/*
 * Arm and park timers. The first time, the doorbell bits are clear, which is usual for random
 * accesses to many slots. The second time they are set, which is usual for few slots. This runs
 * before any timer expires, because the kernel then scans several times within milliseconds.
 */
static void time_pairs(void)
{
	__u64 set[ROUNDS], clear[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__u64 later = now() + FAR_NS + SPREAD_NS;
		const __u32 *window = next_window();
		__u64 start;

		/* Clear the bits that are still set since the previous round. */
		words_scan();
		/* The first arm calls the kernel, so it is not measured. */
		words_arm_park(window, 1, later);
		start = now();
		words_arm_park(window, window_size, later);
		clear[i] = lap(start);
		start = now();
		words_arm_park(window, window_size, later);
		set[i] = lap(start);
	}
	keep(WORD, 0, set);
	keep(WORD_RUNG, 0, clear);
}

/*
 * Let all timers of a window expire. Measure how long the program takes to restart them while it
 * takes the events. The kernel's work is included in the rows of expiries.
 */
static void time_restart(void)
{
	__u64 restart[ROUNDS];
	__u32 taken;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__u64 later = now() + FAR_NS + SPREAD_NS;
		const __u32 *window = next_window();

		words_arm(window, window_size, now());
		words_wait(window_size);
		for (restart[i] = 0, taken = 0; taken < window_size;)
			taken += words_restart(256, later, &restart[i]);
		words_park(window, window_size);
	}
	keep(RESTART, 0, restart);
}

static void keep_bytes(enum operation operation, __u64 before)
{
	double bytes = (double)before - (double)memory_free();

	if (count >= LEAST_FOR_BYTES)
		print_samples(operation, 0, bytes / count);
}

static void measure_calls(void)
{
	__u64 memory = memory_free();
	int row;

	c->open(count, 0);
	fill(c->arm);
	keep_bytes(BYTES, memory);
	for (row = 0; row < BATCHES && batch_of(row) <= window_size; row++) {
		if (!row || c->calls)
			time_calls(row);
		if (!c->has_words && row == (c->calls ? BEST_BATCH : 0))
			time_later(batch_of(row));
		if (!row && c->reads_clock)
			time_delays();
		if (!row || c->takes)
			time_expiries(EXPIRY, row, c->take);
	}
	c->close();
}

static void time_timeouts(void)
{
	__u64 start[ROUNDS], start_at[ROUNDS], stop[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		__u64 later = now() + FAR_NS + SPREAD_NS;
		const __u32 *window = next_window();
		__u64 begun;

		/* The first start of a slot may call the kernel. */
		timeouts_start_at(window, window_size, later);
		begun = now();
		timeouts_start_at(window, window_size, later + 1);
		start_at[i] = lap(begun);
		begun = now();
		timeouts_start(window, window_size, FAR_NS + 2 * SPREAD_NS);
		start[i] = lap(begun);
		begun = now();
		timeouts_stop(window, window_size);
		stop[i] = lap(begun);
	}
	keep(START_AT, 0, start_at);
	keep(START, 0, start);
	keep(STOP, 0, stop);
}

static void measure_timeouts(void)
{
	timeouts_open(c->backend, c->scheme, count);
	time_timeouts();
	timeouts_close();
}

static void measure_words(void)
{
	__u64 memory = memory_free();

	words_open(c->backend, c->scheme, count);
	keep_bytes(BYTES_WORDS, memory);
	time_pairs();
	time_push();
	time_restart();
	words_close();
}

/*
 * Measure the expiry of a single timer. A round is the median of many, because one in four
 * expires at the same time as the kernel's tick, whose work must not be included.
 */
static void measure_lone(enum operation operation, unsigned int with,
			 __u32 (*take)(__u32 batch))
{
	__u64 lone[LONE_TIMES], ns[ROUNDS];
	__u32 window = window_size;
	int i, j;

	c->open(count, with);
	fill(c->arm);
	window_size = 1;
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < LONE_TIMES; j++)
			lone[j] = time_expiry(take, 1);
		qsort(lone, LONE_TIMES, sizeof(*lone), compare);
		ns[i] = lone[LONE_TIMES / 2];
	}
	keep(operation, 0, ns);
	window_size = window;
	c->close();
}

static void measure_burst(enum operation operation)
{
	c->open(count, WITH_RING);
	fill(c->arm);
	time_expiries(operation, BATCHES - 1, c->take_ring ? c->take_ring : c->take);
	c->close();
}

/* The busy process counts its iterations, whose instructions are not work for the timers. */
static pid_t start_busy(void)
{
	pid_t child;

	busy = mmap(NULL, sizeof(*busy), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (busy == MAP_FAILED)
		die("mmap");
	child = fork();
	if (!child)
		asm volatile("1: incq %0; jmp 1b" : "+m"(*busy));
	if (child < 0)
		die("fork");
	return child;
}

/* The work for many timers that expire together, while another process wants the same CPU. */
static void measure_tail(void)
{
	pid_t child;

	window_size = least(count / 2, MOST_TAIL);
	child = start_busy();
	measure_burst(TAIL);
	kill(child, SIGKILL);
}

void measure(const struct contestant *contestant, __u32 n)
{
	c = contestant;
	count = n;
	window_size = least(count / 2, MOST_WINDOW);
	order = allocate(2 * count * sizeof(*order));
	deadlines = allocate(count * sizeof(*deadlines));
	draw_order();
	wait_quiet();
	measure_calls();
	if (c->has_words) {
		measure_words();
		measure_timeouts();
	}
	if (c->take_ring)
		measure_burst(EXPIRY_RING);
	if (c->wakes)
		measure_lone(LONE, WITH_EPOLL, c->take);
	if (c->wakes && c->take_ring)
		measure_lone(LONE_RING, WITH_EPOLL | WITH_RING, c->take_ring);
	if (c->take_ring)
		measure_lone(LONE_SPIN, WITH_RING, c->take_ring);
	/* There the machine has one processor, and ends with the program. */
	if (counted)
		measure_tail();
}
