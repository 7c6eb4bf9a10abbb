// SPDX-License-Identifier: GPL-2.0
/*
 * Create, stop and destroy wheels.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "trace.h"

/* Number of wheels created so far. */
static atomic_t wheels_created = ATOMIC_INIT(0);

/* The names are fixed, because a lock class has one name, but its wheels may have several. */
static void wheel_setup_lockdep(struct wheel *wheel, struct wheel_class *class)
{
	struct wheel_base *base;

	for_each_base(base, wheel)
		lockdep_set_class_and_name(&base->lock, &class->lock, "wheel_base.lock");
	lockdep_set_class_and_name(&wheel->advance_lock, &class->advance_lock,
				   "wheel.advance_lock");
}

static void wheel_setup(struct wheel *wheel, const struct wheel_scheme *scheme, size_t size)
{
	const struct wheel_config *config = &wheel->config;
	void *memory = wheel->memory, *data = wheel->base + wheel->count;
	struct wheel_base *base;

	mutex_init(&wheel->advance_lock);
	for_each_base(base, wheel) {
		wheel_init(&base->core, scheme, config->buckets, config->tick_ns, memory);
		wheel_base_init(base, wheel);
		base->data = data;
		memory += wheel_memory(config->buckets);
		data += size;
	}
}

/*
 * Allocate the memory of the rings. A large one is mapped from pages in one step, about 80
 * instructions per page. Returns false on failure.
 */
static bool memory_alloc(struct wheel *wheel)
{
	size_t bytes = wheel_memory(wheel->config.buckets);
	unsigned int pages = DIV_ROUND_UP(bytes, PAGE_SIZE);

	if (wheel->count > 1 || bytes <= KMALLOC_MAX_SIZE) {
		wheel->memory = kvmalloc_array(wheel->count, bytes,
					       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	} else {
		wheel->pages = wheel_pages_alloc(pages, GFP_KERNEL_ACCOUNT);
		if (wheel->pages)
			wheel->memory = vmap(wheel->pages, pages, VM_MAP, PAGE_KERNEL);
	}
	return wheel->memory;
}

static void wheel_free(struct wheel *wheel)
{
	if (wheel->pages)
		vunmap(wheel->memory);
	else
		kvfree(wheel->memory);
	wheel_pages_free(wheel->pages);
	kvfree(wheel);
}

/*
 * Create a wheel of @count bases, which nothing uses yet. The data of each base are @size zeroed
 * bytes. The configuration is valid.
 */
struct wheel *wheel_new(const struct wheel_config *config, const struct wheel_owner *owner,
			struct wheel_class *class, u32 count, size_t size)
{
	const struct wheel_scheme *scheme;
	struct wheel *wheel;

	wheel = kvzalloc(struct_size(wheel, base, count) + count * size, GFP_KERNEL_ACCOUNT);
	if (!wheel)
		return ERR_PTR(-ENOMEM);
	wheel->config = *config;
	scheme = wheel_config_resolve(&wheel->config);
	wheel->count = count;
	if (!memory_alloc(wheel)) {
		wheel_free(wheel);
		return ERR_PTR(fatal_signal_pending(current) ? -EINTR : -ENOMEM);
	}
	wheel->id = atomic_inc_return(&wheels_created) - 1;
	wheel->owner = owner;
	wheel->claim = owner->claim;
	wheel_setup(wheel, scheme, size);
	wheel_setup_lockdep(wheel, class);
	/* Then wheel_init() may have ended early. */
	if (wheel_killed()) {
		wheel_free(wheel);
		return ERR_PTR(-EINTR);
	}
	wheel_debugfs_add(wheel);
	return wheel;
}

/**
 * wheel_create_owned_class() - Create a wheel with an owner
 * @config: configuration of the wheel, without flags
 * @owner: operations of the owner
 * @data: data of the owner, passed to its operations
 * @class: lock classes of the wheel
 *
 * Nothing runs until the first timer is armed. The memory is charged to the cgroup of the caller.
 *
 * Context: Process context. May sleep.
 *
 * Return: the wheel, or an ERR_PTR:
 *
 * * %-EINVAL - no name, any flag, or no expire operation; or an invalid clock, scheme, tick, number
 *   of buckets or limit
 * * %-EOPNOTSUPP - a clock that can be set with a scheme other than WHEEL_HASHED and
 *   WHEEL_BOUNDED
 * * %-ENOMEM - out of memory
 * * %-EINTR - the calling task has received a fatal signal
 */
struct wheel *wheel_create_owned_class(const struct wheel_config *config,
				       const struct wheel_owner *owner, void *data,
				       struct wheel_class *class)
{
	int err = wheel_config_check(config);
	struct wheel *wheel;

	if (!err && (config->flags || !owner || !owner->expire))
		err = -EINVAL;
	if (err)
		return ERR_PTR(err);
	wheel = wheel_new(config, owner, class, 1, 0);
	if (!IS_ERR(wheel))
		wheel->base->data = data;
	return wheel;
}
EXPORT_SYMBOL_GPL(wheel_create_owned_class);

/* Return true if the owner calls the caller, who would wait for itself. */
bool wheel_calls_us(struct wheel *wheel)
{
	const struct wheel_owner *owner = wheel->owner;
	struct wheel_base *base;
	bool calls = false;

	for_each_base(base, wheel)
		calls |= owner->calls_us && owner->calls_us(base->data);
	return calls;
}

static void base_shut(struct wheel_base *base)
{
	lockdep_assert_held(&base->lock);
	base->state = BASE_STOPPED;
	base->reprogram = false;
}

/* When this returns 0, timers are no longer armed or moved, and no further callback begins. */
static int wheel_shut(struct wheel *wheel)
{
	struct wheel_base *base;

	if (wheel_calls_us(wheel))
		return -EDEADLK;
	for_each_base(base, wheel) {
		base_lock(base);
		base_shut(base);
		base_unlock(base);
	}
	return 0;
}

/* Wait until nothing uses a stopped wheel, and nothing will. May sleep. */
static void wheel_quiesce(struct wheel *wheel)
{
	struct wheel_base *base;

	for_each_base(base, wheel) {
		hrtimer_cancel(&base->hrtimer);
		if (wheel->owner->quiesce)
			wheel->owner->quiesce(base->data);
	}
	/* Wait for a wheel_advance_to() in another task, which runs passes. */
	mutex_lock(&wheel->advance_lock);
	mutex_unlock(&wheel->advance_lock);
}

/* Return true if wheel_stop() returns this drained timer to the caller. */
static bool base_reclaim(struct wheel_base *base, struct wheel_timer *timer)
{
	wheel_claim_fn claim = base->wheel->claim;
	u64 deadline;

	if (!claim)
		return true;
	if (claim(base->data, timer, WHEEL_NEVER, &deadline) == WHEEL_GONE)
		return false;
	WRITE_ONCE(timer->deadline, deadline | WHEEL_IDLE);
	return true;
}

/* Drain up to WHEEL_BATCH timers. Returns false if no timer is left. */
static bool base_drain_some(struct wheel_base *base, struct list_head *unfired)
{
	unsigned int budget = WHEEL_BATCH;
	struct wheel_timer *timer;

	lockdep_assert_held(&base->lock);
	while (budget && (timer = wheel_drain(&base->core, &budget))) {
		base->counts.cancelled++;
		debug_object_deactivate(timer, &wheel_timer_debug);
		trace_wheel_timer_cancel(timer);
		if (base_reclaim(base, timer) && unfired)
			list_add_tail(&timer->node, unfired);
		budget--;
	}
	return !budget;
}

/**
 * wheel_drain_some() - Shut a wheel down, and return some of its pending timers
 * @wheel: locked wheel with an owner
 * @unfired: list to which at most WHEEL_BATCH timers are added, linked by their node
 *
 * For an owner that must remain interruptible. It must call wheel_stop() afterwards.
 *
 * Context: Locked wheel.
 *
 * Return: true if timers are left.
 */
bool wheel_drain_some(struct wheel *wheel, struct list_head *unfired)
{
	base_shut(wheel->base);
	return base_drain_some(wheel->base, unfired);
}
EXPORT_SYMBOL_GPL(wheel_drain_some);

static void wheel_drain_all(struct wheel *wheel, struct list_head *unfired)
{
	struct wheel_base *base;
	bool more;

	for_each_base(base, wheel) {
		do {
			base_lock(base);
			more = base_drain_some(base, unfired);
			base_unlock(base);
			cond_resched();
		} while (more);
	}
}

/**
 * wheel_stop() - Stop a wheel and return its pending timers
 * @wheel: wheel
 * @unfired: initialized list to which the pending timers are added, linked by
 *	their node; or NULL
 *
 * The returned timers are no longer pending and count as cancelled. When this function returns, no
 * callback is running and none will be started. Arming a timer of the wheel fails with -ESHUTDOWN.
 * Stopping a wheel again returns no timers. The memory of pending timers must not be freed before
 * this function has returned.
 *
 * Modelled on stop() of Netty's HashedWheelTimer.
 *
 * Context: Process context. May sleep. Waits for running callbacks.
 *
 * Return:
 *
 * * %0 - stopped
 * * %-EDEADLK - called from a callback of this wheel; nothing changed
 */
int wheel_stop(struct wheel *wheel, struct list_head *unfired)
{
	int err = wheel_shut(wheel);

	if (err)
		return err;
	might_sleep();
	wheel_drain_all(wheel, unfired);
	wheel_quiesce(wheel);
	return 0;
}
EXPORT_SYMBOL_GPL(wheel_stop);

/**
 * wheel_destroy() - Free a wheel
 * @wheel: wheel, NULL or an ERR_PTR; not the wheel of the calling callback
 *
 * When this function returns, no callback is running and none will be started. The pending timers
 * are no longer pending; those of a wheel with an owner, which frees them with the wheel, are only
 * accessed for debugobjects. The memory of timers may be freed afterwards, not before. Call
 * wheel_stop() first to get the timers back. Only wheel_timer_init() may be called for them then.
 *
 * Context: Process context. May sleep. Waits for running callbacks.
 */
void wheel_destroy(struct wheel *wheel)
{
	if (IS_ERR_OR_NULL(wheel))
		return;
	might_sleep();
	/* A leak is better than freeing memory that the callback uses. */
	if (WARN(wheel_shut(wheel), "%s: destroyed by its own callback\n", wheel->config.name))
		return;
	wheel_quiesce(wheel);
	/* No caller gets the timers back. */
	wheel->claim = NULL;
	/* Timers without a function belong to the owner, who frees them with the wheel. */
	if (wheel->owner->context || IS_ENABLED(CONFIG_DEBUG_OBJECTS))
		wheel_drain_all(wheel, NULL);
	wheel_debugfs_remove(wheel);
	wheel_free(wheel);
}
EXPORT_SYMBOL_GPL(wheel_destroy);
