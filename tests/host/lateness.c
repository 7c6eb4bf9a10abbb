// SPDX-License-Identifier: GPL-2.0
/*
 * P1, never early, and P2, bounded late: in nanoseconds, as the one who waits
 * sees it, and not in ticks.
 */
#include "random.h"
#include "rig.h"
#include "tests.h"

#define TIMERS 64

static const u64 tick_lengths[] = {
	1, 2, 3, 7, 10, 64, 1000, 999983, 1000000, (1 << 20) + 1, 4000000000,
};

static const char *with_each_tick(const char *(*run)(u64 tick_ns))
{
	const char *error = NULL;
	size_t i;

	for (i = 0; i < sizeof(tick_lengths) / sizeof(u64) && !error; i++)
		error = run(tick_lengths[i]);
	return error;
}

/* The clock moves by less than a tick and by several. */
static const char *never_early(u64 tick_ns)
{
	struct random r = random_start(10);
	const char *error = NULL;
	unsigned int step;
	struct rig rig;
	u64 now = 0;

	rig_init(&rig, 8, tick_ns, TIMERS);
	for (step = 0; step < 3000 && !error; step++) {
		rig_arm(&rig, (unsigned int)random_below(&r, TIMERS),
			now + random_below(&r, 40 * tick_ns),
			random_percent(&r, 30) * random_below(&r, 9 * tick_ns));
		now += random_below(&r, 3 * tick_ns);
		do {
			u64 until = wheel_tick_at(&rig.wheel, now);
			struct rig_timer *t = rig_pop(&rig, until, 5);

			if (t && t->deadline > now)
				error = "a timer fired before its deadline";
		} while (rig.passing);
	}
	if (!error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

static const char *p1_never_early(void)
{
	return with_each_tick(never_early);
}

/* With a pass at each boundary, late is less than a tick. */
static const char *first_boundary(u64 tick_ns)
{
	struct random r = random_start(11);
	const char *error = NULL;
	struct rig rig;
	unsigned int i;
	u64 now;

	rig_init(&rig, 16, tick_ns, TIMERS);
	for (i = 0; i < TIMERS; i++)
		rig_arm(&rig, i, 1 + random_below(&r, 50 * tick_ns), 0);
	for (now = tick_ns; now <= 50 * tick_ns; now += tick_ns) {
		do {
			u64 until = wheel_tick_at(&rig.wheel, now);
			struct rig_timer *t = rig_pop(&rig, until, 5);

			if (t && t->deadline > now)
				error = "a timer fired before its deadline";
			if (t && t->deadline + tick_ns <= now)
				error = "a timer fired a tick late";
		} while (rig.passing);
	}
	if (!error)
		error = rig.error;
	if (!error && rig.wheel.pending)
		error = "a timer did not fire";
	rig_free(&rig);
	return error;
}

static const char *p2_bounded_late(void)
{
	return with_each_tick(first_boundary);
}

/* How many of the boundary's low bits are 0, no more than @most counted. */
static unsigned int coarseness(u64 boundary, unsigned int most)
{
	unsigned int bits = 0;

	while (bits < most && !(boundary >> bits & 1))
		bits++;
	return bits;
}

/* By looking at each boundary that the slack allows. */
static u64 best_boundary(u64 tick_ns, u64 deadline, u64 slack,
			 unsigned int most)
{
	u64 first = (deadline + tick_ns - 1) / tick_ns;
	u64 best = first ? first : 1;
	u64 tick;

	for (tick = best + 1; tick * tick_ns <= deadline + slack; tick++)
		if (coarseness(tick, most) > coarseness(best, most))
			best = tick;
	return best;
}

static const char *slack_on_ring(u32 buckets, unsigned int most)
{
	const u64 tick_ns = 10;
	struct rig rig;
	const char *error;
	u64 deadline;
	u64 slack;
	u64 due;

	rig_init(&rig, buckets, tick_ns, 1);
	if (rig.wheel.scheme == &wheel_hierarchical)
		most = 63;
	for (deadline = 0; deadline < 700; deadline += 3) {
		for (slack = 0; slack < 1000; slack += 7) {
			rig_arm(&rig, 0, deadline, slack);
			due = best_boundary(tick_ns, deadline, slack, most);
			if (rig.error || rig.timer[0].wheel.due_tick != due)
				goto out;
		}
	}
out:
	error = rig.error;
	if (!error && slack < 1000 && deadline < 700)
		error = "slack did not choose the coarsest boundary";
	rig_free(&rig);
	return error;
}

/* At most a sixteenth of the ring meets in one bucket. */
static const char *p2_slack_is_bounded(void)
{
	const char *error = slack_on_ring(8, 0);

	if (!error)
		error = slack_on_ring(16, 0);
	if (!error)
		error = slack_on_ring(32, 1);
	if (!error)
		error = slack_on_ring(256, 4);
	if (!error)
		error = slack_on_ring(65536, 12);
	return error;
}

/* Slack to the end of the clock, from anywhere, does not overflow. */
static const char *p2_slack_without_end(void)
{
	struct rig rig;
	const char *error;

	rig_init(&rig, 256, 10, 1);
	rig_arm(&rig, 0, 0, WHEEL_END_NS);
	rig_arm(&rig, 0, 1234567, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS - 3, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS, WHEEL_END_NS);
	rig_arm(&rig, 0, WHEEL_END_NS, ~(u64)0);
	error = rig.error;
	rig_free(&rig);
	return error;
}

/* What is past when it is armed is due at the next tick that is taken. */
static const char *p2_past_is_due_next(void)
{
	const char *error = NULL;
	struct rig rig;

	rig_init(&rig, 8, 10, 2);
	rig_pass(&rig, 100, 100);
	rig_arm(&rig, 0, 0, 0);
	rig_arm(&rig, 1, 1000, 0);
	if (rig.wheel.next != 101)
		error = "a past deadline is not due at the next tick";
	else if (rig_pass(&rig, 100, 100))
		error = "a tick that was taken was taken again";
	else if (rig_pass(&rig, 101, 100) != 2)
		error = "a past deadline did not fire at the next tick";
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

/*
 * Of timers 0 .. 7, one a tick, a pass up to tick @until has taken some; each
 * of the others is reduced to the past. What the pass was about to take it
 * still takes, and the rest comes by the next.
 */
static const char *reduce_in_pass(unsigned int i, unsigned int pops, u64 until)
{
	const char *error = NULL;
	struct rig rig;
	unsigned int k;
	u64 due;

	rig_init(&rig, 2, 10, 8);
	for (k = 0; k < 8; k++)
		rig_arm(&rig, k, 10 * (k + 1), 0);
	for (k = 0; k < pops; k++)
		rig_pop(&rig, until, 1);
	due = rig.timer[i].wheel.due_tick;
	if (!rig.timer[i].oracle.pending)
		goto out;
	rig_reduce(&rig, i, 3, 0);
	rig_check(&rig);
	if (rig.timer[i].wheel.due_tick > due)
		error = "a reduced timer is due later than before";
	rig_pass(&rig, until, 1);
	if (!error && due <= until && !rig.timer[i].fired)
		error = "a reduced timer missed its pass";
	rig_pass(&rig, until + 1, 1);
	if (!error && !rig.timer[i].fired)
		error = "a reduced timer missed the next pass";
	rig_pass(&rig, 10, 1);
out:
	if (rig.error)
		error = rig.error;
	rig_free(&rig);
	return error;
}

static const char *p2_reduce_is_never_later(void)
{
	const char *error = NULL;
	unsigned int pops;
	unsigned int i;
	u64 until;

	for (i = 0; i < 8 && !error; i++)
		for (pops = 0; pops < 30 && !error; pops++)
			for (until = 0; until < 9 && !error; until++)
				error = reduce_in_pass(i, pops, until);
	return error;
}

const struct ktap_test lateness_tests[] = {
	{ "p1_never_early", p1_never_early },
	{ "p2_bounded_late", p2_bounded_late },
	{ "p2_slack_is_bounded", p2_slack_is_bounded },
	{ "p2_slack_without_end", p2_slack_without_end },
	{ "p2_past_is_due_next", p2_past_is_due_next },
	{ "p2_reduce_is_never_later", p2_reduce_is_never_later },
	{ }
};
