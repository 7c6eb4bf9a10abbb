/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wheel: a client of the in-kernel API like any other.
 *
 * An open file is a wheel and a table of timers. User memory is touched with no
 * lock held. Lock order: wheel_file.lock -> what the in-kernel API takes; a
 * timer's callback, which the API calls without a lock, takes wheel_file.lock.
 */
#ifndef _WHEEL_DEV_H
#define _WHEEL_DEV_H

#include <linux/fs.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/wheel_timer.h>

struct mem_cgroup;
struct ring;
struct wheel_payer;

/* Operations and events that are handled under one lock hold, at most. */
#define DEV_HOLD	64

enum slot_state {
	SLOT_FREE,
	SLOT_ARMED,	/* pending, or its callback is about to come */
	SLOT_FIRED,	/* its event is unread */
	SLOT_STOPPED,	/* was pending when the wheel was stopped */
	SLOT_TAKEN,	/* so, and is being handed to the program */
};

/**
 * struct slot - a timer of user space
 * @timer: what the wheel knows of it
 * @gone: of wheel_file.gone, while the timer is not pending
 * @id: WHEEL_ID() of the last arm
 * @cookie: the program's
 * @period: nanoseconds; 0: once, or not any more
 * @slack: nanoseconds
 * @missed: when @ended, the periods that were missed until then
 * @next: in a queue of slots, the number of the next one
 * @state: enum slot_state; FREE: neither of the next two is set
 * @touch: its word is its deadline; constant while it is pending
 * @ended: cancelled with an event unread: its periods are over
 * @seq: FIRED: the number of its event
 */
struct slot {
	union {
		struct wheel_timer	timer;
		struct llist_node	gone;
	};
	u64			id;
	u64			cookie;
	u64			period;
	union {
		u64		slack;
		u64		missed;
	};
	u32			next : WHEEL_SLOT_BITS;
	u32			state : 6;
	u32			touch : 1;
	u32			ended : 1;
	u32			seq;
};

/**
 * struct slot_queue - slots in a row, linked by number
 * @head: the first, if @count
 * @tail: the last, if @count
 * @count: how many
 */
struct slot_queue {
	u32	head;
	u32	tail;
	u32	count;
};

/**
 * struct wheel_file - an open /dev/wheel
 * @wheel: NULL until it is set up; then constant, as are @setup and @pages
 * @setup: what is in force
 * @pages: of slots, each there when a slot of it was first armed
 * @ring: the completion ring, or NULL
 * @words: pages of touch words, each there when it was first needed; or NULL
 * @whole: one at a time sets the file up or stops it
 * @memcg: the opener's, to whom the pages are charged
 * @payer: the user who pays for time in softirq context, or NULL
 * @lock: protects the slots, and what follows
 * @fired: slots whose events are unread, the oldest first
 * @in_hand: events that readers are copying
 * @unused: slots that can be picked again, with WHEEL_SETUP_ANY_SLOT
 * @fresh: the first slot that was never picked
 * @gone: slots that were reclaimed parked, with WHEEL_SETUP_ANY_SLOT; no lock
 * @seq: number of the next event
 * @stopping: nothing can be armed any more
 * @stopped: and nothing fires
 * @told: the readers were woken and have not looked since
 * @wake_at: they want to be woken for so many events
 * @overruns: periods missed
 * @refused: arms refused
 * @over: events that were taken, or came to the ring
 * @backlogged: events that found no room in the ring at once
 * @readers: tasks in read(); an event wakes one
 * @pollers: poll() and epoll; an event wakes all
 */
struct wheel_file {
	struct wheel		*wheel;
	struct wheel_setup	setup;
	struct slot		**pages;
	struct page		**words;
	struct ring		*ring;
	/* Taken by those who may be the first to need @wheel, and to stop it. */
	struct mutex		whole;
	struct mem_cgroup	*memcg;
	struct wheel_payer	*payer;

	/* Taken with softirqs disabled, as callbacks take it in softirq. */
	spinlock_t		lock;
	struct slot_queue	fired;
	u32			in_hand;
	struct slot_queue	unused;
	u32			fresh;
	struct llist_head	gone;
	u32			seq;
	bool			stopping;
	bool			stopped;
	bool			told;
	u32			wake_at;
	u64			overruns;
	u64			refused;
	u64			over;
	u64			backlogged;
	wait_queue_head_t	readers;
	wait_queue_head_t	pollers;
};

int wheel_dev_init(void);
void wheel_dev_exit(void);

/* What a program may call, its argument in kernel memory. */
int file_submit(struct wheel_file *file, struct wheel_submit *submit);
int file_list(struct wheel_file *file, struct wheel_list *list);
int file_stop(struct wheel_file *file, struct wheel_stop *stop);
int file_enter(struct wheel_file *file, struct wheel_enter *enter);
void file_stats(struct wheel_file *file, struct wheel_stats *stats);
ssize_t file_read_iter(struct kiocb *iocb, struct iov_iter *to);
int file_mmap(struct file *filp, struct vm_area_struct *vma);
long file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

static inline u32 slot_nr(const struct slot *slot)
{
	return WHEEL_ID_SLOT(slot->id);
}

#endif
