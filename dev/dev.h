/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wheel: a client of the in-kernel API like any other.
 *
 * An open file is a wheel and a table of slots, whose contract is the business of
 * slots/. Here are files, user memory, wake-ups and locks. User memory is touched
 * with no lock held. Lock order: wheel_file.lock -> what the in-kernel API takes; the
 * wheel's expiries, which come without a lock, take wheel_file.lock.
 */
#ifndef _WHEEL_DEV_H
#define _WHEEL_DEV_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include "../slots/slots.h"

struct mem_cgroup;
struct wheel_event_ring;
struct wheel_payer;

/* Operations and events that are handled under one lock hold, at most. */
#define DEV_HOLD	64

/**
 * struct wheel_file - an open /dev/wheel
 * @slots: its timers; its wheel is NULL until the file is set up, then constant, as
 *	are its @setup and its tables
 * @kernel: the page by which the kernel tells something, or NULL
 * @ring: the completion ring, or NULL
 * @setup_lock: held by the one that sets the file up or stops it
 * @memcg: the opener's, to whom the pages are charged
 * @payer: the user who pays for time in softirq context and for memory, or NULL
 * @charged: pages that the payer pays for this file
 * @lock: protects the slots, and what follows
 * @copying: events that readers are copying
 * @stopped: the wheel was stopped: nothing fires any more
 * @notified: the readers were woken and have not looked since
 * @wake_at: they want to be woken for so many events
 * @backlogged: events that found no room in the ring at once
 * @advanced: the time up to which ADVANCE has made all timers expire
 * @readers: tasks in read(); an event wakes one
 * @pollers: poll() and epoll; an event wakes all
 */
struct wheel_file {
	struct wheel_slots	slots;
	struct wheel_kernel_page *kernel;
	struct wheel_event_ring	*ring;
	/* One at a time sets the file up, or stops it. */
	struct mutex		setup_lock;
	struct mem_cgroup	*memcg;
	struct wheel_payer	*payer;
	atomic_long_t		charged;

	/* Taken with interrupts disabled, as expiries take it in one. */
	spinlock_t		lock;
	u32			copying;
	bool			stopped;
	bool			notified;
	u32			wake_at;
	u64			backlogged;
	u64			advanced;
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
