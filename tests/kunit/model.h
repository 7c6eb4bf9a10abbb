/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reference model of a wheel: an array that is searched linearly.
 *
 * If slack permits the wheel a choice, the model computes only the range of due ticks, and does
 * not check the order of such timers.
 */
#ifndef _WHEEL_KUNIT_MODEL_H
#define _WHEEL_KUNIT_MODEL_H

#include "rig.h"

#define MODEL_TIMERS	150
#define MODEL_LIMIT	120
#define MODEL_BATCH	(3 * WHEEL_BATCH + 7)

/**
 * struct shadow - State of one timer in the model
 * @deadline: current deadline
 * @slack: slack of the last arm
 * @first: earliest due time in nanoseconds
 * @last: latest due time in nanoseconds; equal to @first without slack
 * @look: earliest time at which the wheel examines the timer, in nanoseconds
 * @filed: latest time at which the wheel examines the timer; equal to @look without slack
 * @seq: sequence number of the last arm; orders timers of one tick
 * @pushed: true if the timer was pushed, so that its order within its tick is undefined
 * @pending: true if armed, and not yet expired or cancelled
 * @running: true while its callback is running
 */
struct shadow {
	u64	deadline;
	u64	slack;
	u64	first;
	u64	last;
	u64	look;
	u64	filed;
	u64	seq;
	bool	pushed;
	bool	pending;
	bool	running;
};

/**
 * struct model - State of the model
 * @rig: fixture with the wheel
 * @shadows: state of its timers
 * @stats: expected counters
 * @tick: tick length
 * @now: current time of the clock
 * @seq: number of arms so far
 * @bounded: true if the wheel rejects deadlines beyond its revolution
 * @meddled: true if a callback of the current pass has operated on other timers
 * @wrong: first assertion that failed, or NULL
 * @culprit: timer that it was about
 * @arms: batch of arms
 * @timers: batch of cancels
 * @res: results of a batch
 */
struct model {
	struct rig		*rig;
	struct shadow		shadows[MODEL_TIMERS];
	struct wheel_stats	stats;
	u64			tick;
	u64			now;
	u64			seq;
	bool			bounded;
	bool			meddled;
	const char		*wrong;
	u32			culprit;
	struct wheel_arm	arms[MODEL_BATCH];
	struct wheel_timer	*timers[MODEL_BATCH];
	int			res[MODEL_BATCH];
};

/* Only one test uses it at a time. */
extern struct model *model;

void model_check(bool right, const char *claim, u32 id);
bool model_beyond(u64 deadline);
bool model_full(void);

/* Expected results of the operations, which are also applied to the model. */
int model_arm(struct shadow *shadow, u64 deadline, u64 slack);
int model_rearm(struct shadow *shadow, u64 deadline);
int model_mod(struct shadow *shadow, u64 deadline);
bool model_push(struct shadow *shadow, u64 deadline);
int model_cancel(struct shadow *shadow);

void model_called(u32 id);
void model_advanced(u64 next);
void model_compare_stats(void);
#endif
