/* SPDX-License-Identifier: MIT */
/*
 * The configuration of a wheel, its limits, and the times at which its timers are due.
 */
#ifndef SETUP_H
#define SETUP_H

#include "util.h"

extern const struct option_spec setup_options[];

/* Replace defaults; exit if the requested options exclude each other. */
void setup_settle(struct wheel_setup *setup);
void setup_print(const struct wheel_setup *setup);
/* Write the configuration as members of the open JSON object. */
void setup_json(const struct wheel_setup *setup);

/* The functions below exit with a message if the wheel cannot hold the timers. */

/* Longest delay that a wheel can hold at any time, in nanoseconds. */
u64 bounds_span(const struct wheel_setup *setup);
/* Longest delay of the largest wheel that the device can make from this request. */
u64 bounds_at_most(const struct wheel_setup *requested);
/* Check the number of timers; @who names their owner in the message. */
void bounds_timers(const struct wheel_setup *setup, const char *who, u64 timers);
/* Check a delay; the format describes the delay in the message. */
void __printf(3, 4) bounds_delay(const struct wheel_setup *setup, u64 delay,
				 const char *what, ...);
/* Reject a delay that is longer than bounds_at_most(). */
void __noreturn bounds_refuse(const struct wheel_setup *requested, u64 delay, const char *what);

/* The sum of two times, limited to the end of the clock. */
u64 time_sum(u64 a, u64 b);
/*
 * The tick at which a timer without slack is due: the first that is neither before the
 * deadline nor past at @known, the time when the device received the deadline, or later.
 */
u64 due_time(u64 tick, u64 deadline, u64 known);

#endif
