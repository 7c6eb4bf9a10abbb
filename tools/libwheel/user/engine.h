/* SPDX-License-Identifier: MIT */
/*
 * The engine of a wheel in the program: what the in-kernel API offers its device,
 * over the bare wheel. It takes no lock and makes no pass of its own accord; the time
 * is what its owner says.
 */
#ifndef LIBWHEEL_ENGINE_H
#define LIBWHEEL_ENGINE_H

#include <linux/wheel_timer.h>

#include "../../../wheel.h"

#define WHEEL_NEVER	(~(u64)0)

/* The fate of a timer whose filed time has come. */
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
 * @memory: its rings
 * @setup: what is in force
 * @claim: decides on timers whose time has come; NULL: their deadlines do
 * @data: its owner's
 * @now: the clock, as its owner read it last
 * @look: when its owner wants to look for timers; WHEEL_NEVER: not at all
 * @looking: the owner looks: what is armed may be due at the tick that has just begun

 * @counts: counters
 */
struct wheel {
	struct wheel_core core;
	void *memory;
	const struct wheel_setup *setup;
	wheel_claim_fn claim;
	void *data;
	u64 now;
	u64 look;
	bool looking;

	struct wheel_stats counts;
};

int wheel_setup_check(const struct wheel_setup *setup);
void wheel_setup_resolve(struct wheel_setup *setup);
int wheel_create(struct wheel *wheel, const struct wheel_setup *setup);
void wheel_destroy(struct wheel *wheel);

/* Is a timer due by its tick, or a look? */
bool wheel_is_due(const struct wheel *wheel);
/* Is the owner to look for timers, before those are taken that are due? */
bool wheel_look_is_due(const struct wheel *wheel);
/* When the earliest timer is due by its tick, or looked at; WHEEL_NEVER: none pends. */
u64 wheel_next(const struct wheel *wheel);
/* The next timer that is due, it has fired; or NULL: that is all. */
struct wheel_timer *wheel_expire(struct wheel *wheel);
/* Any pending timer, cancelled; or NULL: there is none. */
struct wheel_timer *wheel_unfired(struct wheel *wheel);

/* As in the kernel, where a header says what they do. */
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

/* Clocks that the administrator may set. */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

#endif
