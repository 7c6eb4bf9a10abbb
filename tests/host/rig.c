// SPDX-License-Identifier: GPL-2.0
#include "rig.h"

#include "ktap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A bucket with more timers keeps the minimum of a cancelled timer. */
#define CROWD	256

/* Allocate into @memory, which the previous harness may have used. */
static void *allocate(void **memory, size_t size)
{
	free(*memory);
	*memory = malloc(size);
	if (!*memory)
		abort();
	/* The wheel must not rely on uninitialized memory. */
	memset(*memory, 0xa5, size);
	return *memory;
}

/* The wheel must not access a timer that is not queued. */
static void poison(struct wheel_timer *t)
{
	memset(t, 0xa5, sizeof(*t));
	t->place = WHEEL_UNFILED;
}

/* Set the limits that depend on the scheme. */
static void promise(struct rig *rig, u32 buckets)
{
	const struct wheel_scheme *scheme = rig->wheel.scheme;
	struct oracle *o = &rig->oracle;

	o->coarsest = max(buckets / 16, (u32)1);
	if (scheme == &wheel_hierarchical)
		o->coarsest = (u64)1 << 63;
	if (scheme == &wheel_bounded)
		o->span = buckets;
}

void rig_init(struct rig *rig, u32 buckets, u64 tick_ns, unsigned int timers)
{
	const struct wheel_scheme *scheme = ktap_subject;
	static void *of_wheel, *of_timers;
	unsigned int i;

	buckets = wheel_buckets(scheme, buckets, 0);
	memset(rig, 0, sizeof(*rig));
	memset(&rig->wheel, 0xa5, sizeof(rig->wheel));
	rig->memory = allocate(&of_wheel, wheel_memory(buckets));
	/* With 0, a minimum that is not initialized is too small, which is detected. */
	memset(rig->memory, 0, wheel_memory(buckets));
	rig->timer = allocate(&of_timers, timers * sizeof(*rig->timer));
	rig->timers = timers;
	for (i = 0; i < timers; i++) {
		memset(&rig->timer[i], 0, sizeof(rig->timer[i]));
		poison(&rig->timer[i].wheel);
	}
	wheel_init(&rig->wheel, scheme, buckets, tick_ns, rig->memory);
	oracle_init(&rig->oracle, tick_ns);
	promise(rig, buckets);
}

static void compare(struct rig *rig)
{
	const struct wheel_core *w = &rig->wheel;
	const struct oracle *o = &rig->oracle;

	rig->operations++;
	if (w->pending != oracle_pending(o))
		ktap_fail("pending is not armed - fired - cancelled");
	if (w->clock < rig->clock)
		ktap_fail("the clock went back");
	if (w->clock >= oracle_next(o))
		ktap_fail("the clock passed a timer");
	if (w->floor != o->floor)
		ktap_fail("the floor is not after the pass");
	rig->clock = w->clock;
	if (rig->passing)
		return;
	/* The hierarchical wheel's clock stops before a bucket. */
	if (w->scheme == &wheel_hierarchical ? w->clock > o->clock :
					       w->clock != o->clock)
		ktap_fail("the clock is not at the end of the pass");
	if (w->next > oracle_next(o))
		ktap_fail("the wheel would sleep past a timer");
	/* The hierarchical scheme does not maintain found. */
	if (w->found && w->next != oracle_next(o) &&
	    !(rig->doubt && w->scheme == &wheel_hierarchical))
		ktap_fail("the next expiry is marked as exact, but is not");
}

static void cancel(struct rig *rig, struct rig_timer *t)
{
	rig->doubt |= rig->passing;
	if (!wheel_is_queued(&t->wheel))
		ktap_fail("a pending timer is not queued");
	wheel_remove(&rig->wheel, &t->wheel);
	oracle_cancel(&rig->oracle, &t->oracle);
	if (wheel_is_queued(&t->wheel))
		ktap_fail("a cancelled timer is still queued");
	if (!(READ_ONCE(t->wheel.deadline) & WHEEL_IDLE))
		ktap_fail("a cancelled timer could still be pushed");
	poison(&t->wheel);
}

static void compare_timer(struct rig *rig, const struct rig_timer *t)
{
	if (t->wheel.due_tick != t->oracle.due)
		ktap_fail("the due tick is not the expected one");
	/* Rounded up, but not beyond the last tick. */
	if (t->wheel.due_tick & (((u64)1 << timer_order(&t->wheel)) - 1) &&
	    t->wheel.due_tick != rig->wheel.last)
		ktap_fail("the due tick is not a multiple of 2^order");
	if (!wheel_is_queued(&t->wheel))
		ktap_fail("an armed timer is not queued");
	if (READ_ONCE(t->wheel.deadline) != t->deadline)
		ktap_fail("an armed timer does not have its deadline");
	compare(rig);
}

bool rig_arm(struct rig *rig, unsigned int i, u64 deadline, u64 slack)
{
	struct rig_timer *t = &rig->timer[i];
	bool moved = t->oracle.pending;
	int err;

	rig->doubt |= moved && rig->passing;
	if (moved)
		err = wheel_move(&rig->wheel, &t->wheel, deadline, slack);
	else
		err = wheel_place(&rig->wheel, &t->wheel, deadline, slack);
	if (oracle_arm(&rig->oracle, &t->oracle, deadline, slack)) {
		if (err)
			ktap_fail("a timer was rejected");
		t->deadline = deadline;
	} else if (err != -ERANGE) {
		ktap_fail("a deadline out of range is not rejected");
	}
	if (t->oracle.pending)
		compare_timer(rig, t);
	else if (wheel_is_queued(&t->wheel))
		ktap_fail("a rejected timer is queued");
	return t->oracle.pending;
}

void rig_cancel(struct rig *rig, unsigned int i)
{
	if (!rig->timer[i].oracle.pending)
		return;
	cancel(rig, &rig->timer[i]);
	compare(rig);
}

/* Check that the popped timer is the expected one. */
static void check_popped(struct rig *rig, const struct wheel_timer *t, u64 until)
{
	const struct rig_timer *rt = container_of(t, struct rig_timer, wheel);
	const struct oracle_timer *first = rig->oracle.first;

	if (wheel_is_queued(t))
		ktap_fail("a timer that fired is still queued");
	if (!rt->oracle.pending)
		ktap_fail("a timer fired that was not pending");
	if (first->due > until)
		ktap_fail("a timer fired before its tick");
	if (first != &rt->oracle)
		ktap_fail("a timer fired out of order");
}

static struct rig_timer *fire(struct rig *rig, struct wheel_timer *t, u64 until)
{
	struct rig_timer *rt = container_of(t, struct rig_timer, wheel);

	check_popped(rig, t, until);
	oracle_fire(&rig->oracle, &rt->oracle);
	rt->fired++;
	poison(t);
	return rt;
}

static void requeue(struct rig *rig, struct wheel_timer *t, u64 until, u64 deadline)
{
	struct rig_timer *rt = container_of(t, struct rig_timer, wheel);

	check_popped(rig, t, until);
	oracle_requeue(&rig->oracle, &rt->oracle, deadline, timer_order(t));
	t->deadline = deadline;
	wheel_requeue(&rig->wheel, t, deadline);
	rt->deadline = deadline;
	if (t->due_tick != rt->oracle.due || t->deadline != deadline ||
	    !wheel_is_queued(t))
		ktap_fail("a timer is not queued again as expected");
}

/* Check whether a bucket is long, so that its minimum is not refreshed. */
static bool crowded(const struct rig *rig)
{
	unsigned int *count = calloc(rig->wheel.ring.mask + 1, sizeof(*count));
	unsigned int most = 0;
	unsigned int i;

	if (!count)
		abort();
	for (i = 0; i < rig->timers; i++) {
		const struct wheel_timer *t = &rig->timer[i].wheel;

		if (wheel_is_queued(t) && timer_bucket(t) <= rig->wheel.ring.mask)
			most = max(most, ++count[timer_bucket(t)]);
	}
	free(count);
	return most > CROWD;
}

static void finish(struct rig *rig, u64 until)
{
	rig->passing = false;
	if (oracle_next(&rig->oracle) <= until)
		ktap_fail("a pass ended before all due timers had fired");
	oracle_reach(&rig->oracle, until);
	if (!rig->doubt && rig->wheel.next != oracle_next(&rig->oracle)) {
		rig->doubt = crowded(rig);
		if (!rig->doubt)
			ktap_fail("after a pass the next expiry is not exact");
	}
}

/* @again: NULL, or the deadline with which a popped timer is queued again */
static struct rig_timer *pop(struct rig *rig, u64 until, unsigned int budget, const u64 *again)
{
	struct rig_timer *fired = NULL;
	unsigned int left = budget;
	struct wheel_timer *t;

	if (!rig->passing && until >= rig->wheel.next)
		rig->doubt = false;
	rig->passing = true;
	oracle_pass(&rig->oracle, until);
	t = wheel_pop(&rig->wheel, until, &left);
	rig->spent += budget - left;
	rig->interrupted |= !left;
	if (left > budget)
		ktap_fail("more work was done than the budget allows");
	if (t && again)
		requeue(rig, t, until, *again);
	else if (t)
		fired = fire(rig, t, until);
	else if (left)
		finish(rig, until);
	if (wheel_popped_all(&rig->wheel, until) && oracle_next(&rig->oracle) <= until)
		ktap_fail("wheel_popped_all() returns true although a timer is due");
	compare(rig);
	return fired;
}

struct rig_timer *rig_pop(struct rig *rig, u64 until, unsigned int budget)
{
	return pop(rig, until, budget, NULL);
}

void rig_pop_again(struct rig *rig, u64 until, unsigned int budget, u64 deadline)
{
	pop(rig, until, budget, &deadline);
}

/*
 * Returns more work than any pass may need: for each expired timer, a visit of all
 * timers twice and of all minima of the ring.
 */
static u64 enough(const struct rig *rig)
{
	u64 pending = oracle_pending(&rig->oracle);

	return (pending + 2) * (3 * pending + 5 * (rig->wheel.ring.mask / 7 + 4));
}

u64 rig_pass(struct rig *rig, u64 until, unsigned int budget)
{
	u64 limit = rig->spent + enough(rig);
	u64 fired = 0;

	do {
		if (rig_pop(rig, until, budget))
			fired++;
		if (rig->spent > limit)
			ktap_fail("a pass does not end");
	} while (rig->passing);
	return fired;
}

void rig_drain(struct rig *rig)
{
	for (;;) {
		unsigned int budget = ~0u;
		struct wheel_timer *t = wheel_drain(&rig->wheel, &budget);
		struct rig_timer *rt;

		if (!t)
			break;
		rt = container_of(t, struct rig_timer, wheel);
		if (!rt->oracle.pending || wheel_is_queued(t))
			ktap_fail("a timer was drained that was not pending");
		oracle_cancel(&rig->oracle, &rt->oracle);
		rig->doubt |= rig->passing;
		poison(t);
		compare(rig);
	}
	if (oracle_pending(&rig->oracle))
		ktap_fail("a timer was not drained");
}

/* The clock of a wheel with timers may advance up to the first due timer. */
void rig_forward(struct rig *rig, u64 tick)
{
	u64 before = rig->wheel.clock;
	bool idle = !rig->wheel.pending;

	wheel_forward(&rig->wheel, tick);
	if (rig->wheel.clock > max(before, tick) ||
	    (idle && rig->wheel.clock < tick))
		ktap_fail("wheel_forward() set an unexpected time");
	if (rig->wheel.clock > before)
		oracle_reach(&rig->oracle, rig->wheel.clock);
	/* A timer armed now is due after the current tick, regardless of the clock. */
	if (tick > before)
		oracle_pass(&rig->oracle, tick);
	if (rig->wheel.clock > before && idle)
		rig->passing = false;
	compare(rig);
}

void rig_set_back(struct rig *rig, u64 tick)
{
	/* Setting the clock back ends a pass that is already past the new time. */
	rig->passing &= tick + 1 >= rig->wheel.floor;
	wheel_set_back(&rig->wheel, tick);
	rig->oracle.clock = tick;
	rig->oracle.floor = tick + 1;
	rig->clock = tick;
	if (rig->wheel.next <= rig->wheel.clock)
		ktap_fail("the next expiry is at a processed tick");
	compare(rig);
}

void rig_check(const struct rig *rig)
{
	check_wheel(&rig->wheel);
}
