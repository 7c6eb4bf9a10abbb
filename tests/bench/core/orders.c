// SPDX-License-Identifier: GPL-2.0
/*
 * bench-orders: measure the complexity table of the literature. Prints the cost
 * of starting a timer, of stopping one and of processing a tick, with the O() of
 * the literature, for seven schemes with the same interface.
 *
 * One of the n timers is due at each of the next n ticks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/baselines/baselines.h"

#define SIZES		5
#define SAMPLES		5
#define MOST_OPS	1000
#define MOST_NS		50000000
#define LINE		64

enum operation { START, STOP, TICK, OPERATIONS };

static const char *const operations[] = { "START", "STOP", "TICK" };

/**
 * struct subject - scheme to be measured
 * @name: printed name
 * @scheme: operations of the scheme
 * @order: complexity of START, STOP and TICK in the literature
 */
static const struct subject {
	const char *name;
	const struct wheel_scheme *scheme;
	const char *order[OPERATIONS];
} subjects[] = {
	{ "unsorted list", &baseline_unsorted, { "1", "1", "n" } },
	{ "sorted list", &baseline_sorted, { "n", "1", "1" } },
	{ "binary heap", &baseline_heap, { "log n", "log n", "log n" } },
	{ "bounded", &wheel_bounded, { "1", "1", "1" } },
	{ "overflow", &wheel_overflow, { "n", "1", "1" } },
	{ "hashed", &wheel_hashed, { "1", "1", "n / buckets" } },
	{ "hierarchical", &wheel_hierarchical, { "levels", "1", "levels" } },
};

#define SUBJECTS	(sizeof(subjects) / sizeof(*subjects))

/* Medians, in nanoseconds per operation. */
static double cost[SUBJECTS][OPERATIONS][SIZES];

static struct wheel_core wheel;
static struct wheel_timer *timers;
static u64 clock_cost;
static u64 now;
static u32 count;

static u64 cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (u64)time.tv_sec * 1000000000 + (u64)time.tv_nsec;
}

static void *allocate(size_t size)
{
	void *memory = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);

	if (!memory)
		abort();
	return memory;
}

static u32 random_below(u32 limit)
{
	static u64 state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (u32)(((state >> 33) * limit) >> 31);
}

/* One bucket per 16 timers; two buckets per timer for the bounded wheel. */
static u32 buckets_for(const struct wheel_scheme *scheme)
{
	u32 least = scheme == &wheel_bounded ? 2 * count : count / 16;
	u32 buckets = 256;

	if (scheme == &baseline_heap)
		least = count + MOST_OPS;
	while (buckets < least)
		buckets *= 2;
	return scheme->buckets(buckets);
}

/* Deadlines ascend, because a sorted list would take too long. Addresses are random. */
static void fill(void)
{
	u32 *order = allocate(count * sizeof(*order));
	u32 i;

	for (i = 0; i < count; i++) {
		u32 j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (i = 0; i < count; i++)
		wheel_place(&wheel, &timers[order[i]], i + 1, 0);
	free(order);
}

static void *set_up(const struct wheel_scheme *scheme)
{
	u32 buckets = buckets_for(scheme);
	void *memory = allocate(wheel_memory(buckets));
	u32 i;

	timers = allocate((count + MOST_OPS) * sizeof(*timers));
	for (i = 0; i < count + MOST_OPS; i++)
		timers[i] = (struct wheel_timer){ .bucket = WHEEL_UNFILED };
	wheel_init(&wheel, scheme, buckets, 1, memory);
	now = 0;
	fill();
	return memory;
}

static void start(u32 ops)
{
	u32 i;

	for (i = 0; i < ops; i++)
		wheel_place(&wheel, &timers[count + i],
			    now + 1 + random_below(count), 0);
}

static void stop(u32 ops)
{
	u32 i;

	for (i = 0; i < ops; i++)
		wheel_remove(&wheel, &timers[count + i]);
}

/* Expire @ops ticks. Append each expired timer to @fired. */
static void pass_ticks(u32 ops, struct wheel_timer **fired)
{
	while (ops--) {
		unsigned int budget;

		now++;
		do {
			struct wheel_timer *t;

			budget = 64;
			while ((t = wheel_pop(&wheel, now, &budget)))
				*fired++ = t;
		} while (!budget);
	}
}

static u64 lap(u64 begun)
{
	u64 ns = cpu_ns() - begun;

	return ns > clock_cost ? ns - clock_cost : 0;
}

/* Time @ops operations, then restore the previous state except for the current time. */
static u64 time_of(enum operation operation, u32 ops)
{
	static struct wheel_timer *fired[MOST_OPS];
	u64 begun;
	u64 ns;
	u32 i;

	if (operation == STOP)
		start(ops);
	begun = cpu_ns();
	if (operation == START)
		start(ops);
	else if (operation == STOP)
		stop(ops);
	else
		pass_ticks(ops, fired);
	ns = lap(begun);
	if (operation == START)
		stop(ops);
	for (i = 0; operation == TICK && i < ops; i++)
		wheel_place(&wheel, fired[i], fired[i]->due_tick + count, 0);
	return ns;
}

/* Returns the maximum time of one operation, including its set-up and clean-up. */
static u64 time_around(enum operation operation)
{
	u64 most = 1;
	u32 i;

	for (i = 0; i < 5; i++) {
		u64 begun = cpu_ns();

		time_of(operation, 1);
		most = max(most, cpu_ns() - begun);
	}
	return most;
}

/* Limit the number of operations, so that neither the number of timers nor the time grows. */
static double sample(enum operation operation, u64 around)
{
	u32 most = min_t(u32, MOST_OPS, MOST_NS / around);
	u32 ops = max_t(u32, min(most, count / 10), 1);
	u64 begun = cpu_ns();
	u64 all = 0;
	u64 ns = 0;

	do {
		ns += time_of(operation, ops);
		all += ops;
	} while (all < MOST_OPS && cpu_ns() - begun < MOST_NS);
	return (double)ns / (double)all;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(enum operation operation)
{
	u64 around = time_around(operation);
	double samples[SAMPLES];
	u32 i;

	for (i = 0; i < SAMPLES; i++)
		samples[i] = sample(operation, around);
	qsort(samples, SAMPLES, sizeof(*samples), compare);
	return samples[SAMPLES / 2];
}

static void measure(size_t which, u32 size)
{
	void *memory = set_up(subjects[which].scheme);
	u32 i;

	for (i = 0; i < OPERATIONS; i++)
		cost[which][i][size] = median(i);
	free(timers);
	free(memory);
}

static void print(enum operation operation)
{
	size_t i;
	u32 size;

	printf("\n%-14s%10s%10s%10s%10s%10s\n", operations[operation], "100",
	       "1000", "10^4", "10^5", "10^6");
	for (i = 0; i < SUBJECTS; i++) {
		printf("%-14s", subjects[i].name);
		for (size = 0; size < SIZES; size++)
			printf("%10.0f", cost[i][operation][size]);
		printf("   O(%s)\n", subjects[i].order[operation]);
	}
}

int main(void)
{
	size_t i;
	u32 size;

	for (i = 0; i < 1000; i++) {
		u64 begun = cpu_ns();
		u64 ns = cpu_ns() - begun;

		clock_cost = i ? min(clock_cost, ns) : ns;
	}
	for (size = 0, count = 100; size < SIZES; size++, count *= 10)
		for (i = 0; i < SUBJECTS; i++)
			measure(i, size);
	printf("CPU time of an operation in ns, medians of %d, by number of timers, and the\n"
	       "complexity given in the literature.\n", SAMPLES);
	for (i = 0; i < OPERATIONS; i++)
		print(i);
	fputs("\nOne timer is due at each tick. START: arm a timer for a random tick. STOP:\n"
	      "cancel the timers armed last. TICK: one tick with one expiry. Wheels have\n"
	      "one bucket per 16 timers, but at least 256; the bounded wheel has two per timer.\n"
	      "The module limits an overflow wheel to 4096 timers.\n\n", stdout);
	return 0;
}
