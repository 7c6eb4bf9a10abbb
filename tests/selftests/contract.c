// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on the device, with a completion ring, and on the model of the ABI. All
 * results, events, words and counters must be equal. The tests of libwheel do the same with read().
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "../contract/model.h"
#include "../contract/script.h"
#include "wheel_test.h"
#include "wheel_words.h"

#define OPERATIONS	10000
#define ENTRIES		16

#define WORDS		WHEEL_SETUP_WORDS

/**
 * struct device - a file, as a side of a comparison
 * @side: its operations
 * @fd: the file
 * @hold: maximum number of operations that it executes under one lock hold
 * @kernel: kernel page of its ring
 * @user: user page of its ring
 * @events: events of its ring
 */
struct device {
	struct side side;
	int fd;
	__u32 hold;
	struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	struct wheel_event *events;
};

static int fd_of(struct side *side)
{
	return ((struct device *)side)->fd;
}

/*
 * With a ring, SUBMIT runs one step of a pass that is left to the program, with a budget that the
 * model does not have. ENTER completes the pass after each lock hold.
 */
static int device_submit(struct side *side, struct wheel_op *ops, __u32 count)
{
	struct wheel_enter enter = { .size = sizeof(enter) };
	struct device *d = (struct device *)side;
	__u32 i;

	for (i = 0; i < count; i += d->hold) {
		__u32 n = count - i < d->hold ? count - i : d->hold;

		if (wt_batch(d->fd, ops + i, n) || wt_ioctl(d->fd, WHEEL_IOC_ENTER, &enter))
			return -1;
	}
	return 0;
}

static int device_advance(struct side *side, __u64 now, __u64 *next)
{
	return wt_advance(fd_of(side), now, next);
}

static int device_peek(struct side *side, struct wheel_event *events)
{
	struct device *d = (struct device *)side;
	__u32 tail = __atomic_load_n(&d->kernel->event_tail, __ATOMIC_ACQUIRE);
	__u32 head = d->user->event_head;
	int n = 0;

	while (head != tail)
		events[n++] = d->events[head++ % ENTRIES];
	return n;
}

static int device_take(struct side *side, struct wheel_event *events, __u32 room)
{
	struct wheel_enter enter = { .size = sizeof(enter) };
	struct device *d = (struct device *)side;
	__u32 head = d->user->event_head, tail;
	int n = 0;

	if (wt_ioctl(d->fd, WHEEL_IOC_ENTER, &enter))
		return -1;
	tail = __atomic_load_n(&d->kernel->event_tail, __ATOMIC_ACQUIRE);
	while (head != tail && (__u32)n < room)
		events[n++] = d->events[head++ % ENTRIES];
	__atomic_store_n(&d->user->event_head, head, __ATOMIC_RELEASE);
	return n;
}

static int device_list(struct side *side, struct wheel_op *ops, __u32 room)
{
	struct wheel_list list = { .cursor = 0 };
	__u32 n = 0;
	int err;

	/* Three timers per call, so that a call begins at any slot. */
	do {
		err = wt_list(fd_of(side), 0, ops + n, room - n < 3 ? room - n : 3, &list);
		n += list.done;
	} while (!err && list.done && n < room);
	return err ?: (int)n;
}

static int device_stop(struct side *side, __u64 *unfired)
{
	return wt_stop(fd_of(side), unfired);
}

static int device_stats(struct side *side, struct wheel_stats *stats)
{
	return wt_stats(fd_of(side), stats);
}

/* Map a bitmap with @count bits. */
static __u64 *map_bits(int fd, __u32 count, off_t offset)
{
	return wt_map_at(fd, (count + 7) / 8, PROT_READ | PROT_WRITE, offset);
}

/* Open and map a wheel. Returns 0, or the line of a failure. */
static int device_open(struct device *d, struct wheel_setup *setup)
{
	long page = wt_page();

	d->side = (struct side){
		.submit = device_submit, .advance = device_advance,
		.peek = device_peek, .take = device_take, .list = device_list, .stop = device_stop,
		.stats = device_stats, .apart = side_apart(setup),
	};
	d->hold = setup->scheme == WHEEL_OVERFLOW ? 1 : 32;
	d->fd = wt_open_setup(O_NONBLOCK, setup);
	if (d->fd < 0)
		return __LINE__;
	if (setup->flags & WHEEL_SETUP_WORDS) {
		d->side.words = wt_map(d->fd, setup->timers);
		d->side.bells = map_bits(d->fd, setup->timers, WHEEL_OFF_BELLS);
		d->side.summary = map_bits(d->fd, (setup->timers + 63) / 64,
					   WHEEL_OFF_SUMMARY);
		if (!d->side.words || !d->side.bells || !d->side.summary)
			return __LINE__;
	}
	d->kernel = wt_map_at(d->fd, page, PROT_READ, WHEEL_OFF_KERNEL);
	d->user = wt_map_at(d->fd, page, PROT_READ | PROT_WRITE, WHEEL_OFF_USER);
	d->events = wt_map_at(d->fd, page, PROT_READ, WHEEL_OFF_EVENTS);
	return d->kernel && d->user && d->events ? 0 : __LINE__;
}

FIXTURE(contract) {
	struct device device;
	struct model model;
};

FIXTURE_VARIANT(contract) {
	__u32 scheme;
	__u64 tick;
};

FIXTURE_VARIANT_ADD(contract, hashed) { .scheme = WHEEL_HASHED, .tick = WT_MS };
FIXTURE_VARIANT_ADD(contract, hashed_7ns) { .scheme = WHEEL_HASHED, .tick = 7 };
FIXTURE_VARIANT_ADD(contract, hierarchical) { .scheme = WHEEL_HIERARCHICAL, .tick = 1000 };
FIXTURE_VARIANT_ADD(contract, bounded) { .scheme = WHEEL_BOUNDED, .tick = 999 };
FIXTURE_VARIANT_ADD(contract, overflow) { .scheme = WHEEL_OVERFLOW, .tick = WT_MS };

FIXTURE_SETUP(contract)
{
	(void)variant;
	(void)self;
}

FIXTURE_TEARDOWN(contract)
{
	close(self->device.fd);
}

/* Compare the device with the model. @apart is the distance between the slots in use. */
static int compare(struct device *device, struct model *model, __u32 scheme,
		   __u64 tick, __u32 flags, __u32 apart)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .scheme = scheme, .flags = flags,
		.tick_ns = tick, .timers = SIDE_TIMERS(apart),
		.buckets = side_buckets(SIDE_TIMERS(apart)), .events = ENTRIES,
	};
	int line = device_open(device, &setup);

	if (line)
		return line;
	model_init(model, &setup, &device->side);
	return script_run(&device->side, &model->side, &setup, wt_seed(),
			  OPERATIONS);
}

WT_TEST(contract, ring)
{
	ASSERT_EQ(0, compare(&self->device, &self->model, variant->scheme,
			     variant->tick, 0, 1));
}

WT_TEST(contract, ring_words)
{
	ASSERT_EQ(0, compare(&self->device, &self->model, variant->scheme,
			     variant->tick, WORDS, 1));
}

WT_TEST(contract, ring_words_large)
{
	ASSERT_EQ(0, compare(&self->device, &self->model, variant->scheme,
			     variant->tick, WORDS, side_far(variant->scheme)));
}

TEST_HARNESS_MAIN
