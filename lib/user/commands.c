// SPDX-License-Identifier: MIT
/*
 * The commands of the ABI, with the semantics of the device.
 */
#include <limits.h>
#include <stdlib.h>

#include "../../slots/event.h"
#include "../../slots/scan.h"
#include "../../slots/word.h"
#include "user.h"

#define SCAN_STEP	1024

/*
 * Scan all words. Outside a pass, a thread that waits for the lock takes it between two steps, each
 * of which examines up to SCAN_STEP timers.
 */
static void scan_all(struct user *u)
{
	struct wheel_scan scan = {
		.number = u->slots.scanner.scans + 1,
		.now = u->wheel.now,
		.budget = SCAN_STEP,
	};

	while (wheel_scan_run(&u->slots, &scan)) {
		scan.budget = SCAN_STEP;
		if (u->wheel.scanning || !lock_is_awaited(&u->lock))
			continue;
		user_leave(u);
		lock_yield(&u->lock);
		user_enter(u);
		scan.now = u->wheel.now;
	}
}

/* On a VIRTUAL clock next_wake is 0, so the program does not request scans. */
static void scan_unrequested(struct user *u)
{
	if (is_virtual(u) && has_words(u))
		scan_all(u);
}

/* On a bounded wheel, a scan finds timers beyond the range, which it cannot queue. */
static bool has_words_beyond(const struct user *u)
{
	return has_words(u) && u->handle.setup.scheme == WHEEL_BOUNDED && !u->stopped;
}

/* On a VIRTUAL clock, returns the time of the next timer after a scan, or WHEEL_NEVER. */
static u64 next_timer(const struct user *u)
{
	u64 next = wheel_next(&u->wheel);

	return has_words_beyond(u) ? min(next, wheel_scan_earliest(&u->slots)) : next;
}

/* Expire all due timers. */
static void pass(struct user *u)
{
	struct wheel_timer *timer;

	u->wheel.counts.passes++;
	if (wheel_scan_is_due(&u->wheel)) {
		u->wheel.scanning = true;
		scan_all(u);
		u->wheel.scanning = false;
	}
	while ((timer = wheel_expire(&u->wheel))) {
		wheel_event_fired(&u->slots, wheel_slot_of(timer));
		wheel_event_queue(&u->slots, wheel_slot_of(timer));
	}
}

/* Lock the wheel, and read the clock. */
static void user_lock(struct user *u)
{
	lock_take(&u->lock);
	u->lull->begin = lull_counter();
	if (!is_virtual(u))
		u->wheel.now = clock_read(u->handle.setup.clock);
}

/* Begin a command: lock the wheel, read the clock once, and expire due timers. */
void user_enter(struct user *u)
{
	user_lock(u);
	if (wheel_is_due(&u->wheel))
		pass(u);
}

/* Returns the length of the lull in counts of the processor's counter. */
static u64 lull_counts(const struct user *u)
{
	u64 now = u->wheel.now;

	if (!u->lull->known || u->lull->end <= now)
		return 0;
	if (is_virtual(u))
		return WHEEL_NEVER;
	return LULL_HAS_COUNTER ? (u->lull->end - now) / NS_A_COUNT : 0;
}

static bool has_events(const struct user *u)
{
	return u->slots.unread || u->stopped;
}

/* Returns the time at which the program must call next. */
static u64 time_to_call(const struct user *u)
{
	return has_events(u) ? WATCH_READY : wheel_next(&u->wheel);
}

/* End a command that has set the timerfd itself: unlock the wheel. */
static void user_unlock(struct user *u)
{
	/* user_expire() reads it without the lock. */
	__atomic_store_n(&u->lull->end, wheel_next(&u->wheel), __ATOMIC_RELAXED);
	u->lull->counts = lull_counts(u);
	lock_release(&u->lock);
}

/* End a command: set the timerfd if necessary, and unlock the wheel. */
void user_leave(struct user *u)
{
	watch_sooner(&u->watch, time_to_call(u), u->wheel.now);
	user_unlock(u);
}

/* Allocate zeroed memory, aligned to a cache line like the slots in it. */
static void *page_alloc(void)
{
	void *page = aligned_alloc(sizeof(struct wheel_slot), WHEEL_SLOT_PAGE);

	return page ? memset(page, 0, WHEEL_SLOT_PAGE) : NULL;
}

/* Allocate the memory of a slot. Its word always exists. */
static int slot_bring(struct user *u, u32 nr)
{
	struct wheel_params **params = &u->slots.params[nr / WHEEL_PARAMS_PER_PAGE];
	struct wheel_slot *page = NULL;
	int saved = errno;

	if (!*params)
		*params = page_alloc();
	if (*params)
		page = page_alloc();
	errno = saved;
	if (!page)
		return -ENOMEM;
	wheel_slot_page_init(&u->slots, page, nr);
	u->slots.pages[nr / WHEEL_SLOTS_PER_PAGE] = page;
	return 0;
}

/* WHEEL_IOC_SUBMIT */
static int submit_ops(struct user *u, struct wheel_submit *submit)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)submit->ops;
	struct wheel_batch batch = { .slots = &u->slots };
	u32 made = 0;

	user_enter(u);
	batch.now = u->wheel.now;
	while ((made = wheel_ops_execute(&batch, ops, made, submit->count)) <
	       submit->count) {
		if (slot_bring(u, WHEEL_ID_SLOT(ops[made].id)))
			wheel_op_complete(&batch, &ops[made++], -ENOMEM);
	}
	user_leave(u);
	submit->now = batch.now;
	submit->done = submit->count;
	submit->failed = batch.failed;
	return 0;
}

/* libwheel_expirations() */
int user_take(struct handle *handle, struct wheel_event *events, u32 count)
{
	struct user *u = user_of(handle);
	struct wheel_slots *slots = &u->slots;
	struct wheel_slot *slot;
	u32 taken = 0;
	int ret;

	user_enter(u);
	while (taken < min_t(u32, count, INT_MAX) && slots->unread) {
		slot = wheel_event_oldest(slots);
		wheel_event_dequeue(slots, slot);
		wheel_event_describe(slots, slot, u->wheel.now, &events[taken]);
		wheel_event_consumed(slots, slot, &events[taken++]);
	}
	ret = !taken && u->stopped ? -ESHUTDOWN : (int)taken;
	u->wheel.counts.wakeups += watch_again(&u->watch, time_to_call(u), u->wheel.now);
	user_unlock(u);
	return ret;
}

/* WHEEL_IOC_STATS */
static int read_stats(struct user *u, struct wheel_stats *stats)
{
	u32 size = stats->size;

	user_enter(u);
	*stats = u->wheel.counts;
	stats->size = size;
	stats->pending = u->wheel.core.pending;
	stats->cascaded = u->wheel.core.cascaded;
	stats->refused = u->slots.refused;
	stats->overruns = u->slots.overruns;
	stats->unread = u->slots.unread;
	user_leave(u);
	return 0;
}

/* WHEEL_IOC_ADVANCE */
static int advance_clock(struct user *u, struct wheel_advance *advance)
{
	u64 tick = u->handle.setup.tick_ns;

	if (advance->now > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!is_virtual(u))
		return -EOPNOTSUPP;
	user_enter(u);
	/* Timers that the program has armed by their words may be due by the new time. */
	scan_unrequested(u);
	u->wheel.now = max(u->wheel.now, advance->now);
	/* Timers that were beyond the range before may be due now, at the last tick boundary. */
	if (has_words_beyond(u) && u->wheel.now >= tick)
		wheel_scan_at(&u->wheel, u->wheel.now / tick * tick);
	pass(u);
	advance->now = u->wheel.now;
	advance->next = next_timer(u);
	user_leave(u);
	return 0;
}

/* WHEEL_IOC_ENTER with WHEEL_ENTER_KICK */
static int kick(struct user *u)
{
	int err;

	if (!has_words(u))
		return -EOPNOTSUPP;
	user_enter(u);
	scan_all(u);
	err = u->stopped ? -ESHUTDOWN : 0;
	user_leave(u);
	return err;
}

int user_command(struct handle *handle, unsigned long command, void *arg)
{
	struct user *u = user_of(handle);

	switch (command) {
	case WHEEL_IOC_SUBMIT:
		return submit_ops(u, arg);
	case WHEEL_IOC_LIST:
		return user_list(u, arg);
	case WHEEL_IOC_STOP:
		return user_stop(u, arg);
	case WHEEL_IOC_STATS:
		return read_stats(u, arg);
	case WHEEL_IOC_ADVANCE:
		return advance_clock(u, arg);
	case WHEEL_IOC_ENTER:
		return kick(u);
	default:
		return -ENOTTY;
	}
}

/* libwheel_next(): 0 if events are available, otherwise the next expiry or scan, or WHEEL_NEVER */
__u64 user_next(struct handle *handle)
{
	struct user *u = user_of(handle);
	u64 next = 0;

	user_enter(u);
	scan_unrequested(u);
	if (!has_events(u))
		next = is_virtual(u) ? next_timer(u) : wheel_next(&u->wheel);
	user_unlock(u);
	return next;
}

/* Expire the timers that are due at @now. In a child of fork(), none is. */
void user_expire(struct handle *handle, __u64 now)
{
	struct user *u = user_of(handle);

	if (likely(now < __atomic_load_n(&u->lull->end, __ATOMIC_RELAXED)) || !*handle->ours)
		return;
	user_enter(u);
	user_leave(u);
}
