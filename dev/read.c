// SPDX-License-Identifier: GPL-2.0
/*
 * Events: read().
 *
 * A reader removes a batch of events from the queue and copies it with no lock held. Events
 * that could not be copied return to the front of the queue.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>
#include "../slots/event.h"
#include "dev.h"

/* Events that a reader copies at once; they are on its stack. */
#define COPY_BATCH	8U

struct copy_batch {
	struct wheel_slot	*slot[COPY_BATCH];
	struct wheel_event	event[COPY_BATCH];
	u32			count;
};

static void take_events(struct wheel_file *file, struct copy_batch *batch, u32 room)
{
	struct wheel_slots *slots = &file->slots;
	unsigned long flags = wheel_lock(slots->wheel);
	struct wheel_slot *slot;
	u64 now = 0;

	batch->count = 0;
	while (batch->count < room) {
		slot = wheel_slot_pop(slots, &slots->fired);
		if (!slot)
			break;
		/* Only the overrun of a periodic timer depends on the current time. */
		if (slot->periodic && !now)
			now = wheel_now(slots->wheel);
		wheel_event_describe(slots, slot, now, &batch->event[batch->count]);
		batch->slot[batch->count++] = slot;
	}
	file->copying += batch->count;
	wheel_unlock(slots->wheel, flags);
}

/*
 * Consume the first @copied events and return the others to the queue. If the call ends @early,
 * wake up others, unless no event is left: while events were away, another task may have found none
 * and gone to sleep, and an edge-triggered poll needs an edge.
 */
static void settle_events(struct wheel_file *file, const struct copy_batch *batch, u32 copied,
			  bool early)
{
	struct wheel_slots *slots = &file->slots;
	unsigned long flags = wheel_lock(slots->wheel);
	bool stopped = file->stopped;
	u32 i;

	for (i = 0; i < copied; i++)
		wheel_event_consumed(slots, batch->slot[i], &batch->event[i]);
	for (i = batch->count; i > copied; i--)
		wheel_slot_unpop(&slots->fired, batch->slot[i - 1]);
	file->copying -= batch->count;
	file->wake |= early;
	wheel_unlock(slots->wheel, flags);

	if (unlikely(early))
		wheel_file_hand_over(file);
	/* While events were copied, other tasks found none, and the end had not been reached. */
	if (unlikely(stopped)) {
		wake_up_interruptible_all(&file->readers);
		wake_up_interruptible_poll(&file->pollers, EPOLLHUP);
	}
}

/*
 * Copy a batch of events. Returns their number. *@err is set to -EFAULT if the buffer is not
 * writable, or to -EINTR if a signal is pending.
 */
static u32 read_batch(struct wheel_file *file, struct iov_iter *to, u32 most, int *err)
{
	struct copy_batch batch WHEEL_FILLED_LATER;
	size_t bytes;
	u32 copied;

	take_events(file, &batch, min_t(size_t, iov_iter_count(to) / sizeof(*batch.event), most));
	if (!batch.count)
		return 0;
	bytes = copy_to_iter(batch.event, batch.count * sizeof(*batch.event), to);
	copied = bytes / sizeof(*batch.event);
	iov_iter_revert(to, bytes % sizeof(*batch.event));
	if (copied < batch.count)
		*err = -EFAULT;
	else if (signal_pending(current))
		*err = -EINTR;
	settle_events(file, &batch, copied, *err);
	return copied;
}

/*
 * Copy as many events as fit. A signal ends this after a batch. Returns the number of bytes, 0 if
 * no event is ready, or -EFAULT.
 */
static ssize_t read_events(struct wheel_file *file, struct iov_iter *to)
{
	/* If queuing a timer walks a list, one periodic timer is the work of a lock hold. */
	u32 most = min(COPY_BATCH, wheel_batch_max(file->slots.wheel));
	ssize_t bytes = 0;
	int err = 0;
	u32 copied;

	do {
		copied = read_batch(file, to, most, &err);
		bytes += copied * sizeof(struct wheel_event);
		cond_resched();
	} while (copied == most && !err);
	return bytes ?: err;
}

/* Return true if the wheel was stopped and its last event has been read. */
static bool read_has_ended(struct wheel_file *file)
{
	unsigned long flags;
	bool ended;

	/* A reader that reads false here is woken by STOP, or reads true before it sleeps. */
	if (likely(!READ_ONCE(file->stopped)))
		return false;
	flags = wheel_lock(file->slots.wheel);
	ended = !file->copying && !file->slots.fired.count;
	wheel_unlock(file->slots.wheel, flags);
	return ended;
}

static bool reader_may_continue(struct wheel_file *file)
{
	u32 ready;

	return wheel_file_await(file, 1, &ready) || read_has_ended(file);
}

static int wait_for_events(struct wheel_file *file, bool block)
{
	if (read_has_ended(file))
		return -ESHUTDOWN;
	if (!block)
		return -EAGAIN;
	/* A pass that expired no timer ends here, too. */
	if (signal_pending(current))
		return -ERESTARTSYS;
	return wait_event_interruptible_exclusive(file->readers, reader_may_continue(file));
}

static ssize_t read_or_wait(struct wheel_file *file, struct iov_iter *to, bool block)
{
	u32 wanted = iov_iter_count(to) / sizeof(struct wheel_event);
	ssize_t ret;

	do {
		bool run = wheel_file_deferred(file);

		if (run)
			wheel_file_run(file, wanted);
		ret = read_events(file, to);
		/* The interrupt wakes up no task while events of which it was notified are left. */
		if (run || READ_ONCE(file->deferred))
			wheel_file_hand_over(file);
		if (!ret)
			ret = wait_for_events(file, block);
	} while (!ret);
	return ret;
}

/* read(): Copy as many events as fit. Runs the pass first, if it was left to the owner. */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct wheel_file *file = iocb->ki_filp->private_data;
	bool block = !(iocb->ki_filp->f_flags & O_NONBLOCK ||
		       iocb->ki_flags & IOCB_NOWAIT);
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct wheel_event))
		return -EINVAL;
	/* A read that does not block does not configure the file. */
	if (!wheel_file_ready(file) && !block)
		return -EAGAIN;
	ret = wheel_file_ensure_setup(file);
	if (ret)
		return ret;
	if (file->ring || wheel_clock_shifted(file->slots.setup.clock))
		return -EOPNOTSUPP;
	ret = read_or_wait(file, to, block);
	/*
	 * An event wakes up one reader. If events are left, wake up the next one. A reader that
	 * sleeps was on the queue when it took the wheel's lock, before this call took it.
	 */
	if (waitqueue_active(&file->readers) &&
	    /* A concurrent expiry or read() wakes up the next reader itself. */
	    (data_race(file->slots.fired.count) || READ_ONCE(file->deferred)))
		wake_up_interruptible(&file->readers);
	return ret;
}
