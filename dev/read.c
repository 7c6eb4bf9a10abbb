// SPDX-License-Identifier: GPL-2.0
/*
 * Events: read().
 *
 * A reader takes events out of the queue, copies them with no lock held, and
 * only then are they over. Those that could not be copied go back to the front.
 */
#include <linux/sched.h>
#include <linux/uio.h>
#include "../slots/event.h"
#include "event.h"
#include "setup.h"

/* Events that are in a reader's hands at once; they are on its stack. */
#define HANDFUL	8

struct handful {
	struct wheel_slot	*slot[HANDFUL];
	struct wheel_event	event[HANDFUL];
	u32			count;
};

static void take_events(struct wheel_file *file, struct handful *hand, u32 room)
{
	struct wheel_slots *slots = &file->slots;
	struct wheel_slot *slot;
	u64 now = 0;

	hand->count = 0;
	spin_lock_irq(&file->lock);
	while (hand->count < min_t(u32, room, HANDFUL)) {
		slot = wheel_slot_pop(slots, &slots->fired);
		if (!slot)
			break;
		/* The time matters to one with a period alone. */
		if (slot->period && !now)
			now = wheel_now(slots->wheel);
		wheel_event_describe(slots, slot, now,
				     &hand->event[hand->count]);
		hand->slot[hand->count++] = slot;
	}
	file->copying += hand->count;
	spin_unlock_irq(&file->lock);
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

	spin_lock_irq(&file->lock);
	for (i = 0; i < copied; i++)
		wheel_event_consumed(&file->slots, hand->slot[i],
				     &hand->event[i]);
	for (i = hand->count; i > copied; i--)
		wheel_slot_unpop(&file->slots.fired, hand->slot[i - 1]);
	file->copying -= hand->count;
	file->notified |= back;
	stopped = file->stopped;
	spin_unlock_irq(&file->lock);

	if (back)
		wheel_file_wake(file);
	if (stopped)
		wake_up_interruptible_all(&file->readers);
}

/*
 * Returns how many events were copied; *@fault if the buffer ended that. A handful that is
 * not full was all there was, or all there is room for.
 */
static u32 read_handful(struct wheel_file *file, struct iov_iter *to,
			bool *fault)
{
	struct handful hand WHEEL_FILLED_LATER;
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
	} while (copied == HANDFUL);
	if (!bytes && fault)
		return -EFAULT;
	return bytes;
}

static int wait_for_news(struct wheel_file *file, enum wheel_news *news)
{
	u32 ready;

	return wait_event_interruptible_exclusive(file->readers,
						  (*news = wheel_file_news(file, 1, &ready)));
}

static int wait_for_events(struct wheel_file *file, bool block)
{
	u32 ready;
	enum wheel_news news = wheel_file_news(file, 1, &ready);
	int err = 0;

	if (news == WHEEL_NOTHING && !block)
		return -EAGAIN;
	if (news == WHEEL_NOTHING)
		err = wait_for_news(file, &news);
	return news == WHEEL_OVER ? -ESHUTDOWN : err;
}

/**
 * wheel_file_read_iter - read(): events, as many as fit
 * @iocb: the call
 * @to: where to
 *
 * Return: bytes, or -EINVAL: not even one fits; -EOPNOTSUPP: they come by the ring;
 * -EAGAIN: none is there and the file or the call does not block; -ESHUTDOWN: none is
 * there and none will be; -EFAULT: not even the first could be copied, and it is still
 * to be read.
 */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct wheel_file *file = iocb->ki_filp->private_data;
	bool block = !(iocb->ki_filp->f_flags & O_NONBLOCK ||
		       iocb->ki_flags & IOCB_NOWAIT);
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct wheel_event))
		return -EINVAL;
	/* To look configures nothing. */
	if (!wheel_file_ready(file) && !block)
		return -EAGAIN;
	ret = wheel_file_ensure_setup(file);
	if (ret)
		return ret;
	if (file->ring)
		return -EOPNOTSUPP;
	while (!(ret = read_events(file, to))) {
		ret = wait_for_events(file, block);
		if (ret)
			break;
	}
	/*
	 * Each event wakes one reader; if we leave some, it is another's turn. Those who
	 * change the count meanwhile wake others themselves.
	 */
	if (data_race(file->slots.fired.count))
		wake_up_interruptible(&file->readers);
	return ret;
}
