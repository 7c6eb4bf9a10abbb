/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests of /dev/wheel share these: one function a command, with every output
 * poisoned before the call and every answer checked for form after it.
 */
#ifndef _WHEEL_TEST_H
#define _WHEEL_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/wheel_timer.h>

#include "wheel_machine.h"

#define WT_DEVICE	"/dev/wheel"
#define WT_POISON	0xcc

/*
 * Limit of the kselftest harness, in seconds by the clock. It must not expire on a busy machine:
 * tests/vm/boot detects a test that hangs, by the guest's own time.
 */
#define WT_TIMEOUT	36000

/* An ioctl that should have succeeded failed with errno e. */
#define WT_CALL(e)	(-100000 - (e))
/* An answer has not the form that the contract gives it. */
#define WT_LIES		(-200000)

#define WT_TEST(fixture, name) TEST_F_TIMEOUT(fixture, name, WT_TIMEOUT)

/* Of TEST(); the harness's own is half a minute. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	WT_TIMEOUT

/* Files. All return a file descriptor or a negative errno. */
int wt_open(int flags);
int wt_open_setup(int flags, struct wheel_setup *setup);
int wt_open_virtual(__u32 timers, __u64 tick_ns);
int wt_open_clock(__u32 clock, __u32 timers, __u64 tick_ns);

/* Commands. All return 0 or a negative errno. */
int wt_ioctl(int fd, unsigned long cmd, void *arg);
int wt_setup(int fd, struct wheel_setup *setup);
int wt_info(int fd, struct wheel_setup *setup);
__u64 wt_features(void);
int wt_submit(int fd, struct wheel_op *ops, __u32 count,
	      struct wheel_submit *batch);
int wt_batch(int fd, struct wheel_op *ops, __u32 count);
int wt_list(int fd, __u32 flags, struct wheel_op *timers, __u32 count,
	    struct wheel_list *list);
int wt_stop(int fd, __u64 *unfired);
int wt_advance(int fd, __u64 now, __u64 *next);
int wt_stats(int fd, struct wheel_stats *stats);
bool wt_balanced(const struct wheel_stats *stats);

/*
 * At a quiescent point the counters are these, and those that are not named are 0:
 * EXPECT_LEDGER(fd, .armed = 2, .fired = 1). The rest is pending.
 */
#define EXPECT_LEDGER(fd, ...) do { \
	const struct wheel_stats ledger = { __VA_ARGS__ }; \
	struct wheel_stats stats; \
	\
	ASSERT_EQ(0, wt_stats(fd, &stats)); \
	EXPECT_EQ(ledger.armed, stats.armed); \
	EXPECT_EQ(ledger.fired, stats.fired); \
	EXPECT_EQ(ledger.cancelled, stats.cancelled); \
	EXPECT_EQ(ledger.rearmed, stats.rearmed); \
	EXPECT_EQ(ledger.requeued, stats.requeued); \
	EXPECT_EQ(ledger.refused, stats.refused); \
	EXPECT_EQ(ledger.overruns, stats.overruns); \
	EXPECT_EQ(ledger.unread, stats.unread); \
	EXPECT_TRUE(wt_balanced(&stats)); \
} while (0)

/* Operations. All return wheel_op.res, or WT_CALL() when the call failed. */
struct wheel_op wt_op(__u32 op, __u64 id, __u64 when);
int wt_do(int fd, struct wheel_op *op);
int wt_arm(int fd, __u64 id, __u64 when);
int wt_arm_rel(int fd, __u64 id, __u64 delay);
int wt_arm_every(int fd, __u64 id, __u64 when, __u64 period);
int wt_rearm(int fd, __u64 id, __u64 when);
int wt_cancel(int fd, __u64 id);
int wt_query(int fd, __u64 id, __u64 *when);
/* Arm slots 0 .. count-1, generation gen, all for the same time. */
int wt_arm_many(int fd, __u32 count, __u64 gen, __u64 when);

/* Events: how many came, or a negative errno. */
int wt_read(int fd, struct wheel_event *events, size_t room);
/* Read until it would block, or until there are at least want events. */
int wt_read_all(int fd, struct wheel_event *events, size_t room, size_t want);
/* Nothing to read now? */
bool wt_quiet(int fd);
int wt_next(int fd, struct wheel_event *event);
int wt_run(int fd);
/* Wait on poll() until readable. */
int wt_wait(int fd);

/* The first tick boundary that is not before t. */
static inline __u64 wt_boundary(__u64 t, __u64 tick)
{
	return (t / tick + !!(t % tick)) * tick;
}

/* The address of a buffer as the ABI has it. */
static inline __u64 wt_addr(const void *p)
{
	return (uintptr_t)p;
}

#endif
