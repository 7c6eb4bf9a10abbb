// SPDX-License-Identifier: GPL-2.0
/*
 * bench-core [TIMERS...]: measure the operations of the wheel's core. Compare them
 * with the implementations that programs use today, and with the minimum cost of any
 * data structure: one store into each timer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "table.h"

#define LEAST_OPS	200000
#define MANY		1000000
#define MIN_DELAY	1000
#define MAX_DELAY	100000
#define IDLE_DELAY	60000
#define LINE		64

const struct contestant *const contestants[CONTESTANTS] = {
	&hashed_default,
	&hashed_large,
	&hierarchical,
	&quaternary_heap,
	&red_black_tree,
	&libevent_heap,
	&libuv_heap,
	&wahern_wheel,
	&timeout_queues,
	&plain_field,
	&floor_of_all,
};

u64 bench_now = 1000000;
u32 bench_fired;

static struct results *results;
static u64 clock_cost;
static u32 count;
static u32 *order;
static u32 *delay;

static void die(const char *why)
{
	fprintf(stderr, "bench-core: %s\n", why);
	exit(EXIT_FAILURE);
}

static void *allocate(size_t size)
{
	void *memory = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);

	if (!memory)
		die("out of memory");
	return memory;
}

static u32 random_below(u32 limit)
{
	static u64 state = 1;
	u64 x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (u32)(((x >> 32) * limit) >> 32);
}

static void draw(void)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u32 j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
		delay[i] = MIN_DELAY + random_below(MAX_DELAY - MIN_DELAY);
	}
}

/* Returns the CPU time since @start, without the cost of reading the clock. */
static u64 lap(u64 start)
{
	u64 ns = cpu_ns() - start;

	return ns > clock_cost ? ns - clock_cost : 0;
}

static u64 learn_clock_cost(void)
{
	u64 least = ~(u64)0;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		u64 ns = lap(cpu_ns());

		if (ns < least)
			least = ns;
	}
	return least;
}

static void fire_at(const struct contestant *c, u64 now)
{
	bench_now = now;
	if (c->advance)
		c->advance();
}

static void time_arms(const struct contestant *c, u64 *ns)
{
	u64 start = cpu_ns();
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(i, bench_now + delay[i]);
	ns[ARM] += lap(start);
	start = cpu_ns();
	for (i = 0; i < count; i++)
		c->rearm(order[i], bench_now + delay[i]);
	ns[REARM] += lap(start);
}

/* Restart the idle timeouts of all connections, then cancel them, both in random order. */
static void time_cancels(const struct contestant *c, u64 *ns)
{
	u64 start;
	u32 i;

	draw();
	start = cpu_ns();
	for (i = 0; i < count; i++) {
		c->cancel(order[i]);
		c->arm(order[i], bench_now + IDLE_DELAY + i / 8192);
	}
	ns[IDLE] += lap(start);
	draw();
	start = cpu_ns();
	for (i = 0; i < count; i++)
		c->cancel(order[i]);
	ns[CANCEL] += lap(start);
	fire_at(c, bench_now + 1);
}

/* List the ticks at which timers are due, relative to now. Returns their number. */
static u32 list_due(u32 *tick)
{
	static bool due[MAX_DELAY];
	u32 ticks = 0;
	u32 i;

	memset(due, 0, sizeof(due));
	for (i = 0; i < count; i++)
		due[delay[i]] = true;
	for (i = 0; i < MAX_DELAY; i++)
		if (due[i])
			tick[ticks++] = i;
	return ticks;
}

/*
 * Advance the clock to each tick at which a timer is due, like a program that sleeps
 * until the next expiry. The field is scanned only once, at the last tick.
 */
static void time_sweep(const struct contestant *c, u64 *ns)
{
	static u32 tick[MAX_DELAY];
	u32 ticks = list_due(tick);
	u32 first = c == &plain_field ? ticks - 1 : 0;
	u64 base = bench_now;
	u64 start;
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(i, base + delay[i]);
	bench_fired = 0;
	start = cpu_ns();
	for (i = first; i < ticks; i++)
		fire_at(c, base + tick[i]);
	ns[SWEEP] += lap(start);
	if (bench_fired != count)
		die("a sweep lost a timer");
	fire_at(c, base + MAX_DELAY);
}

static void time_burst(const struct contestant *c, u64 *ns)
{
	u64 when = bench_now + MAX_DELAY;
	u64 start;
	u32 i;

	for (i = 0; i < count; i++)
		c->arm(order[i], when);
	bench_fired = 0;
	fire_at(c, when - 1);
	if (bench_fired)
		die("a burst was early");
	start = cpu_ns();
	fire_at(c, when);
	ns[BURST] += lap(start);
	if (bench_fired != count)
		die("a burst lost a timer");
}

static void measure(const struct contestant *c,
		    u64 sample[OPERATIONS][MOST_REPEATS + 1])
{
	u32 repeat;
	u32 round;
	u32 k;

	if (!c->create(count))
		die("cannot create the timers");
	fire_at(c, bench_now + 1);
	for (repeat = 0; repeat <= results->repeats; repeat++) {
		u64 ns[OPERATIONS] = { };

		for (round = 0; round < results->rounds; round++) {
			draw();
			time_arms(c, ns);
			time_cancels(c, ns);
			if (!c->advance)
				continue;
			time_sweep(c, ns);
			time_burst(c, ns);
		}
		for (k = 0; k < OPERATIONS; k++)
			sample[k][repeat] = ns[k];
	}
}

/* Measure in a child process, so that each implementation starts with fresh memory. */
static void measure_alone(size_t which)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		measure(contestants[which], results->sample[which]);
		_exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("a child process failed");
}

static void run(u32 timers)
{
	size_t i;

	count = timers;
	*results = (struct results){
		.count		= count,
		.repeats	= count > MANY ? 3 : MOST_REPEATS,
		.rounds		= (LEAST_OPS + count - 1) / count,
	};
	order = allocate(count * sizeof(*order));
	delay = allocate(count * sizeof(*delay));
	for (i = 0; i < CONTESTANTS; i++)
		if (contestants[i])
			measure_alone(i);
	csv_rows(results);
	table_rows(results);
	free(order);
	free(delay);
}

int main(int argc, char **argv)
{
	static const u32 sizes[] = { 100000, 1000000, 4000000 };
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	results = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		die("out of memory");
	clock_cost = learn_clock_cost();
	table_head();
	for (i = 1; i < (size_t)argc; i++)
		run((u32)strtoul(argv[i], NULL, 10));
	for (i = 0; argc < 2 && i < sizeof(sizes) / sizeof(*sizes); i++)
		run(sizes[i]);
	table_foot();
	return 0;
}
