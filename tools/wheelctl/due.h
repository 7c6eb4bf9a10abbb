/* SPDX-License-Identifier: MIT */
/*
 * When a timer is due, by the clock and the tick of its wheel.
 */
#ifndef DUE_H
#define DUE_H

#include "wheelctl.h"

u64 time_sum(u64 a, u64 b);
u64 due_time(u64 tick, u64 deadline, u64 told);

#endif
