/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wheel: a client of the in-kernel API like any other.
 *
 * An open file is a wheel and a table of slots, whose contract is the business of
 * slots/. Here are files, user memory, wake-ups and passes. The wheel's own lock, taken by
 * wheel_lock() with interrupts disabled, protects the file as well. No user memory is accessed
 * and no task is woken while it is held. Lock order: wheel_file.setup_lock -> wheel_lock().
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
 * struct wheel_file - an open /dev/wheel
 * @slots: its timers; the wheel is NULL until the file is set up, then constant, like
 *	@setup and the tables
 * @kernel: page that only the kernel writes, or NULL
 * @ring: completion ring, or NULL
 * @setup_lock: held while the file is set up or stopped
 * @memcg: memory cgroup of the opener, to which pages are charged
 * @user: user whose limit the file counts against, or NULL if the opener is privileged
 * @charged: pages charged to @user for this file
 * @copying: events that readers are copying
 * @stopped: the wheel was stopped: no timer expires any more
 * @notified: the readers and pollers were woken and have not checked since
 * @wake: readers and pollers have to be woken after the lock is released
 * @wake_at: number of events that causes a wake-up
 * @unfired: timers that STOP has taken back so far; a signal interrupts it
 * @stop_at: next slot of which STOP takes back the word; protected by @setup_lock
 * @advanced: time up to which ADVANCE has expired all timers
 * @deferred: the pass is left to the owner; see event.c. Written without the lock, too
 * @interrupts: interrupts since the owner's last call; lockless
 * @deferrals: number of times that an interrupt left the pass to the owner; written by the
 *	interrupt only
 * @readers: tasks in read(); an event wakes up one of them
 * @pollers: tasks in poll(), epoll and ENTER; an event wakes up all of them
 *
 * The lock of the wheel protects @slots and the members from @copying to @advanced.
 */
struct wheel_file {
	struct wheel_slots	slots;
	struct wheel_kernel_page *kernel;
	struct wheel_event_ring	*ring;
	/* One task at a time sets the file up or stops it. */
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

/* The commands, each with its struct in kernel memory. */
int wheel_file_setup(struct wheel_file *file, void *arg);
int wheel_file_submit(struct wheel_file *file, void *arg);
int wheel_file_list(struct wheel_file *file, void *arg);
int wheel_file_stop(struct wheel_file *file, void *arg);
int wheel_file_enter(struct wheel_file *file, void *arg);

void wheel_file_stats(struct wheel_file *file, struct wheel_stats *stats);

/* The other calls of a program. */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to);
int wheel_file_mmap(struct file *filp, struct vm_area_struct *vma);
long wheel_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

/**
 * wheel_file_ready - is a file set up?
 * @file: file
 *
 * Return: its wheel, or NULL.
 */
static inline struct wheel *wheel_file_ready(const struct wheel_file *file)
{
	/* Pairs with setup_locked(). */
	return smp_load_acquire(&file->slots.wheel);
}

/* The file that a wheel is of. */
static inline struct wheel_file *wheel_file_of(struct wheel *wheel)
{
	struct wheel_slots *slots = wheel_data(wheel);

	return container_of(slots, struct wheel_file, slots);
}

#endif
