// SPDX-License-Identifier: GPL-2.0
/*
 * Expiry, in two ways.
 *
 * "burst" and "spread": timers fire by themselves, all at one jiffy or over ten
 * of them, on a machine with nothing else to do. Timed is from the first to the
 * last callback of each jiffy, so it leaves out the interrupt, and what comes
 * before the first callback and after the last one. Without hrtimer: the kernel
 * warns of an interrupt that is as long as this.
 *
 * "sweep": a virtual clock is moved over all deadlines, 100 to 160 s ahead, in
 * one call, which is timed. timer_list has no such clock, so the ratio is to
 * what its timers took for "spread".
 */
#include "bench.h"

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#define SPREAD		10
#define PATIENCE	(10 * HZ)

/* Time to arm a million; timer_list is exact for less than 63 jiffies. */
#define AHEAD		40

static void arm_one(struct bench *bench, int c, u32 i, u32 jiffy, u64 base,
		    unsigned long now)
{
	u32 id = bench->order[i];

	if (c == WHEEL)
		wheel_timer_arm(&bench->wheel_timers[id],
				base + (u64)jiffy * TICK_NSEC, 0);
	else
		mod_timer(&bench->timers[id], now + jiffy);
}

/* 0 when the machine was too slow to arm them all before the first fires. */
static u64 expire(struct bench *bench, int c, u32 spread)
{
	unsigned long now = jiffies + 1;
	u64 base;
	u32 i;

	/* Start with a jiffy, so that all see the same ones. */
	while (time_before(jiffies, now))
		cond_resched();
	base = ktime_get_ns();
	now = jiffies;
	bench_expect(bench->count / spread);
	for (i = 0; i < bench->count; i++)
		arm_one(bench, c, i, AHEAD + i % spread, base, now);
	if (bench_expired.fired)
		base = 0;
	while (READ_ONCE(bench_expired.fired) < bench->count &&
	       time_before(jiffies, now + PATIENCE))
		cond_resched();
	if (!base || bench_expired.fired < bench->count)
		return 0;
	return bench_tenths(bench_expired.ns, bench->count);
}

static int bench_expire(struct bench *bench, const char *name, u32 spread,
			struct figures *figures)
{
	int round, c, error;
	u32 i;

	error = bench_make_wheel(bench, WHEEL_CLOCK_MONOTONIC, TICK_NSEC);
	if (error)
		return error;
	for (round = 0; round < ROUNDS; round++)
		for (c = WHEEL; c <= TIMER_LIST; c++)
			figures->round[c][round] = expire(bench, c, spread);
	bench_drop_wheel(bench);
	for (i = 0; i < bench->count; i++)
		timer_delete_sync(&bench->timers[i]);
	bench_print(bench, "shuffled", name, figures);
	return 0;
}

static int bench_swept(struct bench *bench, const char *name, u32 slack_shift,
		       struct figures *figures)
{
	u64 span = 160 * NSEC_PER_SEC;
	int round, error;
	u32 i;

	for (round = 0; round < ROUNDS; round++) {
		u64 start;

		error = bench_make_wheel(bench, WHEEL_CLOCK_VIRTUAL,
					 NSEC_PER_MSEC);
		if (error)
			return error;
		bench_draw(bench, 0, 100 * NSEC_PER_SEC, span);
		for (i = 0; i < bench->count; i++) {
			u64 when = bench->when[0][i];

			wheel_timer_arm(&bench->wheel_timers[bench->order[i]],
					when, slack_shift ? when >> slack_shift : 0);
		}
		bench_expect(bench->count);
		start = ktime_get_ns();
		wheel_advance_to(bench->wheel, 2 * span);
		figures->round[WHEEL][round] =
			bench_tenths(ktime_get_ns() - start, bench->count);
		bench_drop_wheel(bench);
		if (bench_expired.fired != bench->count)
			return -EIO;
		cond_resched();
	}
	bench_print(bench, "shuffled", name, figures);
	return 0;
}

int bench_expiries(struct bench *bench)
{
	static struct figures figures;
	int error;

	error = bench_expire(bench, "burst", 1, &figures);
	if (!error)
		error = bench_expire(bench, "spread", SPREAD, &figures);
	if (error)
		return error;
	error = bench_swept(bench, "sweep", 0, &figures);
	if (!error)
		error = bench_swept(bench, "sweep, slack", 3, &figures);
	return error;
}
