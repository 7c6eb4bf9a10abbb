// SPDX-License-Identifier: MIT
/*
 * Opening and closing a wheel of the user backend.
 */
#include <stdlib.h>

#include "../../slots/scan.h"
#include "../../slots/word.h"
#include "user.h"

static void table_free(void **pages, u32 count)
{
	u32 i;

	for (i = 0; pages && i < count; i++)
		free(pages[i]);
	free(pages);
}

/* Does not take the lock: in a child of fork() it may never be released. */
static void user_close(struct handle *handle)
{
	struct user *u = user_of(handle);
	u32 timers = handle->setup.timers;

	table_free((void **)u->slots.pages, DIV_ROUND_UP(timers, WHEEL_SLOTS_PER_PAGE));
	table_free((void **)u->slots.params, DIV_ROUND_UP(timers, WHEEL_PARAMS_PER_PAGE));
	wheel_destroy(&u->wheel);
	handle_exit(handle);
	free(u);
}

static const struct backend user_backend = {
	.number		= LIBWHEEL_USER,
	.arm		= user_arm,
	.rearm		= user_rearm,
	.rearm_or_arm	= user_rearm_or_arm,
	.cancel		= user_cancel,
	.command	= user_command,
	.take		= user_take,
	.next		= user_next,
	.expire		= user_expire,
	.close		= user_close,
};

/* The words, doorbells and summary are one page each, see WHEEL_SHARED_PAGE. */
static int words_init(struct user *u)
{
	struct libwheel *wheel = &u->handle.wheel;
	struct wheel_slots *slots = &u->slots;
	int err = handle_words_map(&u->handle, -1);

	if (!err)
		err = words_set(wheel->words, wheel->timers, WHEEL_WORD_IDLE);
	if (err)
		return err;
	slots->words = &wheel->words;
	slots->scanner.bells = &wheel->bells;
	slots->scanner.summary = &wheel->summary;
	slots->scanner.next_wake = &u->handle.page->next_wake;
	u->wheel.claim = wheel_word_claim;
	wheel_scan_init(slots);
	return 0;
}

static int user_init(struct user *u, u32 mode)
{
	const struct wheel_setup *setup = &u->handle.setup;
	int err = 0;

	wheel_slots_init(&u->slots);
	u->slots.setup = *setup;
	u->slots.wheel = &u->wheel;
	u->wheel.data = &u->slots;
	if (setup->flags & WHEEL_SETUP_WORDS)
		err = words_init(u);
	if (err)
		return err;
	u->slots.pages = calloc(DIV_ROUND_UP(setup->timers, WHEEL_SLOTS_PER_PAGE),
				sizeof(*u->slots.pages));
	u->slots.params = calloc(DIV_ROUND_UP(setup->timers, WHEEL_PARAMS_PER_PAGE),
				 sizeof(*u->slots.params));
	if (!u->slots.pages || !u->slots.params)
		return -ENOMEM;
	err = wheel_create(&u->wheel, setup);
	if (err)
		return err;
	u->slots.longest = wheel_span(&u->wheel.core);
	u->lull = u->handle.wiped;
	u->lull->known = !u->wheel.core.own_queue &&
			 (is_virtual(u) || setup->clock == WHEEL_CLOCK_MONOTONIC);
	return user_watch(&u->watch, &u->handle, mode);
}

/*
 * Create a wheel of the user backend. @mode has any of LIBWHEEL_NO_FD and PRIVATE_WORDS. On
 * success, sets *@handle, and @setup to the effective configuration.
 */
int user_open(struct handle **handle, struct wheel_setup *setup, u32 mode)
{
	int err = wheel_setup_check(setup) ?: wheel_clock_check(setup);
	struct user *u;

	if (err)
		return err;
	wheel_setup_resolve(setup);
	if (mode & PRIVATE_WORDS)
		return private_open(handle, setup, mode);
	u = calloc(1, sizeof(*u));
	err = u ? handle_init(&u->handle, &user_backend) : -ENOMEM;
	if (err) {
		free(u);
		return err;
	}
	u->handle.setup = *setup;
	err = user_init(u, mode);
	if (err)
		user_close(&u->handle);
	else
		*handle = &u->handle;
	return err;
}
