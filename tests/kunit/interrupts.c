// SPDX-License-Identifier: GPL-2.0
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "compat.h"
#include "interrupts.h"

#ifdef CONFIG_TRACE_IRQFLAGS

/* Lockdep counts the times that a task disables and enables interrupts. */
u32 interrupts_let_in(struct rig *rig, work_fn work)
{
	u32 before = current->irqtrace.irq_events;

	work(rig);
	return (current->irqtrace.irq_events - before) / 2;
}

/* Return the minimum that interrupts_let_in() must return for a number of lock holds. */
u32 interrupts_due(u32 holds)
{
	return holds;
}

#else

/*
 * Without lockdep, count the interrupts of a periodic hrtimer. Their number depends on timing, but
 * a single lock hold around all of the work permits only one interrupt, at its end.
 */
#define BEAT_NS		50000
#define BEATS		3U

struct beat {
	struct hrtimer	timer;
	u32		count;
};

static enum hrtimer_restart beat_once(struct hrtimer *timer)
{
	struct beat *beat = container_of(timer, struct beat, timer);

	WRITE_ONCE(beat->count, beat->count + 1);
	hrtimer_forward_now(timer, BEAT_NS);
	return HRTIMER_RESTART;
}

u32 interrupts_let_in(struct rig *rig, work_fn work)
{
	struct beat *beat = kunit_kzalloc(rig->test, sizeof(*beat), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(rig->test, beat);
	hrtimer_setup(&beat->timer, beat_once, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&beat->timer, BEAT_NS, HRTIMER_MODE_REL_HARD);
	work(rig);
	hrtimer_cancel(&beat->timer);
	return beat->count;
}

u32 interrupts_due(u32 holds)
{
	return min(holds, BEATS);
}

#endif
