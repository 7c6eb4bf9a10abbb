/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wheel, a user of the in-kernel API.
 *
 * An open file has a wheel and a table of slots. slots/ implements the operations on slots; this
 * directory implements files, access to user memory, wake-ups and passes. wheel_lock() of the
 * wheel also protects the file. Calls hold it with interrupts enabled; the interrupt only tries to
 * lock. While it is held, user memory is accessed only with page faults disabled, and no task is
 * woken. Lock order:
 * wheel_file.setup_lock -> wheel_lock().
 */
#ifndef _WHEEL_DEV_H
#define _WHEEL_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/time_namespace.h>
#include <linux/types.h>
#include <linux/wait.h>
#include "../engine/device.h"
#include "../slots/slots.h"

/* Size of struct wheel_op in the first release, which older programs pass. */
#define WHEEL_OP_SIZE	64

/* Result of wheel_file_submit_single(): nothing was done, use wheel_file_submit(). */
#define WHEEL_NOT_SINGLE	1

struct mem_cgroup;
struct poll_table_struct;
struct seq_file;
struct wheel_user;

/*
 * Upper limit of the operations and slots handled under one lock hold. An arm that reads the clock
 * takes up to 380 instructions, and a hold at most 15,000.
 */
#define DEV_HOLD	32

/* Entries of the ring that are mapped in one step: 3 MB, a multiple of all page sizes. */
#define RING_PART	65536U

/**
 * struct wheel_event_ring - Completion ring
 * @user: page that the program writes
 * @pages: pages of the entries
 * @parts: mappings of these pages, each of RING_PART entries; a smaller ring has one
 * @size: number of entries, a power of two; 0 without a ring
 * @tail: number of events published so far, modulo 2^32; copied to wheel_kernel_page
 */
struct wheel_event_ring {
	struct wheel_user_page	*user;
	struct page		**pages;
	struct wheel_event	*parts[WHEEL_MAX_EVENTS / RING_PART];
	u32			size;
	u32			tail;
};

/**
 * struct wheel_file - Open file of /dev/wheel
 * @slots: table of its timers; the wheel is NULL until the file is set up, then constant, like
 *	the configuration and the tables
 * @kernel: page that only the kernel writes, or NULL
 * @ring: completion ring, zero if the file has none
 * @setup_lock: serializes set-up and stop; protects @stop_at
 * @memcg: memory cgroup of the opener, to which pages are charged
 * @user: user whose limit the file counts against, or NULL if the opener is privileged
 * @shift: offset of the clock in the time namespace of the task that has set the file up
 * @charged: number of pages charged for this file, to @user unless it is NULL
 * @stopped: true if the wheel was stopped, so that no timer can expire
 * @wake: true if readers and pollers must be woken after the lock is released
 * @wake_at: number of events that causes a wake-up; the maximum if readers and pollers were woken
 *	and have not checked since. A poll() sets it to 1 lockless
 * @polled: true if poll() was called, so that each event must cause a wake-up: a multishot poll of
 *	io_uring does not check after it was woken. Read lockless
 * @unfired: number of timers that STOP has drained so far; a signal can interrupt it
 * @stop_at: next slot whose word STOP takes back
 * @advanced: time up to which ADVANCE has expired all timers
 * @deferred: true if the pass is left to the owner, see event.c; read lockless. If the file has a
 *	ring, WHEEL_RING_BACKLOG in the kernel page has the same value
 * @deferrals: number of times that an interrupt left the pass to the owner
 * @readers: wait queue of read(); an event wakes up one task
 * @pollers: wait queue of poll(), epoll and ENTER; an event wakes up all tasks
 *
 * The lock of the wheel protects @slots and the members from @stopped to @deferrals, except
 * @stop_at.
 */
struct wheel_file {
	struct wheel_slots	slots;
	struct wheel_kernel_page *kernel;
	struct wheel_event_ring	ring;
	/* Held by the task that sets the file up or stops it. */
	struct mutex		setup_lock;
	struct mem_cgroup	*memcg;
	struct wheel_user	*user;
	s64			shift;
	atomic_long_t		charged;

	bool			stopped;
	bool			wake;
	bool			polled;
	u32			wake_at;
	u64			unfired;
	u32			stop_at;
	u64			advanced;
	bool			deferred;
	u64			deferrals;
	wait_queue_head_t	readers;
	wait_queue_head_t	pollers;
};

int wheel_dev_init(void);
void wheel_dev_exit(void);

/* Commands, each with its struct in kernel memory. */
int wheel_file_setup(struct wheel_file *file, void *arg);
int wheel_file_submit(struct wheel_file *file, void *arg);
int wheel_file_submit_single(struct wheel_file *file, void __user *uarg);
int wheel_file_list(struct wheel_file *file, void *arg);
int wheel_file_stop(struct wheel_file *file, void *arg);
int wheel_file_advance(struct wheel_file *file, void *arg);
int wheel_file_enter(struct wheel_file *file, void *arg);

void wheel_file_stats(struct wheel_file *file, struct wheel_stats *stats);

/* Other system calls. */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
int wheel_file_mmap(struct file *filp, struct vm_area_struct *vma);
long wheel_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

/* Returns the wheel of a file, or NULL if the file is not set up. */
static inline struct wheel *wheel_file_ready(const struct wheel_file *file)
{
	/* Pairs with the release in setup_locked(): the set-up is complete. */
	return smp_load_acquire(&file->slots.wheel);
}

/* Return the file to which slots belong, the owner's data of its wheel. */
static inline struct wheel_file *wheel_file_of(void *slots)
{
	return container_of(slots, struct wheel_file, slots);
}

/* event.c: the interrupt, the passes in the owner's context, and the wake-ups */
extern const struct wheel_owner wheel_file_owner, wheel_file_word_owner;

u32 wheel_file_events(const struct wheel_file *file);
bool wheel_file_run(struct wheel_file *file, u32 wanted);
void wheel_file_hand_over(struct wheel_file *file);
void wheel_file_defer(struct wheel_file *file, bool deferred);
bool wheel_file_await(struct wheel_file *file, u32 wanted, u32 *ready);
__poll_t wheel_file_poll(struct file *filp, struct poll_table_struct *wait);

/* Check whether wheel_file_run() has work to do. */
static inline bool wheel_file_deferred(const struct wheel_file *file)
{
	return unlikely(READ_ONCE(file->deferred));
}

/* map.c, ring.c: the completion ring */
int wheel_file_shared_alloc(struct wheel_file *file);
void wheel_file_shared_free(struct wheel_file *file);
int wheel_event_ring_alloc(struct wheel_file *file);
void wheel_event_ring_free(struct wheel_file *file);
void wheel_event_ring_expire(struct wheel_file *file, struct wheel_timer **due, unsigned int n,
			     u64 now);

/*
 * Returns the number of events that the program has not taken. If the program has written an
 * impossible head, the ring counts as full, so that no event is overwritten.
 */
static inline u32 wheel_event_ring_ready(const struct wheel_event_ring *ring)
{
	/*
	 * Order the program's reads of the entries before their reuse. Pairs with its store-release
	 * of event_head.
	 */
	u32 head = smp_load_acquire(&ring->user->event_head);

	return min(ring->tail - head, ring->size);
}

/* scan.c: scans for timers that the program has armed, by passes and by kicks */
unsigned int wheel_file_scan(void *data, u64 now);
int wheel_file_kick(struct wheel_file *file);
void wheel_file_bells_unmapped(struct wheel_file *file);

/*
 * page.c: arrays with one or several slots per element. Pages are added in this order: if a slot
 * exists, its parameters do, too. Those from WHEEL_WORDS on are shared with the program.
 */
enum wheel_array {
	WHEEL_PARAMS,
	WHEEL_SLOTS,
	WHEEL_WORDS,
	WHEEL_BELL_BITS,
	WHEEL_SUMMARY_BITS,
	WHEEL_ARRAYS,
};

void *wheel_file_page_alloc(struct wheel_file *file);
int wheel_file_tables_alloc(struct wheel_file *file);
void wheel_file_tables_free(struct wheel_file *file);
int wheel_file_bring(struct wheel_file *file, u32 nr, u32 flags);
u32 wheel_file_array_pages(const struct wheel_file *file, enum wheel_array array);
struct page *wheel_file_array_page(struct wheel_file *file, enum wheel_array array, u32 at);

/* setup.c */
int wheel_file_setup_default(struct wheel_file *file);
void wheel_file_info(struct wheel_file *file, struct wheel_setup *info);
void wheel_file_teardown(struct wheel_file *file);

/* Set a file up with the defaults if it is not set up. Returns 0 or a negative errno. */
static inline int wheel_file_ensure_setup(struct wheel_file *file)
{
	return likely(wheel_file_ready(file)) ? 0 : wheel_file_setup_default(file);
}

/* user.c: memory limits per user */
struct wheel_user *wheel_user_get(void);
void wheel_user_put(struct wheel_user *user);
int wheel_file_charge(struct wheel_file *file, unsigned long pages);
void wheel_file_uncharge(struct wheel_file *file, unsigned long pages);
void wheel_user_show(struct seq_file *m, const struct wheel_file *file);

/* Return the offset of a clock in the caller's time namespace, in nanoseconds. */
static inline s64 wheel_clock_shift(u32 clock)
{
	const struct timens_offsets *by;

	if (!IS_ENABLED(CONFIG_TIME_NS))
		return 0;
	by = &current->nsproxy->time_ns->offsets;
	switch (clock) {
	case WHEEL_CLOCK_MONOTONIC:
		return by->monotonic.tv_sec * NSEC_PER_SEC + by->monotonic.tv_nsec;
	case WHEEL_CLOCK_BOOTTIME:
		return by->boottime.tv_sec * NSEC_PER_SEC + by->boottime.tv_nsec;
	default:
		return 0;
	}
}

/*
 * Check whether the offset of the file's clock differs from that at set-up. The caller's absolute
 * times are not those of the wheel then. Words and events contain times, so none are converted.
 */
static inline bool wheel_file_shifted(const struct wheel_file *file)
{
	return wheel_clock_shift(file->slots.setup.clock) != file->shift;
}

#endif
