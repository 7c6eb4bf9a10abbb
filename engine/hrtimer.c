// SPDX-License-Identifier: GPL-2.0
/*
 * The hrtimers of wheels, which start passes.
 */
#include <linux/ktime.h>
#include "trace.h"

/*
 * Hrtimers that expire in hard interrupt context although their owner is not hard. If these are due
 * together, they expire one after the other while interrupts are disabled. Further ones expire in
 * softirq context, which takes about 320 instructions more.
 */
#define MAX_HARD_OWNERS	4

static atomic_t hard_owners = ATOMIC_INIT(0);

static enum hrtimer_restart base_wakeup(struct hrtimer *hrtimer)
{
	struct wheel_base *base = container_of(hrtimer, struct wheel_base, hrtimer);

	WRITE_ONCE(base->needs_clock_until, WHEEL_NEVER);
	WRITE_ONCE(base->counts.wakeups, base->counts.wakeups + 1);
	trace_wheel_wakeup(base);
	return base->wheel->owner->interrupt(base->data);
}

/*
 * Start the hrtimer for @wake_tick. A timer that was armed for a time in the past is due at the
 * next tick boundary, so timers cause at most one interrupt per tick. A scan can cause others.
 */
void wheel_base_program(struct wheel_base *base)
{
	u64 time = wheel_time_of(&base->core, base->wake_tick);

	lockdep_assert_held(&base->lock);
	base->reprogram = false;
	base_need_clock(base, time);
	hrtimer_start(&base->hrtimer, wheel_ktime(base->wheel, time), base->mode);
}

/* Initialize an idle base of @wheel. Its core is initialized. */
void wheel_base_init(struct wheel_base *base, struct wheel *wheel)
{
	raw_spin_lock_init(&base->lock);
	base->wheel = wheel;
	base->needs_clock = base->core.scheme->follow || wheel_settable(wheel->config.clock);
	base->state = wheel->config.clock == WHEEL_CLOCK_VIRTUAL ? BASE_UNTIMED : BASE_TIMED;
	base->wake_tick = WHEEL_NO_TICK;
	base->scan_tick = WHEEL_NO_TICK;
	base_need_clock(base, 0);
	/* Others wake up tasks, which PREEMPT_RT does not permit in hard interrupt context. */
	if (wheel->owner->hard)
		base->mode = HRTIMER_MODE_ABS_HARD;
	else if (base->state == BASE_TIMED && atomic_add_unless(&hard_owners, 1, MAX_HARD_OWNERS))
		base->mode = HRTIMER_MODE_ABS;
	else
		base->mode = HRTIMER_MODE_ABS_SOFT;
	hrtimer_setup(&base->hrtimer, base_wakeup, wheel_clockid(wheel), base->mode);
}

/* Undo wheel_base_init(). Only a wheel with a hard owner has several bases. */
void wheel_base_exit(struct wheel_base *base)
{
	if (base->mode == HRTIMER_MODE_ABS)
		atomic_dec(&hard_owners);
}
