// SPDX-License-Identifier: GPL-2.0
/*
 * bench-load CONTESTANT LOAD SECONDS: simulate a busy server with one timeout per request.
 * Nearly all of the timeouts are cancelled. Prints the CPU time per request in ns. The
 * implementation "floor", which only stores a number, shows the part of the server itself.
 * Without arguments, prints the available implementations and loads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

/* One million requests per second. */
#define PER_TICK	1000
#define TICKS		1000
#define TIMEOUT		1000

/* Number of slots in addition to those of the requests in flight. */
#define SPARE		8192

/* Scan interval of the plain field, in ticks. */
#define LOOK		10

/**
 * struct load - load of the server
 * @name: name on the command line
 * @flights: number of requests in flight, which is their mean duration in microseconds
 * @expires: number of requests in 1000 that time out
 */
struct load {
	const char *name;
	u32 flights;
	u32 expires;
};

static const struct load loads[] = {
	{ "short", 1000, 0 },
	{ "long", 30000, 1 },
};

static const struct contestant *const contestants[] = {
	&hierarchical, &kept_timers, &quaternary_heap, &red_black_tree,
	&libevent_heap, &libuv_heap, &wahern_wheel, &timeout_queues,
	&plain_field, &floor_of_all,
};

/**
 * struct left - request that times out
 * @slot: timer of the request
 * @until: time by which the timer has expired
 */
struct left {
	u32 slot;
	u64 until;
};

u64 bench_now = 1000000;
u32 bench_fired;

static const struct contestant *c;
static const struct load *load;
static u32 *flying;
static u32 *spare;
static u32 spares;
/* Ring of the requests that time out, the oldest first. */
static struct left left[SPARE];
static u32 left_head;
static u32 left_tail;

static void die(const char *why)
{
	fprintf(stderr, "bench-load: %s\n", why);
	exit(EXIT_FAILURE);
}

static u32 random_below(u32 limit)
{
	static u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (u32)((state >> 32) * limit >> 32);
}

/* Let the timer of @slot expire. tick() frees the slot afterwards. */
static void leave(u32 slot)
{
	if (left_tail - left_head == SPARE)
		die("too many requests are left to their timeouts");
	left[left_tail++ % SPARE] = (struct left){
		slot, bench_now + TIMEOUT + 2 * LOOK,
	};
}

/* End a random request and start the next one in its place. */
static void request(void)
{
	u32 *flight = &flying[random_below(load->flights)];

	if (load->expires && random_below(1000) < load->expires) {
		leave(*flight);
		*flight = spare[--spares];
	} else {
		c->cancel(*flight);
	}
	c->arm(*flight, bench_now + TIMEOUT);
}

static void tick(void)
{
	bench_now++;
	if (c->advance && (c != &plain_field || bench_now % LOOK == 0))
		c->advance();
	while (left_head != left_tail && left[left_head % SPARE].until <= bench_now)
		spare[spares++] = left[left_head++ % SPARE].slot;
}

static void open_server(void)
{
	u32 slots = load->flights + SPARE;
	u32 i;

	flying = calloc(slots, sizeof(*flying));
	spare = calloc(slots, sizeof(*spare));
	if (!flying || !spare || !c->create(slots))
		die("not enough memory");
	tick();
	for (i = 0; i < load->flights; i++) {
		flying[i] = i;
		c->arm(i, bench_now + TIMEOUT);
	}
	for (; i < slots; i++)
		spare[spares++] = i;
}

/* callgrind counts only this function, so the compiler must not inline it. */
static __attribute__((noinline)) void serve(u32 seconds)
{
	u32 ticks, i;

	for (ticks = 0; ticks < seconds * TICKS; ticks++) {
		tick();
		for (i = 0; i < PER_TICK; i++)
			request();
	}
}

/* Check that all requests left to their timeouts expired, and no others. */
static void check(void)
{
	u32 i;

	for (i = 0; i < load->flights; i++)
		c->cancel(flying[i]);
	for (i = 0; i < TIMEOUT + 2 * LOOK; i++)
		tick();
	if (left_head != left_tail || (c->advance && bench_fired != left_tail))
		die("the expired timers are not those of the requests that timed out");
}

static void find(const char *contestant, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(contestants) / sizeof(*contestants); i++)
		if (contestants[i] && !strcmp(contestants[i]->name, contestant))
			c = contestants[i];
	for (i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (!strcmp(loads[i].name, name))
			load = &loads[i];
	if (!c || !load)
		die("no such implementation or load; run bench-load without arguments for a list");
}

static void list(void)
{
	size_t i, j;

	for (i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		for (j = 0; j < sizeof(contestants) / sizeof(*contestants); j++)
			if (contestants[j])
				printf("%s %s %u\n", contestants[j]->name,
				       loads[i].name, loads[i].flights);
}

int main(int argc, char **argv)
{
	u32 seconds = argc == 4 ? (u32)strtoul(argv[3], NULL, 10) : 0;
	u64 start;

	if (argc == 1) {
		list();
		return 0;
	}
	if (!seconds)
		die("usage: bench-load CONTESTANT LOAD SECONDS");
	find(argv[1], argv[2]);
	open_server();
	start = cpu_ns();
	serve(seconds);
	printf("%.3f\n", (double)(cpu_ns() - start) / ((double)seconds * TICKS * PER_TICK));
	check();
	return 0;
}
