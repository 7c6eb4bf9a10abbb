// SPDX-License-Identifier: GPL-2.0
/*
 * The hrtimers of wheels, which start passes.
 */
#include <linux/ktime.h>
#include "trace.h"

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
	/*
	 * The interrupt of an owner that is not hard may wake up tasks. PREEMPT_RT does not permit
	 * this in hard interrupt context.
	 */
	base->mode = wheel->owner->hard ? HRTIMER_MODE_ABS_HARD : HRTIMER_MODE_ABS;
	hrtimer_setup(&base->hrtimer, base_wakeup, wheel_clockid(wheel), base->mode);
}
