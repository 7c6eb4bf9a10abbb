// SPDX-License-Identifier: GPL-2.0
/*
 * Set-up of a file: by WHEEL_IOC_SETUP, or with the defaults by the first operation.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "../slots/word.h"
#include "dev.h"

static int setup_check(const struct wheel_setup *setup)
{
	int err = wheel_setup_check(setup);

	/* A VIRTUAL clock causes no interrupts, so its tick can be short. */
	if (!err && setup->tick_ns && setup->tick_ns < WHEEL_MIN_TICK_NS &&
	    setup->clock != WHEEL_CLOCK_VIRTUAL && !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	return err;
}

static struct wheel_config setup_config(const struct wheel_setup *setup)
{
	return (struct wheel_config){
		.name		= "/dev/wheel",
		.clock		= setup->clock,
		.scheme		= setup->scheme,
		.buckets	= setup->buckets,
		.tick_ns	= setup->tick_ns,
		.limit		= setup->timers,
		.shift_ns	= wheel_clock_shift(setup->clock),
	};
}

/* Replace the requested configuration by the effective one. */
static void setup_resolve(struct wheel_setup *setup)
{
	wheel_setup_resolve(setup);
	if (setup->events)
		setup->events = roundup_pow_of_two(setup->events);
	setup->features |= WHEEL_HAS_RINGS;
}

static void memory_free(struct wheel_file *file)
{
	wheel_file_tables_free(file);
	wheel_file_shared_free(file);
}

/* Allocate and charge the memory. Blocks of slots and pages of words are added later. */
static int memory_alloc(struct wheel_file *file, size_t wheel_bytes)
{
	size_t bytes = kmalloc_size_roundup(sizeof(*file)) + wheel_bytes;
	int err;

	err = wheel_file_charge(file, DIV_ROUND_UP(bytes, PAGE_SIZE)) ?:
	      wheel_file_tables_alloc(file);
	if (!err && (file->slots.words || file->slots.setup.events))
		err = wheel_file_shared_alloc(file);
	/* What follows takes as long again. */
	return err ?: fatal_signal_pending(current) ? -EINTR : 0;
}

static int setup_locked(struct wheel_file *file, const struct wheel_setup *setup)
{
	struct wheel_config config = setup_config(setup);
	const struct wheel_owner *owner;
	struct wheel *wheel;
	int err;

	lockdep_assert_held(&file->setup_lock);
	file->slots.setup = *setup;
	err = memory_alloc(file, wheel_bytes_for(&config));
	if (err)
		goto err_memory;
	owner = setup->flags & WHEEL_SETUP_WORDS ? &wheel_file_word_owner : &wheel_file_owner;
	wheel = wheel_create_owned(&config, owner, &file->slots);
	err = PTR_ERR_OR_ZERO(wheel);
	if (err)
		goto err_memory;
	file->slots.longest = wheel_reach(wheel);
	file->shift = config.shift_ns;
	/*
	 * Publish the set-up: order the stores of the configuration and the tables before the
	 * store of the wheel. Pairs with the acquire in wheel_file_ready().
	 */
	smp_store_release(&file->slots.wheel, wheel);
	return 0;

err_memory:
	memory_free(file);
	wheel_file_uncharge(file, atomic_long_read(&file->charged));
	return err;
}

/*
 * WHEEL_IOC_SETUP: @arg is the requested configuration, and is replaced by the effective one on
 * success. The memory is charged to the user who opened the file, regardless of who makes the first
 * call. An error changes nothing.
 */
int wheel_file_setup(struct wheel_file *file, void *arg)
{
	struct wheel_setup *setup = arg;
	struct mem_cgroup *old;
	int err;

	setup->scheme = setup->scheme ?: WHEEL_HASHED;
	err = setup_check(setup);
	if (err)
		return err;
	setup_resolve(setup);
	/* Another task may hold the lock for long, to stop the wheel. */
	if (mutex_lock_interruptible(&file->setup_lock))
		return -ERESTARTNOINTR;
	old = set_active_memcg(file->memcg);
	err = file->slots.wheel ? -EBUSY : setup_locked(file, setup);
	set_active_memcg(old);
	mutex_unlock(&file->setup_lock);
	return err;
}

/* Set a file up with the defaults, unless another thread has set it up meanwhile. */
int wheel_file_setup_default(struct wheel_file *file)
{
	struct wheel_setup setup = {};
	int err = wheel_file_setup(file, &setup);

	return err == -EBUSY ? 0 : err;
}

/* Get the effective configuration, or the defaults before the set-up. */
void wheel_file_info(struct wheel_file *file, struct wheel_setup *info)
{
	if (wheel_file_ready(file)) {
		*info = file->slots.setup;
		return;
	}
	*info = (struct wheel_setup){ .scheme = WHEEL_HASHED };
	setup_resolve(info);
}

/* Free the memory allocated at set-up. The file is being released. */
void wheel_file_teardown(struct wheel_file *file)
{
	if (!file->slots.wheel)
		return;
	wheel_destroy(file->slots.wheel);
	memory_free(file);
}
