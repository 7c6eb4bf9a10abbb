/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites share this: a rig is a wheel, its timers, and a record of their
 * calls. The invariants of every wheel are checked at each rig's end,
 * so no test has to ask for it.
 */
#ifndef _WHEEL_KUNIT_RIG_H
#define _WHEEL_KUNIT_RIG_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/time64.h>
#include <linux/wheel_timer.h>
#include <linux/workqueue.h>

/* Ticks of a rig that does not care. */
#define TICK		1000ULL

/* Buckets of every rig. */
#define BUCKETS		256

/* Buckets, and so ticks of a revolution, of a rig with WHEEL_BOUNDED. */
#define BOUNDED_BUCKETS	65536

struct probe;
struct rig;

typedef void (*probe_fn)(struct probe *probe);

/* The parameter of a test that is run for more than one scheme. */
struct rig_scheme {
	char	desc[16];
	u32	scheme;
};

/**
 * struct rig_bench - what the rigs of a test have in common
 * @scheme: of their wheels
 * @rigs: all of them, to be taken down in the end
 */
struct rig_bench {
	u32		scheme;
	struct rig	*rigs;
};

/**
 * struct probe - a timer and what became of it
 * @timer: under test
 * @rig: that it belongs to
 * @action: what its callback does when it has been counted
 * @other: for @action to work on
 * @period: for @action to go on with
 * @seen: the clock, read by its last callback
 * @missed: sum of the periods that @action was told it missed
 * @answer: what @action got
 * @id: index in the rig
 * @calls: of its callback
 */
struct probe {
	struct wheel_timer	timer;
	struct rig		*rig;
	probe_fn		action;
	struct probe		*other;
	u64			period;
	u64			seen;
	u64			missed;
	long			answer;
	u32			id;
	u32			calls;
};

/**
 * struct rig - a wheel under test
 * @test: that built it
 * @next: rig of the same test
 * @wheel: under test; NULL once it is destroyed
 * @probes: its timers
 * @log: ids in the order of their calls, the first @room ones
 * @count: of @probes
 * @room: of @log
 * @calls: callbacks that have come
 * @early: of these, that saw a clock before the deadline
 * @awaited: @done is completed by this call
 * @clock: of the wheel
 * @shared: others arm the timers while they fire: the deadline that a callback
 *	reads may be a newer one, and tells nothing about @early
 * @done: see @awaited
 * @entered: completed by a callback that now waits for @gate
 * @gate: opened for it by the test
 * @opener: opens @gate in a while
 * @stats: as rig_stats() read them last
 * @own: what the test keeps with it
 * @rnd: the test's own source of numbers, always the same ones
 */
struct rig {
	struct kunit		*test;
	struct rig		*next;
	struct wheel		*wheel;
	struct probe		*probes;
	u32			*log;
	u32			count;
	u32			room;
	u32			calls;
	u32			early;
	u32			awaited;
	u32			clock;
	bool			shared;
	struct completion	done;
	struct completion	entered;
	struct completion	gate;
	struct delayed_work	opener;
	struct wheel_stats	stats;
	void			*own;
	struct rnd_state	rnd;
};

struct rig *rig_new(struct kunit *test, const struct wheel_config *config,
		    u32 count);
struct rig *rig_virtual(struct kunit *test, u64 tick, u32 count);
struct rig *rig_running(struct kunit *test, u32 flags, u64 tick, u32 count);
void rig_destroy(struct rig *rig);
int rig_init(struct kunit *test);
int rig_init_scheme(struct kunit *test);
void rig_exit(struct kunit *test);

int rig_arm(struct rig *rig, u32 id, u64 deadline);
int rig_arm_slack(struct rig *rig, u32 id, u64 deadline, u64 slack);
bool rig_push(struct rig *rig, u32 id, u64 deadline);
u64 rig_advance(struct rig *rig, u64 now);
u64 rig_now(const struct rig *rig);
void rig_step_clock(s64 ns);
u64 rig_random(struct rig *rig, u64 below);
const struct wheel_stats *rig_stats(struct rig *rig);
void rig_await(struct rig *rig, u32 calls);
void rig_wait(struct rig *rig);
void rig_wait_for(struct rig *rig, struct completion *event);
void rig_expect_log(struct rig *rig, const u32 *ids, u32 count);
void rig_expect_call_at(struct rig *rig, u64 due, u64 step);
void rig_open_gate_soon(struct rig *rig);
void rig_pass_gate(struct probe *probe);

void probe_fire(struct wheel_timer *timer);
void probe_arm_next(struct probe *probe);

u64 due_at(u64 deadline, u64 now, u64 tick);
#endif
