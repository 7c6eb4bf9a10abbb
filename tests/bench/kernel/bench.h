/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two wheels beside the kernel's two timers, in one run: what an operation costs,
 * and whether that is within the bar which we have set ourselves.
 */
#ifndef _WHEEL_BENCH_H
#define _WHEEL_BENCH_H

/* Before anything that prints: every file includes this header first. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/prandom.h>
#include <linux/timer.h>
#include <linux/wheel_timer.h>

/* Each figure is the best of so many, at most. */
#define ROUNDS		7U

/* To arm, to re-arm, to push. */
#define SETS		3

/* The wheels first; all of them take part in everything. */
enum { HASHED, HIERARCHICAL, WHEELS, TIMER_LIST = WHEELS, HRTIMER, CONTESTANTS };

/**
 * struct bench - @count timers of each kind, and when they shall fire
 * @count: timers a contestant
 * @order: in which they are worked on, indices
 * @when: deadlines in nanoseconds, in sets; the last one is later than all others
 * @expires: the same in jiffies
 * @wheel: of @wheel_timers, by contestant
 * @wheel_timers: of the wheels
 * @timers: of timer_list
 * @hrtimers: of hrtimer
 * @rnd: where the deadlines come from, the same in each run
 */
struct bench {
	u32			count;
	u32			*order;
	u64			*when[SETS];
	unsigned long		*expires[SETS];
	struct wheel		*wheel[WHEELS];
	struct wheel_timer	*wheel_timers[WHEELS];
	struct timer_list	*timers;
	struct hrtimer		*hrtimers;
	struct rnd_state	rnd;
};

/**
 * struct figures - a line of the table: tenths of nanoseconds an operation
 * @round: by contestant; 0 did not take part
 * @best: of the rounds
 * @rival: what each wheel is measured by, if not timer_list's best
 * @bar: hundredths of that which it may take
 */
struct figures {
	u64	round[CONTESTANTS][ROUNDS];
	u64	best[CONTESTANTS];
	u64	rival[WHEELS];
	u32	bar;
};

/**
 * struct expiries - what the callbacks count
 * @fired: callbacks that have come
 * @group: callbacks that come in one go, as they share a tick
 * @left: of the present group
 * @start: when the first one of it came
 * @ns: from the first to the last callback of each group
 */
struct expiries {
	u32	fired;
	u32	group;
	u32	left;
	u64	start;
	u64	ns;
};

extern struct expiries bench_expired;
extern u32 bench_rounds;

int bench_open(struct bench *bench, u32 count);
void bench_close(struct bench *bench);
int bench_make_wheel(struct bench *bench, int c, u32 clock, u64 tick_ns);
void bench_drop_wheel(struct bench *bench, int c);
int bench_make_wheels(struct bench *bench, u64 tick_ns);
void bench_drop_wheels(struct bench *bench);
void bench_shuffle(struct bench *bench);
void bench_draw(struct bench *bench, u64 base, u64 from, u64 to);
void bench_head(void);
void bench_settle(struct figures *figures);
void bench_print(const struct bench *bench, const char *order, const char *op,
		 const struct figures *figures);
void bench_csv(const struct bench *bench, const char *order, const char *op,
	       const struct figures *figures);
void bench_csv_cpus(const char *op, u32 cpus, const char *name, u64 tenths);
void bench_timer_fires(struct wheel_timer *timer);
void bench_expect(u32 group);
u64 bench_tenths(u64 ns, u32 count);

int bench_arms(struct bench *bench, const char *order);
int bench_expiries(struct bench *bench);
int bench_costs(struct bench *bench);
int bench_bases(struct bench *bench);
#endif
