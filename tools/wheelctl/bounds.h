/* SPDX-License-Identifier: MIT */
/*
 * The limits of a wheel, told before it is asked for more.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "fail.h"
#include "wheelctl.h"

u64 bounds_span(const struct wheel_setup *setup);
u64 bounds_at_most(const struct wheel_setup *asked);
void bounds_timers(const struct wheel_setup *setup, const char *who, u64 timers);
void __printf(3, 4) bounds_delay(const struct wheel_setup *setup, u64 delay,
				 const char *what, ...);
void __noreturn bounds_refuse(const struct wheel_setup *asked, u64 delay,
			      const char *what);

#endif
