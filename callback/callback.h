/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owner of the wheels of other modules: wheel_timer.h. Work items run the passes, and call a
 * function per timer.
 *
 *	hrtimer ----> work item ------> wheel_pop() --> claim ------> callback
 *	(hardirq)     (softirq, or	(lock held)	(lock held)	(no lock held)
 *		       process context)
 */
#ifndef _WHEEL_CALLBACK_H
#define _WHEEL_CALLBACK_H

#include <linux/irqflags.h>
#include <linux/wait.h>
#include <linux/wheel_timer.h>
#include <linux/workqueue.h>
#include "../engine/verbs.h"

/**
 * struct callback_base - Passes of a base; protected by the lock of @base
 * @base: the base, whose data this is; constant
 * @runner: task in whose context, or on top of which, the callback of @running runs
 * @calls: number of invocations of callbacks; read lockless
 * @running: timer whose callback is running, or NULL; it may have been freed, so the pointer must
 *	not be dereferenced; read lockless
 * @passing: true while a pass is in progress, also while it has released the lock for a callback
 * @bh: work item of passes in softirq context
 * @work: work item of passes in process context
 * @idle: wait queue for the end of a callback
 * @calling: lockdep map, acquired by callbacks and by callers that wait for them
 */
struct callback_base {
	struct wheel_base	*base;
	struct task_struct	*runner;
	u64			calls;
	struct wheel_timer	*running;
	bool			passing;
	union {
		struct bh_work		bh;
		struct work_struct	work;
	};
	wait_queue_head_t	idle;
	struct lockdep_map	calling;
} ____cacheline_aligned_in_smp;

bool wheel_callback_pass(struct callback_base *callback);

int wheel_callback_init(void);
void wheel_callback_exit(void);

static inline struct callback_base *callback_of(const struct wheel_base *base)
{
	return base->data;
}

/* Return true if the callbacks of a wheel may sleep. */
static inline bool wheel_sleeps(const struct wheel *wheel)
{
	return wheel->config.flags & WHEEL_SLEEPABLE;
}

/*
 * Return true if the caller is a callback of this base, which is locked. Compares the current task.
 * A callback in softirq context runs on top of a task, which cannot call this function itself at
 * the same time.
 */
static inline bool callback_is_us(const struct callback_base *callback)
{
	return callback->running && callback->runner == current;
}

/*
 * Annotate that the caller may wait for a callback. Lockdep reports a lock that the caller holds
 * and a callback takes. Must be called without a base's lock held, because callbacks take that,
 * too. Interrupts are disabled because callbacks acquire the map in softirq context.
 */
static inline void callback_may_wait(struct callback_base *callback)
{
	unsigned long flags;

	local_irq_save(flags);
	lock_map_acquire(&callback->calling);
	lock_map_release(&callback->calling);
	local_irq_restore(flags);
}

/*
 * Lock the base of a timer. A timer that is not pending may be moved to another base, under the
 * lock of the old one. Callers must have checked the timer with timer_base_or_warn().
 */
static inline struct wheel_base *timer_lock(const struct wheel_timer *timer, unsigned long *flags)
{
	for (;;) {
		struct wheel_base *base = timer_base(timer);

		raw_spin_lock_irqsave(&base->lock, *flags);
		if (likely(base == timer_base(timer)))
			return base;
		raw_spin_unlock_irqrestore(&base->lock, *flags);
	}
}

/* Unlock a base. The hrtimer is programmed at most once per lock hold. */
static inline void timer_unlock(struct wheel_base *base, unsigned long flags)
{
	if (unlikely(base->reprogram))
		wheel_base_program(base);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* Cancel a timer of a locked base: wheel_timer_cancel(). */
static inline int callback_cancel(struct wheel_base *base, struct wheel_timer *timer)
{
	int err = base_cancel(base, timer);

	return unlikely(err) && callback_of(base)->running == timer ? -EALREADY : err;
}

#endif
