/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixtures whose timers have callbacks: those of wheel_timer.h.
 */
#ifndef _WHEEL_KUNIT_CALLBACK_RIG_H
#define _WHEEL_KUNIT_CALLBACK_RIG_H

#include <linux/wheel_timer.h>

#include "rig.h"

struct rig *rig_new(struct kunit *test, const struct wheel_config *config, u32 count);
struct rig *rig_virtual(struct kunit *test, u64 tick, u32 count);
struct rig *rig_running(struct kunit *test, u32 flags, u64 tick, u32 count);
#endif
