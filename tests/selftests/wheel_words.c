// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wheel_test.h"
#include "wheel_words.h"

void *wt_map_at(int fd, size_t size, int prot, off_t offset)
{
	void *area = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

	return area == MAP_FAILED ? NULL : area;
}

size_t wt_words_len(__u32 timers)
{
	size_t page = wt_page();

	return (timers * sizeof(__u64) + page - 1) / page * page;
}

__u64 *wt_map(int fd, __u32 timers)
{
	return wt_map_at(fd, wt_words_len(timers), PROT_READ | PROT_WRITE, WHEEL_OFF_TOUCH);
}

int wt_unmap(__u64 *words, __u32 timers)
{
	return munmap(words, wt_words_len(timers));
}

bool wt_bequeath(void *map, size_t len)
{
	return !madvise(map, len, MADV_DOFORK);
}

static int open_touch(int flags, __u32 clock, __u32 timers, __u64 tick_ns)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_TOUCH, .clock = clock, .timers = timers,
		.tick_ns = tick_ns,
	};

	return wt_open_setup(flags, &setup);
}

int wt_open_touch(__u32 clock, __u32 timers, __u64 tick_ns)
{
	return open_touch(0, clock, timers, tick_ns);
}

int wt_open_touch_virtual(__u32 timers, __u64 tick_ns)
{
	return open_touch(O_NONBLOCK, WHEEL_CLOCK_VIRTUAL, timers, tick_ns);
}

int wt_open_words(__u32 timers, __u64 tick_ns, __u64 **words)
{
	int fd = wt_open_touch_virtual(timers, tick_ns);
	int error;

	if (fd < 0)
		return fd;
	*words = wt_map(fd, timers);
	if (*words)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

void wt_close_words(int fd, __u32 timers, __u64 *words)
{
	wt_unmap(words, timers);
	close(fd);
}

int wt_arm_touch(int fd, __u64 id, __u64 when)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, when);

	op.flags = WHEEL_OP_TOUCH;
	return wt_do(fd, &op);
}

int wt_kick(int fd)
{
	struct wheel_enter enter = {
		.size = sizeof(enter), .flags = WHEEL_ENTER_KICK,
		.ready = 0xcccccccc,
	};
	int err = wt_ioctl(fd, WHEEL_IOC_ENTER, &enter);

	return err ?: (int)enter.ready;
}
