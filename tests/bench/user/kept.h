/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept timers of /dev/wheel, by libwheel's inline functions: what a program does whose
 * timeouts live without a call.
 */
#ifndef _BENCH_KEPT_H
#define _BENCH_KEPT_H

#include <linux/types.h>

/* Timers that are numbered from 0, parked. */
void kept_open(__u32 scheme, __u32 count);
void kept_close(void);

void kept_arm(const __u32 *timers, __u32 n, __u64 deadline);
void kept_cancel(const __u32 *timers, __u32 n);
/* One after the other, as a program with few requests in flight. */
void kept_arm_cancel(const __u32 *timers, __u32 n, __u64 deadline);
/* Have the kernel look at all whose bits are set. */
void kept_look(void);
/* Until so many have fired and are not taken. */
void kept_wait(__u32 count);
/*
 * Take what has fired, @batch at most, and arm it again; how long the latter took is added to
 * *@ns. Returns how many.
 */
__u32 kept_take_again(__u32 batch, __u64 deadline, __u64 *ns);

#endif
