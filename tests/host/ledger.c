// SPDX-License-Identifier: GPL-2.0
/*
 * The size of a wheel's memory, the order of a timer with slack, the counter of cascades,
 * and drained wheels.
 */
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "tests.h"

#define TICK	10

/* Initialization must write each byte of the memory, and not the byte after it. */
static void takes(u32 buckets)
{
	const struct wheel_scheme *scheme = ktap_subject;
	unsigned char *memory, *first;
	struct wheel_core wheel;
	size_t size;

	buckets = wheel_buckets(scheme, buckets, 0);
	if (scheme == &wheel_hierarchical && buckets != 11 * 64)
		ktap_fail("a hierarchy does not have eleven levels of 64 buckets");
	size = wheel_memory(buckets);
	memory = malloc(size + 1);
	first = malloc(size);
	if (!memory || !first)
		abort();
	memset(memory, 0, size);
	wheel_init(&wheel, scheme, buckets, 1, memory);
	memcpy(first, memory, size);
	memset(memory, 0xa5, size + 1);
	wheel_init(&wheel, scheme, buckets, 1, memory);
	if (memcmp(first, memory, size))
		ktap_fail("a part of the memory is not initialized");
	if (memory[size] != 0xa5)
		ktap_fail("wheel_memory() is smaller than the memory used");
	free(first);
	free(memory);
}

static void memory_is_what_the_rings_take(void)
{
	u32 buckets;

	for (buckets = 1; buckets <= 4096; buckets *= 2)
		takes(buckets);
}

/* The highest order with a multiple within @first .. @last, determined by trying each. */
static unsigned int highest_order(u64 first, u64 last, unsigned int most)
{
	unsigned int highest = 0;
	unsigned int order;

	for (order = 1; order <= most && last > first; order++) {
		u64 step = (u64)1 << order;

		if ((first + step - 1) / step * step <= last)
			highest = order;
	}
	return highest;
}

/* The limit for the slack, and the highest order that rounds this deadline up within it. */
static unsigned int order_of(u64 deadline, u64 slack, unsigned int most)
{
	unsigned int order = 0;

	while (slack / TICK >> order > 1)
		order++;
	return min(order, highest_order((deadline + TICK - 1) / TICK,
					(deadline + slack) / TICK, most));
}

/* The wheel is initialized in memory that is filled with @garbage. */
static void orders(u32 buckets, unsigned int most, int garbage)
{
	struct rig rig;
	u64 deadline;
	u64 slack;

	rig_init(&rig, buckets, TICK, 1);
	if (rig.wheel.scheme == &wheel_hierarchical) {
		most = 40;
		buckets = rig.wheel.ring.mask + 1;
	}
	memset(&rig.wheel, garbage, sizeof(rig.wheel));
	wheel_init(&rig.wheel, ktap_subject, buckets, TICK, rig.memory);
	for (deadline = 1; deadline < 80 * TICK; deadline += 3) {
		for (slack = 0; slack < 80 * TICK; slack += 4) {
			rig_arm(&rig, 0, deadline, slack);
			if (timer_order(&rig.timer[0].wheel) !=
			    order_of(deadline, slack, most))
				ktap_fail("a timer does not have the order of its slack");
		}
	}
}

static void p2_slack_gives_an_order(void)
{
	orders(256, 4, 0);

	orders(32, 1, 0xff);
	orders(16, 0, 0xff);
}

/*
 * Three timers are in one bucket of level 2: the first one fires there, and the others
 * move to a lower level once. In the overflow scheme, each timer moves from the list once.
 */
static void p11_moves_are_counted(void)
{
	struct rig rig;
	u64 moves = 0;

	rig_init(&rig, 16, 1, 3);
	if (rig.wheel.scheme == &wheel_hierarchical)
		moves = 2;
	if (rig.wheel.scheme == &wheel_overflow)
		moves = 3;
	rig_arm(&rig, 0, 4096, 0);
	rig_arm(&rig, 1, 4097, 0);
	rig_arm(&rig, 2, 4160, 0);
	if (rig.wheel.cascaded)
		ktap_fail("a timer was moved too early");
	if (rig_pass(&rig, 5000, 1) != 3)
		ktap_fail("not all due timers fired");
	if (rig.wheel.cascaded != moves)
		ktap_fail("the number of moves is wrong");
}

/* A timer armed after a drain can be drained, regardless of its bucket. */
static void p10_drained_again(void)
{
	struct rig rig;

	rig_init(&rig, 64, 1, 1);
	rig_arm(&rig, 0, 40, 0);
	rig_drain(&rig);
	rig_arm(&rig, 0, 3, 0);
	rig_drain(&rig);
}

static void p10_drained_from_anywhere(void)
{
	u64 due;

	for (due = 1; due <= 256; due++) {
		struct rig rig;

		rig_init(&rig, 256, 1, 1);
		rig_arm(&rig, 0, due, 0);
		rig_drain(&rig);
	}
}

/* With a budget of 1, each call reads at most one word of the bitmap. */
static void p9_drain_is_paid_for(void)
{
	const unsigned int words = 60000 / 64;
	struct wheel_timer *t;
	unsigned int calls = 0;
	unsigned int budget;
	struct rig rig;

	rig_init(&rig, 65536, 1, 1);
	rig_arm(&rig, 0, 60000, 0);
	do {
		budget = 1;
		t = wheel_drain(&rig.wheel, &budget);
	} while (!t && !budget && ++calls <= words);
	if (t != &rig.timer[0].wheel)
		ktap_fail("a timer is not drained by a small budget");
	if (calls < words && rig.wheel.ring.mask == 65535)
		ktap_fail("words were read without using the budget");
}

/* A drain ends even if timers are moved between its calls. */
static void p9_drained_while_moved(void)
{
	unsigned int calls = 0;
	unsigned int budget;
	struct rig rig;

	rig_init(&rig, 65536, 1, 2);
	rig_arm(&rig, 0, 60000, 0);
	rig_arm(&rig, 1, 60001, 0);
	do {
		budget = 2;
		wheel_drain(&rig.wheel, &budget);
		for (unsigned int i = 0; i < 2; i++) {
			if (wheel_is_queued(&rig.timer[i].wheel))
				wheel_move(&rig.wheel, &rig.timer[i].wheel, 60000, 0);
		}
	} while (rig.wheel.pending && ++calls < 1000);
	if (rig.wheel.pending)
		ktap_fail("a drain does not end");
}

const struct ktap_test ledger_tests[] = {
	{ "memory_is_what_the_rings_take", memory_is_what_the_rings_take },
	{ "p10_drained_again", p10_drained_again },
	{ "p10_drained_from_anywhere", p10_drained_from_anywhere },
	{ "p9_drain_is_paid_for", p9_drain_is_paid_for },
	{ "p9_drained_while_moved", p9_drained_while_moved },
	{ }
};

const struct ktap_test unbounded_tests[] = {
	{ "p2_slack_gives_an_order", p2_slack_gives_an_order },
	{ "p11_moves_are_counted", p11_moves_are_counted },
	{ }
};
