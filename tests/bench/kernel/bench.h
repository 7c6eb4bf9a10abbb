/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compare the costs of two wheels with those of timer_list and hrtimer, in one run.
 */
#ifndef _WHEEL_BENCH_H
#define _WHEEL_BENCH_H

/* Must precede all includes that print, so every file includes this header first. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/wheel_timer.h>
#include <linux/wheel_timer_owner.h>
#include <linux/hrtimer.h>
#include <linux/prandom.h>
#include <linux/timer.h>

/* Maximum number of rounds. */
#define ROUNDS		7U

/* Sets of deadlines: for arm, re-arm and push. */
#define SETS		3

/* The wheels come first. */
enum { HASHED, HIERARCHICAL, WHEELS, TIMER_LIST = WHEELS, HRTIMER, CONTESTANTS };

/**
 * struct bench - @count timers of each kind, and their deadlines
 * @count: number of timers per implementation
 * @order: timer indices, in the order of the operations
 * @when: sets of deadlines in nanoseconds; the last set is later than all others
 * @expires: the same deadlines in jiffies
 * @wheel: wheel of each @wheel_timers
 * @wheel_timers: timers of each wheel
 * @timers: timers of timer_list
 * @hrtimers: timers of hrtimer
 * @rnd: generator of the deadlines, with the same seed in each run
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
 * struct figures - one row of the table, in tenths of nanoseconds per operation
 * @round: time of each round, by implementation; 0 if not measured
 */
struct figures {
	u64	round[CONTESTANTS][ROUNDS];
};

/**
 * struct expiries - counters updated by the callbacks
 * @fired: number of callbacks
 * @group: number of callbacks at the same tick
 * @left: number of callbacks left in the current group
 * @start: time of the current group's first callback
 * @ns: sum of the times from the first to the last callback of each group
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
void bench_print(const struct bench *bench, const char *order, const char *op,
		 const struct figures *figures);
void bench_print_sizes(void);
void bench_timer_fires(struct wheel_timer *timer);
void bench_expect(u32 group);
u64 bench_tenths(u64 ns, u32 count);

int bench_arms(struct bench *bench, const char *order);
int bench_expiries(struct bench *bench);
int bench_costs(struct bench *bench);
int bench_bases(struct bench *bench);
#endif
