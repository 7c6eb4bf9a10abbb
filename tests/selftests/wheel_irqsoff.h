/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads tests/irqsoff, which measures the longest time with interrupts disabled. It needs a guest
 * that counts instructions as time: tests/vm/suites/owner.
 */
#ifndef _WHEEL_IRQSOFF_H
#define _WHEEL_IRQSOFF_H

#include <stdbool.h>
#include <linux/types.h>

/* A time, and the functions in which interrupts were enabled again, innermost first. */
struct wt_irqsoff {
	char text[4096];
};

/* Only root may open the instrument. Returns a file descriptor, or a negative value. */
int wt_irqsoff_open(void);
bool wt_irqsoff_reset(int fd);
bool wt_irqsoff_read(int fd, struct wt_irqsoff *longest);
/* Disable interrupts for this many nanoseconds. */
bool wt_irqsoff_inject(const char *ns);
/* Returns the time in nanoseconds. */
__u64 wt_irqsoff_print(const char *name, const struct wt_irqsoff *longest);

#endif
