// SPDX-License-Identifier: GPL-2.0
/*
 * Several CPUs arm, move and cancel their own timers at the same time, on a wheel with one
 * base and on one with WHEEL_PERCPU. timer_list and hrtimer, which have a base per CPU, are
 * measured for comparison. Prints nanoseconds per operation on one CPU, for 1, 2, 3 ... CPUs.
 * A constant time means that the CPUs do not contend. A time proportional to the number of
 * CPUs means that they run one at a time.
 *
 * "nothing shared" measures CPUs that access only their own memory. Its time rises if the
 * machine itself limits them, for example in a guest with more CPUs than its host.
 *
 * The operations run in hardirq context, so that other interrupts cannot preempt them.
 */
#include "bench.h"

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#define STORES		16

/* Far enough in the future that nothing expires. */
#define NEAREST		(1000 * NSEC_PER_SEC)
#define FARTHEST	(1060 * NSEC_PER_SEC)

enum { ARM, REARM, PUSH, CANCEL, OPS };

static const char *const names[OPS] = { "arm", "re-arm", "push", "cancel" };

/**
 * struct race - simultaneous operations on CPUs 0 to @cpus - 1
 * @bench: owner of the timers
 * @operate: performs operation op on timer i
 * @op: current operation
 * @cpus: number of CPUs
 * @each: number of timers per CPU
 * @met: number of times that a CPU arrived at the barrier in meet()
 * @ns: time of each operation, until the last CPU has finished
 */
struct race {
	struct bench	*bench;
	void		(*operate)(struct bench *bench, int op, u32 i);
	int		op;
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
		WARN_ON_ONCE(wheel_timer_arm(timer, bench->when[0][i], 0));
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

static void hrtimer_operate(struct bench *bench, int op, u32 i)
{
	if (op == CANCEL)
		hrtimer_try_to_cancel(&bench->hrtimers[i]);
	else
		hrtimer_start(&bench->hrtimers[i],
			      ns_to_ktime(bench->when[op][i]),
			      HRTIMER_MODE_ABS_PINNED);
}

/* Takes about as long as an operation on a timer. */
static void nothing_operate(struct bench *bench, int op, u32 i)
{
	u32 store;

	for (store = 0; store < STORES; store++)
		WRITE_ONCE(bench->order[i], store);
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

	meet(race);
	start = ktime_get_ns();
	for (i = cpu * race->each; i < (cpu + 1) * race->each; i++)
		race->operate(race->bench, race->op, i);
	meet(race);
	if (!cpu)
		race->ns[race->op] = ktime_get_ns() - start;
}

/* Runs on CPU 0, which takes part in every measurement. */
static long run_first(void *data)
{
	struct race *race = data;
	static struct cpumask first;
	u32 cpu;

	cpumask_clear(&first);
	for (cpu = 0; cpu < race->cpus; cpu++)
		cpumask_set_cpu(cpu, &first);
	atomic_set(&race->met, 0);
	for (race->op = 0; race->op < OPS; race->op++) {
		on_each_cpu_mask(&first, run, race, true);
		cond_resched();
	}
	return 0;
}

/* Print the time per operation on one of the CPUs, whose number is in the column of timers. */
static void print_race(const struct race *race, const char *name)
{
	u32 tenth;
	int op;

	for (op = 0; op < OPS; op++) {
		u64 ns = div_u64_rem(bench_tenths(race->ns[op], race->each), 10, &tenth);

		pr_info("cpus,%s,%u,%s,ns,%llu.%u\n", names[op], race->cpus, name, ns, tenth);
	}
}

static void run_race(struct race *race, const char *name)
{
	u32 cpus = num_online_cpus(), round;

	for (round = 0; round < bench_rounds; round++)
		for (race->cpus = 1; race->cpus <= cpus; race->cpus++) {
			work_on_cpu(0, run_first, race);
			print_race(race, name);
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
	run_race(race, name);
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
	error = race_wheel(&race, "one base", 0);
	if (error)
		return error;
	error = race_wheel(&race, "WHEEL_PERCPU", WHEEL_PERCPU);
	if (error)
		return error;
	race.operate = timer_list_operate;
	run_race(&race, "timer_list");
	race.operate = hrtimer_operate;
	run_race(&race, "hrtimer");
	race.operate = nothing_operate;
	run_race(&race, "nothing shared");
	return 0;
}
