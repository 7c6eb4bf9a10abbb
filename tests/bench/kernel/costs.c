// SPDX-License-Identifier: GPL-2.0
/*
 * The costs of each scheme other than CPU time: memory, wake-ups and moves, by number
 * of buckets. For Documentation/measurements.rst.
 *
 * Memory is the decrease of the kernel's available memory per created wheel. Wake-ups
 * are counted in real time, with a thousand timers that are
 *
 *	fire	  due at random within the next second, and expire
 *	slack	  the same, with 12.5 % of slack
 *	push	  due in one to two seconds, and pushed by 100 ms every 100 ms, like
 *		  idle timeouts by packets, for two seconds
 *	rearm	  the same, but re-armed
 *	cancel	  cancelled immediately, at least one second before they are due
 *
 * "moved" counts moves to a lower level or from the overflow list during "fire".
 * "1 min" and "1 h" are nanoseconds per expiry: wheel_advance_to() expires ten
 * thousand timers that are due within that time.
 */
#include "bench.h"

#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/timekeeping.h>

#define TIMERS		1000
#define SWEPT		10000
#define MEASURED	64

static const struct row {
	const char	*name;
	u32		scheme;
	u32		buckets;
} rows[] = {
	{ "hashed", WHEEL_HASHED, 256 },
	{ "hashed", WHEEL_HASHED, 4096 },
	{ "hashed", WHEEL_HASHED, 65536 },
	{ "hierarchical", WHEEL_HIERARCHICAL, 0 },
	{ "bounded", WHEEL_BOUNDED, 4096 },
	{ "bounded", WHEEL_BOUNDED, 65536 },
	{ "overflow", WHEEL_OVERFLOW, 256 },
	{ "overflow", WHEEL_OVERFLOW, 4096 },
};

static struct wheel_config config_of(const struct row *row, u32 clock)
{
	return (struct wheel_config){
		.name = KBUILD_MODNAME,
		.clock = clock,
		.scheme = row->scheme,
		.buckets = row->buckets,
		.tick_ns = NSEC_PER_MSEC,
	};
}

/* Returns bytes per wheel, or 0 if a wheel could not be created. */
static u64 memory_of(const struct row *row)
{
	const struct wheel_config config = config_of(row, WHEEL_CLOCK_VIRTUAL);
	static struct wheel *wheels[MEASURED];
	long before = si_mem_available();
	bool all = true;
	long taken;
	int i;

	for (i = 0; i < MEASURED; i++) {
		wheels[i] = wheel_create(&config);
		all &= !IS_ERR(wheels[i]);
	}
	taken = before - si_mem_available();
	for (i = 0; i < MEASURED; i++)
		wheel_destroy(wheels[i]);
	return all ? div_u64((u64)taken * PAGE_SIZE, MEASURED) : 0;
}

enum { FIRE, SLACK, PUSH, REARM, CANCEL, LOADS };

static void load_begins(struct bench *bench, int load, u64 now)
{
	struct wheel_timer *timers = bench->wheel_timers[0];
	u32 i;

	for (i = 0; i < TIMERS; i++) {
		u64 ns = prandom_u32_state(&bench->rnd) % NSEC_PER_SEC;

		if (load >= PUSH)
			ns += NSEC_PER_SEC;
		WARN_ON_ONCE(wheel_timer_arm(&timers[i], now + ns, load == SLACK ? ns / 8 : 0));
		if (load == CANCEL)
			wheel_timer_cancel(&timers[i]);
	}
}

static void load_goes_on(struct bench *bench, int load)
{
	struct wheel_timer *timers = bench->wheel_timers[0];
	u32 i;

	for (i = 0; i < TIMERS; i++) {
		u64 later = wheel_timer_deadline(&timers[i]) + NSEC_PER_SEC / 10;

		if (load == PUSH)
			wheel_timer_push(&timers[i], later);
		else if (load == REARM)
			wheel_timer_rearm(&timers[i], later, 0);
	}
}

static int run_load(struct bench *bench, const struct row *row, int load,
		    struct wheel_stats *stats)
{
	const struct wheel_config config = config_of(row, WHEEL_CLOCK_MONOTONIC);
	struct wheel *wheel = wheel_create(&config);
	int round, rounds = load == PUSH || load == REARM ? 20 : 10;
	u32 i;

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	for (i = 0; i < TIMERS; i++)
		wheel_timer_init(&bench->wheel_timers[0][i], wheel,
				 bench_timer_fires);
	bench_expect(TIMERS);
	load_begins(bench, load, wheel_now(wheel));
	for (round = 0; round < rounds; round++) {
		msleep(100);
		load_goes_on(bench, load);
	}
	wheel_read_stats(wheel, stats);
	wheel_destroy(wheel);
	return 0;
}

/* Returns tenths of nanoseconds per expiry, or 0 if the scheme rejects one of the timers. */
static u64 sweep(struct bench *bench, const struct row *row, u32 seconds)
{
	const struct wheel_config config = config_of(row, WHEEL_CLOCK_VIRTUAL);
	struct wheel *wheel = wheel_create(&config);
	u64 start, ns = 0;
	bool all = true;
	u32 i;

	if (IS_ERR(wheel))
		return 0;
	for (i = 0; i < SWEPT && all; i++) {
		struct wheel_timer *timer = &bench->wheel_timers[0][i];
		u64 when = prandom_u32_state(&bench->rnd);

		wheel_timer_init(timer, wheel, bench_timer_fires);
		when = (when * seconds >> 12) * (NSEC_PER_SEC >> 20);
		all = !wheel_timer_arm(timer, when, 0);
	}
	bench_expect(SWEPT);
	start = ktime_get_ns();
	if (all) {
		wheel_advance_to(wheel, 2 * seconds * NSEC_PER_SEC);
		ns = ktime_get_ns() - start;
	}
	wheel_destroy(wheel);
	return bench_tenths(ns, SWEPT);
}

static u64 best_sweep(struct bench *bench, const struct row *row, u32 seconds)
{
	u64 best = U64_MAX;
	u32 round;

	for (round = 0; round < bench_rounds; round++)
		best = min(best, sweep(bench, row, seconds));
	return best;
}

static int print_row(struct bench *bench, const struct row *row)
{
	const struct wheel_config config = config_of(row, WHEEL_CLOCK_VIRTUAL);
	static struct wheel_stats stats[LOADS];
	int load, error;

	for (load = 0; load < LOADS; load++) {
		error = run_load(bench, row, load, &stats[load]);
		if (error)
			return error;
	}
	pr_info("%-12s %7u %8llu %5llu %5llu %5llu %5llu %6llu %6llu %6llu %7llu\n",
		row->name, wheel_buckets_for(config.scheme, config.buckets, config.limit),
		memory_of(row),
		stats[FIRE].wakeups, stats[SLACK].wakeups, stats[PUSH].wakeups,
		stats[REARM].wakeups, stats[CANCEL].wakeups, stats[FIRE].cascaded,
		best_sweep(bench, row, 60) / 10,
		best_sweep(bench, row, 3600) / 10);
	return 0;
}

int bench_costs(struct bench *bench)
{
	int error = 0;
	u32 i;

	pr_info("%-12s %7s %8s %5s %5s %5s %5s %6s %6s %6s %7s\n", "scheme",
		"buckets", "bytes", "fire", "slack", "push", "rearm", "cancel",
		"moved", "1 min", "1 h");
	for (i = 0; i < ARRAY_SIZE(rows) && !error; i++)
		error = print_row(bench, &rows[i]);
	return error;
}
