/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wheel, a user of the in-kernel API.
 *
 * An open file has a wheel and a table of slots. slots/ implements the operations on slots; this
 * directory implements files, access to user memory, wake-ups and passes. wheel_lock() of the
 * wheel, taken with interrupts disabled, also protects the file. While it is held, no user memory
 * is accessed and no task is woken. Lock order: wheel_file.setup_lock -> wheel_lock().
 */
#ifndef _WHEEL_DEV_H
#define _WHEEL_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include "../slots/slots.h"

struct mem_cgroup;
struct wheel_event_ring;
struct wheel_user;

/*
 * Upper limit of the operations and slots handled under one lock hold. An arm that reads the clock
 * takes up to 380 instructions, and a hold at most 15,000.
 */
#define DEV_HOLD	32

/**
 * struct wheel_file - Open file of /dev/wheel
 * @slots: table of its timers; the wheel is NULL until the file is set up, then constant, like
 *	the configuration and the tables
 * @kernel: page that only the kernel writes, or NULL
 * @ring: completion ring, or NULL
 * @setup_lock: serializes set-up and stop; protects @stop_at
 * @memcg: memory cgroup of the opener, to which pages are charged
 * @user: user whose limit the file counts against, or NULL if the opener is privileged
 * @charged: number of pages charged to @user for this file
 * @copying: number of events that readers are copying
 * @stopped: true if the wheel was stopped, so that no timer can expire
 * @notified: true if readers and pollers were woken and have not checked since
 * @wake: true if readers and pollers must be woken after the lock is released
 * @wake_at: number of events that causes a wake-up
 * @unfired: number of timers that STOP has drained so far; a signal can interrupt it
 * @stop_at: next slot whose word STOP takes back
 * @advanced: time up to which ADVANCE has expired all timers
 * @deferred: true if the pass is left to the owner, see event.c; also written without the lock
 * @interrupts: number of interrupts since the owner's last call; lockless
 * @deferrals: number of times that an interrupt left the pass to the owner; lockless, written
 *	only by the interrupt
 * @readers: wait queue of read(); an event wakes up one task
 * @pollers: wait queue of poll(), epoll and ENTER; an event wakes up all tasks
 *
 * The lock of the wheel protects @slots and the members from @copying to @advanced, except
 * @stop_at.
 */
struct wheel_file {
	struct wheel_slots	slots;
	struct wheel_kernel_page *kernel;
	struct wheel_event_ring	*ring;
	/* Held by the task that sets the file up or stops it. */
	struct mutex		setup_lock;
	struct mem_cgroup	*memcg;
	struct wheel_user	*user;
	atomic_long_t		charged;

	u32			copying;
	bool			stopped;
	bool			notified;
	bool			wake;
	u32			wake_at;
	u64			unfired;
	u32			stop_at;
	u64			advanced;
	bool			deferred;
	u32			interrupts;
	u64			deferrals;
	wait_queue_head_t	readers;
	wait_queue_head_t	pollers;
};

int wheel_dev_init(void);
void wheel_dev_exit(void);

/* Commands, each with its struct in kernel memory. */
int wheel_file_setup(struct wheel_file *file, void *arg);
int wheel_file_submit(struct wheel_file *file, void *arg);
int wheel_file_list(struct wheel_file *file, void *arg);
int wheel_file_stop(struct wheel_file *file, void *arg);
int wheel_file_enter(struct wheel_file *file, void *arg);

void wheel_file_stats(struct wheel_file *file, struct wheel_stats *stats);

/* Other system calls. */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
int wheel_file_mmap(struct file *filp, struct vm_area_struct *vma);
long wheel_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

/**
 * wheel_file_ready() - Check whether a file is set up
 * @file: file
 *
 * Return: its wheel, or NULL if it is not set up.
 */
static inline struct wheel *wheel_file_ready(const struct wheel_file *file)
{
	/* Pairs with the release in setup_locked(): the set-up is complete. */
	return smp_load_acquire(&file->slots.wheel);
}

/* Return the file that a wheel belongs to. */
static inline struct wheel_file *wheel_file_of(struct wheel *wheel)
{
	struct wheel_slots *slots = wheel_data(wheel);

	return container_of(slots, struct wheel_file, slots);
}

#endif
