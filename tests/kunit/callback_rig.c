// SPDX-License-Identifier: GPL-2.0
#include "callback_rig.h"

/* All wheels are created here, but lockdep needs one class per context of their callbacks. */
static struct wheel *create_calling(const struct wheel_config *config, void *data)
{
	static struct wheel_class softirq, process;

	return wheel_create_class(config, config->flags & WHEEL_SLEEPABLE ? &process : &softirq);
}

static const struct rig_kind calling_kind = {
	.create		= create_calling,
	.arm		= wheel_timer_arm,
	.rearm		= wheel_timer_rearm,
	.mod		= wheel_timer_mod,
	.cancel		= wheel_timer_cancel,
	.cancel_sync	= wheel_timer_cancel_sync,
	.running	= -EALREADY,
};

/* Create a fixture whose timers have callbacks. */
struct rig *rig_new(struct kunit *test, const struct wheel_config *config, u32 count)
{
	return rig_make(test, config, &calling_kind, NULL, count);
}

/* Create a fixture with a VIRTUAL clock, which starts at 0. */
struct rig *rig_virtual(struct kunit *test, u64 tick, u32 count)
{
	const struct wheel_config config = {
		.name = "virtual",
		.clock = WHEEL_CLOCK_VIRTUAL,
		.buckets = BUCKETS,
		.tick_ns = tick,
	};

	return rig_new(test, &config, count);
}

/* Create a fixture with CLOCK_MONOTONIC. */
struct rig *rig_running(struct kunit *test, u32 flags, u64 tick, u32 count)
{
	const struct wheel_config config = {
		.name = "running",
		.clock = WHEEL_CLOCK_MONOTONIC,
		.buckets = BUCKETS,
		.tick_ns = tick,
		.flags = flags,
	};

	return rig_new(test, &config, count);
}
