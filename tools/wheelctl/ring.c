// SPDX-License-Identifier: MIT
/*
 * The completion ring: events that come without a call. The protocol is that of
 * linux/wheel_timer.h.
 */
#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"

static void *map(int fd, size_t size, int protection, off_t offset)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, (size + page - 1) / page * page, protection,
			    MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		fail(EXIT_DEVICE, "mmap of the completion ring: %s",
		     strerror(errno));
	return memory;
}

/**
 * ring_map - map the ring of a wheel that was set up with one
 * @r: set up
 * @fd: the wheel; the mappings last as long as this program
 * @entries: wheel_setup.events, in force
 */
void ring_map(struct ring *r, int fd, u32 entries)
{
	r->kernel = map(fd, sizeof(*r->kernel), PROT_READ, WHEEL_OFF_KERNEL);
	r->user = map(fd, sizeof(*r->user), PROT_READ | PROT_WRITE,
		      WHEEL_OFF_USER);
	r->event = map(fd, entries * sizeof(*r->event), PROT_READ,
		       WHEEL_OFF_EVENTS);
	r->entries = entries;
}

/**
 * ring_take - take events
 * @r: ring
 * @events: filled
 * @count: how many fit
 *
 * Return: how many there were. More may wait in the kernel: poll() brings them.
 */
u32 ring_take(struct ring *r, struct wheel_event *events, u32 count)
{
	u32 head = r->user->event_head;
	u32 tail = __atomic_load_n(&r->kernel->event_tail, __ATOMIC_ACQUIRE);
	u32 taken = 0;

	while (head != tail && taken < count)
		events[taken++] = r->event[head++ & (r->entries - 1)];
	__atomic_store_n(&r->user->event_head, head, __ATOMIC_RELEASE);
	return taken;
}
