// SPDX-License-Identifier: GPL-2.0
/*
 * Expiries become events, and those who wait are told of them.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include "../slots/event.h"
#include "event.h"
#include "ring.h"

/* How many events there are to be had: in the ring, or in timers. */
static u32 events_ready(const struct wheel_file *file)
{
	return file->ring ? wheel_event_ring_ready(file->ring) :
			    file->slots.fired.count;
}

/* They wait for a reader. */
static void queue_events(struct wheel_slots *slots, struct wheel_timer **due, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct wheel_slot *slot = wheel_slot_of(due[i]);

		wheel_event_fired(slots, slot);
		wheel_event_queue(slots, slot);
	}
}

/**
 * wheel_file_wake - tell readers and pollers that there is an event
 * @file: file whose @notified was set, under its lock
 *
 * A task that sleeps took that lock before, and was in the queue by then: one is seen here.
 */
void wheel_file_wake(struct wheel_file *file)
{
	/* The file's lock orders this behind a reader's way into the queue. */
	if (waitqueue_active(&file->readers))
		wake_up_interruptible(&file->readers);
	/* And so it does for a poller. */
	if (waitqueue_active(&file->pollers))
		wake_up_interruptible_poll(&file->pollers, EPOLLIN | EPOLLRDNORM);
}

/**
 * wheel_file_owes - passes wait until the owner has paid
 * @wheel: the file's
 *
 * Readers and pollers are woken and make the pass: wheel_file_news().
 */
void wheel_file_owes(struct wheel *wheel)
{
	struct wheel_file *file = wheel_file_of(wheel);

	/* Nobody has had the file's lock. */
	wake_up_interruptible(&file->readers);
	wake_up_interruptible_poll(&file->pollers, EPOLLIN | EPOLLRDNORM);
}

/**
 * wheel_file_expire - timers of a file are due
 * @wheel: its wheel
 * @due: the timers
 * @n: how many
 * @now: the clock
 *
 * Readers are woken once for all events until they look again. A reader clears
 * notified under the lock after it has put itself on the wait queue, so either it
 * sees the event or it is woken:
 *
 *	this				wheel_file_poll(), wheel_file_read_iter()
 *
 *					add to the wait queue
 *	lock				lock
 *	queue the events		notified = false
 *	wake = !notified		enough events?
 *	notified = true			unlock
 *	unlock
 *	if wake: wake up		if not: sleep
 *
 * Not all look again: a poll of io_uring goes on by what it was told at the wake-up. When
 * all events were taken since, the next one is news, whoever has looked or not.
 */
void wheel_file_expire(struct wheel *wheel, struct wheel_timer **due,
		       unsigned int n, u64 now)
{
	struct wheel_file *file = wheel_file_of(wheel);
	unsigned long flags;
	bool wake;

	spin_lock_irqsave(&file->lock, flags);
	if (file->notified && !events_ready(file)) {
		file->notified = false;
		file->wake_at = 1;
	}
	if (file->ring)
		wheel_event_ring_expire(file, due, n, now);
	else
		queue_events(&file->slots, due, n);
	wake = !file->notified && (n >= file->wake_at || events_ready(file) >= file->wake_at);
	if (wake) {
		file->notified = true;
		file->wake_at = U32_MAX;
	}
	spin_unlock_irqrestore(&file->lock, flags);

	if (wake)
		wheel_file_wake(file);
}

/* wheel_file_news(), in line for poll(). */
static __always_inline enum wheel_news file_news(struct wheel_file *file, u32 wanted, u32 *ready)
{
	struct wheel *wheel = wheel_file_ready(file);
	enum wheel_news news = WHEEL_NOTHING;
	bool more;

	if (wheel)
		wheel_run(wheel);
	/* Nobody wakes us for events that wait while there is room. */
	do {
		spin_lock_irq(&file->lock);
		file->notified = false;
		file->wake_at = min(file->wake_at, wanted);
		more = wheel && file->ring && file->slots.fired.count &&
		       wheel_event_ring_publish(file);
		*ready = wheel ? events_ready(file) : 0;
		if (*ready >= wanted)
			news = WHEEL_EVENTS;
		else if (file->stopped && !file->copying &&
			 !file->slots.fired.count)
			news = WHEEL_OVER;
		spin_unlock_irq(&file->lock);
		if (unlikely(more))
			cond_resched();
	} while (more && news == WHEEL_NOTHING && !fatal_signal_pending(current));
	return news;
}

/**
 * wheel_file_news - is there anything to read?
 * @file: file
 * @wanted: how many events shall be there
 * @ready: set to how many are
 *
 * To be asked from a wait queue: from now on @wanted events wake us.
 *
 * Return: WHEEL_NOTHING: not so many; WHEEL_EVENTS; or WHEEL_OVER: nor will there be
 * any.
 */
enum wheel_news wheel_file_news(struct wheel_file *file, u32 wanted, u32 *ready)
{
	return file_news(file, wanted, ready);
}

/**
 * wheel_file_poll - poll(), select(), epoll
 * @filp: open /dev/wheel
 * @wait: where to add our queue
 *
 * Return: EPOLLIN when there is an event, EPOLLHUP when the wheel was stopped.
 */
__poll_t wheel_file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct wheel_file *file = filp->private_data;
	__poll_t mask = 0;
	u32 ready;

	poll_wait(filp, &file->pollers, wait);
	if (file_news(file, 1, &ready) == WHEEL_EVENTS)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->stopped))
		mask |= EPOLLHUP;
	return mask;
}
