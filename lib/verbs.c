// SPDX-License-Identifier: MIT
/*
 * The public functions, each a call of the handle's backend.
 */
/* Emit the inline functions of the headers here. */
#define LIBWHEEL_INLINE	extern
#include "handle.h"

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

/* Only the backend has the time of a VIRTUAL clock. Not inline, to save no registers otherwise. */
static __attribute__((noinline)) uint64_t virtual_now(struct handle *handle)
{
	struct wheel_advance ask = { .size = sizeof(ask) };

	handle_command(handle, WHEEL_IOC_ADVANCE, &ask);
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
	while (failed && made--)
		if (op_result(handle_of(wheel), &ops[made], ops[made].res) == -EINVAL)
			break;
	return err ? err : (int)failed;
}

int libwheel_arm(struct libwheel *wheel, uint64_t id, uint64_t when,
		 uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->arm(handle, id, when, cookie);
}

/* In the user backend, reading the clock costs less than the batch that reads it. */
static bool reads_clock(const struct handle *handle, uint64_t delay)
{
	return handle->backend->number == LIBWHEEL_USER &&
	       handle->setup.clock == WHEEL_CLOCK_MONOTONIC && delay <= WHEEL_MAX_TIME;
}

int libwheel_arm_in(struct libwheel *wheel, uint64_t id, uint64_t delay,
		    uint64_t cookie)
{
	struct handle *handle = handle_of(wheel);
	uint64_t now;

	if (reads_clock(handle, delay)) {
		now = clock_read(WHEEL_CLOCK_MONOTONIC);
		return handle->backend->arm(handle, id, now + delay, cookie);
	}
	return op_arm_with(handle, WHEEL_OP_REL, id, delay, cookie);
}

int libwheel_arm_within(struct libwheel *wheel, uint64_t id, uint64_t when, uint64_t slack,
			uint64_t cookie)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .id = id, .when = when, .slack = slack, .cookie = cookie,
	};

	return op_do(handle_of(wheel), &op);
}

int libwheel_arm_every(struct libwheel *wheel, uint64_t id, uint64_t when, uint64_t period,
		       uint64_t cookie)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .id = id, .when = when, .period = period, .cookie = cookie,
	};

	return period ? op_do(handle_of(wheel), &op) : invalid("the period is 0");
}

int libwheel_rearm(struct libwheel *wheel, uint64_t id, uint64_t when)
{
	struct handle *handle = handle_of(wheel);

	return handle->backend->rearm(handle, id, when);
}

int libwheel_rearm_in(struct libwheel *wheel, uint64_t id, uint64_t delay)
{
	struct handle *handle = handle_of(wheel);

	if (reads_clock(handle, delay))
		return handle->backend->rearm(handle, id,
					      clock_read(WHEEL_CLOCK_MONOTONIC) + delay);
	return op_rearm_with(handle, WHEEL_OP_REL, id, delay);
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

/* Not inline, because most notifications need no kick. */
static __attribute__((noinline)) int kick(struct handle *handle)
{
	struct wheel_enter enter = { .size = sizeof(enter), .flags = WHEEL_ENTER_KICK };

	return handle_command(handle, WHEEL_IOC_ENTER, &enter);
}

int libwheel_word_notify(struct libwheel *wheel, uint64_t id, uint64_t deadline)
{
	__u64 slot = WHEEL_ID_SLOT(id);

	if (slot >= wheel->timers)
		return -ENOENT;
	/* In this order: a scan reads the summary first, then the bits that it announces. */
	bell_set(wheel->bells, slot);
	if (!bell_is_set(wheel->summary, slot / 64))
		bell_set(wheel->summary, slot / 64);
	if (deadline >= __atomic_load_n(wheel->next_wake, __ATOMIC_SEQ_CST))
		return 0;
	return kick(handle_of(wheel));
}

int libwheel_expirations(struct libwheel *wheel, struct wheel_event *events,
			 uint32_t count)
{
	struct handle *handle = handle_of(wheel);

	if (!*handle->ours)
		return -ECHILD;
	if (!count)
		return invalid("there is no room for an event");
	return handle->backend->take(handle, events, count);
}

int libwheel_next(const struct libwheel *wheel, uint64_t *when)
{
	struct handle *handle = handle_of(wheel);

	if (!*handle->ours)
		return -ECHILD;
	if (!handle->backend->next)
		return -EOPNOTSUPP;
	*when = handle->backend->next(handle);
	return 0;
}

int libwheel_stop(struct libwheel *wheel, uint64_t *unfired)
{
	struct wheel_stop stop = { .size = sizeof(stop) };
	int err = handle_command(handle_of(wheel), WHEEL_IOC_STOP, &stop);

	if (!err && unfired)
		*unfired = stop.unfired;
	return err;
}

int libwheel_list(const struct libwheel *wheel, uint32_t flags, struct wheel_op *ops,
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

	/* A signal interrupts a long search between two chunks. Continue with the next one. */
	do {
		err = handle->backend->command(handle, WHEEL_IOC_LIST, &list);
	} while (err == -EINTR);
	if (err)
		return err == -EINVAL ? invalid("the list has an unknown flag") : err;
	*cursor = list.cursor;
	return (int)list.done;
}

int libwheel_stats(const struct libwheel *wheel, struct wheel_stats *stats)
{
	*stats = (struct wheel_stats){ .size = sizeof(*stats) };
	return handle_command(handle_of(wheel), WHEEL_IOC_STATS, stats);
}

int libwheel_advance(struct libwheel *wheel, uint64_t now, uint64_t *next)
{
	struct wheel_advance advance = { .size = sizeof(advance), .now = now };
	int err = handle_command(handle_of(wheel), WHEEL_IOC_ADVANCE, &advance);

	if (!err && next)
		*next = advance.next;
	return err;
}
