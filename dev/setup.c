// SPDX-License-Identifier: GPL-2.0
/*
 * What kind of wheel a file is: asked for by WHEEL_IOC_SETUP, or the defaults
 * at the first verb.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "event.h"
#include "payer.h"
#include "ring.h"
#include "setup.h"
#include "slot.h"
#include "touch.h"

#define DEFAULT_TICK_NS	1000000
#define DEFAULT_TIMERS	65536

/* So that nobody can make each tick walk the world. */
#define MAX_TIMERS_A_SLOT	32

static u64 file_features(void)
{
	return wheel_features() | WHEEL_HAS_TOUCH | WHEEL_HAS_RINGS;
}

static u32 most_timers(const struct wheel_setup *setup)
{
	return min_t(u64, wheel_limit_of(setup->scheme), WHEEL_MAX_TIMERS);
}

static int setup_check(const struct wheel_setup *setup)
{
	u64 features = file_features();

	if (setup->flags & ~(WHEEL_SETUP_ANY_SLOT | WHEEL_SETUP_TOUCH) ||
	    setup->clock > WHEEL_CLOCK_VIRTUAL ||
	    setup->scheme > WHEEL_OVERFLOW ||
	    setup->tick_ns > WHEEL_MAX_TIME ||
	    setup->timers > most_timers(setup) ||
	    setup->buckets > WHEEL_MAX_BUCKETS ||
	    setup->events > WHEEL_MAX_EVENTS || setup->reserved)
		return -EINVAL;
	if (!(features & WHEEL_HAS_CLOCK(setup->clock)) ||
	    !(features & WHEEL_HAS_SCHEME(setup->scheme)))
		return -EOPNOTSUPP;
	return 0;
}

/* A clock that its owner moves makes no interrupts, whatever its tick. */
static int tick_permitted(const struct wheel_setup *setup)
{
	if (setup->tick_ns >= WHEEL_MIN_TICK_NS ||
	    setup->clock == WHEEL_CLOCK_VIRTUAL || capable(CAP_SYS_RESOURCE))
		return 0;
	return -EPERM;
}

static struct wheel_config setup_config(struct wheel_file *file,
					const struct wheel_setup *setup)
{
	u32 least = DIV_ROUND_UP(setup->timers, MAX_TIMERS_A_SLOT);

	return (struct wheel_config){
		.name		= "/dev/wheel",
		.clock		= setup->clock,
		.scheme		= setup->scheme,
		.buckets	= setup->buckets ? max(setup->buckets, least) : 0,
		.tick_ns	= setup->tick_ns,
		.limit		= setup->timers,
		.expire		= slots_fired,
		.claim		= setup->flags & WHEEL_SETUP_TOUCH ? touch_claim : NULL,
		.account	= wheel_payer_account(file->payer),
		.owed		= file_owes,
		.data		= file,
	};
}

/* Turn what was asked for into what will be in force. */
static void setup_resolve(struct wheel_file *file, struct wheel_setup *setup)
{
	struct wheel_config config;

	setup->size = sizeof(*setup);
	if (!setup->tick_ns)
		setup->tick_ns = DEFAULT_TICK_NS;
	if (!setup->timers)
		setup->timers = min_t(u32, DEFAULT_TIMERS, most_timers(setup));
	if (setup->events)
		setup->events = roundup_pow_of_two(setup->events);
	config = setup_config(file, setup);
	setup->buckets = wheel_buckets_for(&config);
	setup->features = file_features();
}

/* The ring, and the tables of what comes page by page. */
static int tables_alloc(struct wheel_file *file, const struct wheel_setup *setup)
{
	u32 pages = slot_table_pages(setup->timers);
	u32 words = touch_table_pages(setup->timers);

	file->pages = kvcalloc(pages, sizeof(*file->pages), GFP_KERNEL_ACCOUNT);
	if (!file->pages)
		return -ENOMEM;
	if (setup->flags & WHEEL_SETUP_TOUCH) {
		file->words = kvcalloc(words, sizeof(*file->words),
				       GFP_KERNEL_ACCOUNT);
		if (!file->words)
			return -ENOMEM;
	}
	if (setup->events) {
		file->ring = ring_make(setup->events);
		if (!file->ring)
			return -ENOMEM;
	}
	return 0;
}

static void tables_free(struct wheel_file *file)
{
	kvfree(file->pages);
	kvfree(file->words);
	ring_free(file->ring);
	file->pages = NULL;
	file->words = NULL;
	file->ring = NULL;
}

static int setup_locked(struct wheel_file *file, struct wheel_setup *setup)
{
	struct wheel_config config = setup_config(file, setup);
	struct wheel *wheel;
	int err;

	lockdep_assert_held(&file->whole);
	err = tables_alloc(file, setup);
	if (err)
		goto err_tables;
	wheel = wheel_create(&config);
	err = PTR_ERR_OR_ZERO(wheel);
	if (err)
		goto err_tables;
	file->setup = *setup;
	/* Publishes the file's set-up; pairs with file_wheel_ready(). */
	smp_store_release(&file->wheel, wheel);
	return 0;

err_tables:
	tables_free(file);
	return err;
}

/* Whoever it is that makes the first verb, the opener pays. */
static int setup_charged(struct wheel_file *file, struct wheel_setup *setup)
{
	struct mem_cgroup *old = set_active_memcg(file->memcg);
	int err = setup_locked(file, setup);

	set_active_memcg(old);
	return err;
}

/**
 * file_setup - WHEEL_IOC_SETUP
 * @file: file
 * @setup: what is asked for; on success what is in force
 *
 * Return: 0 or an errno; then nothing changed.
 */
int file_setup(struct wheel_file *file, struct wheel_setup *setup)
{
	int err = setup_check(setup);

	if (err)
		return err;
	setup_resolve(file, setup);
	err = tick_permitted(setup);
	if (err)
		return err;
	mutex_lock(&file->whole);
	err = file->wheel ? -EBUSY : setup_charged(file, setup);
	mutex_unlock(&file->whole);
	return err;
}

/**
 * file_wheel_ready - the wheel of a file that is set up
 * @file: file
 *
 * Return: the wheel, or NULL.
 */
struct wheel *file_wheel_ready(const struct wheel_file *file)
{
	/* Pairs with setup_locked(). */
	return smp_load_acquire(&file->wheel);
}

/**
 * file_ring - the completion ring of a file that is set up
 * @file: file
 *
 * Return: the ring, or NULL.
 */
struct ring *file_ring(const struct wheel_file *file)
{
	return file_wheel_ready(file) ? file->ring : NULL;
}

/**
 * file_wheel - the wheel of a file, set up by defaults if need be
 * @file: file
 *
 * Return: the wheel, or an ERR_PTR.
 */
struct wheel *file_wheel(struct wheel_file *file)
{
	struct wheel *wheel = file_wheel_ready(file);
	struct wheel_setup setup = {};
	int err;

	if (likely(wheel))
		return wheel;
	err = file_setup(file, &setup);
	if (err && err != -EBUSY)
		return ERR_PTR(err);
	return file_wheel_ready(file);
}

/**
 * file_info - WHEEL_IOC_INFO
 * @file: file
 * @info: what is in force, or what the defaults would be
 */
void file_info(struct wheel_file *file, struct wheel_setup *info)
{
	if (file_wheel_ready(file)) {
		*info = file->setup;
		return;
	}
	*info = (struct wheel_setup){};
	setup_resolve(file, info);
}

/**
 * file_teardown - free what set-up made
 * @file: file that nobody uses any more
 */
void file_teardown(struct wheel_file *file)
{
	if (!file->wheel)
		return;
	wheel_destroy(file->wheel);
	slot_pages_free(file);
	if (file->words)
		touch_pages_free(file);
	tables_free(file);
}
