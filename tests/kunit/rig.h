/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common test fixture: a wheel, its timers, and a log of their callbacks. The invariants of the
 * wheel are checked when the fixture is destroyed, so the tests need not check them.
 */
#ifndef _WHEEL_KUNIT_RIG_H
#define _WHEEL_KUNIT_RIG_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/time64.h>
#include <linux/wheel_timer_owner.h>
#include <linux/workqueue.h>

/* Default tick length in nanoseconds. */
#define TICK		1000ULL

/* Number of buckets, unless the scheme is WHEEL_BOUNDED. */
#define BUCKETS		256

/* Number of buckets of WHEEL_BOUNDED, and so of ticks per revolution. */
#define BOUNDED_BUCKETS	65536

/* Timeout of a test that waits for an event. No test depends on the duration of the wait. */
#define PATIENCE	(60 * HZ)

struct probe;
struct rig;

typedef void (*probe_fn)(struct probe *probe);

/* Parameter of a test that is run with several schemes. */
struct rig_scheme {
	char	desc[16];
	u32	scheme;
};

/**
 * struct rig_kind - Functions of wheels with one kind of owner
 * @create: create a wheel; @data is that of rig_make()
 * @arm: same as wheel_timer_arm(), as are the next three
 * @cancel_sync: cancel a timer, and wait until it does not run
 * @running: result of a cancel by the callback of the timer
 */
struct rig_kind {
	struct wheel	*(*create)(const struct wheel_config *config, void *data);
	int		(*arm)(struct wheel_timer *timer, u64 deadline, u64 slack);
	int		(*rearm)(struct wheel_timer *timer, u64 deadline, u64 slack);
	int		(*mod)(struct wheel_timer *timer, u64 deadline, u64 slack);
	int		(*cancel)(struct wheel_timer *timer);
	int		(*cancel_sync)(struct wheel_timer *timer);
	int		running;
};

/**
 * struct rig_bench - Data of a test
 * @scheme: scheme of its wheels
 * @rigs: list of its fixtures, destroyed at the end of the test
 */
struct rig_bench {
	u32		scheme;
	struct rig	*rigs;
};

/**
 * struct probe - Timer of a fixture, and the results of its callback
 * @timer: timer under test
 * @rig: fixture that contains it
 * @action: function that the callback calls after it has updated the counters, or NULL
 * @other: another timer, for use by @action
 * @seen: time of the clock, read by its last callback
 * @answer: result stored by @action
 * @id: index in the fixture
 * @calls: number of callbacks
 */
struct probe {
	struct wheel_timer	timer;
	struct rig		*rig;
	probe_fn		action;
	struct probe		*other;
	u64			seen;
	long			answer;
	u32			id;
	u32			calls;
};

/**
 * struct rig - Test fixture with a wheel
 * @test: test that created it
 * @next: next fixture of the same test
 * @wheel: wheel under test; NULL after it was destroyed
 * @probes: its timers
 * @log: ids of the timers in the order of their callbacks, the first @room of them
 * @count: number of @probes
 * @room: size of @log
 * @calls: number of callbacks so far
 * @early: number of callbacks that read a time before their deadline
 * @has_waiters: number of calls at which @done is completed
 * @clock: clock of the wheel
 * @shared: true if other tasks arm the timers concurrently. The deadline that a callback reads
 *	may then be a newer one, so @early is not updated
 * @done: see @has_waiters
 * @entered: completed by a callback that then waits for @gate
 * @gate: completed by the test
 * @opener: work item that completes @gate after a delay
 * @stats: counters, as last read by rig_stats()
 * @own: private data of the test
 * @kind: kind of the owner of the wheel
 * @held: true while the test, which is the owner, has locked the wheel and calls actions
 * @rnd: pseudo-random generator with a fixed seed
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
	u32			has_waiters;
	u32			clock;
	bool			shared;
	struct completion	done;
	struct completion	entered;
	struct completion	gate;
	struct delayed_work	opener;
	struct wheel_stats	stats;
	void			*own;
	const struct rig_kind	*kind;
	bool			held;
	struct rnd_state	rnd;
};

struct rig *rig_make(struct kunit *test, const struct wheel_config *config,
		     const struct rig_kind *kind, void *data, u32 count);
struct rig *rig_new_owned(struct kunit *test, const struct wheel_config *config,
			  const struct wheel_owner *owner, void *data, u32 count);
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
void rig_open_gate_soon(struct rig *rig);
void rig_pass_gate(struct probe *probe);

void probe_fire(struct wheel_timer *timer);

static inline struct rig *rig_of(const struct wheel_timer *timer)
{
	return container_of(timer, struct probe, timer)->rig;
}
#endif
