// SPDX-License-Identifier: MIT
/*
 * One timeout per slot, for servers: words with fewer states. The timer of a slot is created by the
 * first function that needs it.
 */
#include "handle.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline	__attribute__((noinline))

#define NO_SUCH_SLOT	"the slot is not below the number of slots of the set"

int libwheel_timeout_open(struct libwheel_timeouts **timeouts, uint32_t slots,
			  const struct libwheel_options *options)
{
	const struct libwheel_options defaults = { .size = sizeof(defaults) };
	struct libwheel *wheel;
	int err;

	if (!slots)
		return invalid("the number of slots is 0");
	err = options_open(&wheel, options ?: &defaults, slots);
	if (!err)
		*timeouts = &handle_of(wheel)->timeouts;
	return err;
}

void libwheel_timeout_close(struct libwheel_timeouts *timeouts)
{
	if (timeouts)
		libwheel_close(&handle_of_set(timeouts)->wheel);
}

const struct libwheel *libwheel_timeout_wheel(const struct libwheel_timeouts *timeouts)
{
	return &handle_of_set(timeouts)->wheel;
}

int libwheel_timeout_fd(const struct libwheel_timeouts *timeouts)
{
	return handle_of_set(timeouts)->fd;
}

struct libwheel_time libwheel_timeout_now(struct libwheel_timeouts *timeouts)
{
	struct handle *handle = handle_of_set(timeouts);
	uint64_t now = libwheel_now(&handle->wheel);

	if (handle->backend->expire)
		handle->backend->expire(handle, now);
	return (struct libwheel_time){ now };
}

/* Create the timer of a slot, parked. -EBUSY: it exists. */
static int create(struct handle *handle, uint32_t slot)
{
	int err;

	do {
		err = libwheel_word(&handle->wheel, WHEEL_ID(slot, 1), slot);
	} while (err == -EINTR);
	return err;
}

/* The word is IDLE: its timer has expired, or was not created. */
static noinline int start_idle(struct handle *handle, uint32_t slot, uint64_t deadline)
{
	int err = libwheel_word_arm(&handle->wheel, slot, deadline);

	if (err != -ENOENT)
		return err;
	err = create(handle, slot);
	return err ?: libwheel_word_arm(&handle->wheel, slot, deadline);
}

/* The word is IDLE or private, or an argument is out of range. */
static noinline int start_slow(struct libwheel_timeouts *timeouts, uint32_t slot,
			       uint64_t deadline)
{
	struct handle *handle = handle_of_set(timeouts);

	if (unlikely(!*handle->ours))
		return -ECHILD;
	if (unlikely(slot >= handle->setup.timers))
		return invalid(NO_SUCH_SLOT);
	/* A VIRTUAL clock begins at 0, which is not the deadline of a word. */
	deadline += !deadline;
	if (!timeouts->slots)
		return start_idle(handle, slot, deadline);
	return likely(LIBWHEEL_IS_DEADLINE(deadline)) ?
	       handle->backend->start(handle, slot, deadline) : -ERANGE;
}

int libwheel_timeout_do_start(struct libwheel_timeouts *timeouts, uint32_t slot,
			      struct libwheel_time deadline)
{
	struct handle *handle = handle_of_set(timeouts);
	struct libwheel *wheel = &handle->wheel;
	__u64 *word, old;

	/* In a child of fork(), there are no words. Private ones are not shared. */
	if (unlikely(slot >= *handle->words || !LIBWHEEL_IS_DEADLINE(deadline.ns)))
		return start_slow(timeouts, slot, deadline.ns);
	word = &wheel->words[slot];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (unlikely(old & WHEEL_WORD_IDLE))
			return start_slow(timeouts, slot, deadline.ns);
	} while (!LIBWHEEL_SWAP(word, &old, deadline.ns));
	/* Later than before. PARKED is 0, which counts as later than any deadline. */
	if (likely(deadline.ns > old - 1))
		return 0;
	return LIBWHEEL_NOTIFY(wheel, slot, slot, deadline.ns);
}

int libwheel_timeout_start(struct libwheel_timeouts *timeouts, uint32_t slot, uint64_t delay)
{
	struct libwheel_time now = libwheel_timeout_now(timeouts);

	now = libwheel_time_after(now, delay);
	/* The inline function does not detect a child of fork(). */
	if (timeouts->slots && *handle_of_set(timeouts)->ours)
		return libwheel_timeout_start_at(timeouts, slot, now);
	return libwheel_timeout_do_start(timeouts, slot, now);
}

/*
 * The word is IDLE or private, or an argument is invalid. A timer that can be created has not
 * expired.
 */
static noinline int stop_slow(struct libwheel_timeouts *timeouts, uint32_t slot)
{
	struct handle *handle = handle_of_set(timeouts);

	if (!*handle->ours)
		return -ECHILD;
	if (slot >= handle->setup.timers)
		return invalid(NO_SUCH_SLOT);
	if (handle->timeouts.slots)
		return handle->backend->stop(handle, slot);
	return create(handle, slot) == -EBUSY ? -EBUSY : -ENOENT;
}

int libwheel_timeout_do_stop(struct libwheel_timeouts *timeouts, uint32_t slot)
{
	struct handle *handle = handle_of_set(timeouts);
	__u64 *word, old;

	if (unlikely(slot >= *handle->words))
		return stop_slow(timeouts, slot);
	word = &handle->wheel.words[slot];
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	do {
		if (unlikely(!LIBWHEEL_IS_DEADLINE(old)))
			return old == WHEEL_WORD_PARKED ? -ENOENT : stop_slow(timeouts, slot);
	} while (!LIBWHEEL_SWAP(word, &old, WHEEL_WORD_PARKED));
	return 0;
}

int libwheel_timeout_wait(struct libwheel_timeouts *timeouts, struct wheel_event *events,
			  uint32_t count, int64_t timeout_ns)
{
	struct libwheel *wheel = &handle_of_set(timeouts)->wheel;
	int i, n = libwheel_wait(wheel, events, count, timeout_ns);

	for (i = 0; i < n && !timeouts->slots; i++)
		libwheel_word_reset(wheel, events[i].id);
	return n;
}

int libwheel_timeout_advance(struct libwheel_timeouts *timeouts, struct libwheel_time now)
{
	return libwheel_advance(&handle_of_set(timeouts)->wheel, now.ns, NULL);
}
