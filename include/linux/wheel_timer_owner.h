/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wheels whose owner runs the passes itself, in its own context: /dev/wheel in the system calls of
 * the program, a queueing discipline when it dequeues. Other modules use wheel_timer.h: there,
 * work items run the passes and call a function per timer.
 *
 *	hrtimer --> owner->interrupt()	marks the work, or runs a short step
 *	owner's context			wheel_lock()
 *					while (wheel_step()): owner->expire() for up to 64 timers
 *					wheel_settle()
 *					wheel_unlock(), which starts the hrtimer
 *
 * An owner creates its wheel with wheel_create_owned(), and initializes its timers with
 * wheel_timer_init() and without a function. wheel_timer_pending(), _deadline(), _fired(), _push()
 * and _wheel(), and wheel_now() take no lock. Functions whose name ends in _locked, and those that
 * state it, require wheel_lock(). While it is held, no other function of the wheel may be called.
 * While a timer is not pending, its @node and its @function belong to the owner.
 */
#ifndef _LINUX_WHEEL_TIMER_OWNER_H
#define _LINUX_WHEEL_TIMER_OWNER_H

#include <linux/hrtimer.h>
#include <linux/wheel_timer_common.h>

/**
 * typedef wheel_claim_fn - Decide whether to expire, requeue or drop a timer
 * @data: data of the owner
 * @timer: timer that was dequeued
 * @due: time for which it was queued, in nanoseconds. WHEEL_NEVER if the wheel is being
 *	stopped: then WHEEL_FIRE returns the timer to the caller of wheel_stop(). If @due is
 *	WHEEL_MAX_TIME or later, WHEEL_LATER must not be returned
 * @deadline: out: the timer's deadline, except with WHEEL_GONE; must be after @due with
 *	WHEEL_LATER
 *
 * For an owner that stores the deadlines elsewhere, where they can be moved without the wheel.
 * Called with the wheel's lock held. Must not take a lock. The only function of the wheel that it
 * may call is wheel_timer_deadline().
 *
 * Return: the decision. After WHEEL_GONE, the timer's memory must not be freed before the
 * wheel's lock is released.
 */
typedef enum wheel_claim (*wheel_claim_fn)(void *data, struct wheel_timer *timer, u64 due,
					   u64 *deadline);

/**
 * struct wheel_owner - Operations of an owner; @data is that of wheel_create_owned()
 * @interrupt: Called when the hrtimer expires, in hard interrupt or softirq context, with no lock
 *	held. Runs a short step, with wheel_trylock() and wheel_step(), or leaves the pass to
 *	the owner. Returns HRTIMER_NORESTART, or the value that wheel_restart() returned
 * @scan: Find timers to arm, at the time set by wheel_scan_at(); NULL if the owner never sets one.
 *	Called by wheel_step() with the wheel locked, before it takes timers that are due from
 *	this time on. A timer that is armed here may be due at the tick of this time, or, on a
 *	wheel with a limited range, at the current tick. A complete scan ends by setting the
 *	time of the next one; otherwise the next step continues the scan. Returns the number of
 *	timers examined, at most WHEEL_BATCH
 * @expire: Deliver @n due timers, in order; none is pending. @now is the time of the wheel's clock
 *	when they expired. Called by wheel_step() with the wheel locked. May arm and cancel
 *	timers with the functions that end in _locked
 * @claim: Decide whether timers expire; NULL: their deadlines decide
 * @run: Run a pass after wheel_advance_to() has moved the clock, in process context. Returns true
 *	if it must be continued. NULL if the owner calls wheel_step() afterwards
 * @calls_us: Return true if the caller is called by this owner, so that wheel_stop() would wait for
 *	its own caller. NULL: never
 * @quiesce: Wait until nothing that @interrupt has started uses the wheel. Called by wheel_stop()
 *	and wheel_destroy() after the last interrupt. May sleep. NULL: the owner does this itself
 * @context: Name of the context that calls the timers' functions. NULL if they have none
 * @hard: true if @interrupt is short and wakes up no task. Then it is always called in hard
 *	interrupt context, also with PREEMPT_RT
 */
struct wheel_owner {
	enum hrtimer_restart	(*interrupt)(void *data);
	unsigned int		(*scan)(void *data, u64 now);
	void			(*expire)(void *data, struct wheel_timer **due, unsigned int n,
					  u64 now);
	wheel_claim_fn		claim;
	bool			(*run)(void *data);
	bool			(*calls_us)(void *data);
	void			(*quiesce)(void *data);
	const char		*context;
	bool			hard;
};

struct wheel *wheel_create_owned_class(const struct wheel_config *config,
				       const struct wheel_owner *owner, void *data,
				       struct wheel_class *class);

/**
 * wheel_create_owned() - Create a wheel with an owner
 * @config: configuration of the wheel, without flags
 * @owner: operations of the owner
 * @data: data of the owner, passed to its operations
 *
 * Calls wheel_create_owned_class() with separate lock classes for each caller.
 *
 * Return: Same as wheel_create_owned_class().
 */
#define wheel_create_owned(config, owner, data)				\
({									\
	static struct wheel_class __class;				\
									\
	wheel_create_owned_class(config, owner, data, &__class);	\
})

void wheel_lock(struct wheel *wheel);
bool wheel_trylock(struct wheel *wheel);
void wheel_unlock(struct wheel *wheel);

int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel_locked(struct wheel_timer *timer);

bool wheel_step(struct wheel *wheel, u64 now, unsigned int max);
void wheel_settle(struct wheel *wheel);
enum hrtimer_restart wheel_restart(struct wheel *wheel, u64 from);
u64 wheel_next_locked(const struct wheel *wheel);
void wheel_scan_at(struct wheel *wheel, u64 time);
bool wheel_drain_some(struct wheel *wheel, struct list_head *unfired);

/* Before a wheel is created: what its configuration results in. */
u64 wheel_limit_of(u32 scheme);
u32 wheel_buckets_for(u32 scheme, u32 requested, u64 limit);

#endif
