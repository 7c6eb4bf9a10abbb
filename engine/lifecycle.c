// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels: created, stopped, destroyed.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "debug.h"
#include "debugfs.h"

#define DEFAULT_TICK_NS		1000000
#define DEFAULT_SLOTS		4096
#define MIN_DEFAULT_SLOTS	256
#define TIMERS_A_SLOT		16

/* Of a wheel with WHEEL_PERCPU, at most; more CPUs share them. */
#define MAX_BASES		64

static const struct wheel_scheme * const schemes[] = {
	[WHEEL_HASHED]		= &wheel_hashed,
	[WHEEL_HIERARCHICAL]	= &wheel_hierarchical,
	[WHEEL_BOUNDED]		= &wheel_bounded,
	[WHEEL_OVERFLOW]	= &wheel_overflow,
};

/* How many wheels there have been. */
static atomic_t wheels_made = ATOMIC_INIT(0);

static int config_check(const struct wheel_config *config)
{
	if (!config || !config->name)
		return -EINVAL;
	if (config->clock > WHEEL_CLOCK_VIRTUAL ||
	    config->scheme > WHEEL_OVERFLOW ||
	    config->flags & ~(WHEEL_SLEEPABLE | WHEEL_PERCPU) ||
	    config->tick_ns > WHEEL_MAX_TIME ||
	    config->slots > WHEEL_MAX_SLOTS)
		return -EINVAL;
	if (config->scheme == WHEEL_OVERFLOW &&
	    config->limit > WHEEL_OVERFLOW_TIMERS)
		return -EINVAL;
	if (config->flags & WHEEL_PERCPU && config->limit)
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

static u32 config_bases(const struct wheel_config *config)
{
	if (!(config->flags & WHEEL_PERCPU))
		return 1;
	return min_t(u32, num_possible_cpus(), MAX_BASES);
}

/* A class has one name, while wheels made at one place may have many. */
static void wheel_setup_lockdep(struct wheel *wheel, struct wheel_class *class)
{
	struct wheel_base *base;

	for_each_base(base, wheel)
		lockdep_set_class_and_name(&base->lock, &class->lock,
					   "wheel_base.lock");
#ifdef CONFIG_LOCKDEP
	lockdep_init_map(&wheel->calling, "wheel.calling", &class->calling, 0);
#endif
}

static void wheel_setup(struct wheel *wheel, u32 slots)
{
	const struct wheel_config *config = &wheel->config;
	void *memory = wheel->memory;
	struct wheel_base *base;

	mutex_init(&wheel->advancing);
	for_each_base(base, wheel) {
		wheel_init(&base->core, schemes[config->scheme], slots,
			   config->tick_ns, memory);
		wheel_base_init(base, wheel);
		memory += wheel_memory(slots);
	}
}

/**
 * wheel_create_class - make a wheel
 * @config: what kind
 * @class: static; lockdep's, for wheels of this kind
 *
 * Nothing runs until the first timer is armed. The memory is charged to the
 * cgroup of the caller.
 *
 * Context: Process context. May sleep.
 *
 * Return: the wheel, or an ERR_PTR:
 *
 * * %-EINVAL - no name, a clock, scheme, flag, tick or number of slots that does
 *   not exist, more than WHEEL_OVERFLOW_TIMERS for that scheme, or a limit with
 *   WHEEL_PERCPU
 * * %-EOPNOTSUPP - a clock or scheme that wheel_features() does not list, or a
 *   clock that can be set on a scheme other than WHEEL_HASHED and WHEEL_BOUNDED
 * * %-ENOMEM - no memory
 */
struct wheel *wheel_create_class(const struct wheel_config *config,
				 struct wheel_class *class)
{
	int err = config_check(config);
	struct wheel *wheel;
	u32 slots, count;

	if (err)
		return ERR_PTR(err);
	slots = wheel_slots_for(config);
	count = config_bases(config);
	wheel = kvzalloc(struct_size(wheel, base, count), GFP_KERNEL_ACCOUNT);
	if (!wheel)
		return ERR_PTR(-ENOMEM);
	wheel->memory = kvmalloc_array(count, wheel_memory(slots),
				       GFP_KERNEL_ACCOUNT);
	if (!wheel->memory) {
		kvfree(wheel);
		return ERR_PTR(-ENOMEM);
	}
	wheel->id = atomic_inc_return(&wheels_made) - 1;
	wheel->config = *config;
	wheel->config.limit = config_limit(config);
	wheel->config.tick_ns = config->tick_ns ?: DEFAULT_TICK_NS;
	wheel->count = count;
	wheel_setup(wheel, slots);
	wheel_setup_lockdep(wheel, class);
	wheel_debugfs_add(wheel);
	return wheel;
}
EXPORT_SYMBOL_GPL(wheel_create_class);

/* Nothing is armed behind our back when this has returned. */
static int wheel_shut(struct wheel *wheel)
{
	struct wheel_base *base;

	if (wheel_calls_us(wheel))
		return -EDEADLK;
	for_each_base(base, wheel) {
		raw_spin_lock_irq(&base->lock);
		base->stopped = true;
		raw_spin_unlock_irq(&base->lock);
	}
	return 0;
}

static void wheel_quiesce(struct wheel *wheel)
{
	struct wheel_base *base;

	wheel_may_wait(wheel);
	for_each_base(base, wheel)
		wheel_base_quiesce(base);
}

/* Does a timer that was drained belong to who stops the wheel? */
static bool base_reclaim(struct wheel_base *base, struct wheel_timer *timer)
{
	wheel_claim_fn claim = base->owner->config.claim;
	u64 deadline;

	if (!claim)
		return true;
	if (claim(timer, WHEEL_NEVER, &deadline) == WHEEL_GONE)
		return false;
	WRITE_ONCE(timer->deadline, deadline | WHEEL_OFF);
	return true;
}

/* One lock hold's worth. Returns false when nothing is left. */
static bool base_drain(struct wheel_base *base, struct list_head *unfired)
{
	unsigned int budget = WHEEL_HOLD;
	struct wheel_timer *timer;

	raw_spin_lock_irq(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		base->counts.cancelled++;
		debug_cancel(timer);
		if (base_reclaim(base, timer) && unfired)
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
	struct wheel_base *base;
	int err;

	err = wheel_shut(wheel);
	if (err)
		return err;
	might_sleep();
	for_each_base(base, wheel) {
		while (base_drain(base, unfired))
			cond_resched();
	}
	wheel_quiesce(wheel);
	return 0;
}
EXPORT_SYMBOL_GPL(wheel_stop);

/* One lock hold's worth. Returns false when nothing is left. */
static bool base_forget(struct wheel_base *base)
{
	unsigned int budget = WHEEL_HOLD;
	struct wheel_timer *timer;

	raw_spin_lock_irq(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		wheel_debug_deactivate(timer);
		budget--;
	}
	raw_spin_unlock_irq(&base->lock);
	return !budget;
}

/* What was pending may be freed now, and debugobjects have to know. */
static void wheel_forget(struct wheel *wheel)
{
	struct wheel_base *base;

	if (!IS_ENABLED(CONFIG_DEBUG_OBJECTS))
		return;
	for_each_base(base, wheel) {
		while (base_forget(base))
			cond_resched();
	}
}

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
	if (WARN(wheel_shut(wheel), "%s: destroyed by its own callback\n",
		 wheel->config.name))
		return;
	wheel_quiesce(wheel);
	wheel_forget(wheel);
	wheel_debugfs_remove(wheel);
	kvfree(wheel->memory);
	kvfree(wheel);
}
EXPORT_SYMBOL_GPL(wheel_destroy);

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
	return wheel->config.data;
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
