// SPDX-License-Identifier: GPL-2.0
/*
 * Events: read() and poll().
 *
 * A reader takes events out of the queue, copies them with no lock held, and
 * only then are they over. Those that could not be copied go back to the front.
 */
#include <linux/err.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/uio.h>
#include "dev.h"

/* Events that are in a reader's hands at once; they are on its stack. */
#define HANDFUL	8

struct handful {
	struct slot		*slot[HANDFUL];
	struct wheel_event	event[HANDFUL];
	u32			count;
};

/*
 * An event as it stands now. If periods were missed it speaks of the newest
 * deadline that is due.
 */
static void describe(const struct slot *slot, u64 now,
		     struct wheel_event *event)
{
	u64 deadline = wheel_timer_deadline(&slot->timer);
	u64 missed = 0;

	if (slot->period)
		missed = slot->ended ? slot->slack : slot_missed(slot, now);
	*event = (struct wheel_event){
		.id		= slot->id,
		.cookie		= slot->cookie,
		.deadline	= deadline + missed * slot->period,
		.fired		= wheel_timer_fired(&slot->timer),
		.overrun	= missed,
		.seq		= slot->seq,
	};
}

static void take_events(struct wheel_file *file, struct handful *hand, u32 room)
{
	u64 now = wheel_now(file->wheel);
	struct slot *slot;

	hand->count = 0;
	spin_lock_bh(&file->lock);
	while (hand->count < min_t(u32, room, HANDFUL)) {
		slot = slot_pop(file, &file->fired);
		if (!slot)
			break;
		describe(slot, now, &hand->event[hand->count]);
		hand->slot[hand->count++] = slot;
	}
	file->in_hand += hand->count;
	spin_unlock_bh(&file->lock);
}

/* An event was read: a periodic timer goes on, any other is over. */
static void event_over(struct wheel_file *file, struct slot *slot,
		       const struct wheel_event *event)
{
	file->overruns += event->overrun;
	slot->state = SLOT_ARMED;
	if (!slot->period || slot->ended || file->stopped ||
	    slot->period > WHEEL_MAX_TIME - event->deadline ||
	    wheel_timer_arm(&slot->timer, event->deadline + slot->period,
			    slot->slack))
		slot_free(file, slot);
}

/**
 * file_wake - tell readers and pollers that there is an event
 * @file: file whose told is set
 */
void file_wake(struct wheel_file *file)
{
	wake_up_interruptible(&file->readers);
	wake_up_interruptible_poll(&file->pollers, EPOLLIN | EPOLLRDNORM);
}

/*
 * The first @copied events are over, the others go back. While they were away
 * somebody may have looked and gone to sleep, for events or for the end.
 */
static void settle_events(struct wheel_file *file, const struct handful *hand,
			  u32 copied)
{
	bool back = hand->count > copied;
	bool stopped;
	u32 i;

	spin_lock_bh(&file->lock);
	for (i = 0; i < copied; i++)
		event_over(file, hand->slot[i], &hand->event[i]);
	for (i = hand->count; i > copied; i--)
		slot_unpop(&file->fired, hand->slot[i - 1]);
	file->in_hand -= hand->count;
	file->told |= back;
	stopped = file->stopped;
	spin_unlock_bh(&file->lock);

	if (back)
		file_wake(file);
	if (stopped)
		wake_up_interruptible_all(&file->readers);
}

/* Returns how many events were copied; *@fault if the buffer ended that. */
static u32 read_handful(struct wheel_file *file, struct iov_iter *to,
			bool *fault)
{
	struct handful hand;
	size_t bytes;
	u32 copied;

	take_events(file, &hand, iov_iter_count(to) / sizeof(*hand.event));
	bytes = copy_to_iter(hand.event, hand.count * sizeof(*hand.event), to);
	copied = bytes / sizeof(*hand.event);
	iov_iter_revert(to, bytes % sizeof(*hand.event));
	settle_events(file, &hand, copied);
	*fault = copied < hand.count;
	return copied;
}

/* Returns bytes; 0 if there is nothing to read. */
static ssize_t read_events(struct wheel_file *file, struct iov_iter *to)
{
	bool fault = false;
	ssize_t bytes = 0;
	u32 copied;

	do {
		copied = read_handful(file, to, &fault);
		bytes += copied * sizeof(struct wheel_event);
		cond_resched();
	} while (copied && !fault);
	if (!bytes && fault)
		return -EFAULT;
	return bytes;
}

enum news {
	NOTHING = 0,
	EVENTS,
	/* The wheel is stopped, and all that fired has been read. */
	OVER,
};

/* To be asked from a wait queue: from now on an event wakes us again. */
static enum news look(struct wheel_file *file)
{
	enum news news = NOTHING;

	spin_lock_bh(&file->lock);
	file->told = false;
	if (file->fired.count)
		news = EVENTS;
	else if (file->stopped && !file->in_hand)
		news = OVER;
	spin_unlock_bh(&file->lock);
	return news;
}

static int wait_for_news(struct wheel_file *file, enum news *news)
{
	return wait_event_interruptible_exclusive(file->readers,
						  (*news = look(file)));
}

static int wait_for_events(struct wheel_file *file, bool block)
{
	enum news news = look(file);
	int err = 0;

	if (news == NOTHING && !block)
		return -EAGAIN;
	if (news == NOTHING)
		err = wait_for_news(file, &news);
	if (!err && news == OVER)
		err = -ESHUTDOWN;
	return err;
}

/**
 * file_read_iter - read(): events, as many as fit
 * @iocb: the call
 * @to: where to
 *
 * Return: bytes, or -EINVAL: not even one fits; -EAGAIN: none is there and the
 * file or the call does not block; -ESHUTDOWN: none is there and none will be;
 * -EFAULT: not even the first could be copied, and it is still to be read.
 */
ssize_t file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct wheel_file *file = iocb->ki_filp->private_data;
	bool block = !(iocb->ki_filp->f_flags & O_NONBLOCK ||
		       iocb->ki_flags & IOCB_NOWAIT);
	struct wheel *wheel = file_wheel(file);
	ssize_t ret;

	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	if (iov_iter_count(to) < sizeof(struct wheel_event))
		return -EINVAL;
	while (!(ret = read_events(file, to))) {
		ret = wait_for_events(file, block);
		if (ret)
			break;
	}
	/* Each event wakes one reader; if we leave some, it is another's turn. */
	if (READ_ONCE(file->fired.count))
		wake_up_interruptible(&file->readers);
	return ret;
}

/**
 * file_poll - poll(), select(), epoll
 * @filp: open /dev/wheel
 * @wait: where to add our queue
 *
 * Return: EPOLLIN when there is an event, EPOLLHUP when the wheel was stopped.
 */
__poll_t file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct wheel_file *file = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &file->pollers, wait);
	if (look(file) == EVENTS)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->stopped))
		mask |= EPOLLHUP;
	return mask;
}
