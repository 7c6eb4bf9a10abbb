// SPDX-License-Identifier: GPL-2.0
/*
 * The wheel divides by multiplication. Compare it with a division, at and around
 * multiples of the tick, up to the end of the clock.
 */
#include <assert.h>
#include <stdio.h>

#include "random.h"
#include "tests.h"
#include "wheel.h"

#define NEAR	300
#define RANDOM	300

/**
 * struct division - test of one tick length
 * @wheel: wheel that performs the division
 * @memory: memory of its buckets
 * @x: last dividend
 */
struct division {
	struct wheel_core wheel;
	u64 memory[48];
	u64 x;
};

static void explain(const void *of)
{
	const struct division *d = of;

	printf("# %llu / %llu\n", d->x, d->wheel.tick.ns);
}

static void start(struct division *d, u64 tick_ns)
{
	assert(wheel_memory(1) <= sizeof(d->memory));
	wheel_init(&d->wheel, &wheel_hashed, 1, tick_ns, d->memory);
	ktap_if_it_fails(explain, d);
}

static void try(struct division *d, u64 x)
{
	u64 ns = d->wheel.tick.ns;
	u64 floor = x / ns;
	u64 ceil = floor + (x % ns != 0);
	struct wheel_timer t;
	u64 due;

	d->x = x;
	if (wheel_tick_at(&d->wheel, x) != (x == WHEEL_END_NS ? ceil : floor))
		ktap_fail("not the last boundary at or before the time");
	wheel_place(&d->wheel, &t, x, 0);
	due = t.due_tick;
	wheel_remove(&d->wheel, &t);
	if (due != (ceil ? ceil : 1))
		ktap_fail("not the first boundary at or after the deadline");
	if (wheel_time_of(&d->wheel, due) < x)
		ktap_fail("the due tick's time is before the deadline");
}

static void try_around(struct division *d, u64 multiple)
{
	u64 x = multiple * d->wheel.tick.ns;

	if (x)
		try(d, x - 1);
	try(d, x);
	if (x < WHEEL_END_NS)
		try(d, x + 1);
}

static void try_tick(u64 ns, struct random *r)
{
	u64 most = WHEEL_END_NS / ns;
	struct division d;
	u64 i;

	start(&d, ns);
	for (i = 0; i <= NEAR && i <= most; i++) {
		try_around(&d, i);
		try_around(&d, most - i);
	}
	for (i = 0; i < 63; i++) {
		try_around(&d, min((u64)1 << i, most));
		try(&d, ((u64)1 << i) - 1);
		try(&d, (u64)1 << i);
	}
	for (i = 0; i < RANDOM; i++) {
		try_around(&d, most ? random_below(r, most) : 0);
		try(&d, random_next(r) >> 1);
	}
	try(&d, WHEEL_END_NS - 1);
	try(&d, WHEEL_END_NS);
}

static void division_by_small_ticks(void)
{
	struct random r = random_start(1);
	u64 ns;

	for (ns = 1; ns <= 300; ns++)
		try_tick(ns, &r);
}

static void division_by_powers_of_two(void)
{
	struct random r = random_start(2);
	unsigned int bit;

	for (bit = 1; bit <= 62; bit++) {
		try_tick(((u64)1 << bit) - 1, &r);
		try_tick((u64)1 << bit, &r);
		try_tick(((u64)1 << bit) + 1, &r);
	}
	try_tick(WHEEL_END_NS, &r);
}

static void division_by_powers_of_ten(void)
{
	struct random r = random_start(3);
	u64 ns;

	for (ns = 1; ns <= WHEEL_END_NS / 10; ns *= 10)
		try_tick(ns, &r);
}

static void division_by_primes(void)
{
	static const u64 primes[] = {
		257, 641, 65537, 999983, 6700417, 999999937, 2147483647,
		4294967291, 4294967311, 1000000000039, 999999999999989,
		2305843009213693951, 4611686018427387847, 9223372036854775783,
	};
	struct random r = random_start(4);
	size_t i;

	for (i = 0; i < sizeof(primes) / sizeof(*primes); i++)
		try_tick(primes[i], &r);
}

static void division_by_random_ticks(void)
{
	struct random r = random_start(5);
	unsigned int i;

	for (i = 0; i < 600; i++)
		try_tick((random_next(&r) >> (1 + i % 63)) | 1, &r);
}

const struct ktap_test division_tests[] = {
	{ "division_by_small_ticks", division_by_small_ticks },
	{ "division_by_powers_of_two", division_by_powers_of_two },
	{ "division_by_powers_of_ten", division_by_powers_of_ten },
	{ "division_by_primes", division_by_primes },
	{ "division_by_random_ticks", division_by_random_ticks },
	{ }
};
