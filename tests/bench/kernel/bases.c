// SPDX-License-Identifier: GPL-2.0
/*
 * The gain from several bases: CPUs arm, move and cancel at once, each its own
 * timers, on a wheel with one base and on one with WHEEL_PERCPU; beside timer_list,
 * which has a base for each CPU, too. Nanoseconds an operation as one CPU sees it,
 * alone and with all others at work. A ratio of 1 means that they do not hinder each
 * other; of their number, that they might as well take turns.
 *
 * In hard interrupts, so that nothing of this machine's comes between. The work that comes
 * between on its host is why each figure is the best of so many.
 */
#include "bench.h"

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#define TRIES		100

/* Far ahead: nothing fires. */
#define NEAREST		(1000 * NSEC_PER_SEC)
#define FARTHEST	(1060 * NSEC_PER_SEC)

enum { ARM, REARM, PUSH, CANCEL, OPS };

static const char *const names[OPS] = { "arm", "re-arm", "push", "cancel" };

/**
 * struct race - CPUs that work at once; they are numbered without gaps
 * @bench: whose timers these are
 * @operate: what is done with timer i
 * @cpus: how many take part
 * @each: timers of each
 * @met: how often one of them came to where all meet
 * @ns: what each operation took, until the last CPU was through
 */
struct race {
	struct bench	*bench;
	void		(*operate)(struct bench *bench, int op, u32 i);
	u32		cpus;
	u32		each;
	atomic_t	met;
	u64		ns[OPS];
};

static void wheel_operate(struct bench *bench, int op, u32 i)
{
	struct wheel_timer *timer = &bench->wheel_timers[HASHED][i];

	switch (op) {
	case ARM:
		wheel_timer_arm(timer, bench->when[0][i], 0);
		break;
	case REARM:
		wheel_timer_rearm(timer, bench->when[1][i], 0);
		break;
	case PUSH:
		wheel_timer_push(timer, bench->when[2][i]);
		break;
	case CANCEL:
		wheel_timer_cancel(timer);
		break;
	}
}

static void timer_list_operate(struct bench *bench, int op, u32 i)
{
	if (op == CANCEL)
		timer_delete(&bench->timers[i]);
	else
		mod_timer(&bench->timers[i], bench->expires[op][i]);
}

static void meet(struct race *race)
{
	u32 met = atomic_inc_return(&race->met);
	u32 all = roundup(met, race->cpus);

	while ((u32)atomic_read(&race->met) < all)
		cpu_relax();
}

static void run(void *data)
{
	struct race *race = data;
	u32 cpu = smp_processor_id();
	u64 start;
	u32 i;
	int op;

	for (op = 0; op < OPS; op++) {
		meet(race);
		start = ktime_get_ns();
		for (i = cpu * race->each; i < (cpu + 1) * race->each; i++)
			race->operate(race->bench, op, i);
		meet(race);
		if (!cpu)
			race->ns[op] = ktime_get_ns() - start;
	}
}

/* Tenths of nanoseconds an operation. */
static void measure(struct race *race, u32 cpus, u64 *best)
{
	int try, op;

	race->cpus = cpus;
	for (op = 0; op < OPS; op++)
		best[op] = U64_MAX;
	for (try = 0; try < TRIES; try++) {
		atomic_set(&race->met, 0);
		if (cpus == 1)
			smp_call_function_single(0, run, race, true);
		else
			on_each_cpu(run, race, true);
		for (op = 0; op < OPS; op++)
			best[op] = min(best[op],
				       bench_tenths(race->ns[op], race->each));
		cond_resched();
	}
}

static void print_race(struct race *race, const char *name)
{
	u64 alone[OPS], together[OPS];
	u32 percent;
	int op;

	measure(race, 1, alone);
	measure(race, num_online_cpus(), together);
	for (op = 0; op < OPS; op++) {
		bench_csv_cpus(race->bench, names[op], 1, name, alone[op]);
		bench_csv_cpus(race->bench, names[op], num_online_cpus(), name,
			       together[op]);
		percent = div64_u64(100 * together[op], alone[op] ?: 1);
		pr_info("%-12s %-6s %6llu.%llu %6llu.%llu %5u.%02u\n", name,
			names[op], alone[op] / 10, alone[op] % 10,
			together[op] / 10, together[op] % 10, percent / 100,
			percent % 100);
	}
}

static int race_wheel(struct race *race, const char *name, u32 flags)
{
	const struct wheel_config config = {
		.name = KBUILD_MODNAME,
		.buckets = race->bench->count,
		.tick_ns = NSEC_PER_MSEC,
		.flags = flags,
	};
	struct wheel *wheel = wheel_create(&config);
	u32 i;

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	for (i = 0; i < race->bench->count; i++)
		wheel_timer_init(&race->bench->wheel_timers[HASHED][i], wheel,
				 bench_timer_fires);
	race->operate = wheel_operate;
	print_race(race, name);
	wheel_destroy(wheel);
	return 0;
}

int bench_bases(struct bench *bench)
{
	struct race race = {
		.bench = bench,
		.each = bench->count / num_online_cpus(),
	};
	int error;

	bench_draw(bench, ktime_get_ns(), NEAREST, FARTHEST);
	pr_info("%-12s %-6s %8s %8s %8s\n", "", "", "alone", "together", "ratio");
	error = race_wheel(&race, "one base", 0);
	if (!error)
		error = race_wheel(&race, "WHEEL_PERCPU", WHEEL_PERCPU);
	race.operate = timer_list_operate;
	if (!error)
		print_race(&race, "timer_list");
	return error;
}
