/* SPDX-License-Identifier: MIT */
/*
 * Common to both backends: the handle, and the commands of the ABI with their structs.
 */
#ifndef LIBWHEEL_HANDLE_H
#define LIBWHEEL_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "libwheel.h"
#include "user/lock.h"

struct handle;

/**
 * struct backend - functions of a backend
 * @number: LIBWHEEL_KERNEL or LIBWHEEL_USER
 * @arm: libwheel_arm(); this and the next three functions check for -ECHILD themselves
 * @rearm: libwheel_rearm()
 * @rearm_or_arm: libwheel_rearm_or_arm()
 * @cancel: libwheel_cancel()
 * @command: execute WHEEL_IOC_*
 * @take: libwheel_expirations()
 * @next: libwheel_next(); NULL if not supported
 * @expire: expire all timers that are due at @now, the time on the wheel's clock; NULL if the
 *	kernel does
 * @start: start a timeout that the inline function cannot start; NULL if the
 *	kernel has the words
 * @stop: the same for libwheel_timeout_stop()
 * @close: free the handle, also in a child of fork()
 */
struct backend {
	int number;
	int (*arm)(struct handle *handle, __u64 id, __u64 when, __u64 cookie);
	int (*rearm)(struct handle *handle, __u64 id, __u64 when);
	int (*rearm_or_arm)(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie);
	int (*cancel)(struct handle *handle, __u64 id);
	int (*command)(struct handle *handle, unsigned long command, void *arg);
	int (*take)(struct handle *handle, struct wheel_event *events,
		    __u32 count);
	__u64 (*next)(struct handle *handle);
	void (*expire)(struct handle *handle, __u64 now);
	int (*start)(struct handle *handle, __u32 slot, __u64 deadline);
	int (*stop)(struct handle *handle, __u32 slot);
	void (*close)(struct handle *handle);
};

/**
 * struct free_slots - slots that libwheel_slot_get() can return
 * @lock: protects the following members
 * @ids: stack of ids of slots that were returned; NULL until the first slot is allocated
 * @count: number of ids on the stack
 * @used: number of slots that were ever allocated, and thus first one that was not
 */
struct free_slots {
	struct lock lock;
	__u64 *ids;
	__u32 count;
	__u32 used;
};

/**
 * struct handle - an open wheel
 * @wheel: its public members
 * @backend: its backend
 * @setup: effective configuration
 * @fd: file descriptor for poll(), or a negative errno
 * @page: page with next_wake, if the wheel has words
 * @ours: true, but zeroed in a child of fork()
 * @words: the same for the number of shared words, which is that of @wheel
 * @wiped: the same for memory of the backend
 * @slots: allocator of slots
 * @timeouts: the same wheel as a set of timeouts; its @slots are 0 unless the words are private,
 *	which follow
 */
struct handle {
	struct libwheel wheel;
	const struct backend *backend;
	struct wheel_setup setup;
	int fd;
	struct wheel_kernel_page *page;
	const bool *ours;
	__u32 *words;
	void *wiped;
	struct free_slots slots;
	struct libwheel_timeouts timeouts;
};

/*
 * Mode of a set of timeouts with LIBWHEEL_ONE_THREAD: the words are private. Only the inline
 * functions and the user backend access them, without exchanges, doorbells and scans.
 */
#define PRIVATE_WORDS	(1U << 31)

/* Both set *@handle only on success, and then @setup to the effective configuration. */
int kernel_open(struct handle **handle, struct wheel_setup *setup);
int user_open(struct handle **handle, struct wheel_setup *setup, __u32 mode);

/* handle.c */
int handle_init(struct handle *handle, const struct backend *backend);
int handle_words_map(struct handle *handle, int fd);
void handle_exit(struct handle *handle);

/*
 * ops.c: operations as batches, and single operations as a batch of one. They return the values of
 * the public functions.
 */
int ops_submit(struct handle *handle, struct wheel_op *ops, __u32 count,
	       struct wheel_submit *batch);
int op_do(struct handle *handle, struct wheel_op *op);
int op_arm_with(struct handle *handle, __u32 flags, __u64 id, __u64 when,
		__u64 cookie);
int op_arm(struct handle *handle, __u64 id, __u64 when, __u64 cookie);
int op_rearm_with(struct handle *handle, __u32 flags, __u64 id, __u64 when);
int op_rearm(struct handle *handle, __u64 id, __u64 when);
int op_rearm_or_arm(struct handle *handle, uint64_t *id, __u64 when, __u64 cookie);
int op_cancel(struct handle *handle, __u64 id);

/*
 * open.c: libwheel_open(). If @slots is not 0, the wheel has this number of slots, with words.
 */
int options_open(struct libwheel **wheel, const struct libwheel_options *options, __u32 slots);

/* strerror.c: fail with -EINVAL. libwheel_strerror() returns @cause, a literal. */
int invalid(const char *cause);
/* ops.c: the same for an operation whose result is @res. Returns @res. */
int op_result(const struct handle *handle, const struct wheel_op *op, int res);

/* CLOCK_* of each WHEEL_CLOCK_*, except VIRTUAL. */
extern const clockid_t clock_ids[WHEEL_CLOCK_VIRTUAL];

/* Returns the time of a system clock in nanoseconds. The clock is not VIRTUAL. */
static inline __u64 clock_read(__u32 clock)
{
	struct timespec now;

	clock_gettime(clock_ids[clock], &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline struct handle *handle_of(const struct libwheel *wheel)
{
	return (struct handle *)wheel;
}

static inline struct handle *handle_of_set(const struct libwheel_timeouts *timeouts)
{
	return (struct handle *)((char *)timeouts - offsetof(struct handle, timeouts));
}

/* Execute a command, except in a child of fork(). */
static inline int handle_command(struct handle *handle, unsigned long command, void *arg)
{
	return *handle->ours ? handle->backend->command(handle, command, arg) : -ECHILD;
}

#endif
