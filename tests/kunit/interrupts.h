/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Number of times that a function enables interrupts. Each lock hold ends with that.
 */
#ifndef _WHEEL_KUNIT_INTERRUPTS_H
#define _WHEEL_KUNIT_INTERRUPTS_H

#include "rig.h"

typedef void (*work_fn)(struct rig *rig);

u32 interrupts_let_in(struct rig *rig, work_fn work);
u32 interrupts_due(u32 holds);
#endif
