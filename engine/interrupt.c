// SPDX-License-Identifier: GPL-2.0
/*
 * A short pass, in the hrtimer's interrupt. Most interrupts come for a timer or two, and a
 * softirq costs more than they do. It goes on where there are more timers, where the owner
 * shall look for some, or where somebody is at work on the base.
 */
#include <linux/sched.h>
#include "take.h"

/* So many timers are taken, at most; to find them is a lock hold's worth. */
#define SHORT		8U

/* For what is due so soon the hrtimer would come in the same interrupt. */
#define SOON_NS		(10 * NSEC_PER_USEC)

/*
 * As base_call() of pass.c, but nobody can sleep until it is over: for that a callback would
 * have to be interrupted by the task that waits for it.
 */
static void base_call_expire(struct wheel_base *base, unsigned int n, u64 now)
	__must_hold(&base->lock)
{
	struct wheel *wheel = base->owner;

	base_begin_call(base, n);
	raw_spin_unlock(&base->lock);

	lock_map_acquire_read(&wheel->calling);
	wheel->config.expire(wheel, base->running, n, now);
	lock_map_release(&wheel->calling);

	raw_spin_lock(&base->lock);
	WRITE_ONCE(base->running_n, 0);
}

static bool next_is_soon(const struct wheel_base *base, u64 now)
{
	u64 next = base_next_tick(base);

	return next != WHEEL_NO_TICK &&
	       wheel_time_of(&base->core, next) < now + SOON_NS;
}

/* Returns true if all that was due was taken. */
static bool base_serve(struct wheel_base *base, u64 now, u64 until)
	__must_hold(&base->lock)
{
	unsigned int budget = WHEEL_BATCH;
	unsigned int n;

	base->passing = true;
	base->runner = current;
	base->programmed = 0;
	base->counts.passes++;
	trace_wheel_pass_begin(base);
	n = base_collect(base, now, until, SHORT, &budget);
	if (n)
		base_call_expire(base, n, now);
	base->passing = false;
	trace_wheel_pass_end(base, now, n, WHEEL_BATCH - budget, n == SHORT || !budget);
	return n < SHORT && budget;
}

/*
 * May a pass be made here and now? Under the lock of the base. The hrtimer may be queued
 * again already, by an arm that had the lock when the interrupt came:
 *
 *	this				wheel_timer_arm()
 *
 *					lock
 *	hrtimer taken off its queue	due before @programmed:
 *					start the hrtimer
 *					unlock
 *	trylock
 *	queued? leave it to a softirq
 *
 * Its time must not be changed then. From here on nobody starts it until the pass is over.
 */
static bool base_is_free(struct wheel_base *base, u64 until)
{
	return !base->passing && !base->stopped && list_empty(&base->waits) &&
	       !hrtimer_is_queued(&base->hrtimer) && base->look > until;
}

/**
 * wheel_base_pass_short - make a pass in the hrtimer's interrupt
 * @base: base that has short passes
 * @restart: set to what the interrupt returns, if all is done
 *
 * A lock that somebody holds is not waited for: the hrtimer may be started under it.
 *
 * Context: Hard interrupt, of the base's hrtimer.
 *
 * Return: true if all that was due is done; false: a pass in softirq context is needed.
 */
bool wheel_base_pass_short(struct wheel_base *base, enum hrtimer_restart *restart)
{
	u64 now = wheel_now(base->owner);
	u64 until = wheel_tick_at(&base->core, now);
	bool done;

	if (!raw_spin_trylock(&base->lock))
		return false;
	done = base_is_free(base, until) && base_serve(base, now, until) &&
	       !base->stopped && !next_is_soon(base, now);
	if (done)
		*restart = wheel_base_rest(base);
	raw_spin_unlock(&base->lock);
	return done;
}
