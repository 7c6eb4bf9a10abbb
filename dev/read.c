// SPDX-License-Identifier: GPL-2.0
/*
 * Events: read().
 *
 * Events are copied under the wheel's lock, with page faults disabled. Each one is consumed before
 * the next is copied. If a page is missing, the event remains in the queue, and its copy is
 * repeated after the page was faulted in.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "../slots/event.h"
#include "dev.h"

/* Events that one lock hold copies at most. */
#define COPY_BATCH	16U

/*
 * Upper limit of the copies that fail in succession. More than one may fail if the page is evicted
 * again; all fail on arm64 if the tag of the memory does not match.
 */
#define COPY_ATTEMPTS	16U

/*
 * Copy an event to a plain buffer, the one of read(). Returns false on a fault. This costs half the
 * instructions of copy_to_iter().
 */
static __always_inline bool put_event(const struct wheel_event *event,
				      struct wheel_event __user *to)
{
	if (!user_write_access_begin(to, sizeof(*to)))
		return false;
	unsafe_put_user(event->id, &to->id, fault);
	unsafe_put_user(event->cookie, &to->cookie, fault);
	unsafe_put_user(event->deadline, &to->deadline, fault);
	unsafe_put_user(event->fired, &to->fired, fault);
	unsafe_put_user(event->overrun, &to->overrun, fault);
	unsafe_put_user(event->seq, &to->seq, fault);
	unsafe_put_user(event->res, &to->res, fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

/*
 * Copy an event to the buffers of readv(). Returns false on a fault, with @to unchanged. The event
 * is passed by value, so that read() keeps its own in registers.
 */
static noinline bool copy_to_buffers(struct wheel_event event, struct iov_iter *to)
{
	size_t bytes = copy_to_iter(&event, sizeof(event), to);

	if (likely(bytes == sizeof(event)))
		return true;
	iov_iter_revert(to, bytes);
	return false;
}

/*
 * Copy and consume up to @room events in one lock hold, one after the other. Returns their number,
 * and sets *@fault if a page is missing. The event that was not copied remains the oldest one.
 */
static u32 read_batch(struct wheel_file *file, struct iov_iter *to, u32 room, bool *fault)
{
	struct wheel_event __user *plain = iter_is_ubuf(to) ? to->ubuf + to->iov_offset : NULL;
	struct wheel_slots *slots = &file->slots;
	u32 copied = 0;
	u64 now = 0;

	*fault = false;
	wheel_lock(slots->wheel);
	/* The next event causes a wake-up, also if events are left. */
	WRITE_ONCE(file->wake_at, 1);
	pagefault_disable();
	while (copied < room && slots->unread) {
		struct wheel_slot *slot = wheel_event_oldest(slots);
		struct wheel_event event;

		/* Only the overrun of a periodic timer depends on the current time. */
		if (unlikely(slot->periodic) && !now)
			now = wheel_now(slots->wheel);
		wheel_event_describe(slots, slot, now, &event);
		*fault = !(likely(plain) ? put_event(&event, &plain[copied]) :
					   copy_to_buffers(event, to));
		if (unlikely(*fault))
			break;
		wheel_event_dequeue(slots, slot);
		wheel_event_consumed(slots, slot, &event);
		copied++;
	}
	pagefault_enable();
	wheel_unlock(slots->wheel);
	if (likely(plain))
		iov_iter_advance(to, copied * sizeof(*plain));
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

	while (true) {
		u32 room = min_t(size_t, iov_iter_count(to) / sizeof(struct wheel_event), most);
		bool fault;
		u32 copied = read_batch(file, to, room, &fault);

		bytes += copied * sizeof(struct wheel_event);
		if (likely(copied < most && !fault))
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
	    (data_race(file->slots.unread) || wheel_file_deferred(file)))
		wake_up_interruptible(&file->readers);
	return ret;
}
