// SPDX-License-Identifier: GPL-2.0
/*
 * The lock of a wheel whose owner calls wheel_step(). It is held with interrupts enabled, so that
 * long lock holds delay no interrupt. The wheel's own interrupt does not wait for it.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include "engine.h"

/* On a kernel for one CPU, locks only disable preemption, so an interrupt needs this mark. */
static inline void base_set_held(struct wheel_base *base, bool held)
{
	if (!IS_ENABLED(CONFIG_SMP))
		WRITE_ONCE(base->held, held);
}

static inline bool base_trylock(struct wheel_base *base)
{
	/* raw_spin_trylock() has a sparse annotation that does not work in a function. */
	if ((!IS_ENABLED(CONFIG_SMP) && READ_ONCE(base->held)) ||
	    !_raw_spin_trylock(&base->lock))
		return false;
	base_set_held(base, true);
	return true;
}

/**
 * wheel_lock() - Lock a wheel for operations of its owner
 * @wheel: wheel with an owner
 *
 * Interrupts remain enabled, so a lock hold delays none. Preemption is disabled, so one should arm
 * at most WHEEL_BATCH timers, or one with WHEEL_OVERFLOW. The interrupt of the hrtimer may arrive
 * meanwhile, also on this CPU: see wheel_trylock().
 *
 * Context: Process or softirq context. If a softirq locks the same wheel, softirqs must be
 * disabled.
 */
void wheel_lock(struct wheel *wheel)
	__acquires(&wheel->base->lock)
{
	WARN_ON_ONCE(!wheel->owner->expire);
	raw_spin_lock(&wheel->base->lock);
	base_set_held(wheel->base, true);
}
EXPORT_SYMBOL_GPL(wheel_lock);

/*
 * Start the hrtimer, and unlock. If its time has passed, it interrupts at once. In the lock hold,
 * that interrupt would find the lock held and cause another start, so interrupts are disabled.
 */
static noinline void base_unlock_program(struct wheel_base *base)
	__releases(&base->lock)
{
	unsigned long flags;

	local_irq_save(flags);
	wheel_base_program(base);
	base_set_held(base, false);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

static inline void base_unlock_owned(struct wheel_base *base)
	__releases(&base->lock)
{
	if (unlikely(base->reprogram)) {
		base_unlock_program(base);
	} else {
		base_set_held(base, false);
		raw_spin_unlock(&base->lock);
	}
}

/* Start the hrtimer again for the interrupt that has found the lock held. */
static noinline void base_retry_missed(struct wheel_base *base)
{
	while (READ_ONCE(base->missed) && base_trylock(base)) {
		__acquire(&base->lock);
		WRITE_ONCE(base->missed, false);
		base->reprogram = base->state == BASE_TIMED && base->wake_tick != WHEEL_NO_TICK;
		base_unlock_owned(base);
		/* Same as in wheel_base_check_missed(). */
		smp_mb();
	}
}

/* Start the hrtimer again if its interrupt has found the lock held that was just released. */
inline void wheel_base_check_missed(struct wheel_base *base)
{
	/* Order the unlock before the read of @missed. Pairs with wheel_trylock(). */
	smp_mb();
	if (unlikely(READ_ONCE(base->missed)))
		base_retry_missed(base);
}

/**
 * wheel_unlock() - Unlock a wheel, and start its hrtimer if necessary
 * @wheel: wheel locked by wheel_lock() or wheel_trylock()
 *
 * The hrtimer is started at most once per lock hold: if a timer was armed that is due before the
 * others, after wheel_settle(), or for an interrupt that has found the lock held.
 *
 * Context: Same as wheel_lock(). Do not hold a lock that the scheduler or hrtimers take.
 */
void wheel_unlock(struct wheel *wheel)
	__releases(&wheel->base->lock)
{
	struct wheel_base *base = wheel->base;

	base_unlock_owned(base);
	wheel_base_check_missed(base);
}
EXPORT_SYMBOL_GPL(wheel_unlock);

/**
 * wheel_trylock() - Lock a wheel in owner->interrupt() if it is not locked
 * @wheel: wheel with an owner
 *
 * An interrupt does not wait for the lock, because it may have interrupted the holder, or the
 * holder may be preempted by a hypervisor. If the lock is held, it leaves a mark, and must return
 * HRTIMER_NORESTART. The holder then starts the hrtimer again after its unlock. The mark
 * corresponds to NAPI's MISSED.
 *
 * ::
 *
 *	interrupt			holder of the lock
 *
 *	trylock: held
 *	missed = true			unlock
 *	full barrier			full barrier
 *	trylock				missed: trylock, start the hrtimer, unlock
 *
 * Either the second trylock succeeds, or the holder reads the mark.
 *
 * Context: Hard interrupt or softirq context: owner->interrupt().
 *
 * Return: true if the wheel was locked, as if by wheel_lock().
 */
bool wheel_trylock(struct wheel *wheel)
{
	struct wheel_base *base = wheel->base;

	if (likely(base_trylock(base)))
		return true;
	WRITE_ONCE(base->missed, true);
	/* The interrupt that follows counts, this one has done nothing. */
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups - 1);
	/* Order the mark before the second attempt. Pairs with wheel_base_check_missed(). */
	smp_mb();
	if (!base_trylock(base))
		return false;
	WRITE_ONCE(base->missed, false);
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups + 1);
	return true;
}
EXPORT_SYMBOL_GPL(wheel_trylock);
