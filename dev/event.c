// SPDX-License-Identifier: GPL-2.0
/*
 * Expiry: the interrupt, the passes in the owner's context, and the wake-ups.
 *
 * The interrupt does a constant amount of work. If more is due, it leaves the rest to the owner,
 * who has events to take anyway: it defers the file. The hrtimer stays off, WHEEL_RING_BACKLOG is
 * set, and waiting tasks are woken. The owner's next read(), ENTER or SUBMIT runs the pass, step by
 * step, in its own context. If there is no event to take, the interrupt continues after a pause.
 *
 *	             interrupt: all done, or no event to take
 *	            +-------------------+
 *	            v                   |
 *	  ARM --> hrtimer armed -- interrupt -- more is due, and events are waiting,
 *	            ^                           the ring is full, the CPU is busy with
 *	            |                           another file, or 1 ms overdue
 *	            |                                 |
 *	            | settle: clear the flag,         v
 *	            | start the hrtimer             deferred: flag set, poll(): EPOLLIN
 *	            |                                 |
 *	            +--------------- nothing due -- step <---- read(), ENTER, SUBMIT
 *	                                              |
 *	                              signal, budget, full: still deferred, wake the others
 */
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include "../slots/event.h"
#include "dev.h"

/* Upper limit of the timers that one interrupt expires. */
#define INTERRUPT_TIMERS	8U

/*
 * Minimum time between two interrupts of a CPU that expire timers. A program with many files would
 * otherwise take as many times the CPU time from other tasks, or in a single interrupt.
 */
#define INTERRUPT_PAUSE_NS	(100 * NSEC_PER_USEC)

/*
 * Limit of the lateness that results from these pauses: the owner is woken, to run the pass itself,
 * if a timer is overdue by more.
 */
#define INTERRUPT_LATE_NS	NSEC_PER_MSEC

/**
 * struct interrupt_pause - Time in which interrupts of a CPU expire no timers
 * @end: end of the pause, on the monotonic clock
 * @file: file whose interrupt began the pause; only compared, because it may have been freed
 */
struct interrupt_pause {
	u64			end;
	const struct wheel_file	*file;
};

static DEFINE_PER_CPU(struct interrupt_pause, interrupt_pause);

/*
 * Upper limit of the timers that one step expires. A timer with a word takes up to 270
 * instructions, and a lock hold at most 15,000.
 */
#define STEP_TIMERS		48U

/* Upper limit of the steps of one call: 49152 timers, some 10 ms. */
#define STEPS_PER_CALL		1024U

/* Upper limit of the time that one call searches without an event, in nanoseconds. */
#define SEARCH_NS		NSEC_PER_MSEC

/* Value of wheel_file.wake_at after tasks were woken, until one of them checks. */
#define NOTIFIED		U32_MAX

/* Returns the number of events that the program can take, from the ring or by read(). */
u32 wheel_file_events(const struct wheel_file *file)
{
	return file->ring.size ? wheel_event_ring_ready(&file->ring) : file->slots.unread;
}

/* Store the events in their timers until they are read. */
static void queue_events(struct wheel_slots *slots, struct wheel_timer **due, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct wheel_slot *slot = wheel_slot_of(due[i]);

		wheel_event_fired(slots, slot);
		wheel_event_queue(slots, slot);
	}
}

/*
 * Check whether @n new events are a reason to wake up tasks. If tasks were notified of older
 * events, and none has checked since, they are only if the program has taken all older ones from
 * the ring, because a task of io_uring's poll, or of an edge-triggered epoll, does not check again:
 *
 *	expiry				the program
 *
 *	event_tail = new, or		event_head = all
 *	kflags = BACKLOG		full barrier
 *	full barrier			read event_tail and kflags
 *	read event_head
 *
 * Either the program reads the new value, or the expiry reads that all older events were taken.
 * A read() and a poll() count as checks.
 */
static bool are_news(const struct wheel_file *file, unsigned int n)
{
	u32 wake_at = READ_ONCE(file->wake_at);

	if (wake_at != NOTIFIED)
		return wheel_file_events(file) >= wake_at;
	if (!file->ring.size)
		return false;
	/* Pairs with the program's full barrier after its store of event_head. */
	smp_mb();
	return wheel_file_events(file) <= n;
}

/*
 * Readers and pollers are woken once for all events until they check again. They are on the
 * wait queue before they reset @wake_at under the lock, so one of the two sides sees the other:
 *
 *	expiry				wheel_file_await()
 *
 *					add to the wait queue
 *	lock				lock
 *	queue the events		wake_at = wanted
 *	wake = events >= wake_at	enough events?
 *	wake_at = NOTIFIED		unlock
 *	unlock
 *	if wake: wake up		if not: sleep
 */
static void file_expire(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct wheel_file *file = wheel_file_of(data);

	if (file->ring.size)
		wheel_event_ring_expire(file, due, n, now);
	else
		queue_events(&file->slots, due, n);
	if (are_news(file, n)) {
		WRITE_ONCE(file->wake_at, NOTIFIED);
		file->wake = true;
	}
}

/* Wake up one reader and all pollers. What they wait for was set under the wheel's lock. */
static void file_wake(struct wheel_file *file)
{
	/* A task that sleeps took the wheel's lock after it was added to the queue. */
	if (waitqueue_active(&file->readers))
		wake_up_interruptible(&file->readers);
	/* A poller may have found older events without the lock: see file_has_events(). */
	if (wq_has_sleeper(&file->pollers))
		wake_up_interruptible_poll(&file->pollers, EPOLLIN | EPOLLRDNORM);
}

/* Record whether a pass is left to the owner. The wheel is locked. */
void wheel_file_defer(struct wheel_file *file, bool deferred)
{
	if (file->deferred == deferred)
		return;
	WRITE_ONCE(file->deferred, deferred);
	if (file->ring.size)
		WRITE_ONCE(file->kernel->kflags, deferred ? WHEEL_RING_BACKLOG : 0);
}

/* The number of timers that a step may expire: 0 if the ring is full. */
static u32 step_room(const struct wheel_file *file, u32 most)
{
	if (file->ring.size)
		return min(most, file->ring.size - wheel_event_ring_ready(&file->ring));
	return most;
}

/* The wheel is locked. Returns true if the ring had room and more timers may be due. */
static bool file_step(struct wheel_file *file)
{
	u32 room = step_room(file, STEP_TIMERS);
	struct wheel *wheel = file->slots.wheel;
	bool more = wheel_step(wheel, wheel_now(wheel), room);

	wheel_file_defer(file, more);
	if (!more)
		wheel_settle(wheel);
	return more && room;
}

/*
 * Check whether a call has searched for long, without an event to return. Timers that were moved by
 * their words cause work for whoever calls, possibly a task that has received the file.
 */
static bool search_is_long(struct wheel_file *file, u64 *end)
{
	u64 now;

	if (wheel_file_events(file))
		return false;
	now = ktime_get_mono_fast_ns();
	if (!*end)
		*end = now + SEARCH_NS;
	return now >= *end;
}

/*
 * Run the pass of a file in the context of its owner. It ends if no timer is due, if @wanted events
 * are ready, if the ring is full, if a signal is pending, or if the budget of the call is used up.
 * If @wanted is 0, it ends after one step. The caller must call wheel_file_hand_over() afterwards.
 * Returns true if a signal or the budget ended it.
 */
bool wheel_file_run(struct wheel_file *file, u32 wanted)
{
	u32 steps = STEPS_PER_CALL;
	u64 end = 0;
	bool more;

	do {
		wheel_lock(file->slots.wheel);
		more = file_step(file) && wheel_file_events(file) < wanted;
		wheel_unlock(file->slots.wheel);
		cond_resched();
	} while (more && --steps && !search_is_long(file, &end) && !signal_pending(current));
	return more;
}

/*
 * Wake up others after wheel_file_run(). If the pass is incomplete, another task may have to
 * continue it, and an edge-triggered poll needs an edge. Otherwise, tasks are woken if the pass
 * left events that they wait for.
 */
void wheel_file_hand_over(struct wheel_file *file)
{
	bool wake;

	wheel_lock(file->slots.wheel);
	wake = file->deferred || (file->wake && wheel_file_events(file));
	file->wake = false;
	wheel_unlock(file->slots.wheel);
	if (wake)
		file_wake(file);
}

/*
 * Begin a pause of this CPU, if none is in progress. Returns true if the interrupt may expire
 * timers. All files use one clock for the pause.
 */
static bool pause_begin(struct interrupt_pause *pause, const struct wheel_file *file, u64 now)
{
	if (file->slots.setup.clock != WHEEL_CLOCK_MONOTONIC || file->shift)
		now = ktime_get_mono_fast_ns();
	if (now < pause->end)
		return false;
	pause->end = now + INTERRUPT_PAUSE_NS;
	pause->file = file;
	return true;
}

/* Check whether tasks were notified of events, have not checked since, and some are left. */
static bool events_wait(const struct wheel_file *file)
{
	if (READ_ONCE(file->wake_at) != NOTIFIED)
		return false;
	/* Pairs with the program's full barrier after its store of event_head: see are_news(). */
	smp_mb();
	return wheel_file_events(file);
}

/*
 * Leave the pass to the owner. Tasks that were notified of events, and have not checked since, read
 * the flag when they do.
 */
static void interrupt_defer(struct wheel_file *file)
{
	file->deferrals++;
	wheel_file_defer(file, true);
	file->wake |= !events_wait(file);
}

/*
 * Return the number of timers that the interrupt may expire. It must not queue a timer if that
 * walks a list: those with words, and periodic ones of a ring, may be queued again.
 */
static u32 interrupt_room(const struct wheel_file *file)
{
	bool may_queue = file->slots.words || file->ring.size;

	if (unlikely(file->slots.setup.scheme == WHEEL_OVERFLOW && may_queue))
		return 0;
	return step_room(file, INTERRUPT_TIMERS);
}

/* Return how late the next pass of a locked wheel is, in nanoseconds. */
static u64 lateness(const struct wheel *wheel, u64 now)
{
	return now - min(now, wheel_next_locked(wheel));
}

/* Run a step, and decide how the pass continues. Returns what the interrupt returns. */
static enum hrtimer_restart interrupt_step(struct wheel_file *file)
{
	struct interrupt_pause *pause = this_cpu_ptr(&interrupt_pause);
	struct wheel *wheel = file->slots.wheel;
	u32 room = interrupt_room(file);
	u64 now = wheel_now(wheel);

	/* The hrtimer was started before the file was deferred. */
	if (unlikely(file->deferred))
		return HRTIMER_NORESTART;
	if (likely(room && pause_begin(pause, file, now)) && likely(!wheel_step(wheel, now, room)))
		return wheel_restart(wheel, 0);
	/* If another file uses the CPU, the owner continues at once, in its own time. */
	if (room && pause->file == file && !events_wait(file) &&
	    lateness(wheel, now) < INTERRUPT_LATE_NS)
		return wheel_restart(wheel, now + INTERRUPT_PAUSE_NS);
	interrupt_defer(file);
	return HRTIMER_NORESTART;
}

/* If the lock is held, its holder starts the hrtimer again. */
static enum hrtimer_restart file_interrupt(void *data)
{
	struct wheel_file *file = wheel_file_of(data);
	struct wheel *wheel = file->slots.wheel;
	enum hrtimer_restart restart;
	bool wake;

	if (unlikely(!wheel_trylock(wheel)))
		return HRTIMER_NORESTART;
	restart = interrupt_step(file);
	wake = file->wake;
	file->wake = false;
	wheel_unlock(wheel);
	if (wake)
		file_wake(file);
	return restart;
}

const struct wheel_owner wheel_file_owner = {
	.interrupt	= file_interrupt,
	.expire		= file_expire,
};

/* The owner of a file with words */
const struct wheel_owner wheel_file_word_owner = {
	.interrupt	= file_interrupt,
	.scan		= wheel_file_scan,
	.expire		= file_expire,
	.claim		= wheel_word_claim,
};

/*
 * Check for events, and request a wake-up if there are fewer than @wanted. A task that sleeps
 * afterwards is on one of the wait queues of the file. Sets *@ready to the number of events that
 * the program can take. Returns true if @wanted events are ready, or if the pass is left to the
 * owner.
 */
bool wheel_file_await(struct wheel_file *file, u32 wanted, u32 *ready)
{
	bool deferred;

	wheel_lock(file->slots.wheel);
	*ready = wheel_file_events(file);
	if (file->polled)
		WRITE_ONCE(file->wake_at, 1);
	else if (*ready < wanted)
		/* Only after @polled is set, a poll() stores without the lock. */
		file->wake_at = min(file->wake_at, wanted);
	deferred = wheel_file_deferred(file);
	wheel_unlock(file->slots.wheel);
	return *ready >= wanted || deferred;
}

/*
 * Check without the lock whether a poller need not wait, once each event causes a wake-up. The next
 * one does, because this task may be killed before it has taken the events.
 */
static bool file_has_events(struct wheel_file *file)
{
	if (!READ_ONCE(file->polled))
		return false;
	/* An outdated number causes one call too many, or a check with the lock. */
	if (!wheel_file_deferred(file) && !data_race(wheel_file_events(file)))
		return false;
	WRITE_ONCE(file->wake_at, 1);
	return true;
}

/* wheel_file_await() for a poller: from now on, each event causes a wake-up. */
static bool poll_await(struct wheel_file *file)
{
	u32 ready;

	if (!READ_ONCE(file->polled)) {
		wheel_lock(file->slots.wheel);
		WRITE_ONCE(file->polled, true);
		wheel_unlock(file->slots.wheel);
	}
	return wheel_file_await(file, 1, &ready);
}

/*
 * poll(), select(), epoll. Compares only: it may be called for another task than the owner, with
 * locks of the system held.
 *
 * If events are left, no lock is necessary: a store that races with an expiry at most causes
 * another wake-up. The expiry also finds the task on the wait queue, although the task did not take
 * the lock after it was added:
 *
 *	expiry				the program
 *
 *					poll_wait(): add to the wait queue
 *	publish the events		take all older events
 *	full barrier			full barrier
 *	task on the wait queue?		take the new events, or sleep
 */
__poll_t wheel_file_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct wheel_file *file = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &file->pollers, wait);
	if (wheel_file_ready(file) && (file_has_events(file) || poll_await(file)))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->stopped))
		mask |= EPOLLHUP;
	return mask;
}
