// SPDX-License-Identifier: GPL-2.0
/*
 * All costs of timeouts in one thread, per postponement: each timeout is started, postponed ten
 * times and expires, and its event is taken. Two sets of libwheel, with and without
 * LIBWHEEL_ONE_THREAD, and two lazy structures: a ring of vectors and a heap with four children per
 * node, which read a deadline at an earlier time. All are exact to a tick of 1 ms, and are called
 * every 10 ms of a clock that the program advances. Natively the CPU time, interleaved; under
 * callgrind the instructions.
 */
#include <libwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <valgrind/callgrind.h>

#include "../lazy.h"
#include "shuffle.h"

#define MS		1000000ULL
#define SECOND		1000000000ULL
#define POSTPONEMENTS	10
#define TIMEOUT		SECOND
#define SLICE		(10 * MS)
/* A timeout is postponed every 90 ms. */
#define SLICES		9
#define BATCH		256
#define ROUNDS		7

static uint32_t count;
static uint32_t *order;
static uint64_t now = MS;
/* The slot and the deadline of the events, which the program reads. */
static struct { uint32_t slot; uint64_t deadline; } taken[BATCH];
static uint32_t taken_at;

static void need(int ret)
{
	if (ret < 0)
		abort();
}

static void *allocate(size_t each, size_t number)
{
	void *memory = calloc(number, each);

	if (!memory)
		abort();
	return memory;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void take(uint32_t slot, uint64_t deadline)
{
	taken[taken_at].slot = slot;
	taken[taken_at].deadline = deadline;
	taken_at = (taken_at + 1) % BATCH;
}

/* libwheel */

static struct libwheel_timeouts *shared, *private;

static struct libwheel_timeouts *open_set(uint32_t mode)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .clock = WHEEL_CLOCK_VIRTUAL,
		.mode = mode,
	};
	struct libwheel_timeouts *set;

	need(libwheel_timeout_open(&set, count, &options));
	need(libwheel_timeout_advance(set, (struct libwheel_time){ now }));
	return set;
}

static inline uint32_t advance_set(struct libwheel_timeouts *set)
{
	static struct wheel_event events[BATCH];
	uint32_t sum = 0;
	int i, n;

	need(libwheel_timeout_advance(set, (struct libwheel_time){ now }));
	do {
		n = libwheel_timeout_wait(set, events, BATCH, 0);
		for (i = 0; i < n; i++)
			take(events[i].cookie, events[i].deadline);
		sum += n;
	} while (n == BATCH);
	return sum;
}

static void start_shared(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_start_at(shared, slot, (struct libwheel_time){ deadline }));
}

static uint32_t advance_shared(void)
{
	return advance_set(shared);
}

static void start_private(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_start_at(private, slot, (struct libwheel_time){ deadline }));
}

static uint32_t advance_private(void)
{
	return advance_set(private);
}

/* Lazy structures. A slot is queued at a time before or at its deadline, or not at all: 0. */

struct lazy {
	uint64_t deadline;
	uint64_t queued;
};

/* A ring of vectors of slots. */

#define TICKS	4096

static struct vector {
	uint32_t *slots, used, room;
} ring[TICKS];
static struct lazy *in_ring;
static uint64_t ring_tick;

static uint64_t tick_of(uint64_t deadline)
{
	return (deadline + MS - 1) / MS;
}

static void ring_add(uint32_t slot, uint64_t deadline)
{
	struct vector *vector = &ring[tick_of(deadline) % TICKS];

	in_ring[slot].queued = deadline;
	if (vector->used == vector->room) {
		vector->room = vector->room ? 2 * vector->room : 8;
		vector->slots = realloc(vector->slots, vector->room * sizeof(*vector->slots));
		if (!vector->slots)
			abort();
	}
	vector->slots[vector->used++] = slot;
}

static void start_ring(uint32_t slot, uint64_t deadline)
{
	struct lazy *lazy = &in_ring[slot];

	lazy->deadline = deadline;
	if (!lazy->queued || deadline < lazy->queued)
		ring_add(slot, deadline);
}

/* No timeout is longer than a revolution. */
static uint32_t advance_ring(void)
{
	uint32_t sum = 0, i;

	for (; ring_tick * MS <= now; ring_tick++) {
		struct vector *vector = &ring[ring_tick % TICKS];

		for (i = 0; i < vector->used; i++) {
			uint32_t slot = vector->slots[i];
			struct lazy *lazy = &in_ring[slot];

			/* It was queued again at an earlier time. */
			if (tick_of(lazy->queued) != ring_tick)
				continue;
			lazy->queued = 0;
			if (tick_of(lazy->deadline) > ring_tick) {
				ring_add(slot, lazy->deadline);
			} else if (lazy->deadline) {
				take(slot, lazy->deadline);
				lazy->deadline = 0;
				sum++;
			}
		}
		vector->used = 0;
	}
	return sum;
}

/* A heap: see lazy.h. */

static struct lazy_entry *heap;
static struct lazy *in_heap;
static uint32_t heap_used;

/* The heap has one entry per slot, because no deadline here is moved to an earlier time. */
static void start_heap(uint32_t slot, uint64_t deadline)
{
	struct lazy *lazy = &in_heap[slot];

	lazy->deadline = deadline;
	if (!lazy->queued) {
		lazy->queued = deadline;
		lazy_rise(heap, heap_used++, (struct lazy_entry){ deadline, slot });
	}
}

static uint32_t advance_heap(void)
{
	uint32_t sum = 0;

	while (heap_used && (heap[0].time + MS - 1) / MS * MS <= now) {
		struct lazy_entry entry = heap[0];
		struct lazy *lazy = &in_heap[entry.timer];

		if (lazy->deadline > now) {
			lazy->queued = lazy->deadline;
			entry.time = lazy->deadline;
			lazy_sink(heap, heap_used, entry);
			continue;
		}
		if (lazy->deadline) {
			take(entry.timer, lazy->deadline);
			sum++;
		}
		lazy->deadline = 0;
		lazy->queued = 0;
		if (--heap_used)
			lazy_sink(heap, heap_used, heap[heap_used]);
	}
	return sum;
}

/* The loops of this program */

static void start_none(uint32_t slot, uint64_t deadline)
{
	__asm__ volatile("" : : "r" (slot), "r" (deadline));
}

static uint32_t advance_none(void)
{
	return 0;
}

/* Inlined, so that each way has loops of its own. Returns the number of events. */
static inline __attribute__((always_inline)) uint32_t
life(void (*start)(uint32_t slot, uint64_t deadline), uint32_t (*advance)(void))
{
	uint32_t expired = 0, i;
	int turn, slice;

	for (turn = 0; turn <= POSTPONEMENTS; turn++)
		for (slice = 0; slice < SLICES; slice++) {
			uint32_t to = (uint64_t)count * (slice + 1) / SLICES;

			for (i = (uint64_t)count * slice / SLICES; i < to; i++)
				start(order[i], now + TIMEOUT);
			now += SLICE;
			expired += advance();
		}
	for (i = 0; i <= TIMEOUT / SLICE; i++) {
		now += SLICE;
		expired += advance();
	}
	return expired;
}

/* Instructions are counted for 10,000 timeouts. */
#define MEASURE(name, start, advance, expected)						\
do {											\
	uint64_t begin = cpu_ns();							\
											\
	CALLGRIND_ZERO_STATS;								\
	if (life(start, advance) != (expected))						\
		abort();								\
	CALLGRIND_DUMP_STATS_AT("library,all costs,10000," name ",instructions,100000"); \
	if (!RUNNING_ON_VALGRIND && round)						\
		printf("library,\"all costs, ns\",%u," name ",ns,%.3f\n", count,	\
		       (double)(cpu_ns() - begin) / count / POSTPONEMENTS);		\
} while (0)

/* The first round allocates memory. */
static void measure(uint32_t timeouts, int rounds)
{
	int round;

	count = timeouts;
	order = allocate(count, sizeof(*order));
	shuffle(order, count);
	ring_tick = now / MS;
	in_ring = allocate(count, sizeof(*in_ring));
	in_heap = allocate(count, sizeof(*in_heap));
	heap = allocate(count, sizeof(*heap));
	shared = open_set(0);
	private = open_set(LIBWHEEL_ONE_THREAD);
	for (round = 0; round <= rounds; round++) {
		MEASURE("floor", start_none, advance_none, 0);
		MEASURE("shared", start_shared, advance_shared, count);
		MEASURE("one thread", start_private, advance_private, count);
		ring_tick = now / MS;
		MEASURE("lazy ring", start_ring, advance_ring, count);
		MEASURE("lazy heap", start_heap, advance_heap, count);
	}
	libwheel_timeout_close(shared);
	libwheel_timeout_close(private);
	free(order);
	free(in_ring);
	free(in_heap);
	free(heap);
}

int main(void)
{
	if (RUNNING_ON_VALGRIND) {
		measure(10000, 1);
		return 0;
	}
	measure(1000, 100 * ROUNDS);
	measure(30000, ROUNDS);
	measure(1000000, ROUNDS);
	return 0;
}
