/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of the engine for /dev/wheel, which runs the passes of its wheels itself. Exported
 * for tests only.
 *
 * wheel_lock() locks a wheel with an owner. Until wheel_unlock(), no function that takes the lock
 * may be called. wheel_timer_pending(), _deadline(), _fired(), _push() and _wheel(), wheel_now(),
 * and functions that return the configuration take no lock. Functions whose name ends in _locked,
 * wheel_step(), wheel_settle(), wheel_restart(), wheel_scan_at() and wheel_drain_some() require it.
 */
#ifndef _WHEEL_ENGINE_OWNER_H
#define _WHEEL_ENGINE_OWNER_H

#include <linux/hrtimer.h>
#include <linux/wheel_timer.h>

#define EXPORT_SYMBOL_FOR_TESTS	EXPORT_SYMBOL_GPL

/**
 * struct wheel_owner - Operations of an owner that runs the passes; @data is wheel_config.data
 * @interrupt: Called when the hrtimer expires, in hard interrupt or softirq context, with no lock
 *	held. Runs a short step, with wheel_trylock() and wheel_step(), or leaves the pass to
 *	the owner. Returns HRTIMER_NORESTART, or the value that wheel_restart() returned
 * @scan: Find timers to arm, at the time set by wheel_scan_at(). Called by wheel_step() with
 *	the wheel locked, before it takes timers that are due from this time on. A timer that is
 *	armed here may be due at the tick of this time, or, on a wheel with a limited range, at
 *	the current tick. A complete scan ends by setting the time of the next one; otherwise the
 *	next step continues the scan. Returns the number of timers examined, at most WHEEL_BATCH
 * @expire: Deliver @n due timers, in order; none is pending. @now is the time of the wheel's clock
 *	when they expired. Called by wheel_step() with the wheel locked
 */
struct wheel_owner {
	enum hrtimer_restart	(*interrupt)(void *data);
	unsigned int		(*scan)(void *data, u64 now);
	void			(*expire)(void *data, struct wheel_timer **due, unsigned int n,
					  u64 now);
};

void wheel_lock(struct wheel *wheel);
bool wheel_trylock(struct wheel *wheel);
void wheel_unlock(struct wheel *wheel);

int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel_locked(struct wheel_timer *timer);
void wheel_read_stats_locked(struct wheel *wheel, struct wheel_stats *stats);

bool wheel_step(struct wheel *wheel, u64 now, unsigned int max);
void wheel_settle(struct wheel *wheel);
u64 wheel_next_locked(const struct wheel *wheel);
enum hrtimer_restart wheel_restart(struct wheel *wheel, u64 from);
void wheel_scan_at(struct wheel *wheel, u64 time);
bool wheel_drain_some(struct wheel *wheel, struct list_head *unfired);

void *wheel_data(const struct wheel *wheel);
u32 wheel_number(const struct wheel *wheel);
u64 wheel_reach(const struct wheel *wheel);
clockid_t wheel_clockid(const struct wheel *wheel);
unsigned int wheel_batch_max(const struct wheel *wheel);
u64 wheel_limit_of(u32 scheme);
u32 wheel_buckets_for(const struct wheel_config *config);
size_t wheel_bytes_for(const struct wheel_config *config);

#endif
