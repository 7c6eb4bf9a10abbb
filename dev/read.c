// SPDX-License-Identifier: GPL-2.0
/*
 * Events: read().
 *
 * Events are copied under the wheel's lock, with page faults disabled. If a page is missing, the
 * events remain in the queue, and the copy is repeated after the page was faulted in.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "../slots/event.h"
#include "dev.h"

/* Events that a reader copies at once; they are on its stack. */
#define COPY_BATCH	8U

/*
 * Upper limit of the copies that fail in succession. More than one may fail if the page is evicted
 * again; all fail on arm64 if the tag of the memory does not match.
 */
#define COPY_ATTEMPTS	16U

/*
 * Copy events to a plain buffer, the one of read(): all of them, or none if the copy faults. A lone
 * event costs half the instructions of copy_to_iter().
 */
static u32 put_events(const struct wheel_event *events, u32 count, struct iov_iter *to)
{
	u64 __user *buffer = to->ubuf + to->iov_offset;
	const u64 *words = (const u64 *)events;
	u32 i, n = count * (sizeof(*events) / sizeof(*words));

	if (!user_access_begin(buffer, n * sizeof(*words)))
		return 0;
	for (i = 0; i < n; i++)
		unsafe_put_user(words[i], &buffer[i], fault);
	user_access_end();
	iov_iter_advance(to, n * sizeof(*words));
	return count;
fault:
	user_access_end();
	return 0;
}

static u32 copy_to_buffers(const struct wheel_event *events, u32 count, struct iov_iter *to)
{
	size_t bytes = copy_to_iter(events, count * sizeof(*events), to);

	iov_iter_revert(to, bytes % sizeof(*events));
	return bytes / sizeof(*events);
}

/* Copy events without a page fault. Returns the number of events that were copied whole. */
static u32 copy_events(const struct wheel_event *events, u32 count, struct iov_iter *to)
{
	u32 copied;

	pagefault_disable();
	if (likely(iter_is_ubuf(to)))
		copied = put_events(events, count, to);
	else
		copied = copy_to_buffers(events, count, to);
	pagefault_enable();
	return copied;
}

/*
 * Copy and consume up to @room events in one lock hold. Returns their number, and sets *@fault if
 * a page is missing.
 */
static u32 read_batch(struct wheel_file *file, struct iov_iter *to, u32 room, bool *fault)
{
	struct wheel_event events[COPY_BATCH] WHEEL_FILLED_LATER;
	struct wheel_slot *from[COPY_BATCH] WHEEL_FILLED_LATER;
	struct wheel_slots *slots = &file->slots;
	u32 count = 0, copied = 0, i;
	struct wheel_slot_queue fired;
	u64 now = 0;

	wheel_lock(slots->wheel);
	fired = slots->fired;
	while (count < room && (from[count] = wheel_slot_pop(slots, &slots->fired))) {
		/* Only the overrun of a periodic timer depends on the current time. */
		if (from[count]->periodic && !now)
			now = wheel_now(slots->wheel);
		wheel_event_describe(slots, from[count], now, &events[count]);
		count++;
	}
	if (count)
		copied = copy_events(events, count, to);
	*fault = copied < count;
	if (unlikely(*fault)) {
		slots->fired = fired;
		for (i = 0; i < copied; i++)
			wheel_slot_pop(slots, &slots->fired);
	}
	for (i = 0; i < copied; i++)
		wheel_event_consumed(slots, from[i], &events[i]);
	wheel_unlock(slots->wheel);
	return copied;
}

/*
 * Copy as many events as fit. A signal ends this after a batch. Returns the number of bytes, 0 if
 * no event is ready, or -EFAULT.
 */
static ssize_t read_events(struct wheel_file *file, struct iov_iter *to)
{
	/*
	 * If queuing a timer walks a list, one periodic timer is the work of a lock hold. With
	 * readv(), so is one event, whose copy may walk as many buffers as it has bytes.
	 */
	u32 most = iter_is_iovec(to) && to->nr_segs > 1 ?
		   1 : min(COPY_BATCH, wheel_batch_max(file->slots.wheel));
	u32 attempts = COPY_ATTEMPTS;
	ssize_t bytes = 0;
	bool fault = false;

	while (true) {
		/* Some processors copy nothing of a block that faults: copy one event then. */
		u32 limit = fault ? 1 : most;
		u32 room = min_t(size_t, iov_iter_count(to) / sizeof(struct wheel_event), limit);
		u32 copied = read_batch(file, to, room, &fault);

		bytes += copied * sizeof(struct wheel_event);
		if (likely(copied < limit && !fault))
			return bytes;
		attempts = copied ? COPY_ATTEMPTS : attempts - 1;
		if ((copied && signal_pending(current)) ||
		    (fault && (!attempts ||
			       fault_in_iov_iter_writeable(to, sizeof(struct wheel_event)))))
			break;
		cond_resched();
	}
	/* Events may be left, for which an edge-triggered poll needs an edge. */
	wake_up_interruptible_poll(&file->pollers, EPOLLIN | EPOLLRDNORM);
	return bytes ?: -EFAULT;
}

static bool reader_may_continue(struct wheel_file *file)
{
	u32 ready;

	return wheel_file_await(file, 1, &ready) || READ_ONCE(file->stopped);
}

static int wait_for_events(struct wheel_file *file, bool block)
{
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
		/* If it was stopped before no event was left, none will follow. */
		bool stopped = READ_ONCE(file->stopped);
		bool run = wheel_file_deferred(file);

		if (run)
			wheel_file_run(file, wanted);
		ret = read_events(file, to);
		/* The interrupt wakes up no task while events of which it was notified are left. */
		if (run || wheel_file_deferred(file))
			wheel_file_hand_over(file);
		if (!ret)
			ret = stopped ? -ESHUTDOWN : wait_for_events(file, block);
	} while (!ret);
	return ret;
}

/* read(): Copy as many events as fit. Runs the pass first, if it was left to the owner. */
ssize_t wheel_file_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct wheel_file *file = iocb->ki_filp->private_data;
	bool block = !(iocb->ki_filp->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT);
	ssize_t ret;

	if (iov_iter_count(to) < sizeof(struct wheel_event))
		return -EINVAL;
	/* A read that does not block does not configure the file. */
	if (!wheel_file_ready(file) && !block)
		return -EAGAIN;
	ret = wheel_file_ensure_setup(file);
	if (ret)
		return ret;
	if (file->ring.size || wheel_file_shifted(file))
		return -EOPNOTSUPP;
	ret = read_or_wait(file, to, block);
	/*
	 * An event wakes up one reader. If events are left, wake up the next one. A reader that
	 * sleeps was on the queue when it took the wheel's lock, before this call took it.
	 */
	if (waitqueue_active(&file->readers) &&
	    /* A concurrent expiry or read() wakes up the next reader itself. */
	    (data_race(file->slots.fired.count) || wheel_file_deferred(file)))
		wake_up_interruptible(&file->readers);
	return ret;
}
