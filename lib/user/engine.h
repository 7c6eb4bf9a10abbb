/* SPDX-License-Identifier: MIT */
/*
 * The engine of the user backend, which also implements the functions that slots/env.h declares,
 * on top of the core. It takes no lock, starts no pass on its own, and reads no clock.
 */
#ifndef LIBWHEEL_ENGINE_H
#define LIBWHEEL_ENGINE_H

#include "../../slots/env.h"

typedef enum wheel_claim (*wheel_claim_fn)(void *data, struct wheel_timer *timer, u64 due,
					   u64 *deadline);

/**
 * struct wheel - a wheel and its time
 * @core: the wheel
 * @memory: memory of its rings
 * @setup: effective configuration
 * @claim: decides whether a timer expires; NULL: its deadline decides
 * @data: data of the owner
 * @now: time that the owner has read last
 * @pass_tick: tick up to which timers were expired last
 * @scan_tick: tick of the next scan of the words; WHEEL_NO_TICK: none
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
	u64 pass_tick;
	u64 scan_tick;
	bool scanning;
	struct wheel_stats counts;
};

int wheel_clock_check(const struct wheel_setup *setup);
int wheel_create(struct wheel *wheel, const struct wheel_setup *setup);
void wheel_destroy(struct wheel *wheel);

/* True if a timer or a scan is due. */
bool wheel_is_due(const struct wheel *wheel);
/* True if a scan is due. It precedes the expiry of timers. */
bool wheel_scan_is_due(const struct wheel *wheel);
/* Time of the next timer or scan, or WHEEL_NEVER. */
u64 wheel_next(const struct wheel *wheel);
/* Remove and return the next timer that expires; NULL if no other timer is due. */
struct wheel_timer *wheel_expire(struct wheel *wheel);
/* Cancel and return any pending timer; NULL if none is pending. */
struct wheel_timer *wheel_unfired(struct wheel *wheel);

/* True for clocks that the administrator can set. */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

#endif
