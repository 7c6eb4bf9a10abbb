// SPDX-License-Identifier: MIT
/*
 * Sets of timeouts that only one thread uses. There are no slots, doorbells, scans and locks: the
 * words are those of a lazy wheel. The inline functions start a timeout at a later time, and stop
 * it. All other changes are made here.
 */
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lazy.h"
#include "user.h"

/**
 * struct private - a set of timeouts with private words
 * @watch: its descriptor
 * @now: time that was read last; earlier than the next one of @lazy
 * @lazy: its wheel
 * @size: size of its memory
 * @memory: begin of its memory, which contains this struct
 * @handle: its handle; its last member is followed by the words, at a page boundary
 */
struct private {
	struct watch watch;
	u64 now;
	struct lazy lazy;
	size_t size;
	void *memory;
	struct handle handle;
};

static_assert(offsetof(struct private, handle.timeouts) + sizeof(struct libwheel_timeouts) ==
	      sizeof(struct private), "the words follow the set");

static inline struct private *private_of(struct handle *handle)
{
	return container_of(handle, struct private, handle);
}

static inline bool on_virtual_clock(const struct private *p)
{
	return p->handle.setup.clock == WHEEL_CLOCK_VIRTUAL;
}

/* Time passes, and timeouts that are due expire. */
static void pass(struct private *p, u64 now)
{
	p->now = now;
	if (likely(now < p->lazy.next))
		return;
	p->lazy.counts.passes++;
	lazy_advance(&p->lazy, now);
}

static void enter(struct private *p)
{
	pass(p, on_virtual_clock(p) ? p->now : clock_read(p->handle.setup.clock));
}

/* Returns the time at which the program must call next. */
static u64 time_to_call(const struct private *p)
{
	return lazy_unread(&p->lazy) ? WATCH_READY : p->lazy.next;
}

/*
 * End a function after which the program may have to call earlier than before. After a pass on a
 * running clock, the descriptor is readable already.
 */
static void leave(struct private *p)
{
	watch_sooner(&p->watch, time_to_call(p), p->now);
}

/*
 * Before slots are put into buckets, let the wheel skip the ticks up to the time that was read
 * last. The clock is read if it may have been set back. No timeout expires, so that one that is due
 * may be started again.
 */
static void catch_up(struct private *p)
{
	if (wheel_settable(p->handle.setup.clock))
		p->now = min(p->now, clock_read(p->handle.setup.clock));
	lazy_skip(&p->lazy, p->now);
}

/* The timeout may be the next one, or there may be too many recent ones. */
static noinline int start(struct private *p, u32 slot, u64 deadline)
{
	catch_up(p);
	lazy_start(&p->lazy, slot, deadline);
	leave(p);
	return 0;
}

/* The timeout is in a bucket, possibly at a later time, or has expired. */
static noinline int restart(struct private *p, u32 slot, u64 deadline)
{
	u64 *word = &p->lazy.words[slot];
	bool earlier = deadline < (*word & WHEEL_MAX_TIME);

	if (p->lazy.places[slot] == LAZY_EXPIRED)
		return -EBUSY;
	*word = deadline;
	if (!earlier)
		return 0;
	catch_up(p);
	lazy_move(&p->lazy, slot);
	leave(p);
	return 0;
}

/* libwheel_timeout_start_at() unless the inline function has started the timeout */
static int private_start(struct handle *handle, __u32 slot, __u64 deadline)
{
	struct private *p = private_of(handle);

	if (unlikely(p->lazy.places[slot]))
		return restart(p, slot, deadline);
	return likely(lazy_start_quickly(&p->lazy, slot, deadline)) ? 0 : start(p, slot, deadline);
}

/* libwheel_timeout_stop() of a timeout that is not started */
static int private_stop(struct handle *handle, __u32 slot)
{
	return private_of(handle)->lazy.places[slot] == LAZY_EXPIRED ? -EBUSY : -ENOENT;
}

/* libwheel_expirations() */
static int private_take(struct handle *handle, struct wheel_event *events, u32 count)
{
	struct private *p = private_of(handle);
	u32 taken;

	enter(p);
	taken = lazy_take(&p->lazy, events, min_t(u32, count, INT_MAX));
	p->lazy.counts.wakeups += watch_again(&p->watch, time_to_call(p), p->now);
	return (int)taken;
}

/* libwheel_next() */
static __u64 private_next(struct handle *handle)
{
	struct private *p = private_of(handle);

	enter(p);
	return lazy_unread(&p->lazy) ? 0 : p->lazy.next;
}

/* Expire the timeouts that are due at @now. In a child of fork(), none is. */
static void private_expire(struct handle *handle, __u64 now)
{
	if (*handle->ours)
		pass(private_of(handle), now);
}

/* WHEEL_IOC_STATS */
static int read_stats(struct private *p, struct wheel_stats *stats)
{
	u32 size = stats->size;

	enter(p);
	*stats = p->lazy.counts;
	stats->size = size;
	stats->unread = lazy_unread(&p->lazy);
	stats->fired = p->lazy.expired;
	stats->pending = stats->armed - stats->fired - stats->cancelled;
	return 0;
}

/* WHEEL_IOC_ADVANCE */
static int advance(struct private *p, struct wheel_advance *advance)
{
	if (advance->now > WHEEL_MAX_TIME)
		return -ERANGE;
	if (!on_virtual_clock(p))
		return -EOPNOTSUPP;
	pass(p, max(p->now, advance->now));
	leave(p);
	advance->now = p->now;
	advance->next = p->lazy.next;
	return 0;
}

/* WHEEL_IOC_LIST. In a child of fork(), the timeouts at the time of fork(). */
static int list(struct private *p, struct wheel_list *list)
{
	struct wheel_op *ops = (struct wheel_op *)(size_t)list->timers;
	u64 word;

	if (list->flags)
		return -EINVAL;
	if (*p->handle.ours)
		enter(p);
	for (; list->done < list->count && list->cursor < p->lazy.slots; list->cursor++) {
		word = p->lazy.words[list->cursor];
		if (LIBWHEEL_IS_DEADLINE(word))
			ops[list->done++] = (struct wheel_op){
				.op	= WHEEL_OP_ARM,
				.flags	= WHEEL_OP_WORD,
				.id	= WHEEL_ID(list->cursor, 1),
				.when	= word,
				.cookie	= list->cursor,
			};
	}
	return 0;
}

/* A set of timeouts has no other commands. */
static int private_command(struct handle *handle, unsigned long command, void *arg)
{
	struct private *p = private_of(handle);

	switch (command) {
	case WHEEL_IOC_LIST:
		return list(p, arg);
	case WHEEL_IOC_STATS:
		return read_stats(p, arg);
	case WHEEL_IOC_ADVANCE:
		return advance(p, arg);
	default:
		return -EOPNOTSUPP;
	}
}

static void private_close(struct handle *handle)
{
	struct private *p = private_of(handle);

	handle_exit(handle);
	munmap(p->memory, p->size);
}

static const struct backend private_backend = {
	.number		= LIBWHEEL_USER,
	.arm		= op_arm,
	.rearm		= op_rearm,
	.rearm_or_arm	= op_rearm_or_arm,
	.cancel		= op_cancel,
	.command	= private_command,
	.take		= private_take,
	.next		= private_next,
	.expire		= private_expire,
	.start		= private_start,
	.stop		= private_stop,
	.close		= private_close,
};

/* Round a size up to pages. */
static size_t pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

/*
 * Allocate a set with its words and the memory of its wheel. Unused memory is not written. Returns
 * NULL on error, with errno set.
 */
static struct private *private_alloc(u32 slots)
{
	size_t head = pages(sizeof(struct private)), words = pages(slots * sizeof(u64));
	size_t size = head + words + lazy_memory(slots);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct private *p;

	if (memory == MAP_FAILED)
		return NULL;
	p = (struct private *)(memory + head) - 1;
	p->memory = memory;
	p->size = size;
	return p;
}

static int private_init(struct private *p, u32 mode)
{
	u64 *words = (u64 *)(p + 1);
	u32 slots = p->handle.setup.timers;
	int err = words_set(words, slots, LAZY_NOWHERE);

	if (err)
		return err;
	p->handle.timeouts.slots = slots;
	lazy_init(&p->lazy, words, slots, p->handle.setup.tick_ns,
		  (char *)words + pages(slots * sizeof(u64)));
	return user_watch(&p->watch, &p->handle, mode);
}

/* user_open() of a set of timeouts with private words */
int private_open(struct handle **handle, const struct wheel_setup *setup, u32 mode)
{
	struct private *p = private_alloc(setup->timers);
	int err = p ? handle_init(&p->handle, &private_backend) : -errno;

	if (err) {
		if (p)
			munmap(p->memory, p->size);
		return err;
	}
	p->handle.setup = *setup;
	err = private_init(p, mode);
	if (err)
		private_close(&p->handle);
	else
		*handle = &p->handle;
	return err;
}
