// SPDX-License-Identifier: GPL-2.0
/*
 * Expiry, measured in two ways.
 *
 * "burst" and "spread": timers expire in real time, at one jiffy or spread over ten, on an idle
 * machine. The time from the first to the last callback of each jiffy is measured. It excludes the
 * interrupt, and the work before the first and after the last callback. hrtimer is left out: the
 * kernel warns about interrupts of this length. A round of "spread" costs hierarchical 68
 * instructions per timer more if the timers cascade, which depends on the time at its start.
 *
 * "sweep": one call moves a virtual clock past all deadlines, which are 100 to 160 s ahead, and is
 * timed. "sweep, slack" adds 12.5 % of slack. timer_list has no virtual clock, so the result is
 * compared with its time for "spread".
 */
#include "bench.h"

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#define SPREAD		10
#define PATIENCE	(10 * HZ)

/* Jiffies to arm a million timers. timer_list is exact for less than 63 jiffies. */
#define AHEAD		40

static void arm_one(struct bench *bench, int c, u32 i, u32 jiffy, u64 base,
		    unsigned long now)
{
	u32 id = bench->order[i];

	if (c == TIMER_LIST)
		mod_timer(&bench->timers[id], now + jiffy);
	else
		WARN_ON_ONCE(wheel_timer_arm(&bench->wheel_timers[c][id],
					     base + (u64)jiffy * TICK_NSEC, 0));
}

/* Returns 0 if the first timer expired before all were armed. */
static u64 expire(struct bench *bench, int c, u32 spread)
{
	unsigned long now = jiffies + 1;
	u64 base;
	u32 i;

	/* Start at the beginning of a jiffy, so that all rounds use the same ones. */
	while (time_before(jiffies, now))
		cond_resched();
	base = ktime_get_ns();
	now = jiffies;
	bench_expect(bench->count / spread);
	for (i = 0; i < bench->count; i++)
		arm_one(bench, c, i, AHEAD + i % spread, base, now);
	if (READ_ONCE(bench_expired.fired))
		base = 0;
	while (READ_ONCE(bench_expired.fired) < bench->count &&
	       time_before(jiffies, now + PATIENCE))
		cond_resched();
	/* Read bench_expired again: cond_resched() may be empty, and is then no barrier. */
	barrier();
	if (!base || bench_expired.fired < bench->count)
		return 0;
	return bench_tenths(bench_expired.ns, bench->count);
}

static int bench_expire(struct bench *bench, const char *name, u32 spread)
{
	static struct figures figures;
	int c, error;
	u32 round, i;

	memset(&figures, 0, sizeof(figures));
	error = bench_make_wheels(bench, TICK_NSEC);
	if (error)
		return error;
	for (round = 0; round < bench_rounds; round++)
		for (c = 0; c <= TIMER_LIST; c++)
			figures.round[c][round] = expire(bench, c, spread);
	bench_drop_wheels(bench);
	for (i = 0; i < bench->count; i++)
		timer_delete_sync(&bench->timers[i]);
	bench_print(bench, "mixed", name, &figures);
	return 0;
}

/* Returns tenths of nanoseconds per expiry, or a negative errno. */
static s64 sweep(struct bench *bench, int c, u32 slack_shift)
{
	u64 span = 160 * NSEC_PER_SEC, start;
	int error;
	u32 i;

	error = bench_make_wheel(bench, c, WHEEL_CLOCK_VIRTUAL, NSEC_PER_MSEC);
	if (error)
		return error;
	for (i = 0; i < bench->count; i++) {
		u64 when = bench->when[0][i];

		WARN_ON_ONCE(wheel_timer_arm(&bench->wheel_timers[c][bench->order[i]], when,
					     slack_shift ? when >> slack_shift : 0));
	}
	bench_expect(bench->count);
	start = ktime_get_ns();
	wheel_advance_to(bench->wheel[c], 2 * span);
	start = ktime_get_ns() - start;
	bench_drop_wheel(bench, c);
	return bench_expired.fired == bench->count ?
	       bench_tenths(start, bench->count) : -EIO;
}

static int bench_sweep(struct bench *bench, const char *name, u32 slack_shift)
{
	static struct figures figures;
	u32 round;
	int c;

	memset(&figures, 0, sizeof(figures));
	for (round = 0; round < bench_rounds; round++) {
		bench_draw(bench, 0, 100 * NSEC_PER_SEC, 160 * NSEC_PER_SEC);
		for (c = 0; c < WHEELS; c++) {
			s64 tenths = sweep(bench, c, slack_shift);

			if (tenths < 0)
				return tenths;
			figures.round[c][round] = tenths;
			cond_resched();
		}
	}
	bench_print(bench, "mixed", name, &figures);
	return 0;
}

int bench_expiries(struct bench *bench)
{
	return bench_expire(bench, "burst", 1) ?:
	       bench_expire(bench, "spread", SPREAD) ?:
	       bench_sweep(bench, "sweep", 0) ?:
	       bench_sweep(bench, "sweep, slack", 3);
}
