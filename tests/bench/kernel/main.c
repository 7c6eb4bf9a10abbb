// SPDX-License-Identifier: GPL-2.0
/*
 * The module prints its samples when it is loaded, and does nothing afterwards.
 */
#include "bench.h"

#include <linux/module.h>
#include <linux/slab.h>

static unsigned int max = 1000000;
module_param(max, uint, 0444);
MODULE_PARM_DESC(max, "maximum number of timers; the minimum is 1000");

static unsigned int rounds = ROUNDS;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "number of rounds");

static bool costs;
module_param(costs, bool, 0444);
MODULE_PARM_DESC(costs, "print memory, wake-ups and moves of each scheme instead");

static bool bases;
module_param(bases, bool, 0444);
MODULE_PARM_DESC(bases, "measure several CPUs that use a wheel simultaneously instead");

u32 bench_rounds;

static int bench_count(u32 count)
{
	struct bench *bench = kzalloc(sizeof(*bench), GFP_KERNEL);
	int error;

	if (!bench)
		return -ENOMEM;
	error = bench_open(bench, count);
	if (error)
		goto err_free;
	if (costs || bases) {
		error = costs ? bench_costs(bench) : bench_bases(bench);
		goto err_close;
	}
	error = bench_arms(bench, "array");
	if (error)
		goto err_close;
	bench_shuffle(bench);
	error = bench_arms(bench, "mixed");
	if (!error)
		error = bench_expiries(bench);
err_close:
	bench_close(bench);
err_free:
	kfree(bench);
	return error;
}

static int __init wheel_bench_init(void)
{
	int error = 0;
	u32 count;

	bench_rounds = clamp(rounds, 1U, ROUNDS);
	if (costs)
		return bench_count(10000);
	if (bases)
		return bench_count(max);
	bench_print_sizes();
	for (count = 1000; count <= max && !error; count *= 10)
		error = bench_count(count);
	return error;
}

static void __exit wheel_bench_exit(void)
{
}

module_init(wheel_bench_init);
module_exit(wheel_bench_exit);

MODULE_DESCRIPTION("Benchmark of wheel_timer, timer_list and hrtimer");
MODULE_LICENSE("GPL");
