// SPDX-License-Identifier: GPL-2.0
/*
 * Arm, re-arm, push and cancel all timers. The time of the whole loop is measured.
 * Deadlines are absolute and generated in advance, so no clock is read in the
 * loop. They are 100 to 220 s ahead, so nothing expires.
 *
 * "push" moves each timer to a deadline later than all previous ones. The wheels
 * need no lock for that.
 *
 * "arm, batch" and "cancel, batch" pass 64 timers per call. timer_list and hrtimer
 * have no such call, so their rows are those of single operations.
 *
 * "earliest" arms each timer one tick before all others, so each arm reprograms the
 * wheel's hrtimer. The result is compared with re-starting one hrtimer plus an arm.
 */
#include "bench.h"

#include <linux/sched.h>
#include <linux/timekeeping.h>

#define NEAREST		(100 * NSEC_PER_SEC)
#define FARTHEST	(160 * NSEC_PER_SEC)

/* Define a function that calls @call for each timer, in the order of the operations. */
#define FOR_EACH_TIMER(name, call)					\
static void name(struct bench *bench, int c, int set)			\
{									\
	u32 i;								\
									\
	for (i = 0; i < bench->count; i++) {				\
		u32 id = bench->order[i];				\
									\
		call;							\
	}								\
}

static __always_inline void arm(struct wheel_timer *timer, u64 deadline)
{
	WARN_ON_ONCE(wheel_timer_arm(timer, deadline, 0));
}

FOR_EACH_TIMER(wheel_arm, arm(&bench->wheel_timers[c][id], bench->when[set][i]))
FOR_EACH_TIMER(wheel_rearm, wheel_timer_rearm(&bench->wheel_timers[c][id], bench->when[set][i], 0))
FOR_EACH_TIMER(wheel_push, wheel_timer_push(&bench->wheel_timers[c][id], bench->when[set][i]))
FOR_EACH_TIMER(wheel_cancel, wheel_timer_cancel(&bench->wheel_timers[c][id]))
FOR_EACH_TIMER(timer_list_arm, mod_timer(&bench->timers[id], bench->expires[set][i]))
FOR_EACH_TIMER(timer_list_cancel, timer_delete(&bench->timers[id]))
FOR_EACH_TIMER(hrtimer_arm, hrtimer_start(&bench->hrtimers[id], ns_to_ktime(bench->when[set][i]),
					  HRTIMER_MODE_ABS))
FOR_EACH_TIMER(hrtimer_cancel_all, hrtimer_try_to_cancel(&bench->hrtimers[id]))

static void wheel_arm_many(struct bench *bench, int c, int set)
{
	struct wheel_timer *timers = bench->wheel_timers[c];
	static struct wheel_arm arms[WHEEL_BATCH];
	u32 i, n = 0;

	for (i = 0; i < bench->count; i++) {
		arms[n++] = (struct wheel_arm){
			.timer		= &timers[bench->order[i]],
			.deadline	= bench->when[set][i],
		};
		if (n < WHEEL_BATCH && i + 1 < bench->count)
			continue;
		wheel_arm_batch(bench->wheel[c], arms, n);
		n = 0;
	}
}

static void wheel_cancel_many(struct bench *bench, int c, int set)
{
	struct wheel_timer *timers = bench->wheel_timers[c];
	static struct wheel_timer *many[WHEEL_BATCH];
	static int answers[WHEEL_BATCH];
	u32 i, n = 0;

	for (i = 0; i < bench->count; i++) {
		many[n++] = &timers[bench->order[i]];
		if (n < WHEEL_BATCH && i + 1 < bench->count)
			continue;
		wheel_cancel_batch(bench->wheel[c], many, answers, n);
		n = 0;
	}
}

/* Later than all deadlines of set 0, and one tick earlier with each @i. */
static u64 earlier(const struct bench *bench, u32 i)
{
	return bench->when[0][0] + FARTHEST + (bench->count - i) * NSEC_PER_MSEC;
}

FOR_EACH_TIMER(wheel_earliest, arm(&bench->wheel_timers[c][id], earlier(bench, i)))

static void hrtimer_earliest(struct bench *bench, int c, int set)
{
	u32 i;

	for (i = 0; i < bench->count; i++)
		hrtimer_start(&bench->hrtimers[0],
			      ns_to_ktime(earlier(bench, i)), HRTIMER_MODE_ABS);
}

typedef void (*bench_fn)(struct bench *bench, int c, int set);

enum { EARLIEST, FORGET, ARM, REARM, PUSH, CANCEL, ARM_MANY, CANCEL_MANY, OPS };

/*
 * Name, set of deadlines, and functions. Each round runs them in this order on new wheels.
 * A used wheel may still have its hrtimer programmed for the deadline of a cancelled timer.
 */
static const struct {
	const char	*name;
	int		set;
	bench_fn	wheel;
	bench_fn	timer_list;
	bench_fn	hrtimer;
} ops[] = {
	[EARLIEST] = { "earliest", 0, wheel_earliest, NULL, hrtimer_earliest },
	[FORGET]   = { NULL, 0, wheel_cancel, NULL, hrtimer_cancel_all },
	[ARM]	   = { "arm", 0, wheel_arm, timer_list_arm, hrtimer_arm },
	[REARM]	   = { "re-arm", 1, wheel_rearm, timer_list_arm, hrtimer_arm },
	[PUSH]	   = { "push", 2, wheel_push, timer_list_arm, hrtimer_arm },
	[CANCEL]   = { "cancel", 0, wheel_cancel, timer_list_cancel,
		       hrtimer_cancel_all },
	[ARM_MANY] = { "arm, batch", 0, wheel_arm_many, timer_list_arm,
		       hrtimer_arm },
	[CANCEL_MANY] = { "cancel, batch", 0, wheel_cancel_many,
			  timer_list_cancel, hrtimer_cancel_all },
};

static bench_fn op_of(int op, int c)
{
	switch (c) {
	case TIMER_LIST:
		return ops[op].timer_list;
	case HRTIMER:
		return ops[op].hrtimer;
	default:
		return ops[op].wheel;
	}
}

static u64 run(struct bench *bench, int op, int c)
{
	bench_fn function = op_of(op, c);
	u64 start;

	if (!function)
		return 0;
	start = ktime_get_ns();
	function(bench, c, ops[op].set);
	return bench_tenths(ktime_get_ns() - start, bench->count);
}

static int round_of(struct bench *bench, struct figures *figures, u32 round)
{
	int op, c, error;

	error = bench_make_wheels(bench, NSEC_PER_MSEC);
	if (error)
		return error;
	bench_draw(bench, ktime_get_ns(), NEAREST, FARTHEST);
	for (c = 0; c < CONTESTANTS; c++) {
		for (op = 0; op < OPS; op++) {
			figures[op].round[c][round] = run(bench, op, c);
			cond_resched();
		}
	}
	bench_drop_wheels(bench);
	return 0;
}

int bench_arms(struct bench *bench, const char *order)
{
	static struct figures figures[OPS];
	int op, error;
	u32 round;

	memset(figures, 0, sizeof(figures));
	for (round = 0; round < bench_rounds; round++) {
		error = round_of(bench, figures, round);
		if (error)
			return error;
	}
	for (op = 0; op < OPS; op++)
		if (ops[op].name)
			bench_print(bench, order, ops[op].name, &figures[op]);
	return 0;
}
