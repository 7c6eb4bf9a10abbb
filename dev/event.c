// SPDX-License-Identifier: GPL-2.0
/*
 * Events: what a timer that fired becomes, and who is told of it.
 */
#include <linux/poll.h>
#include "event.h"
#include "pick.h"
#include "ring.h"
#include "setup.h"
#include "trace.h"

/**
 * slot_goes_on - a periodic timer was taken: arm it again, on its grid
 * @file: file, locked
 * @slot: slot with a period
 * @event: its event
 *
 * Return: false if that was its last.
 */
bool slot_goes_on(struct wheel_file *file, struct slot *slot,
		  const struct wheel_event *event)
{
	file->overruns += event->overrun;
	slot->state = SLOT_ARMED;
	return !slot->ended && !file->stopping &&
	       slot->period <= WHEEL_MAX_TIME - event->deadline &&
	       !wheel_timer_arm(&slot->timer, event->deadline + slot->period,
				slot->slack);
}

/* How many events there are to be had: in the ring, or in timers. */
static u32 events_ready(const struct wheel_file *file)
{
	struct ring *ring = file_ring(file);

	return ring ? ring_ready(ring) : file->fired.count;
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

/**
 * file_owes - passes wait until the owner has paid
 * @wheel: the file's
 *
 * Whoever reads or polls is woken and makes the pass: file_look().
 */
void file_owes(struct wheel *wheel)
{
	file_wake(wheel_data(wheel));
}

/**
 * slots_fired - timers of user space are due
 * @wheel: theirs
 * @due: the timers
 * @n: how many
 * @now: the clock
 *
 * Readers are woken once for all events until they look again. A reader clears
 * told under the lock after it has put itself on the wait queue, so either it
 * sees the event or it is woken:
 *
 *	this				file_poll(), file_read_iter()
 *
 *					add to the wait queue
 *	lock				lock
 *	queue the events		told = false
 *	wake = !told, told = true	enough events?
 *	unlock				unlock
 *	if wake: wake up		if not: sleep
 */
void slots_fired(struct wheel *wheel, struct wheel_timer **due, unsigned int n,
		 u64 now)
{
	struct wheel_file *file = wheel_data(wheel);
	unsigned int i;
	u32 room = 0;
	bool wake;

	spin_lock(&file->lock);
	/* Behind those that wait for room everybody waits. */
	if (file->ring && !file->fired.count)
		room = ring_room(file->ring);
	for (i = 0; i < n; i++) {
		struct slot *slot = container_of(due[i], struct slot, timer);

		slot->seq = file->seq++;
		trace_wheel_dev_event(slot);
		if (i < room) {
			ring_put(file, slot, now);
			continue;
		}
		slot->state = SLOT_FIRED;
		slot_push(file, &file->fired, slot);
	}
	if (file->ring) {
		ring_publish(file, now);
		file->backlogged += min(n, file->fired.count);
	}
	wake = !file->told && events_ready(file) >= file->wake_at;
	if (wake) {
		file->told = true;
		file->wake_at = U32_MAX;
	}
	spin_unlock(&file->lock);

	if (wake)
		file_wake(file);
}

/**
 * file_look - is there anything to read?
 * @file: file
 * @wanted: how many events shall be there
 * @ready: set to how many are
 *
 * To be asked from a wait queue: from now on @wanted events wake us.
 *
 * Return: NOTHING: not so many; EVENTS; or OVER: nor will there be any.
 */
enum news file_look(struct wheel_file *file, u32 wanted, u32 *ready)
{
	enum news news = NOTHING;
	bool more = false;

	if (file_wheel_ready(file))
		wheel_run(file->wheel);
	/* Nobody wakes us for events that wait while there is room. */
	do {
		spin_lock_bh(&file->lock);
		file->told = false;
		file->wake_at = min(file->wake_at, wanted);
		if (file_ring(file))
			more = ring_publish(file, wheel_now(file->wheel));
		*ready = events_ready(file);
		if (*ready >= wanted)
			news = EVENTS;
		else if (file->stopped && !file->in_hand && !file->fired.count)
			news = OVER;
		spin_unlock_bh(&file->lock);
	} while (more && news == NOTHING);
	return news;
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
	u32 ready;

	poll_wait(filp, &file->pollers, wait);
	if (file_look(file, 1, &ready) == EVENTS)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->stopped))
		mask |= EPOLLHUP;
	return mask;
}
