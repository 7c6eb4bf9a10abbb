// SPDX-License-Identifier: GPL-2.0
/*
 * A busy server with one timeout per request. Nearly all of the timeouts are cancelled. The
 * implementation "floor", which only stores a number, shows the part of the server itself.
 */
#include <stdlib.h>

#include "harness.h"

/* One million requests per second. */
#define PER_TICK	1000
#define TICKS		1000
#define TIMEOUT		1000
#define ROUNDS		3

/* Number of slots in addition to those of the requests in flight. */
#define SPARE		8192

/* Scan interval of the plain field, in ticks. */
#define LOOK		10

/**
 * struct load - load of the server
 * @name: printed name
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

/**
 * struct left - request that times out
 * @slot: timer of the request
 * @until: time by which the timer has expired
 */
struct left {
	u32 slot;
	u64 until;
};

static const struct contestant *c;
static const struct load *load;
static u32 *flying;
static u32 *spare;
static u32 spares;
/* Ring of the requests that time out, the oldest first. */
static struct left left[SPARE];
static u32 left_head;
static u32 left_tail;

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
	spares = 0;
	tick();
	for (i = 0; i < load->flights; i++) {
		flying[i] = i;
		c->arm(i, bench_now + TIMEOUT);
	}
	for (; i < slots; i++)
		spare[spares++] = i;
}

static void serve(void)
{
	u32 ticks, i;

	for (ticks = 0; ticks < TICKS; ticks++) {
		tick();
		for (i = 0; i < PER_TICK; i++)
			request();
	}
}

/* Check that all requests left to their timeouts expired, and no others. */
static void close_server(void)
{
	u32 i;

	for (i = 0; i < load->flights; i++)
		c->cancel(flying[i]);
	for (i = 0; i < TIMEOUT + 2 * LOOK; i++)
		tick();
	if (left_head != left_tail || (c->advance && bench_fired != left_tail))
		die("the expired timers are not those of the requests that timed out");
	bench_fired = 0;
	left_head = 0;
	left_tail = 0;
	free(flying);
	free(spare);
}

/**
 * measure_loads - measure the CPU time of requests, with their timeouts
 * @contestant: implementation
 */
void measure_loads(const struct contestant *contestant)
{
	const u64 requests = TICKS * PER_TICK;
	char cell[128];
	u64 start, ns;
	u32 i, round;

	c = contestant;
	for (i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		load = &loads[i];
		snprintf(cell, sizeof(cell), "load,\"request, %s, %s\",%u,%s", load->name,
			 counting ? "instructions" : "ns", load->flights, c->name);
		open_server();
		for (round = 0; round < (counting ? 1 : ROUNDS); round++) {
			start = begin();
			serve();
			ns = end(start, cell, requests);
			if (!counting)
				printf("%s,ns,%.3f\n", cell, (double)ns / (double)requests);
		}
		close_server();
	}
}
