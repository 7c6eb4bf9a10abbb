/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kept timers of /dev/wheel, used through libwheel's inline functions.
 */
#ifndef _BENCH_KEPT_H
#define _BENCH_KEPT_H

#include <linux/types.h>

/* Create @count parked timers, numbered from 0. */
void kept_open(__u32 scheme, __u32 count);
void kept_close(void);

void kept_arm(const __u32 *timers, __u32 n, __u64 deadline);
void kept_cancel(const __u32 *timers, __u32 n);
/* Arm and cancel each timer in turn, like a program with few requests in flight. */
void kept_arm_cancel(const __u32 *timers, __u32 n, __u64 deadline);
/* Make the kernel scan all timers whose doorbell bits are set. */
void kept_look(void);
/* Wait until @count expired timers have not been taken. */
void kept_wait(__u32 count);
/*
 * Take at most @batch expired timers and arm them again. The time of the re-arming is added to
 * *@ns. Returns the number of timers.
 */
__u32 kept_take_again(__u32 batch, __u64 deadline, __u64 *ns);

#endif
