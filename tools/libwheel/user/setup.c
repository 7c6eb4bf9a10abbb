// SPDX-License-Identifier: MIT
/*
 * Opened and closed.
 */
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../slots/touch.h"
#include "../../../slots/word.h"
#include "user.h"

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

static u32 pages(u32 count, u32 per_page)
{
	return (count + per_page - 1) / per_page;
}

/* The mutex is left alone: in a child of fork() somebody may hold it. */
static void user_close(struct handle *handle)
{
	struct user *u = user_of(handle);
	u32 count = pages(handle->setup.timers, WHEEL_SLOTS_PER_PAGE);
	u32 i;

	for (i = 0; u->slots.pages && i < count; i++)
		free(u->slots.pages[i]);
	free(u->slots.pages);
	free(u->slots.words);
	wheel_destroy(&u->wheel);
	handle_exit(handle);
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
	.now		= user_now,
	.close		= user_close,
};

/* The words lie in one piece, as the program sees them. */
static int words_init(struct user *u)
{
	u32 timers = u->handle.setup.timers;
	u32 count = pages(timers, WHEEL_WORDS_PER_PAGE);
	int err = handle_words_map(&u->handle, -1);
	u32 i;

	if (err)
		return err;
	u->slots.words = calloc(count, sizeof(*u->slots.words));
	if (!u->slots.words)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		u->slots.words[i] = (u64 *)u->handle.wheel.words +
				    i * WHEEL_WORDS_PER_PAGE;
	for (i = 0; i < timers; i++)
		u->handle.wheel.words[i] = WHEEL_TOUCH_IDLE;
	return 0;
}

static int user_init(struct user *u)
{
	const struct wheel_setup *setup = &u->handle.setup;
	int err = 0;

	pthread_mutex_init(&u->lock, NULL);
	u->watched = WHEEL_NEVER;
	wheel_slots_init(&u->slots);
	u->slots.setup = *setup;
	u->slots.wheel = &u->wheel;
	u->wheel.data = &u->slots;
	if (setup->flags & WHEEL_SETUP_TOUCH) {
		u->wheel.claim = wheel_touch_claim;
		err = words_init(u);
	}
	if (err)
		return err;
	u->slots.pages = calloc(pages(setup->timers, WHEEL_SLOTS_PER_PAGE),
				sizeof(*u->slots.pages));
	if (!u->slots.pages)
		return -ENOMEM;
	return wheel_create(&u->wheel, setup);
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
	int err = wheel_setup_check(setup);
	int fd;

	if (err)
		return err;
	wheel_setup_resolve(setup);
	err = tick_permitted(setup);
	if (err)
		return err;
	fd = watch_open(setup->clock);
	if (fd < 0)
		return fd;
	return user_new(handle, setup, fd);
}
