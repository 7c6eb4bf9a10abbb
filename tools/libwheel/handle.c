// SPDX-License-Identifier: MIT
/*
 * Handles: what is the same for both backends.
 */
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "handle.h"

#define WORD_SIZE	sizeof(__u64)

/*
 * The word of a wheel that has none. Nobody swaps it for another, but a swap that
 * fails needs a page that can be written, too.
 */
static __u64 never_armed = WHEEL_TOUCH_IDLE;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A page that says whose the wheel is: a child of fork() finds it empty. */
static const bool *parents_page(void)
{
	bool *ours = map(page_size());

	if (!ours)
		return NULL;
	if (madvise(ours, page_size(), MADV_WIPEONFORK)) {
		munmap(ours, page_size());
		return NULL;
	}
	*ours = true;
	return ours;
}

/**
 * handle_init - set up what both backends have
 * @handle: handle
 * @backend: its backend
 * @setup: what is in force
 * @fd: what the program polls; the handle's from now on
 *
 * Return: 0 or -ENOMEM.
 */
int handle_init(struct handle *handle, const struct backend *backend,
		const struct wheel_setup *setup, int fd)
{
	handle->ours = parents_page();
	if (!handle->ours)
		return -ENOMEM;
	handle->wheel.words = &never_armed;
	handle->wheel.mask = 0;
	handle->backend = backend;
	handle->setup = *setup;
	handle->fd = fd;
	return 0;
}

/* Words for all slots whose numbers have as many bits as the last one's. */
static __u64 words_reserved(const struct handle *handle)
{
	__u32 last = handle->setup.timers - 1;

	return last ? 2ULL << (31 - __builtin_clz(last)) : 1;
}

/**
 * handle_words_reserve - bring memory for the touch words
 * @handle: handle
 *
 * No id, not even a wrong one, leads out of it.
 *
 * Return: 0 or -ENOMEM.
 */
int handle_words_reserve(struct handle *handle)
{
	__u64 count = words_reserved(handle);
	__u64 *words = map(count * WORD_SIZE);

	if (!words)
		return -ENOMEM;
	handle->wheel.words = words;
	handle->wheel.mask = count - 1;
	return 0;
}

/**
 * handle_words_size - how much of that memory is of slots that exist
 * @handle: handle
 *
 * Return: bytes, whole pages.
 */
size_t handle_words_size(const struct handle *handle)
{
	size_t size = handle->setup.timers * WORD_SIZE;

	return (size + page_size() - 1) & ~(page_size() - 1);
}

/**
 * handle_exit - undo handle_init() and handle_words_reserve()
 * @handle: handle
 */
void handle_exit(struct handle *handle)
{
	if (handle->wheel.words != &never_armed)
		munmap(handle->wheel.words, words_reserved(handle) * WORD_SIZE);
	munmap((void *)handle->ours, page_size());
	close(handle->fd);
}

/**
 * clock_read - read a clock of the machine
 * @clock: WHEEL_CLOCK_*, not VIRTUAL
 *
 * Return: nanoseconds.
 */
__u64 clock_read(__u32 clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock_id(clock), &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/**
 * clock_id - what the machine calls a clock
 * @clock: WHEEL_CLOCK_*, not VIRTUAL
 *
 * Return: CLOCK_*.
 */
clockid_t clock_id(__u32 clock)
{
	switch (clock) {
	case WHEEL_CLOCK_BOOTTIME:
		return CLOCK_BOOTTIME;
	case WHEEL_CLOCK_REALTIME:
		return CLOCK_REALTIME;
	case WHEEL_CLOCK_TAI:
		return CLOCK_TAI;
	default:
		return CLOCK_MONOTONIC;
	}
}
