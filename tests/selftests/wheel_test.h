/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of the tests of /dev/wheel: one function per command. Each poisons the outputs
 * before the call and checks the form of the results after it.
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
 * Limit of the kselftest harness, in seconds of real time. It must not expire on a busy machine:
 * tests/vm/boot detects a hanging test, by the time of the guest.
 */
#define WT_TIMEOUT	36000

/* An ioctl failed with errno e, but should have succeeded. */
#define WT_CALL(e)	(-100000 - (e))
/* A result violates the ABI. */
#define WT_LIES		(-200000)

#define WT_TEST(fixture, name) TEST_F_TIMEOUT(fixture, name, WT_TIMEOUT)

/* A variant, for macros that define one line of a table. */
#define WT_VARIANT(fixture, name, ...) FIXTURE_VARIANT_ADD(fixture, name) { __VA_ARGS__ }

/* Timeout of TEST(). The default of the harness is 30 s. */
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
 * Compare the counters at a quiescent point. Counters that are not listed must be 0:
 * EXPECT_LEDGER(fd, .armed = 2, .fired = 1). The remaining timers are pending.
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

/* Operations. All return wheel_op.res, or WT_CALL() if the call failed. */
struct wheel_op wt_op(__u32 op, __u64 id, __u64 when);
int wt_do(int fd, struct wheel_op *op);
int wt_arm(int fd, __u64 id, __u64 when);
int wt_arm_rel(int fd, __u64 id, __u64 delay);
int wt_arm_every(int fd, __u64 id, __u64 when, __u64 period);
int wt_rearm(int fd, __u64 id, __u64 when);
int wt_cancel(int fd, __u64 id);
int wt_query(int fd, __u64 id, __u64 *when);
/* Arm slots 0 .. count-1 with generation gen, all for the same deadline. */
int wt_arm_many(int fd, __u32 count, __u64 gen, __u64 when);
/* Execute an operation on @count slots, from that of its id on. */
int wt_arm_like(int fd, __u32 count, struct wheel_op first);

/* Events. All return the number of events, or a negative errno. */
int wt_read(int fd, struct wheel_event *events, size_t room);
/* Read until the file has no more events, or until @want events were read. */
int wt_read_all(int fd, struct wheel_event *events, size_t room, size_t want);
/* True if the file is not readable. */
bool wt_quiet(int fd);
int wt_next(int fd, struct wheel_event *event);
int wt_run(int fd);
/* Wait on poll() until readable. */
int wt_wait(int fd);

/* The first tick boundary at or after t. */
static inline __u64 wt_boundary(__u64 t, __u64 tick)
{
	return (t / tick + !!(t % tick)) * tick;
}

/* The address of a buffer, in the form that the ABI uses. */
static inline __u64 wt_addr(const void *p)
{
	return (uintptr_t)p;
}

#endif
