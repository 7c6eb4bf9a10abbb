// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring timeouts. To cancel a timeout, the kernel searches the list of all timeouts,
 * starting with the oldest. Operations therefore start with the oldest timeouts. There is
 * no operation that reads the deadline of a timeout.
 */
#include <errno.h>
#include <liburing.h>

#include "contestant.h"
#include "machine.h"

/* user_data of a cancel or an update. */
#define CONTROL		0x100000000ULL
#define COMPLETIONS	65536

/* Linux 6.4. */
#ifndef IORING_TIMEOUT_MULTISHOT
#define IORING_TIMEOUT_MULTISHOT	(1U << 6)
#endif

static struct io_uring ring;
/* The entries are submitted by the call that waits. */
static bool deferred;
static struct __kernel_timespec times[MOST_BATCH];

static void open_ring(__u32 count, unsigned int with)
{
	struct io_uring_params params = {
		.flags		= IORING_SETUP_CQSIZE |
				  IORING_SETUP_SINGLE_ISSUER |
				  IORING_SETUP_DEFER_TASKRUN,
		.cq_entries	= COMPLETIONS,
	};

	(void)count;
	deferred = with & WITH_WAIT;
	errno = -io_uring_queue_init_params(MOST_BATCH, &ring, &params);
	if (errno)
		die("io_uring_setup");
	if (io_uring_register_ring_fd(&ring) != 1)
		die("io_uring_register_ring_fd");
}

static void close_ring(void)
{
	io_uring_queue_exit(&ring);
}

/* Consume all completions. Returns the number of timeouts among them. */
static __u32 reap(void)
{
	struct io_uring_cqe *cqe;
	__u32 timeouts = 0;
	__u32 seen = 0;
	unsigned int head;

	io_uring_for_each_cqe(&ring, head, cqe) {
		seen++;
		if (!(cqe->user_data & CONTROL))
			timeouts++;
		else if (cqe->res < 0)
			die("a cancel or an update failed");
	}
	io_uring_cq_advance(&ring, seen);
	return timeouts;
}

/* Submit @n entries, and wait for @complete completions. */
static void go(__u32 n, __u32 complete)
{
	int done = complete ? io_uring_submit_and_wait(&ring, complete) :
			      io_uring_submit(&ring);

	if (done != (int)n)
		die("io_uring_enter");
}

static inline struct __kernel_timespec *time_of(__u32 i, __u64 deadline)
{
	times[i].tv_sec = (long long)(deadline / NSEC);
	times[i].tv_nsec = (long long)(deadline % NSEC);
	return &times[i];
}

static void arm_batch(const __u32 *timers, const __u64 *deadlines, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

		io_uring_prep_timeout(sqe, time_of(i, deadlines[i]), 0,
				      IORING_TIMEOUT_ABS);
		sqe->user_data = timers[i];
	}
	if (!deferred)
		go(n, 0);
}

static void rearm_batch(const __u32 *timers, const __u64 *deadlines, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

		io_uring_prep_timeout_update(sqe, time_of(i, deadlines[i]),
					     timers[i], IORING_TIMEOUT_ABS);
		sqe->user_data = CONTROL;
		sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	}
	go(n, 0);
	if (reap())
		die("a timeout fired while it was updated");
}

/* Each cancelled timeout posts a completion. The cancel itself need not. */
static void cancel_batch(const __u32 *timers, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

		io_uring_prep_timeout_remove(sqe, timers[i], 0);
		sqe->user_data = CONTROL;
		sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
	}
	go(n, n);
	if (reap() != n)
		die("not every timeout was cancelled");
}

static void arm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		__u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		arm_batch(timers + i, deadlines + i, least(batch, n - i));
}

static void rearm(const __u32 *timers, const __u64 *deadlines, __u32 n,
		  __u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		rearm_batch(timers + i, deadlines + i, least(batch, n - i));
}

static void cancel(const __u32 *timers, __u32 n, __u32 batch)
{
	__u32 i;

	for (i = 0; i < n; i += batch)
		cancel_batch(timers + i, least(batch, n - i));
}

/* Take all completions; io_uring does not limit their number. */
static __u32 take(__u32 batch)
{
	(void)batch;
	io_uring_get_events(&ring);
	return reap();
}

/* Arm all new timeouts and wait, with one system call. */
static __u32 wait_for_due(__u64 until)
{
	if (until != NEVER)
		die("io_uring waits without a timeout");
	if (io_uring_submit_and_wait(&ring, 1) < 0)
		die("io_uring_enter");
	return reap();
}

static void repeat(__u32 timer, __u64 period)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	/* A count of 0 repeats indefinitely. */
	io_uring_prep_timeout(sqe, time_of(0, period), 0, IORING_TIMEOUT_MULTISHOT);
	sqe->user_data = timer;
	go(1, 0);
}

const struct contestant uring = {
	.name = "io_uring", .oldest = true, .calls = true, .wakes = true,
	.open = open_ring, .close = close_ring, .take = take, .wait = wait_for_due,
	.repeat = repeat,
	.arm = arm, .rearm = rearm, .cancel = cancel,
};
