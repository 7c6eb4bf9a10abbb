// SPDX-License-Identifier: MIT
/*
 * Handles: what is the same for both backends.
 */
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "handle.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that says whose the wheel is: a child of fork() finds it empty. */
static const bool *parents_page(void)
{
	bool *ours = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ours == MAP_FAILED)
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
	handle->backend = backend;
	handle->setup = *setup;
	handle->fd = fd;
	return 0;
}

/* Whole pages. */
static size_t words_size(const struct handle *handle)
{
	size_t size = handle->setup.timers * sizeof(__u64);

	return (size + page_size() - 1) & ~(page_size() - 1);
}

/**
 * handle_words_map - bring the touch words
 * @handle: handle
 * @fd: of the kernel's wheel whose words they are; -1: they are our own, zeros
 *
 * Return: 0 or an errno.
 */
int handle_words_map(struct handle *handle, int fd)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE :
			     MAP_SHARED;
	__u64 *words = mmap(NULL, words_size(handle), PROT_READ | PROT_WRITE,
			    flags, fd, fd < 0 ? 0 : WHEEL_OFF_TOUCH);

	if (words == MAP_FAILED)
		return -errno;
	handle->wheel.words = words;
	handle->wheel.timers = handle->setup.timers;
	return 0;
}

/**
 * handle_exit - undo handle_init() and handle_words_map()
 * @handle: handle
 */
void handle_exit(struct handle *handle)
{
	if (handle->wheel.words)
		munmap(handle->wheel.words, words_size(handle));
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
