/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random operations on a wheel, also by its callbacks, compared with the oracle of the host's
 * tests. The log contains the seed; the module parameter "seed" repeats a run.
 */
#ifndef _WHEEL_KUNIT_MODEL_H
#define _WHEEL_KUNIT_MODEL_H

#include "oracle.h"
#include "schemes.h"

#define MODEL_TIMERS	150

/**
 * struct model_kind - What differs between the owners of the wheel
 * @make: create the fixture
 * @batch: execute a random batch of operations, or NULL
 */
struct model_kind {
	struct rig	*(*make)(struct kunit *test, const struct wheel_config *config, u32 count);
	void		(*batch)(void);
};

/**
 * struct shadow - Expected state of a timer
 * @oracle: timer of the oracle
 * @deadline: current deadline, also after a push
 * @running: true while its callback is running
 */
struct shadow {
	struct oracle_timer	oracle;
	u64			deadline;
	bool			running;
};

/**
 * struct model - Expected state of a wheel
 * @kind: kind of the wheel
 * @rig: fixture with the wheel
 * @oracle: model of its core
 * @shadows: state of its timers
 * @stats: expected counters
 * @tick: tick length
 * @now: current time of the clock
 * @until: tick of @now
 * @next: next expiry, as returned by the last pass
 * @doubt: a callback has moved timers, so that @next may be too early
 * @wrong: first assertion that failed, or NULL
 * @culprit: timer that it was about
 */
struct model {
	const struct model_kind	*kind;
	struct rig		*rig;
	struct oracle		oracle;
	struct shadow		shadows[MODEL_TIMERS];
	struct wheel_stats	stats;
	u64			tick;
	u64			now;
	u64			until;
	u64			next;
	bool			doubt;
	const char		*wrong;
	u32			culprit;
};

extern struct model *model;

void model_run(struct kunit *test, const struct model_kind *kind);

u64 model_random(u64 below);
u64 model_deadline(void);
void model_check(bool right, const char *claim, u32 id);
int model_arm(struct shadow *shadow, u64 deadline, u64 slack);
int model_cancel(struct shadow *shadow);

#endif
