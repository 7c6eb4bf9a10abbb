// SPDX-License-Identifier: GPL-2.0
/*
 * Arm, re-arm and cancel: the whole array, timed from outside of the loop.
 * Deadlines are absolute and drawn beforehand, so that nobody reads a clock
 * who need not; 100 to 160 s ahead, so that nothing fires.
 */
#include "bench.h"

#include <linux/sched.h>
#include <linux/timekeeping.h>

#define NEAREST		(100 * NSEC_PER_SEC)
#define FARTHEST	(160 * NSEC_PER_SEC)

static void wheel_arm(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		wheel_timer_arm(&bench->wheel_timers[bench->order[i]],
				bench->when[set][i], 0);
}

static void wheel_rearm(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		wheel_timer_rearm(&bench->wheel_timers[bench->order[i]],
				  bench->when[set][i], 0);
}

static void wheel_cancel(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		wheel_timer_cancel(&bench->wheel_timers[bench->order[i]]);
}

static void timer_list_arm(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		mod_timer(&bench->timers[bench->order[i]],
			  bench->expires[set][i]);
}

static void timer_list_cancel(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		timer_delete(&bench->timers[bench->order[i]]);
}

static void hrtimer_arm(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		hrtimer_start(&bench->hrtimers[bench->order[i]],
			      ns_to_ktime(bench->when[set][i]),
			      HRTIMER_MODE_ABS);
}

static void hrtimer_cancel_all(struct bench *bench, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		hrtimer_try_to_cancel(&bench->hrtimers[bench->order[i]]);
}

typedef void (*bench_fn)(struct bench *bench, int set);

/* Which set of deadlines, and by whom; a round runs the rows in this order. */
static const struct {
	const char	*name;
	int		set;
	bench_fn	by[CONTESTANTS];
} ops[] = {
	{ "arm", 0, { wheel_arm, timer_list_arm, hrtimer_arm } },
	{ "re-arm", 1, { wheel_rearm, timer_list_arm, hrtimer_arm } },
	{ "cancel", 0, { wheel_cancel, timer_list_cancel, hrtimer_cancel_all } },
};

int bench_arms(struct bench *bench, const char *order)
{
	static struct figures figures[ARRAY_SIZE(ops)];
	int round, op, c, error;

	error = bench_make_wheel(bench, WHEEL_CLOCK_MONOTONIC, NSEC_PER_MSEC);
	if (error)
		return error;
	for (round = 0; round < ROUNDS; round++) {
		bench_draw(bench, ktime_get_ns(), NEAREST, FARTHEST);
		for (c = 0; c < CONTESTANTS; c++) {
			for (op = 0; op < ARRAY_SIZE(ops); op++) {
				u64 start = ktime_get_ns();

				ops[op].by[c](bench, ops[op].set);
				figures[op].round[c][round] =
					bench_tenths(ktime_get_ns() - start,
						     bench->count);
				cond_resched();
			}
		}
	}
	bench_drop_wheel(bench);
	for (op = 0; op < ARRAY_SIZE(ops); op++)
		bench_print(bench, order, ops[op].name, &figures[op]);
	return 0;
}
