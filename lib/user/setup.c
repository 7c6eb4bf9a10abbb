// SPDX-License-Identifier: MIT
/*
 * Opening and closing a wheel of the user backend.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../slots/scan.h"
#include "../../slots/word.h"
#include "user.h"

/* Number of words in a file that is mapped repeatedly. */
#define FILE_WORDS	(1 << 17)

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
	free(u->recent);
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
	.start		= private_start,
	.stop		= private_stop,
	.close		= user_close,
};

static void words_fill(u64 *words, size_t count, u64 word)
{
	size_t i;

	for (i = 0; i < count; i++)
		words[i] = word;
}

/* Replace an anonymous area of words by private mappings of a file. Returns 0 or -errno. */
static int words_map(u64 *words, size_t count, int fd)
{
	int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
	size_t i;

	for (i = 0; i < count; i += FILE_WORDS) {
		if (mmap(words + i, min_t(size_t, count - i, FILE_WORDS) * sizeof(*words),
			 PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

/*
 * Initialize all words. Words beyond the first FILE_WORDS share the memory of a file until they are
 * written, so unused ones need no memory. Without a file, they are written. Returns 0 or -errno.
 */
static int words_set(u64 *words, size_t count, u64 word)
{
	size_t first = min_t(size_t, count, FILE_WORDS);
	ssize_t size = first * sizeof(*words);
	struct rlimit limit;
	int fd, err = 0;

	words_fill(words, first, word);
	if (first == count)
		return 0;
	/* To write a file beyond the limit would end the program with SIGXFSZ. */
	fd = getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < (rlim_t)size ? -1 :
	     memfd_create("libwheel", MFD_CLOEXEC);
	if (fd >= 0 && pwrite(fd, words, size, 0) == size)
		err = words_map(words + first, count - first, fd);
	else
		words_fill(words + first, count - first, word);
	if (fd >= 0)
		close(fd);
	return err;
}

/* The words, doorbells and summary are one page each, see WHEEL_SHARED_PAGE. */
static int words_init(struct user *u)
{
	struct libwheel *wheel = &u->handle.wheel;
	struct wheel_slots *slots = &u->slots;
	bool private = u->mode & PRIVATE_WORDS;
	int err = handle_words_map(&u->handle, -1);

	if (!err)
		err = words_set(wheel->words, wheel->timers,
				private ? PRIVATE_UNQUEUED : WHEEL_WORD_IDLE);
	if (err)
		return err;
	slots->words = &wheel->words;
	slots->scanner.bells = &wheel->bells;
	slots->scanner.summary = &wheel->summary;
	if (private) {
		u->handle.timeouts.words = wheel->words;
		u->handle.timeouts.slots = wheel->timers;
		wheel->timers = 0;
		*u->handle.words = 0;
		u->wheel.claim = private_claim;
		u->recent_first = WHEEL_NEVER;
		u->recent = malloc(RECENT * sizeof(*u->recent));
		return u->recent ? 0 : -ENOMEM;
	}
	u->wheel.claim = wheel_word_claim;
	slots->scanner.next_wake = &u->handle.page->next_wake;
	wheel_scan_init(slots);
	return 0;
}

static int user_init(struct user *u)
{
	const struct wheel_setup *setup = &u->handle.setup;
	int err = 0;

	u->watched = WHEEL_NEVER;
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
	return u->mode & LIBWHEEL_NO_FD ? 0 : watch_open(u);
}

/*
 * Create a wheel of the user backend. @mode has any of LIBWHEEL_NO_FD and PRIVATE_WORDS. On
 * success, sets *@handle, and @setup to the effective configuration.
 */
int user_open(struct handle **handle, struct wheel_setup *setup, u32 mode)
{
	int err = wheel_setup_check(setup);
	struct user *u;

	if (err)
		return err;
	wheel_setup_resolve(setup);
	u = calloc(1, sizeof(*u));
	err = u ? handle_init(&u->handle, &user_backend) : -ENOMEM;
	if (err) {
		free(u);
		return err;
	}
	u->handle.setup = *setup;
	u->mode = mode;
	err = user_init(u);
	if (err)
		user_close(&u->handle);
	else
		*handle = &u->handle;
	return err;
}
