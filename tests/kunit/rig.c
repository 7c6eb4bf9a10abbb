// SPDX-License-Identifier: GPL-2.0
#include "schemes.h"

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

const struct rig_scheme rig_schemes[] = {
	{ "hashed", WHEEL_HASHED },
	{ "hierarchical", WHEEL_HIERARCHICAL },
	{ "overflow", WHEEL_OVERFLOW },
	{ "bounded", WHEEL_BOUNDED },
};

const struct rig_scheme rig_far_schemes[] = {
	{ "hashed", WHEEL_HASHED },
	{ "hierarchical", WHEEL_HIERARCHICAL },
	{ "overflow", WHEEL_OVERFLOW },
};

const struct rig_scheme rig_many_schemes[] = {
	{ "hashed", WHEEL_HASHED },
	{ "hierarchical", WHEEL_HIERARCHICAL },
};

/* Init function of all suites without parameters. */
int rig_init(struct kunit *test)
{
	struct rig_bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	if (!bench)
		return -ENOMEM;
	bench->scheme = WHEEL_HASHED;
	test->priv = bench;
	return 0;
}

/* Init function of suites whose tests are run with several schemes. */
int rig_init_scheme(struct kunit *test)
{
	const struct rig_scheme *param = test->param_value;
	int error = rig_init(test);
	struct rig_bench *bench = test->priv;

	if (!error && param)
		bench->scheme = param->scheme;
	return error;
}

static void open_gate(struct work_struct *work)
{
	struct rig *rig = container_of(work, struct rig, opener.work);

	complete_all(&rig->gate);
}

/**
 * rig_make() - Create a fixture: a wheel and its timers, none of them armed
 * @test: test that uses it
 * @config: configuration of the wheel; WHEEL_DEFAULT is replaced by the scheme of the test
 * @kind: owner of the wheel
 * @data: passed to the create function of @kind
 * @count: number of timers
 *
 * Return: the fixture. If it cannot be created, the test is aborted.
 */
struct rig *rig_make(struct kunit *test, const struct wheel_config *config,
		     const struct rig_kind *kind, void *data, u32 count)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	struct rig_bench *bench = test->priv;
	struct wheel_config own = *config;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	if (!own.scheme) {
		own.scheme = bench->scheme;
		if (own.scheme == WHEEL_BOUNDED)
			own.buckets = BOUNDED_BUCKETS;
	}
	rig->test = test;
	rig->clock = config->clock;
	rig->count = count;
	rig->room = 2 * count;
	init_completion(&rig->done);
	init_completion(&rig->entered);
	init_completion(&rig->gate);
	INIT_DELAYED_WORK(&rig->opener, open_gate);
	prandom_seed_state(&rig->rnd, 1);
	rig->next = bench->rigs;
	bench->rigs = rig;

	rig->probes = kvcalloc(count, sizeof(*rig->probes), GFP_KERNEL);
	rig->log = kvcalloc(rig->room, sizeof(*rig->log), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->probes);
	KUNIT_ASSERT_NOT_NULL(test, rig->log);

	rig->kind = kind;
	rig->wheel = kind->create(&own, data);
	if (IS_ERR(rig->wheel)) {
		long error = PTR_ERR(rig->wheel);

		rig->wheel = NULL;
		KUNIT_FAIL_AND_ABORT(test, "cannot create a wheel: %ld", error);
	}
	for (i = 0; i < count; i++) {
		rig->probes[i].rig = rig;
		rig->probes[i].id = i;
		wheel_timer_init(&rig->probes[i].timer, rig->wheel, probe_fire);
	}
	return rig;
}

/* Lock the wheel of a timer for an operation. Returns its fixture. */
static struct rig *hold(const struct wheel_timer *timer)
{
	struct rig *rig = rig_of(timer);

	if (!rig->held)
		wheel_lock(rig->wheel);
	return rig;
}

/* Unlock it, and return the result of the operation. */
static int release(struct rig *rig, int result)
{
	if (!rig->held)
		wheel_unlock(rig->wheel);
	return result;
}

static int arm_owned(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct rig *rig = hold(timer);

	return release(rig, wheel_timer_arm_locked(timer, deadline, slack));
}

static int rearm_owned(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct rig *rig = hold(timer);

	return release(rig, wheel_timer_rearm_locked(timer, deadline, slack));
}

static int mod_owned(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct rig *rig = hold(timer);

	if (wheel_timer_pending(timer))
		return release(rig, wheel_timer_rearm_locked(timer, deadline, slack) ?: 1);
	return release(rig, wheel_timer_arm_locked(timer, deadline, slack));
}

static int cancel_owned(struct wheel_timer *timer)
{
	struct rig *rig = hold(timer);

	return release(rig, wheel_timer_cancel_locked(timer));
}

/* Data of create_owned(). */
struct ownership {
	const struct wheel_owner	*owner;
	void				*data;
};

static struct wheel *create_owned(const struct wheel_config *config, void *data)
{
	struct ownership *ownership = data;

	return wheel_create_owned(config, ownership->owner, ownership->data);
}

static const struct rig_kind owned_kind = {
	.create		= create_owned,
	.arm		= arm_owned,
	.rearm		= rearm_owned,
	.mod		= mod_owned,
	.cancel		= cancel_owned,
	.cancel_sync	= cancel_owned,
	.running	= -ENOENT,
};

/* Same as rig_make(), for a wheel whose owner is the test. */
struct rig *rig_new_owned(struct kunit *test, const struct wheel_config *config,
			  const struct wheel_owner *owner, void *data, u32 count)
{
	struct ownership ownership = { .owner = owner, .data = data };

	return rig_make(test, config, &owned_kind, &ownership, count);
}

/* Check the invariants that hold for any wheel while it is idle. */
static void expect_invariants(struct rig *rig)
{
	const struct wheel_stats *stats = rig_stats(rig);
	u64 late = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(stats->late); i++)
		late += stats->late[i];
	KUNIT_EXPECT_EQ(rig->test, rig->early, 0);
	KUNIT_EXPECT_EQ(rig->test, stats->armed,
			stats->fired + stats->cancelled + stats->pending);
	KUNIT_EXPECT_EQ(rig->test, stats->fired, rig->calls);
	KUNIT_EXPECT_EQ(rig->test, stats->fired, late);
}

static void rig_free(struct rig *rig)
{
	kvfree(rig->probes);
	kvfree(rig->log);
	rig->probes = NULL;
	rig->log = NULL;
}

/* Stop the wheel, check its counters, and free it and its timers. */
void rig_destroy(struct rig *rig)
{
	if (!rig->wheel)
		return;
	complete_all(&rig->gate);
	KUNIT_EXPECT_EQ(rig->test, wheel_stop(rig->wheel, NULL), 0);
	KUNIT_EXPECT_EQ(rig->test, rig_stats(rig)->pending, 0);
	expect_invariants(rig);
	wheel_destroy(rig->wheel);
	rig->wheel = NULL;
	rig_free(rig);
}

/* Exit function of all suites: destroy all fixtures of the test, even if it failed. */
void rig_exit(struct kunit *test)
{
	struct rig_bench *bench = test->priv;
	struct rig *rig;

	for (rig = bench->rigs; rig; rig = rig->next) {
		cancel_delayed_work_sync(&rig->opener);
		rig_destroy(rig);
		rig_free(rig);
	}
}

int rig_arm(struct rig *rig, u32 id, u64 deadline)
{
	return rig_arm_slack(rig, id, deadline, 0);
}

int rig_arm_slack(struct rig *rig, u32 id, u64 deadline, u64 slack)
{
	return rig->kind->arm(&rig->probes[id].timer, deadline, slack);
}

bool rig_push(struct rig *rig, u32 id, u64 deadline)
{
	return wheel_timer_push(&rig->probes[id].timer, deadline);
}

u64 rig_advance(struct rig *rig, u64 now)
{
	return wheel_advance_to(rig->wheel, now);
}

/* Read the clock independently of the wheel, except for a VIRTUAL clock. */
u64 rig_now(const struct rig *rig)
{
	switch (rig->clock) {
	case WHEEL_CLOCK_MONOTONIC:
		return ktime_get_ns();
	case WHEEL_CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	case WHEEL_CLOCK_REALTIME:
		return ktime_get_real_ns();
	case WHEEL_CLOCK_TAI:
		return ktime_get_clocktai_ns();
	default:
		return wheel_now(rig->wheel);
	}
}

/* Step the machine's real-time clock. The caller must set it back. */
void rig_step_clock(s64 ns)
{
	struct timespec64 now;

	ktime_get_real_ts64(&now);
	now = timespec64_add(now, ns_to_timespec64(ns));
	WARN_ON(do_settimeofday64(&now));
}

u64 rig_random(struct rig *rig, u64 below)
{
	u64 high = prandom_u32_state(&rig->rnd);
	u64 n = high << 32 | prandom_u32_state(&rig->rnd);
	u64 rest;

	div64_u64_rem(n, below, &rest);
	return rest;
}

const struct wheel_stats *rig_stats(struct rig *rig)
{
	/* A counter that the wheel does not write gets an impossible value. */
	memset(&rig->stats, 0xcc, sizeof(rig->stats));
	wheel_read_stats(rig->wheel, &rig->stats);
	return &rig->stats;
}

/* Make rig_wait() wait until the total number of callbacks is @calls. */
void rig_await(struct rig *rig, u32 calls)
{
	reinit_completion(&rig->done);
	WRITE_ONCE(rig->has_waiters, calls);
	/*
	 * Order the store of has_waiters before the read of calls. Pairs with the barrier in
	 * probe_fire(): at least one side completes done.
	 */
	smp_mb();
	if (READ_ONCE(rig->calls) >= calls)
		complete(&rig->done);
}

void rig_wait(struct rig *rig)
{
	rig_wait_for(rig, &rig->done);
}

void rig_wait_for(struct rig *rig, struct completion *event)
{
	if (!wait_for_completion_timeout(event, PATIENCE))
		KUNIT_FAIL_AND_ABORT(rig->test, "timed out; %u calls, %u has_waiters",
				     READ_ONCE(rig->calls), rig->has_waiters);
}

/* Expect exactly these callbacks, in this order. */
void rig_expect_log(struct rig *rig, const u32 *ids, u32 count)
{
	u32 i;

	KUNIT_ASSERT_EQ(rig->test, rig->calls, count);
	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ_MSG(rig->test, rig->log[i], ids[i], "call %u", i);
}

/* Open the gate after two jiffies, while the caller is inside a function that waits. */
void rig_open_gate_soon(struct rig *rig)
{
	schedule_delayed_work(&rig->opener, 2);
}

/* Action of a callback: sleep until the test opens the gate. */
void rig_pass_gate(struct probe *probe)
{
	complete(&probe->rig->entered);
	wait_for_completion(&probe->rig->gate);
}

/* Callback of all timers. Its action may free the timer. */
void probe_fire(struct wheel_timer *timer)
{
	struct probe *probe = from_wheel_timer(probe, timer, timer);
	struct rig *rig = probe->rig;

	probe->seen = rig_now(rig);
	if (!rig->shared && probe->seen < wheel_timer_deadline(timer))
		rig->early++;
	probe->calls++;
	if (rig->calls < rig->room)
		rig->log[rig->calls] = probe->id;
	WRITE_ONCE(rig->calls, rig->calls + 1);
	if (probe->action)
		probe->action(probe);
	/* Order the store of calls before the read of has_waiters. Pairs with rig_await(). */
	smp_mb();
	if (rig->calls == READ_ONCE(rig->has_waiters))
		complete(&rig->done);
}

MODULE_DESCRIPTION("KUnit tests of wheel_timer");
MODULE_LICENSE("GPL");
