// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels: created, stopped, destroyed; their clocks and counters.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "engine.h"

#define DEFAULT_TICK_NS		1000000
#define DEFAULT_SLOTS		4096
#define MIN_DEFAULT_SLOTS	256
#define TIMERS_A_SLOT		16

static const struct wheel_scheme * const schemes[] = {
	[WHEEL_HASHED]		= &wheel_hashed,
	[WHEEL_HIERARCHICAL]	= &wheel_hierarchical,
	[WHEEL_BOUNDED]		= &wheel_bounded,
	[WHEEL_OVERFLOW]	= &wheel_overflow,
};

static int config_check(const struct wheel_config *config)
{
	if (!config || !config->name)
		return -EINVAL;
	if (config->clock > WHEEL_CLOCK_VIRTUAL ||
	    config->scheme > WHEEL_OVERFLOW ||
	    config->flags & ~WHEEL_SLEEPABLE ||
	    config->tick_ns > WHEEL_MAX_TIME ||
	    config->slots > WHEEL_MAX_SLOTS)
		return -EINVAL;
	if (config->scheme == WHEEL_OVERFLOW &&
	    config->limit > WHEEL_OVERFLOW_TIMERS)
		return -EINVAL;
	if (!(wheel_features() & WHEEL_HAS_CLOCK(config->clock)) ||
	    !(wheel_features() & WHEEL_HAS_SCHEME(config->scheme)))
		return -EOPNOTSUPP;
	if (wheel_settable(config->clock) && config->scheme != WHEEL_HASHED &&
	    config->scheme != WHEEL_BOUNDED)
		return -EOPNOTSUPP;
	return 0;
}

/**
 * wheel_slots_for - how many slots a wheel would have
 * @config: of which scheme, slots and limit matter
 *
 * Context: Any.
 *
 * Return: slots of all its rings.
 */
u32 wheel_slots_for(const struct wheel_config *config)
{
	u64 slots = config->slots;

	if (!slots && !config->limit)
		slots = DEFAULT_SLOTS;
	else if (!slots)
		slots = clamp_t(u64, config->limit / TIMERS_A_SLOT,
				MIN_DEFAULT_SLOTS, WHEEL_MAX_SLOTS);
	return schemes[config->scheme]->slots(roundup_pow_of_two(slots));
}
EXPORT_SYMBOL_GPL(wheel_slots_for);

static u64 config_limit(const struct wheel_config *config)
{
	if (config->limit)
		return config->limit;
	return config->scheme == WHEEL_OVERFLOW ? WHEEL_OVERFLOW_TIMERS :
						  U64_MAX;
}

/**
 * wheel_create - make a wheel
 * @config: what kind
 *
 * Nothing runs until the first timer is armed. The memory is charged to the
 * cgroup of the caller.
 *
 * Context: Process context. May sleep.
 *
 * Return: the wheel, or an ERR_PTR:
 *
 * * %-EINVAL - no name, a clock, scheme, flag, tick or number of slots that does
 *   not exist, or more than WHEEL_OVERFLOW_TIMERS for that scheme
 * * %-EOPNOTSUPP - a clock or scheme that wheel_features() does not list, or a
 *   clock that can be set on a scheme other than WHEEL_HASHED and WHEEL_BOUNDED
 * * %-ENOMEM - no memory
 */
struct wheel *wheel_create(const struct wheel_config *config)
{
	int err = config_check(config);
	struct wheel *wheel;
	u32 slots;

	if (err)
		return ERR_PTR(err);
	slots = wheel_slots_for(config);
	wheel = kzalloc(sizeof(*wheel), GFP_KERNEL_ACCOUNT);
	if (!wheel)
		return ERR_PTR(-ENOMEM);
	wheel->memory = kvmalloc(wheel_memory(slots), GFP_KERNEL_ACCOUNT);
	if (!wheel->memory) {
		kfree(wheel);
		return ERR_PTR(-ENOMEM);
	}

	wheel->base.limit = config_limit(config);
	wheel->clock = config->clock;
	wheel->flags = config->flags;
	wheel->data = config->data;
	wheel->name = config->name;
	mutex_init(&wheel->advancing);
	wheel_init(&wheel->base.core, schemes[config->scheme], slots,
		   config->tick_ns ?: DEFAULT_TICK_NS, wheel->memory);
	wheel_base_init(&wheel->base, wheel);
	return wheel;
}
EXPORT_SYMBOL_GPL(wheel_create);

/* Returns with the base stopped, so that nothing is armed behind our back. */
static int base_stop(struct wheel_base *base)
{
	int err = 0;

	raw_spin_lock_irq(&base->lock);
	if (wheel_base_calls_us(base))
		err = -EDEADLK;
	else
		base->stopped = true;
	raw_spin_unlock_irq(&base->lock);
	return err;
}

/* One lock hold's worth. Returns false when nothing is left. */
static bool base_drain(struct wheel_base *base, struct list_head *unfired)
{
	unsigned int budget = WHEEL_HOLD;
	struct wheel_timer *timer;

	raw_spin_lock_irq(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		base->counts.cancelled++;
		if (unfired)
			list_add_tail(&timer->node, unfired);
		budget--;
	}
	raw_spin_unlock_irq(&base->lock);
	return !budget;
}

/**
 * wheel_stop - let no timer of a wheel fire any more, and have them back
 * @wheel: wheel
 * @unfired: initialized list to which the timers that were pending are added,
 *	linked by their node; or NULL
 *
 * The timers that are handed back are not pending and count as cancelled. When
 * this returns no callback runs and none will; arming a timer of the wheel
 * fails with -ESHUTDOWN. Stopping again finds no timer. Until it has returned
 * nobody may free a timer that was pending.
 *
 * The idea is that of stop() of Netty's HashedWheelTimer.
 *
 * Context: Process context. May sleep. Waits for a callback that runs.
 *
 * Return:
 *
 * * %0 - stopped
 * * %-EDEADLK - called from a callback of this wheel; nothing changed
 */
int wheel_stop(struct wheel *wheel, struct list_head *unfired)
{
	struct wheel_base *base = &wheel->base;
	int err;

	err = base_stop(base);
	if (err)
		return err;
	might_sleep();
	while (base_drain(base, unfired))
		cond_resched();
	wheel_base_quiesce(base);
	return 0;
}
EXPORT_SYMBOL_GPL(wheel_stop);

/**
 * wheel_destroy - free a wheel
 * @wheel: wheel, NULL or an ERR_PTR; not from one of its own callbacks
 *
 * When this returns no callback runs and none will. Timers that are pending are
 * forgotten: their memory may be freed as soon as this has returned. To have them
 * back call wheel_stop() first. Nothing of the wheel may be used any more; a timer
 * needs wheel_timer_init() before it can go to another wheel.
 *
 * Context: Process context. May sleep. Waits for a callback that runs.
 */
void wheel_destroy(struct wheel *wheel)
{
	if (IS_ERR_OR_NULL(wheel))
		return;
	might_sleep();
	/* Freeing it under its own feet is worse than a leak. */
	if (WARN(base_stop(&wheel->base), "%s: destroyed by its own callback\n",
		 wheel->name))
		return;
	wheel_base_quiesce(&wheel->base);
	kvfree(wheel->memory);
	kfree(wheel);
}
EXPORT_SYMBOL_GPL(wheel_destroy);

static u64 base_next(struct wheel_base *base)
{
	u64 next;

	raw_spin_lock_irq(&base->lock);
	next = base->core.pending ?
	       wheel_time_of(&base->core, base->core.next) : WHEEL_NEVER;
	raw_spin_unlock_irq(&base->lock);
	return next;
}

static bool pass_in_context(struct wheel *wheel)
{
	bool more;

	if (!wheel_sleeps(wheel))
		local_bh_disable();
	more = wheel_base_pass(&wheel->base);
	if (!wheel_sleeps(wheel))
		local_bh_enable();
	return more;
}

/**
 * wheel_advance_to - move a VIRTUAL clock
 * @wheel: wheel
 * @now: nanoseconds, at most WHEEL_MAX_TIME
 *
 * The callbacks of all timers that are due by then have returned when this
 * returns. The clock never goes back: an earlier @now moves nothing. A clock that
 * is not VIRTUAL cannot be moved, nor can one from a callback of its wheel.
 *
 * Context: Process context. May sleep. The callbacks run here, with softirqs
 * disabled unless the wheel is WHEEL_SLEEPABLE.
 *
 * Return: when the earliest pending timer is due, in nanoseconds; WHEEL_NEVER
 * if none is pending or the clock cannot be moved.
 */
u64 wheel_advance_to(struct wheel *wheel, u64 now)
{
	struct wheel_base *base = &wheel->base;
	bool ours;
	u64 next;

	raw_spin_lock_irq(&base->lock);
	ours = wheel_base_calls_us(base);
	raw_spin_unlock_irq(&base->lock);
	if (ours || wheel->clock != WHEEL_CLOCK_VIRTUAL)
		return WHEEL_NEVER;

	mutex_lock(&wheel->advancing);
	now = min_t(u64, now, WHEEL_MAX_TIME);
	WRITE_ONCE(wheel->virtual_now, max(now, wheel->virtual_now));
	while (pass_in_context(wheel))
		cond_resched();
	next = base_next(base);
	mutex_unlock(&wheel->advancing);
	return next;
}
EXPORT_SYMBOL_GPL(wheel_advance_to);

/**
 * wheel_now - read a wheel's clock
 * @wheel: wheel
 *
 * Context: Any but NMI.
 *
 * Return: nanoseconds.
 */
u64 wheel_now(const struct wheel *wheel)
{
	switch (wheel->clock) {
	case WHEEL_CLOCK_VIRTUAL:
		return READ_ONCE(wheel->virtual_now);
	case WHEEL_CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return ktime_get_ns();
	}
}
EXPORT_SYMBOL_GPL(wheel_now);

/**
 * wheel_data - what the owner of a wheel gave along
 * @wheel: wheel
 *
 * Context: Any.
 *
 * Return: data of its wheel_config.
 */
void *wheel_data(const struct wheel *wheel)
{
	return wheel->data;
}
EXPORT_SYMBOL_GPL(wheel_data);

/**
 * wheel_features - what this module can do
 *
 * Context: Any.
 *
 * Return: WHEEL_HAS_* bits.
 */
u64 wheel_features(void)
{
	return WHEEL_HAS_SCHEME(WHEEL_HASHED) |
	       WHEEL_HAS_SCHEME(WHEEL_HIERARCHICAL) |
	       WHEEL_HAS_SCHEME(WHEEL_BOUNDED) |
	       WHEEL_HAS_SCHEME(WHEEL_OVERFLOW) |
	       WHEEL_HAS_CLOCK(WHEEL_CLOCK_MONOTONIC) |
	       WHEEL_HAS_CLOCK(WHEEL_CLOCK_BOOTTIME) |
	       WHEEL_HAS_CLOCK(WHEEL_CLOCK_REALTIME) |
	       WHEEL_HAS_CLOCK(WHEEL_CLOCK_TAI) |
	       WHEEL_HAS_CLOCK(WHEEL_CLOCK_VIRTUAL);
}
EXPORT_SYMBOL_GPL(wheel_features);

/**
 * wheel_read_stats - read a wheel's counters
 * @wheel: wheel
 * @stats: filled, but for what the device alone knows
 *
 * All of them belong to one moment.
 *
 * Context: Any but NMI.
 */
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats)
{
	struct wheel_base *base = &wheel->base;
	unsigned long flags;

	raw_spin_lock_irqsave(&base->lock, flags);
	*stats = base->counts;
	stats->pending = base->core.pending;
	stats->moved = base->core.moved;
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL_GPL(wheel_read_stats);
