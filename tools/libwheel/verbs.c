// SPDX-License-Identifier: MIT
/*
 * The public functions, each a call of the handle's backend.
 */
#include <stddef.h>

/* Emit the inline functions of the headers here. */
#define LIBWHEEL_INLINE	extern
#include "ops.h"

uint32_t libwheel_version(void)
{
	return LIBWHEEL_VERSION;
}

int libwheel_backend(const struct libwheel *wheel)
{
	return handle_of(wheel)->backend->number;
}

int libwheel_fd(const struct libwheel *wheel)
{
	return handle_of(wheel)->fd;
}

int libwheel_info(const struct libwheel *wheel, struct wheel_setup *info)
{
	*info = handle_of(wheel)->setup;
	return 0;
}

/* Only the backend has the time of a VIRTUAL clock. Not inline, which leaves the stack alone. */
static __attribute__((noinline)) uint64_t virtual_now(struct handle *handle)
{
	struct wheel_advance ask = { .size = sizeof(ask) };

	if (*handle->ours)
		handle->backend->advance(handle, &ask);
	return ask.now;
}

uint64_t libwheel_now(const struct libwheel *wheel)
{
	__u32 clock = handle_of(wheel)->setup.clock;

	if (clock == WHEEL_CLOCK_VIRTUAL)
		return virtual_now(handle_of(wheel));
	return clock_read(clock);
}

int libwheel_do(struct libwheel *wheel, struct wheel_op *op)
{
	return op_do(handle_of(wheel), op);
}

/* A signal interrupts a long batch between two chunks. Continue with the next one. */
int libwheel_submit(struct libwheel *wheel, struct wheel_op *ops,
		    uint32_t count, uint32_t *done)
{
	struct wheel_submit batch;
	__u32 failed = 0;
	__u32 made = 0;
	int err;

	do {
		err = ops_submit(handle_of(wheel), ops + made, count - made, &batch);
		made += batch.done;
		failed += batch.failed;
	} while (err == -EINTR && batch.done);
	if (done)
		*done = made;
	return err ? err : (int)failed;
}

int libwheel_arm(struct libwheel *wheel, uint64_t id, uint64_t when,
		 uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->arm(handle, id, when, cookie);
}

int libwheel_arm_in(struct libwheel *wheel, uint64_t id, uint64_t delay,
		    uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->arm_in(handle, id, delay, cookie);
}

int libwheel_rearm(struct libwheel *wheel, uint64_t id, uint64_t when)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->rearm(handle, id, when);
}

int libwheel_rearm_or_arm(struct libwheel *wheel, uint64_t *id, uint64_t when,
			  uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->rearm_or_arm(handle, id, when, cookie);
}

int libwheel_cancel(struct libwheel *wheel, uint64_t id)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->cancel(handle, id);
}

int libwheel_query(struct libwheel *wheel, uint64_t id, uint64_t *when)
{
	struct wheel_op op = { .op = WHEEL_OP_QUERY, .id = id };
	int ret = libwheel_do(wheel, &op);

	if (!ret)
		*when = op.when;
	return ret;
}

int libwheel_word(struct libwheel *wheel, uint64_t id, uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);

	return op_arm_with(handle, WHEEL_OP_WORD, id, 0, cookie);
}

static bool bell_is_set(const __u64 *bells, __u64 nr)
{
	return __atomic_load_n(&bells[nr / 64], __ATOMIC_SEQ_CST) >> nr % 64 & 1;
}

static void bell_set(__u64 *bells, __u64 nr)
{
	__atomic_fetch_or(&bells[nr / 64], 1ULL << nr % 64, __ATOMIC_SEQ_CST);
}

int libwheel_word_notify(struct libwheel *wheel, uint64_t id, uint64_t deadline)
{
	struct handle *handle = handle_of(wheel);
	__u64 slot = WHEEL_ID_SLOT(id);

	if (slot >= wheel->timers)
		return -ENOENT;
	/* In this order: a scan reads the summary first, then the bits that it announces. */
	bell_set(wheel->bells, slot);
	if (!bell_is_set(wheel->summary, slot / 64))
		bell_set(wheel->summary, slot / 64);
	if (deadline >= __atomic_load_n(wheel->next_wake, __ATOMIC_SEQ_CST))
		return 0;
	if (!*handle->ours)
		return -ECHILD;
	return handle->backend->kick(handle);
}

int libwheel_timeout_open(struct libwheel **wheel, uint32_t slots)
{
	struct libwheel_options options = {
		.size = sizeof(options), .flags = WHEEL_SETUP_WORDS, .timers = slots,
	};

	return libwheel_open(wheel, &options);
}

/* The timer is created by the first start of its slot. Then the slot is busy if it has expired. */
int libwheel_timeout_start(struct libwheel *wheel, uint32_t slot, uint64_t delay)
{
	uint64_t deadline = libwheel_now(wheel) + delay;
	int err;

	if (delay > WHEEL_MAX_TIME)
		return -ERANGE;
	err = libwheel_word_arm(wheel, slot, deadline);
	if (err != -ENOENT)
		return err;
	err = libwheel_word(wheel, WHEEL_ID(slot, 1), slot);
	if (err)
		return err == -EBUSY ? -ENOENT : err;
	return libwheel_word_arm(wheel, slot, deadline);
}

int libwheel_timeout_stop(struct libwheel *wheel, uint32_t slot)
{
	return libwheel_word_park(wheel, slot);
}

int libwheel_timeout_wait(struct libwheel *wheel, struct wheel_event *events,
			  uint32_t count, int64_t timeout_ns)
{
	int i, n = libwheel_wait(wheel, events, count, timeout_ns);

	for (i = 0; i < n; i++)
		libwheel_word_reset(wheel, events[i].id);
	return n;
}

int libwheel_expirations(struct libwheel *wheel, struct wheel_event *events,
			 uint32_t count)
{
	struct handle *handle = handle_of(wheel);

	if (!*handle->ours)
		return -ECHILD;
	if (!count)
		return -EINVAL;
	return handle->backend->take(handle, events, count);
}

int libwheel_next(struct libwheel *wheel, uint64_t *when)
{
	struct handle *handle = handle_of(wheel);
	__u64 time;
	int err;

	if (!*handle->ours)
		return -ECHILD;
	if (!handle->backend->next)
		return -EOPNOTSUPP;
	err = handle->backend->next(handle, &time);
	if (!err)
		*when = time;
	return err;
}

int libwheel_stop(struct libwheel *wheel, uint64_t *unfired)
{
	struct wheel_stop stop = { .size = sizeof(stop) };
	struct handle *handle = handle_of(wheel);
	int err;

	if (!*handle->ours)
		return -ECHILD;
	err = handle->backend->stop(handle, &stop);
	if (!err && unfired)
		*unfired = stop.unfired;
	return err;
}

int libwheel_list(struct libwheel *wheel, uint32_t flags, struct wheel_op *ops,
		  uint32_t count, uint32_t *cursor)
{
	struct wheel_list list = {
		.size		= sizeof(list),
		.flags		= flags,
		.timers		= (__u64)(size_t)ops,
		.op_size	= sizeof(*ops),
		.count		= count,
		.cursor		= *cursor,
	};
	struct handle *handle = handle_of(wheel);
	int err;

	/* A child may list timers, but not take them. */
	if (!*handle->ours && flags)
		return -ECHILD;
	/* A signal interrupts a long search between two chunks. Continue with the next one. */
	do {
		err = handle->backend->list(handle, &list);
	} while (err == -EINTR);
	if (err)
		return err;
	*cursor = list.cursor;
	return (int)list.done;
}

int libwheel_stats(struct libwheel *wheel, struct wheel_stats *stats)
{
	struct handle *handle = handle_of(wheel);

	if (!*handle->ours)
		return -ECHILD;
	*stats = (struct wheel_stats){ .size = sizeof(*stats) };
	return handle->backend->stats(handle, stats);
}

int libwheel_advance(struct libwheel *wheel, uint64_t now, uint64_t *next)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = now };
	struct handle *handle = handle_of(wheel);
	int err;

	if (!*handle->ours)
		return -ECHILD;
	err = handle->backend->advance(handle, &advance);
	if (!err && next)
		*next = advance.next;
	return err;
}
