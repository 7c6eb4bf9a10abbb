// SPDX-License-Identifier: GPL-2.0
/*
 * Postponing a timeout on the user backend: the CPU time of each way, of the bare compare-and-swap
 * of the same words, and of the store of a lazy structure. All ways use the same random
 * order of slots, and alternate in each round. Prints one sample per round and way.
 */
#include <libwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shuffle.h"

#define ROUNDS	21
#define LEAST	1000000
#define SECOND	1000000000ULL
#define FAR	(3000 * SECOND)

static struct libwheel_timeouts *timeouts, *private;
/* A lazy structure: the program stores a deadline, and an earlier time is queued. */
static struct {
	uint64_t deadline, queued;
} *lazy;
static struct libwheel *wheel;
static uint32_t *order;
static uint64_t now;

static void need(int err)
{
	if (err)
		abort();
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

/* The least that any postponement by a word does: load it, and exchange it. */
static void by_exchange(uint32_t slot, uint64_t deadline)
{
	__u64 *word = &wheel->words[slot], old = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(word, &old, deadline, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
}

static void by_push(uint32_t slot, uint64_t deadline)
{
	need(libwheel_word_push(wheel, slot, deadline));
}

static void by_arm(uint32_t slot, uint64_t deadline)
{
	need(libwheel_word_arm(wheel, slot, deadline));
}

static void by_start_at(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_start_at(timeouts, slot, (struct libwheel_time){ deadline }));
}

static void by_store(uint32_t slot, uint64_t deadline)
{
	lazy[slot].deadline = deadline;
	need(deadline < lazy[slot].queued);
}

static void by_start_in_one_thread(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_start_at(private, slot, (struct libwheel_time){ deadline }));
}

static void by_stop_and_start(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_stop(timeouts, slot) ||
	     libwheel_timeout_start_at(timeouts, slot, (struct libwheel_time){ deadline }));
}

static void by_stop_and_start_in_one_thread(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_stop(private, slot) ||
	     libwheel_timeout_start_at(private, slot, (struct libwheel_time){ deadline }));
}

static void by_start(uint32_t slot, uint64_t deadline)
{
	need(libwheel_timeout_start(timeouts, slot, deadline - now));
}

/* Inlined, so that each way has a loop of its own. */
static inline __attribute__((always_inline)) void
measure(const char *name, void (*way)(uint32_t, uint64_t), uint32_t count)
{
	static uint64_t later;
	uint64_t start = cpu_ns(), made = 0;
	uint32_t i;

	for (; made < LEAST; made += count, later++)
		for (i = 0; i < count; i++)
			way(order[i], now + FAR + later);
	printf("library,\"postpone, ns\",%u,%s,ns,%.3f\n", count, name,
	       (double)(cpu_ns() - start) / (double)made);
}

static void measure_count(uint32_t count)
{
	struct libwheel_options options = { .size = sizeof(options), .backend = LIBWHEEL_USER };
	uint32_t i;

	order = calloc(count, sizeof(*order));
	lazy = calloc(count, sizeof(*lazy));
	need(!order || !lazy || libwheel_timeout_open(&timeouts, count, &options));
	options.mode = LIBWHEEL_ONE_THREAD;
	need(libwheel_timeout_open(&private, count, &options));
	wheel = (struct libwheel *)libwheel_timeout_wheel(timeouts);
	now = libwheel_now(wheel);
	for (i = 0; i < count; i++)
		need(libwheel_timeout_start(timeouts, i, FAR - SECOND) ||
		     libwheel_timeout_start(private, i, FAR - SECOND));
	shuffle(order, count);
	for (i = 0; i < ROUNDS; i++) {
		measure("exchange", by_exchange, count);
		measure("libwheel_word_push", by_push, count);
		measure("libwheel_word_arm", by_arm, count);
		measure("libwheel_timeout_start_at", by_start_at, count);
		measure("libwheel_timeout_start", by_start, count);
		measure("one thread", by_start_in_one_thread, count);
		measure("lazy store", by_store, count);
		measure("stop and start", by_stop_and_start, count);
		measure("one thread stop and start", by_stop_and_start_in_one_thread, count);
	}
	libwheel_timeout_close(timeouts);
	libwheel_timeout_close(private);
	free(lazy);
	free(order);
}

int main(void)
{
	measure_count(1000);
	measure_count(30000);
	measure_count(1000000);
	return 0;
}
