/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine: time and locking around the wheel.
 *
 *	hrtimer ----> work item ----> wheel_pop() ----> callback
 *	(hardirq)     (softirq, or	(lock held)	(no lock held)
 *		       process context)
 *
 * Lock order: what callers hold -> wheel_base.lock -> the locks of hrtimers and
 * of workqueues. Callbacks and wake-ups run without wheel_base.lock. The
 * hrtimer's own callback takes no lock, since it could spin on wheel_base.lock
 * with the hrtimer being started under it.
 */
#ifndef _WHEEL_ENGINE_H
#define _WHEEL_ENGINE_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/wheel_timer.h>
#include "../compat.h"
#include "../wheel.h"

#ifndef CONFIG_64BIT
#error "deadlines and clocks are read without a lock and must not tear"
#endif

struct task_struct;

/* Timers and places that are looked at under one lock hold, at most. */
#define WHEEL_HOLD	64

/* One run of the work item looks at so many; a callback counts as several. */
#define WHEEL_RUN	2048
#define WHEEL_CALL	4

/**
 * struct wheel_base - one wheel, its lock and what drives it
 * @lock: protects all but what says otherwise
 * @core: the wheel itself
 * @running: the timer whose callback runs; it may be freed already: compare only
 * @runner: the task in, or on top of, which that callback runs
 * @calls: how many callbacks were begun
 * @awaited: somebody sleeps on @idle
 * @stopped: nothing fires and nothing is armed any more
 * @programmed: the tick that @hrtimer is set to; 0: the pass under way, or the
 *	owner of a VIRTUAL clock, looks for itself
 * @limit: timers pending at once, at most; constant
 * @owner: the wheel that this is the base of; constant
 * @counts: for wheel_read_stats(); its wakeups are written by @hrtimer alone,
 *	without the lock
 * @hrtimer: starts a pass
 * @bh: a pass in softirq context, or
 * @work: in process context
 * @idle: those who wait for a callback that sleeps
 */
struct wheel_base {
	raw_spinlock_t		lock;
	bool			awaited;
	bool			stopped;
	u64			programmed;
	u64			limit;
	struct wheel		*owner;
	struct wheel_core	core;
	struct wheel_timer	*running;
	struct task_struct	*runner;
	u64			calls;
	struct wheel_stats	counts;
	struct hrtimer		hrtimer;
	struct bh_work		bh;
	struct work_struct	work;
	wait_queue_head_t	idle;
};

/**
 * struct wheel - what wheel_create() returns; constant but for @virtual_now
 * @base: its wheel
 * @clock: WHEEL_CLOCK_*
 * @flags: WHEEL_SLEEPABLE
 * @data: its owner's
 * @name: its owner's
 * @virtual_now: the time of a VIRTUAL clock, in nanoseconds
 * @advancing: one at a time moves it
 * @memory: of the rings
 */
struct wheel {
	struct wheel_base	base;
	u32			clock;
	u32			flags;
	void			*data;
	const char		*name;
	u64			virtual_now;
	/* Held over the passes that a VIRTUAL clock's move makes. */
	struct mutex		advancing;
	void			*memory;
};

void wheel_base_init(struct wheel_base *base, struct wheel *owner);
void wheel_base_program(struct wheel_base *base, u64 tick);
bool wheel_base_pass(struct wheel_base *base);
void wheel_base_quiesce(struct wheel_base *base);
bool wheel_base_calls_us(const struct wheel_base *base);
void wheel_base_wait(struct wheel_base *base, u64 call);

int wheel_dispatch_init(void);
void wheel_dispatch_exit(void);

/* In wheel_timer.base: the timer can never be armed again. */
#define TIMER_SHUTDOWN	1UL

static inline struct wheel_base *timer_base(const struct wheel_timer *timer)
{
	return (struct wheel_base *)(timer->base & ~TIMER_SHUTDOWN);
}

/* Can this clock be set, back as well? */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

/* May a callback of this wheel sleep? */
static inline bool wheel_sleeps(const struct wheel *wheel)
{
	return wheel->flags & WHEEL_SLEEPABLE;
}

#endif
