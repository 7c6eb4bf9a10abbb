// SPDX-License-Identifier: MIT
/*
 * The engine of the user backend.
 */
#include <stdlib.h>

#include "engine.h"

/* Timers and buckets examined per call of wheel_pop(), which is repeated until complete. */
#define BUDGET			4096

static const struct wheel_scheme *const schemes[] = {
	[WHEEL_HASHED]		= &wheel_hashed,
	[WHEEL_HIERARCHICAL]	= &wheel_hierarchical,
	[WHEEL_BOUNDED]		= &wheel_bounded,
	[WHEEL_OVERFLOW]	= &wheel_overflow,
};

u64 wheel_limit_of(u32 scheme)
{
	return schemes[scheme]->max_timers ?: WHEEL_NEVER;
}

u32 wheel_buckets_for(u32 scheme, u32 requested, u64 limit)
{
	return wheel_buckets(schemes[scheme], requested, limit);
}

/* Returns 0, or -EOPNOTSUPP if the scheme does not support the clock. */
int wheel_clock_check(const struct wheel_setup *setup)
{
	return wheel_settable(setup->clock) && !schemes[setup->scheme]->by_tick ? -EOPNOTSUPP : 0;
}

/*
 * Initialize a wheel of zeros, except for @claim and @data, with an effective configuration, which
 * must remain valid as long as the wheel. Returns 0 or -ENOMEM.
 */
int wheel_create(struct wheel *wheel, const struct wheel_setup *setup)
{
	wheel->memory = malloc(wheel_memory(setup->buckets));
	if (!wheel->memory)
		return -ENOMEM;
	wheel->setup = setup;
	wheel->scan_tick = WHEEL_NO_TICK;
	wheel_init(&wheel->core, schemes[setup->scheme], setup->buckets,
		   setup->tick_ns, wheel->memory);
	return 0;
}

/* Free the memory of a wheel, which may be zeros. */
void wheel_destroy(struct wheel *wheel)
{
	free(wheel->memory);
}

/* Initialize a timer. slots/ passes NULL as @function. */
void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function)
{
	timer->deadline = WHEEL_IDLE;
	timer->function = function;
	timer->base = (unsigned long)wheel;
	timer->place = WHEEL_UNFILED;
}

static inline struct wheel *wheel_of(const struct wheel_timer *timer)
{
	return (struct wheel *)timer->base;
}

/*
 * Forward the clock of the core before a timer is queued: because the wheel was idle, because
 * the range of a bounded wheel begins at the current tick, or because the clock was set back.
 */
static void forward_clock(struct wheel *wheel)
{
	u64 tick = wheel_tick_at(&wheel->core, wheel->now);

	if (wheel->scanning)
		tick--;
	if (wheel_settable(wheel->setup->clock))
		wheel_set_back(&wheel->core, tick);
	/* A timer that a late scan finds is due at its own tick. A limited range begins now. */
	if (!wheel->core.scheme->follow)
		tick = min(tick, wheel->scan_tick - 1);
	wheel_forward(&wheel->core, tick);
}

int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel *wheel = wheel_of(timer);
	int err;

	if (wheel_is_queued(timer))
		return -EBUSY;
	forward_clock(wheel);
	err = wheel_place(&wheel->core, timer, deadline, slack);
	if (!err)
		wheel->counts.armed++;
	return err;
}

int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack)
{
	struct wheel *wheel = wheel_of(timer);
	int err;

	if (!wheel_is_queued(timer))
		return -ENOENT;
	forward_clock(wheel);
	err = wheel_move(&wheel->core, timer, deadline, slack);
	if (!err)
		wheel->counts.rearmed++;
	return err;
}

int wheel_timer_cancel_locked(struct wheel_timer *timer)
{
	struct wheel *wheel = wheel_of(timer);

	if (!wheel_is_queued(timer))
		return -ENOENT;
	wheel_remove(&wheel->core, timer);
	wheel->counts.cancelled++;
	return 0;
}

void wheel_scan_at(struct wheel *wheel, u64 time)
{
	wheel->scan_tick = time == WHEEL_NEVER ? WHEEL_NO_TICK :
			   wheel_tick_ceil(&wheel->core.tick, time);
}

bool wheel_scan_is_due(const struct wheel *wheel)
{
	return wheel->scan_tick <= wheel_tick_at(&wheel->core, wheel->now);
}

static u64 next_tick(const struct wheel *wheel)
{
	const struct wheel_core *core = &wheel->core;

	return min(wheel->scan_tick, core->pending ? core->next : WHEEL_NO_TICK);
}

bool wheel_is_due(const struct wheel *wheel)
{
	return next_tick(wheel) <= wheel_tick_at(&wheel->core, wheel->now);
}

u64 wheel_next(const struct wheel *wheel)
{
	u64 tick = next_tick(wheel);

	return tick == WHEEL_NO_TICK ? WHEEL_NEVER : wheel_time_of(&wheel->core, tick);
}

static enum wheel_claim claim(struct wheel *wheel, struct wheel_timer *timer,
			      u64 due, u64 *deadline)
{
	*deadline = timer->deadline;
	return wheel->claim ? wheel->claim(wheel->data, timer, due, deadline) : WHEEL_FIRE;
}

/* wheel_requeue(). Most timers have no slack, and a deadline with which they could be armed now. */
static void requeue(struct wheel *wheel, struct wheel_timer *timer, u64 deadline)
{
	struct wheel_core *core = &wheel->core;
	struct wheel_due due = { wheel_tick_ceil(&core->tick, deadline), 0 };

	timer->deadline = deadline;
	if (unlikely(due.tick < core->floor || due.tick > core->latest || timer_order(timer)))
		wheel_requeue(core, timer, deadline);
	else
		wheel_put(core, timer, deadline, due, core->own_queue);
}

/* Decide about a timer that was removed at @due. Returns true if it expires. */
static inline bool timer_fires(struct wheel *wheel, struct wheel_timer *timer, u64 due)
{
	u64 deadline;

	switch (claim(wheel, timer, due, &deadline)) {
	case WHEEL_FIRE:
		wheel->counts.fired++;
		wheel->counts.late[ilog2((wheel->now - deadline) | 1)]++;
		timer->deadline = deadline | WHEEL_IDLE;
		timer->fired = wheel->now;
		return true;
	case WHEEL_LATER:
		wheel->counts.requeued++;
		requeue(wheel, timer, deadline);
		return false;
	default:
		wheel->counts.cancelled++;
		timer->deadline |= WHEEL_IDLE;
		return false;
	}
}

struct wheel_timer *wheel_expire(struct wheel *wheel)
{
	u64 tick = wheel_tick_at(&wheel->core, wheel->now);
	struct wheel_timer *timer;
	unsigned int budget;

	if (wheel->pass_tick == tick && wheel_popped_all(&wheel->core, tick))
		return NULL;
	wheel->pass_tick = tick;
	do {
		budget = BUDGET;
		timer = wheel_pop(&wheel->core, tick, &budget);
		if (timer &&
		    timer_fires(wheel, timer,
				wheel_time_of(&wheel->core, timer->due_tick)))
			return timer;
	} while (timer || !budget);
	return NULL;
}

struct wheel_timer *wheel_unfired(struct wheel *wheel)
{
	enum wheel_claim fate = WHEEL_GONE;
	struct wheel_timer *timer;
	unsigned int budget;
	u64 deadline;

	do {
		budget = ~0U;
		timer = wheel_drain(&wheel->core, &budget);
		if (!timer)
			return NULL;
		wheel->counts.cancelled++;
		timer->deadline &= ~WHEEL_IDLE;
		fate = claim(wheel, timer, WHEEL_NEVER, &deadline);
		timer->deadline = deadline | WHEEL_IDLE;
	} while (fate == WHEEL_GONE);
	return timer;
}
