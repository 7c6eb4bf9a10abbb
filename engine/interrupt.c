// SPDX-License-Identifier: GPL-2.0
/*
 * A short pass, in the hrtimer's interrupt. Most interrupts come for a timer or two, and a
 * softirq costs more than they do. It goes on where there are more timers, where the owner
 * shall look for some, or where somebody is at work on the base.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include "account.h"
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
 * All is done: set the hrtimer, which is in its interrupt, to what comes next. It is queued when
 * the interrupt returns. An arm that comes before sets it earlier, and then it stays so. Returns
 * what the interrupt returns; or -EAGAIN: the next comes so soon that it is better taken now.
 */
static int base_rest(struct wheel_base *base, u64 now)
	__must_hold(&base->lock)
{
	u64 next = base_next_tick(base);
	u64 time;

	if (next == WHEEL_NO_TICK) {
		base->programmed = WHEEL_NO_TICK;
		return HRTIMER_NORESTART;
	}
	time = wheel_time_of(&base->core, next);
	if (time < now + SOON_NS)
		return -EAGAIN;
	base->programmed = next;
	base_need_clock(base, time);
	hrtimer_set_expires(&base->hrtimer, ns_to_ktime(time));
	return HRTIMER_RESTART;
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

/* A lock that somebody holds is not waited for: the hrtimer may be started under it. */
static int base_try(struct wheel_base *base, u64 now)
{
	u64 until = wheel_tick_at(&base->core, now);
	int restart = -EAGAIN;

	if (!raw_spin_trylock(&base->lock))
		return -EAGAIN;
	if (base_is_free(base, until) && base_serve(base, now, until) && !base->stopped)
		restart = base_rest(base, now);
	raw_spin_unlock(&base->lock);
	return restart;
}

/* The time of accounts, when a wheel's clock was just read. */
static u64 account_time(const struct wheel *wheel, u64 now)
{
	return wheel->config.clock == WHEEL_CLOCK_MONOTONIC ? now : ktime_get_mono_fast_ns();
}

/**
 * wheel_base_pass_short - make a pass in the hrtimer's interrupt
 * @base: base that has short passes
 *
 * As one in softirq context it is paid for, and waits if the account cannot pay.
 *
 * Context: Hard interrupt, of the base's hrtimer.
 *
 * Return: if all that was due is done, what the interrupt returns; -EAGAIN: a pass in softirq
 * context is needed.
 */
int wheel_base_pass_short(struct wheel_base *base)
{
	const struct wheel *wheel = base->owner;
	struct wheel_account *account = wheel->config.account;
	u64 now, begun;
	int restart;

	if (unlikely(wheel_account_owes(account)))
		return -EAGAIN;
	now = wheel_now(wheel);
	begun = account ? account_time(wheel, now) : 0;
	restart = base_try(base, now);
	if (account)
		wheel_account_charge(account, begun);
	return restart;
}
