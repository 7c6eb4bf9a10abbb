// SPDX-License-Identifier: MIT
/*
 * Handles: the part that both backends share.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "handle.h"

const clockid_t clock_ids[WHEEL_CLOCK_VIRTUAL] = {
	[WHEEL_CLOCK_MONOTONIC]	= CLOCK_MONOTONIC,
	[WHEEL_CLOCK_BOOTTIME]	= CLOCK_BOOTTIME,
	[WHEEL_CLOCK_REALTIME]	= CLOCK_REALTIME,
	[WHEEL_CLOCK_TAI]	= CLOCK_TAI,
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* A page that is zeroed in a child of fork(), so that the child can be detected: see handle.h. */
struct parents_page {
	bool ours;
	__u32 words;
	max_align_t wiped[];
};

static struct parents_page *parents_page_new(void)
{
	struct parents_page *page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, page_size(), MADV_WIPEONFORK)) {
		munmap(page, page_size());
		return NULL;
	}
	page->ours = true;
	return page;
}

/* Initialize the common part of a zeroed handle, without a descriptor. Returns 0 or -ENOMEM. */
int handle_init(struct handle *handle, const struct backend *backend)
{
	struct parents_page *page = parents_page_new();

	if (!page)
		return -ENOMEM;
	handle->ours = &page->ours;
	handle->words = &page->words;
	handle->wiped = page->wiped;
	handle->backend = backend;
	handle->fd = -EOPNOTSUPP;
	return 0;
}

/* Size in bytes of @count __u64s, rounded up to pages. */
static size_t area_size(size_t count)
{
	return (count * sizeof(__u64) + page_size() - 1) & ~(page_size() - 1);
}

/* Number of __u64s in a bitmap of @count bits. */
static size_t bells(size_t count)
{
	return (count + 63) / 64;
}

/*
 * Map an area of the device, or zeroed anonymous memory if @fd is -1. Returns NULL on error, with
 * errno set.
 */
static void *area_map(int fd, size_t count, int protection, off_t offset)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	void *area = mmap(NULL, area_size(count), protection, flags, fd, offset);

	return area == MAP_FAILED ? NULL : area;
}

static void area_unmap(const void *area, size_t count)
{
	if (area)
		munmap((void *)area, area_size(count));
}

/*
 * Map the words, the doorbells and the kernel's page from the device @fd. If @fd is -1, allocate
 * zeroed memory instead. Returns 0 or a negative errno; handle_exit() unmaps the areas.
 */
int handle_words_map(struct handle *handle, int fd)
{
	struct libwheel *wheel = &handle->wheel;
	size_t timers = handle->setup.timers;
	int both = PROT_READ | PROT_WRITE;

	wheel->words = area_map(fd, timers, both, WHEEL_OFF_WORDS);
	wheel->bells = area_map(fd, bells(timers), both, WHEEL_OFF_BELLS);
	wheel->summary = area_map(fd, bells(bells(timers)), both, WHEEL_OFF_SUMMARY);
	handle->page = area_map(fd, 1, fd < 0 ? both : PROT_READ, WHEEL_OFF_KERNEL);
	if (!wheel->words || !wheel->bells || !wheel->summary || !handle->page)
		return -errno;
	wheel->next_wake = &handle->page->next_wake;
	wheel->timers = timers;
	*handle->words = timers;
	return 0;
}

static void areas_unmap(struct handle *handle)
{
	size_t timers = handle->setup.timers;

	area_unmap(handle->wheel.words, timers);
	area_unmap(handle->wheel.bells, bells(timers));
	area_unmap(handle->wheel.summary, bells(bells(timers)));
	area_unmap(handle->page, 1);
}

/*
 * Undo handle_init() and handle_words_map(). A child of fork() does not inherit the mappings of the
 * device, and may have mapped other memory at their addresses.
 */
void handle_exit(struct handle *handle)
{
	if (*handle->ours || handle->backend->number == LIBWHEEL_USER)
		areas_unmap(handle);
	free(handle->slots.ids);
	munmap((void *)handle->ours, page_size());
	if (handle->fd >= 0)
		close(handle->fd);
}
