// SPDX-License-Identifier: GPL-2.0
/*
 * Wheels: created, stopped, destroyed.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "debug.h"
#include "debugfs.h"

/* Of a wheel with WHEEL_PERCPU, at most; more CPUs share them. */
#define MAX_BASES		64

/* How many wheels there have been. */
static atomic_t wheels_made = ATOMIC_INIT(0);

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
	lockdep_set_class_and_name(&wheel->advance_lock, &class->advance_lock,
				   "wheel.advance_lock");
#ifdef CONFIG_LOCKDEP
	lockdep_init_map(&wheel->calling, "wheel.calling", &class->calling, 0);
#endif
}

static void wheel_setup(struct wheel *wheel, const struct wheel_scheme *scheme)
{
	const struct wheel_config *config = &wheel->config;
	void *memory = wheel->memory;
	struct wheel_base *base;

	mutex_init(&wheel->advance_lock);
	for_each_base(base, wheel) {
		wheel_init(&base->core, scheme, config->buckets, config->tick_ns,
			   memory);
		wheel_base_init(base, wheel);
		memory += wheel_memory(config->buckets);
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
 * * %-EINVAL - no name, a clock, scheme, flag, tick or number of buckets that does
 *   not exist, a limit above wheel_limit_of(), a limit with
 *   WHEEL_PERCPU, or an owner with WHEEL_PERCPU, WHEEL_SLEEPABLE or an expire function
 * * %-EOPNOTSUPP - a clock that can be set on a scheme other than WHEEL_HASHED and
 *   WHEEL_BOUNDED
 * * %-ENOMEM - no memory
 */
struct wheel *wheel_create_class(const struct wheel_config *config,
				 struct wheel_class *class)
{
	int err = wheel_config_check(config);
	const struct wheel_scheme *scheme;
	struct wheel *wheel;
	u32 count;

	if (err)
		return ERR_PTR(err);
	count = config_bases(config);
	wheel = kvzalloc(struct_size(wheel, base, count), GFP_KERNEL_ACCOUNT);
	if (!wheel)
		return ERR_PTR(-ENOMEM);
	wheel->config = *config;
	scheme = wheel_config_resolve(&wheel->config);
	wheel->memory = kvmalloc_array(count, wheel_memory(wheel->config.buckets),
				       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!wheel->memory) {
		kvfree(wheel);
		return ERR_PTR(-ENOMEM);
	}
	wheel->id = atomic_inc_return(&wheels_made) - 1;
	wheel->count = count;
	wheel_setup(wheel, scheme);
	wheel_setup_lockdep(wheel, class);
	wheel_debugfs_add(wheel);
	return wheel;
}
EXPORT_SYMBOL_GPL(wheel_create_class);

static void base_shut(struct wheel_base *base)
{
	lockdep_assert_held(&base->lock);
	base->stopped = true;
	base->limit = 0;
	base->programmed = 0;
	base->reprogram = false;
}

/* Nothing is armed, moved or called anew when this has returned. */
static int wheel_shut(struct wheel *wheel)
{
	struct wheel_base *base;

	if (wheel_calls_us(wheel))
		return -EDEADLK;
	for_each_base(base, wheel) {
		raw_spin_lock_irq(&base->lock);
		base_shut(base);
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

/* Is a timer that was drained handed back by wheel_stop()? */
static bool base_reclaim(struct wheel_base *base, struct wheel_timer *timer)
{
	wheel_claim_fn claim = base->owner->config.claim;
	u64 deadline;

	if (!claim)
		return true;
	if (claim(timer, WHEEL_NEVER, &deadline) == WHEEL_GONE)
		return false;
	WRITE_ONCE(timer->deadline, deadline | WHEEL_IDLE);
	return true;
}

/* One lock hold's worth. Returns false if no timer is left. */
static bool base_drain_some(struct wheel_base *base, struct list_head *unfired)
{
	unsigned int budget = WHEEL_BATCH;
	struct wheel_timer *timer;

	lockdep_assert_held(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		base->counts.cancelled++;
		debug_cancel(timer);
		if (base_reclaim(base, timer) && unfired)
			list_add_tail(&timer->node, unfired);
		budget--;
	}
	return !budget;
}

/**
 * wheel_drain_some() - Remove pending timers from a stopped wheel
 * @wheel: wheel without WHEEL_PERCPU, locked by wheel_lock()
 * @unfired: initialized list to which the removed timers are added, linked by their node
 *
 * Shuts the wheel and drains at most WHEEL_BATCH timers. For an owner that wants to be
 * interruptible in wheel_stop(), which it calls afterwards.
 *
 * Context: As wheel_timer_arm_locked().
 *
 * Return: true if timers are left.
 */
bool wheel_drain_some(struct wheel *wheel, struct list_head *unfired)
{
	base_shut(wheel->base);
	return base_drain_some(wheel->base, unfired);
}
EXPORT_SYMBOL_GPL(wheel_drain_some);

static bool base_drain(struct wheel_base *base, struct list_head *unfired)
{
	bool more;

	raw_spin_lock_irq(&base->lock);
	more = base_drain_some(base, unfired);
	raw_spin_unlock_irq(&base->lock);
	return more;
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
 * * %-EPERM - it is wheel_system, which others use; nothing changed
 */
int wheel_stop(struct wheel *wheel, struct list_head *unfired)
{
	struct wheel_base *base;
	int err;

	if (wheel == wheel_system)
		return -EPERM;
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
	unsigned int budget = WHEEL_BATCH;
	struct wheel_timer *timer;

	raw_spin_lock_irq(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		wheel_debug_deactivate(timer);
		budget--;
	}
	raw_spin_unlock_irq(&base->lock);
	return !budget;
}

/* Timers that were pending are so no more, and debugobjects has to know. */
static void wheel_forget(struct wheel *wheel)
{
	struct wheel_base *base;

	if (wheel->config.flags & WHEEL_FORGET && !IS_ENABLED(CONFIG_DEBUG_OBJECTS))
		return;
	for_each_base(base, wheel) {
		while (base_forget(base))
			cond_resched();
	}
}

/**
 * wheel_destroy - free a wheel
 * @wheel: wheel, NULL or an ERR_PTR; not from one of its own callbacks, and not
 *	wheel_system
 *
 * When this returns no callback runs and none will. Timers that were pending are so no
 * more, unless the wheel has WHEEL_FORGET, which saves a visit to each of them. Their
 * memory may be freed as soon as this has returned, not before. To have them back call
 * wheel_stop() first. No function may be called for the wheel or for a
 * timer of it any more; a timer needs wheel_timer_init() before it can go to another
 * wheel.
 *
 * Context: Process context. May sleep. Waits for a callback that runs.
 */
void wheel_destroy(struct wheel *wheel)
{
	if (IS_ERR_OR_NULL(wheel) ||
	    WARN_ONCE(wheel == wheel_system, "wheel_system is for everybody\n"))
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
