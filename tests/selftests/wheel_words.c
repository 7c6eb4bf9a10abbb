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
	return wt_map_at(fd, wt_words_len(timers), PROT_READ | PROT_WRITE, WHEEL_OFF_WORDS);
}

int wt_unmap(__u64 *words, __u32 timers)
{
	return munmap(words, wt_words_len(timers));
}

bool wt_bequeath(void *map, size_t len)
{
	return !madvise(map, len, MADV_DOFORK);
}

static int open_words(int flags, __u32 clock, __u32 timers, __u64 tick_ns)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_WORDS, .clock = clock, .timers = timers,
		.tick_ns = tick_ns,
	};

	return wt_open_setup(flags, &setup);
}

int wt_open_clock_words(__u32 clock, __u32 timers, __u64 tick_ns)
{
	return open_words(0, clock, timers, tick_ns);
}

int wt_open_virtual_words(__u32 timers, __u64 tick_ns)
{
	return open_words(O_NONBLOCK, WHEEL_CLOCK_VIRTUAL, timers, tick_ns);
}

int wt_open_words(__u32 timers, __u64 tick_ns, __u64 **words)
{
	int fd = wt_open_virtual_words(timers, tick_ns);
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

int wt_arm_word(int fd, __u64 id, __u64 when)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, when);

	op.flags = WHEEL_OP_WORD;
	return wt_do(fd, &op);
}

bool wt_areas_open(struct wt_areas *a, const struct wheel_setup *wanted)
{
	struct wheel_setup setup = *wanted;
	int rw = PROT_READ | PROT_WRITE;
	size_t bells;

	setup.flags |= WHEEL_SETUP_WORDS;
	a->timers = setup.timers;
	a->fd = wt_open_setup(O_NONBLOCK, &setup);
	if (a->fd < 0)
		return false;
	bells = wt_words_len((a->timers + 63) / 64);
	a->words = wt_map(a->fd, a->timers);
	a->bells = wt_map_at(a->fd, bells, rw, WHEEL_OFF_BELLS);
	a->summary = wt_map_at(a->fd, wt_words_len((a->timers + 4095) / 4096), rw,
			       WHEEL_OFF_SUMMARY);
	a->kernel = wt_map_at(a->fd, wt_page(), PROT_READ, WHEEL_OFF_KERNEL);
	return a->words && a->bells && a->summary && a->kernel;
}

void wt_areas_close(struct wt_areas *a)
{
	wt_unmap(a->words, a->timers);
	wt_unmap(a->bells, (a->timers + 63) / 64);
	wt_unmap(a->summary, (a->timers + 4095) / 4096);
	munmap(a->kernel, wt_page());
	close(a->fd);
}

static void set_bit(__u64 *bits, __u32 nr)
{
	__atomic_fetch_or(&bits[nr / 64], 1ULL << nr % 64, __ATOMIC_SEQ_CST);
}

void wt_ring_bell(struct wt_areas *a, __u32 slot)
{
	set_bit(a->bells, slot);
	set_bit(a->summary, slot / 64);
}

int wt_set_word(struct wt_areas *a, __u32 slot, __u64 from, __u64 to)
{
	if (!wt_cas(&a->words[slot], from, to))
		return -1;
	if (!to || (from && !(from & WT_OFF) && to >= from))
		return 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wt_ring_bell(a, slot);
	if (to >= __atomic_load_n(&a->kernel->next_wake, __ATOMIC_SEQ_CST))
		return 0;
	return wt_kick(a->fd) < 0 ? -1 : 1;
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
