/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine: time and locking around the wheel. The wheels of kernel modules run their
 * passes in work items; the owner of a wheel with a struct wheel_owner runs them itself.
 *
 *	hrtimer ----> work item ------> wheel_pop() --> claim ------> callback
 *	(hardirq)     (softirq, or	(lock held)	(lock held)	(no lock held)
 *	   |	       process context)
 *	   |
 *	   '--------> owner->interrupt()
 *		      owner's calls --> wheel_step():   claim ------> owner->expire()
 *					(lock held)	(lock held)	(lock held)
 *
 * Lock order: locks of callers -> wheel_base.lock -> locks of hrtimers and workqueues.
 * Callbacks and wake-ups run without wheel_base.lock. The hrtimer's function never spins
 * on wheel_base.lock: it may have interrupted a call of the owner on another CPU for long.
 */
#ifndef _WHEEL_ENGINE_H
#define _WHEEL_ENGINE_H

#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
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

/* One run of the work item ends after so many nanoseconds. */
#define WHEEL_RUN_NS	NSEC_PER_MSEC

/*
 * It ends after so many looks, too; a callback counts as several. An interrupt begins the
 * next run, so these are many: 2048 callbacks that do next to nothing share one.
 */
#define WHEEL_RUN	8192
#define WHEEL_CALL	4

/**
 * struct wheel_base - one ring of timers, its lock and what drives it
 * @lock: protects all but what says otherwise
 * @stopped: nothing fires and nothing is armed any more
 * @passing: a pass is under way, here or where its lock was dropped for callbacks
 * @percpu: timers that are armed go to the base of the CPU that arms them; constant
 * @needs_clock: the core has to be told the time at each arm; constant
 * @awaited: somebody sleeps on @idle
 * @reprogram: @programmed was lowered: @hrtimer is started before @lock is released
 * @scanning: the owner's scan function is running
 * @running_n: how many timers' callbacks run
 * @scan_tick: the tick at which the owner scans for timers to arm; WHEEL_NO_TICK: none
 * @scan_from: valid only while @scanning: the tick before the one that is being processed
 * @programmed: the tick that @hrtimer is set to: a timer that is due earlier lowers it.
 *	While a pass rests and the clock can be set: the first tick at which a timer may be
 *	due. 0: no timer lowers it, because a pass is in progress or is left to the owner,
 *	the owner of a VIRTUAL clock runs the passes, or the base is @stopped
 * @limit: timers pending at once, at most; 0 once @stopped
 * @core: the wheel itself
 * @needs_clock_until: a timer that is armed for a time up to this one may be overdue, so
 *	the core has to be told the present before. It is the time of @programmed, and
 *	WHEEL_NEVER from @hrtimer's interrupt to the end of its pass. A hint: @hrtimer
 *	writes it without the lock
 * @owner: the wheel that this is a base of; constant
 * @runner: the task in, or on top of, which the callbacks run
 * @calls: how often callbacks were called
 * @running: the timers whose callbacks run; they may be freed already: compare only
 * @counts: for wheel_read_stats(); its wakeups are written by @hrtimer alone,
 *	without the lock
 * @hrtimer: starts a pass
 * @mode: its mode; constant
 * @bh: a pass in softirq context, or
 * @work: in process context
 * @idle: those who wait for a callback that sleeps
 */
struct wheel_base {
	raw_spinlock_t		lock;
	bool			stopped;
	bool			passing;
	bool			percpu;
	bool			needs_clock;
	bool			awaited;
	bool			reprogram;
	bool			scanning;
	u32			running_n;
	u64			scan_tick;
	u64			scan_from;
	u64			programmed;
	u64			limit;
	u64			needs_clock_until;
	struct wheel_core	core;
	struct wheel		*owner;
	struct task_struct	*runner;
	u64			calls;
	struct wheel_timer	*running[WHEEL_BATCH];
	struct wheel_stats	counts;
	struct hrtimer		hrtimer;
	enum hrtimer_mode	mode;
	struct bh_work		bh;
	struct work_struct	work;
	wait_queue_head_t	idle;
} ____cacheline_aligned_in_smp;

/**
 * struct wheel - what wheel_create() returns; constant but for @virtual_now
 * @config: what it was made from
 * @virtual_now: the time of a VIRTUAL clock, in nanoseconds
 * @advance_lock: one at a time moves it
 * @memory: of the rings of all bases
 * @calling: for lockdep: what callbacks and those who wait for them hold
 * @count: of @base
 * @id: tells wheels apart in traces and debugfs
 * @all_wheels: the list of all wheels, for debugfs
 * @base: one, or several with WHEEL_PERCPU
 */
struct wheel {
	struct wheel_config	config;
	u64			virtual_now;
	/* Held over the passes that a VIRTUAL clock's move makes. */
	struct mutex		advance_lock;
	void			*memory;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map	calling;
#endif
	u32			count;
	u32			id;
	struct list_head	all_wheels;
	struct wheel_base	base[];
};

/* Each base of a wheel. */
#define for_each_base(base, wheel) \
	for (base = (wheel)->base; base < (wheel)->base + (wheel)->count; base++)

int wheel_config_check(const struct wheel_config *config);
const struct wheel_scheme *wheel_config_resolve(struct wheel_config *config);

bool wheel_far_ahead(const struct wheel *wheel, u64 time);

void wheel_base_init(struct wheel_base *base, struct wheel *owner);
void wheel_base_program(struct wheel_base *base);
void wheel_base_resume(struct wheel_base *base, u64 ns);
bool wheel_base_settle(struct wheel_base *base);
void wheel_base_quiesce(struct wheel_base *base);
void wheel_base_wait(struct wheel_base *base, u64 call);

bool wheel_base_pass(struct wheel_base *base, u64 ns);
bool wheel_base_calls(const struct wheel_base *base,
		      const struct wheel_timer *timer);
bool wheel_base_calls_us(const struct wheel_base *base);
bool wheel_calls_us(struct wheel *wheel);

int wheel_system_init(void);
void wheel_system_exit(void);
int wheel_dispatch_init(void);
void wheel_dispatch_exit(void);

/* In wheel_timer.base: the timer can never be armed again. */
#define WHEEL_SHUTDOWN	1UL

static inline struct wheel_base *timer_base(const struct wheel_timer *timer)
{
	return (struct wheel_base *)(READ_ONCE(timer->base) & ~WHEEL_SHUTDOWN);
}

/* NULL, and a warning: nobody has initialized the timer. */
static inline struct wheel_base *timer_base_or_warn(const struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base(timer);

	WARN_ONCE(!base, "wheel_timer: a timer is used that was not initialized\n");
	return base;
}

/*
 * Lock the base that a timer belongs to. One that is idle may move to another
 * base, under the lock of the old one. Callers from outside have asked
 * timer_base_or_warn() before.
 */
static inline struct wheel_base *timer_lock(const struct wheel_timer *timer,
					    unsigned long *flags)
{
	for (;;) {
		struct wheel_base *base = timer_base(timer);

		raw_spin_lock_irqsave(&base->lock, *flags);
		if (likely(base == timer_base(timer)))
			return base;
		raw_spin_unlock_irqrestore(&base->lock, *flags);
	}
}

/* The hrtimer is programmed once per lock hold, however many timers were armed. */
static inline void timer_unlock(struct wheel_base *base, unsigned long flags)
{
	if (unlikely(base->reprogram))
		wheel_base_program(base);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* No timer of a base is due before this time; WHEEL_NEVER: none is pending. */
static inline u64 base_next(const struct wheel_base *base)
{
	if (base->core.next == WHEEL_NO_TICK)
		return WHEEL_NEVER;
	return wheel_time_of(&base->core, base->core.next);
}

/* When is a pass needed next? */
static inline u64 base_next_tick(const struct wheel_base *base)
{
	return min(base->core.next, base->scan_tick);
}

/*
 * Lockdep's report from here is of a lock that the caller holds and a callback
 * takes. Not with a base's lock held, which callbacks do take. Interrupts are
 * disabled since in softirq context a callback may hold it.
 */
static inline void wheel_may_wait(struct wheel *wheel)
{
	unsigned long flags;

	local_irq_save(flags);
	lock_map_acquire(&wheel->calling);
	lock_map_release(&wheel->calling);
	local_irq_restore(flags);
}

/* Up to when may a timer that is armed be overdue? */
static inline void base_need_clock(struct wheel_base *base, u64 time)
{
	WRITE_ONCE(base->needs_clock_until, base->needs_clock ? WHEEL_NEVER : time);
}

/* A base whose owner runs the passes. */
static inline bool base_is_owned(const struct wheel_base *base)
{
	return base->owner->config.owner;
}

/* Can this clock be set, back as well? */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

/* May a callback of this wheel sleep? */
static inline bool wheel_sleeps(const struct wheel *wheel)
{
	return wheel->config.flags & WHEEL_SLEEPABLE;
}

#endif
