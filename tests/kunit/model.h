/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plain model of a wheel: an array, walked in full for every question.
 *
 * If slack lets the wheel choose, the model knows the window of ticks only,
 * and leaves out of the order what it cannot know.
 */
#ifndef _WHEEL_KUNIT_MODEL_H
#define _WHEEL_KUNIT_MODEL_H

#include "rig.h"

#define MODEL_TIMERS	150
#define MODEL_LIMIT	120

/**
 * struct shadow - what the model knows of one timer
 * @deadline: as it stands
 * @slack: as armed last
 * @first: nanosecond at which it is due at the earliest
 * @last: and at the latest; both are exact without slack
 * @look: nanosecond before which the wheel does not look at it
 * @filed: and by which it has, a slack's difference later
 * @seq: counts arms; decides between timers of one tick
 * @pushed: the wheel decides where in its tick it comes
 * @pending: armed, and not yet fired or cancelled
 * @running: in its callback
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
 * struct model - what it knows of the wheel
 * @rig: the wheel
 * @shadows: of its timers
 * @stats: what the wheel should have counted
 * @tick: length
 * @now: the clock
 * @seq: arms so far
 * @bounded: the wheel refuses what is beyond its revolution
 * @meddled: callbacks of the pass under way have used other timers
 * @wrong: the first claim that did not hold; NULL: none
 * @culprit: timer that it was about
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
};

/* One at a time. */
extern struct model *model;

void model_check(bool right, const char *claim, u32 id);
bool model_beyond(u64 deadline);
bool model_full(void);

/* The answer to each verb, which the model also carries out. */
int model_arm(struct shadow *shadow, u64 deadline, u64 slack);
int model_rearm(struct shadow *shadow, u64 deadline);
int model_mod(struct shadow *shadow, u64 deadline);
bool model_can_reduce(const struct shadow *shadow, u64 deadline);
int model_reduce(struct shadow *shadow, u64 deadline);
bool model_push(struct shadow *shadow, u64 deadline);
int model_cancel(struct shadow *shadow);

void model_called(u32 id);
void model_advanced(u64 next);
void model_compare_stats(void);
#endif
