/* SPDX-License-Identifier: MIT */
/*
 * The engine of the user backend: the functions that the in-kernel API provides to the device,
 * on top of the core. It takes no lock, starts no pass on its own, and reads no clock.
 */
#ifndef LIBWHEEL_ENGINE_H
#define LIBWHEEL_ENGINE_H

#include <linux/wheel_timer.h>

#include "../../../wheel.h"

#define WHEEL_NEVER	(~(u64)0)

/* Decision about a timer at the time for which it was queued: expire, requeue or drop it. */
enum wheel_claim {
	WHEEL_FIRE,
	WHEEL_LATER,
	WHEEL_GONE,
};

typedef enum wheel_claim (*wheel_claim_fn)(struct wheel_timer *timer, u64 due,
					   u64 *deadline);

/**
 * struct wheel - a wheel and its time
 * @core: the wheel
 * @memory: memory of its rings
 * @setup: effective configuration
 * @claim: decides whether a timer expires; NULL: its deadline decides
 * @data: data of the owner
 * @now: time that the owner has read last
 * @scan_time: time of the next scan of the words; WHEEL_NEVER: none
 * @scanning: true during this scan: a timer that it queues may be due at the current tick
 * @counts: counters
 */
struct wheel {
	struct wheel_core core;
	void *memory;
	const struct wheel_setup *setup;
	wheel_claim_fn claim;
	void *data;
	u64 now;
	u64 scan_time;
	bool scanning;
	struct wheel_stats counts;
};

int wheel_setup_check(const struct wheel_setup *setup);
void wheel_setup_resolve(struct wheel_setup *setup);
int wheel_create(struct wheel *wheel, const struct wheel_setup *setup);
void wheel_destroy(struct wheel *wheel);

/* True if a timer or a scan is due. */
bool wheel_is_due(const struct wheel *wheel);
/* True if a scan is due. It precedes the expiry of timers. */
bool wheel_look_is_due(const struct wheel *wheel);
/* Time of the next timer or scan, or WHEEL_NEVER. */
u64 wheel_next(const struct wheel *wheel);
/* Remove and return the next timer that expires; NULL if no other timer is due. */
struct wheel_timer *wheel_expire(struct wheel *wheel);
/* Cancel and return any pending timer; NULL if none is pending. */
struct wheel_timer *wheel_unfired(struct wheel *wheel);

/* As in the in-kernel API, include/linux/wheel_timer.h. */
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function);
int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel_locked(struct wheel_timer *timer);

void wheel_scan_at(struct wheel *wheel, u64 time);

static inline struct wheel *wheel_timer_wheel(const struct wheel_timer *timer)
{
	return (struct wheel *)timer->base;
}

static inline void *wheel_data(const struct wheel *wheel)
{
	return wheel->data;
}

static inline bool wheel_timer_pending(const struct wheel_timer *timer)
{
	return !(timer->deadline & WHEEL_IDLE);
}

static inline u64 wheel_timer_deadline(const struct wheel_timer *timer)
{
	return timer->deadline & ~WHEEL_IDLE;
}

static inline u64 wheel_timer_fired(const struct wheel_timer *timer)
{
	return timer->fired;
}

/* True for clocks that the administrator can set. */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

#endif
