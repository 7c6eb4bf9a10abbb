/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads tests/irqsoff, which measures the longest times with interrupts and with preemption
 * disabled. It needs a guest that counts instructions as time: tests/vm/suites/owner.
 */
#ifndef _WHEEL_IRQSOFF_H
#define _WHEEL_IRQSOFF_H

#include <stdbool.h>
#include <linux/types.h>

/* A time, and the functions that ran at its end, innermost first. */
struct wt_irqsoff {
	char text[4096];
};

/* What is disabled. */
enum wt_disabled { WT_INTERRUPTS, WT_PREEMPTION };

/*
 * Make the kernel preemptible, or as preemptible as it was at boot. Only the former permits to
 * measure WT_PREEMPTION. Returns false if this kernel cannot change it.
 */
bool wt_preemptible(bool fully);

/* Only root may open the instrument. Returns a file descriptor, or a negative value. */
int wt_irqsoff_open(enum wt_disabled what);
bool wt_irqsoff_reset(int fd);
bool wt_irqsoff_read(int fd, struct wt_irqsoff *longest);
/* Disable interrupts or preemption for this many nanoseconds. */
bool wt_irqsoff_inject(enum wt_disabled what, const char *ns);
/* Returns the time in nanoseconds. */
__u64 wt_irqsoff_print(const char *name, const struct wt_irqsoff *longest);

#endif
