// SPDX-License-Identifier: GPL-2.0
/*
 * bench-load CONTESTANT LOAD SECONDS: a busy server, whose requests have a timeout each that
 * nearly never comes. Prints the CPU time of a request in ns. The server's own part of it
 * is what the contestant "floor" takes, which only stores a number. Without arguments: the
 * contestants and the loads that there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"

/* A million requests a second. */
#define PER_TICK	1000
#define TICKS		1000
#define TIMEOUT		1000

/* So many more slots than there are requests in flight. */
#define SPARE		8192

/* How often a field is looked at. */
#define LOOK		10

/**
 * struct load - how busy the server is
 * @name: of it
 * @flights: requests under way: their mean life in microseconds
 * @expires: so many in a thousand are left to their timeouts
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
	&libevent_heap, &libuv_heap, &wahern_wheel, &tokio_wheel,
	&timeout_queues, &plain_field, &floor_of_all,
};

/**
 * struct left - a request that nobody answers
 * @slot: its timer
 * @until: its timer has fired by then
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
/* A ring: requests that nobody answers, the oldest first. */
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

/* Its timer fires, and its slot is free again when it has. */
static void leave(u32 slot)
{
	if (left_tail - left_head == SPARE)
		die("too many requests wait for their timeouts");
	left[left_tail++ % SPARE] = (struct left){
		slot, bench_now + TIMEOUT + 2 * LOOK,
	};
}

/* A request that is over makes room for the next one, whichever it is. */
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

/* Counting starts and ends here: it may not be a part of its caller. */
static __attribute__((noinline)) void serve(u32 seconds)
{
	u32 ticks, i;

	for (ticks = 0; ticks < seconds * TICKS; ticks++) {
		tick();
		for (i = 0; i < PER_TICK; i++)
			request();
	}
}

/* Only those fire that were left alone, and all of them; a request lives for less. */
static void check(void)
{
	u32 i;

	for (i = 0; i < load->flights; i++)
		c->cancel(flying[i]);
	for (i = 0; i < TIMEOUT + 2 * LOOK; i++)
		tick();
	if (left_head != left_tail || (c->advance && bench_fired != left_tail))
		die("not those fired that were left alone");
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
		die("no such contestant or load; without arguments it names them");
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
