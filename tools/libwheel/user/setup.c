// SPDX-License-Identifier: MIT
/*
 * Opened and closed; the clock that is moved by hand, and the counters.
 */
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user.h"

#define DEFAULT_TICK_NS		1000000
#define DEFAULT_TIMERS		65536
#define MIN_DEFAULT_SLOTS	256
#define TIMERS_A_SLOT		16
#define MAX_TIMERS_A_SLOT	32

static const struct wheel_scheme *const schemes[] = {
	[WHEEL_HASHED]		= &wheel_hashed,
	[WHEEL_HIERARCHICAL]	= &wheel_hierarchical,
	[WHEEL_BOUNDED]		= &wheel_bounded,
	[WHEEL_OVERFLOW]	= &wheel_overflow,
};

static u64 features(void)
{
	/* Five clocks, four schemes. */
	return WHEEL_HAS_CLOCK(5) - WHEEL_HAS_CLOCK(0) +
	       WHEEL_HAS_SCHEME(4) - WHEEL_HAS_SCHEME(0) + WHEEL_HAS_TOUCH;
}

static u32 most_timers(const struct wheel_setup *setup)
{
	return schemes[setup->scheme]->max_timers ?: WHEEL_MAX_TIMERS;
}

static int setup_check(const struct wheel_setup *setup)
{
	if (setup->flags & ~(WHEEL_SETUP_ANY_SLOT | WHEEL_SETUP_TOUCH) ||
	    setup->clock > WHEEL_CLOCK_VIRTUAL ||
	    setup->scheme > WHEEL_OVERFLOW ||
	    setup->tick_ns > WHEEL_MAX_TIME ||
	    setup->timers > most_timers(setup) ||
	    setup->buckets > WHEEL_MAX_BUCKETS)
		return -EINVAL;
	if ((setup->clock == WHEEL_CLOCK_REALTIME ||
	     setup->clock == WHEEL_CLOCK_TAI) && !schemes[setup->scheme]->by_tick)
		return -EOPNOTSUPP;
	return 0;
}

static bool may_use_resources(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &head, data) &&
	       data[0].effective & 1U << CAP_SYS_RESOURCE;
}

/*
 * The kernel's rule, which is not needed here; but a program shall not work with
 * one backend alone.
 */
static int tick_permitted(const struct wheel_setup *setup)
{
	if (setup->tick_ns >= WHEEL_MIN_TICK_NS ||
	    setup->clock == WHEEL_CLOCK_VIRTUAL || may_use_resources())
		return 0;
	return -EPERM;
}

static u32 round_up_to_power(u32 n)
{
	return 1U << fls64(n - 1);
}

static u32 slots_for(const struct wheel_setup *setup)
{
	u32 least = (setup->timers + MAX_TIMERS_A_SLOT - 1) / MAX_TIMERS_A_SLOT;
	u32 slots = max_t(u32, setup->buckets, least);

	if (!setup->buckets)
		slots = max_t(u32, setup->timers / TIMERS_A_SLOT,
			      MIN_DEFAULT_SLOTS);
	return schemes[setup->scheme]->buckets(round_up_to_power(slots));
}

static void setup_resolve(struct wheel_setup *setup)
{
	if (!setup->tick_ns)
		setup->tick_ns = DEFAULT_TICK_NS;
	if (!setup->timers)
		setup->timers = min_t(u32, DEFAULT_TIMERS, most_timers(setup));
	setup->buckets = slots_for(setup);
	setup->features = features();
}

static int user_stats(struct handle *handle, struct wheel_stats *stats)
{
	struct user *u = user_of(handle);
	u32 size = stats->size;
	u64 now = user_enter(u);

	*stats = u->counts;
	stats->size = size;
	stats->pending = u->core.pending;
	stats->cascaded = u->core.cascaded;
	stats->unread = u->fired.count;
	user_leave(u, now);
	return 0;
}

static int user_advance(struct handle *handle, struct wheel_advance *advance)
{
	struct user *u = user_of(handle);

	if (advance->now > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!is_virtual(u))
		return -EOPNOTSUPP;
	user_enter(u);
	u->virtual_now = max(u->virtual_now, advance->now);
	user_pass(u, u->virtual_now);
	advance->now = u->virtual_now;
	advance->next = u->core.pending ?
			wheel_time_of(&u->core, u->core.next) : ~(u64)0;
	user_leave(u, u->virtual_now);
	return 0;
}

static u64 user_clock(struct handle *handle)
{
	struct user *u = user_of(handle);
	u64 now;

	if (!is_virtual(u))
		return user_now(u);
	pthread_mutex_lock(&u->lock);
	now = user_now(u);
	pthread_mutex_unlock(&u->lock);
	return now;
}

/* Not a word about the mutex: in a child of fork() somebody may hold it. */
static void user_close(struct handle *handle)
{
	struct user *u = user_of(handle);

	slots_exit(u);
	free(u->memory);
	handle_exit(&u->handle);
	free(u);
}

static const struct backend user_backend = {
	.number		= LIBWHEEL_USER,
	.submit		= user_submit,
	.list		= user_list,
	.stop		= user_stop,
	.stats		= user_stats,
	.advance	= user_advance,
	.take		= user_take,
	.now		= user_clock,
	.close		= user_close,
};

static int words_init(struct user *u)
{
	struct libwheel *wheel = &u->handle.wheel;
	int err = handle_words_reserve(&u->handle);
	u64 i;

	for (i = 0; !err && i < u->handle.setup.timers; i++)
		wheel->words[i] = WHEEL_TOUCH_IDLE;
	return err;
}

static int user_init(struct user *u)
{
	const struct wheel_setup *setup = &u->handle.setup;
	int err = 0;

	pthread_mutex_init(&u->lock, NULL);
	u->watched = ~(u64)0;
	if (setup->flags & WHEEL_SETUP_TOUCH)
		err = words_init(u);
	if (!err)
		err = slots_init(u);
	if (err)
		return err;
	u->memory = malloc(wheel_memory(setup->buckets));
	if (!u->memory)
		return -ENOMEM;
	wheel_init(&u->core, schemes[setup->scheme], setup->buckets,
		   setup->tick_ns, u->memory);
	return 0;
}

/* Closes @fd when it fails. */
static int user_new(struct handle **handle, const struct wheel_setup *setup,
		    int fd)
{
	struct user *u = calloc(1, sizeof(*u));
	int err = -ENOMEM;

	if (u)
		err = handle_init(&u->handle, &user_backend, setup, fd);
	if (err) {
		free(u);
		close(fd);
		return err;
	}
	err = user_init(u);
	if (err)
		user_close(&u->handle);
	else
		*handle = &u->handle;
	return err;
}

/**
 * user_open - make a wheel in the program
 * @handle: set on success
 * @setup: what is asked for; on success what is in force
 *
 * Return: 0 or an errno.
 */
int user_open(struct handle **handle, struct wheel_setup *setup)
{
	int err = setup_check(setup);
	int fd;

	if (err)
		return err;
	setup_resolve(setup);
	err = tick_permitted(setup);
	if (err)
		return err;
	fd = watch_open(setup->clock);
	if (fd < 0)
		return fd;
	return user_new(handle, setup, fd);
}
