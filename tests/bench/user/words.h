/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers with words on a backend of libwheel, used through its inline functions, and timeouts.
 */
#ifndef _BENCH_WORDS_H
#define _BENCH_WORDS_H

#include <linux/types.h>

/* Create @count parked timers, numbered from 0. */
void words_open(__u32 backend, __u32 scheme, __u32 count);
void words_close(void);

void words_arm(const __u32 *timers, __u32 n, __u64 deadline);
/* Move armed timers to a later deadline. */
void words_push(const __u32 *timers, __u32 n, __u64 deadline);
void words_park(const __u32 *timers, __u32 n);
/* Arm and park each timer in turn, like a program with few requests in flight. */
void words_arm_park(const __u32 *timers, __u32 n, __u64 deadline);
/* Let the backend scan all timers whose doorbell bits are set. */
void words_scan(void);
/* Wait until @count expired timers have not been taken. */
void words_wait(__u32 count);
/*
 * Take at most @batch expired timers and arm them again. The time of the re-arming is added to
 * *@ns. Returns the number of timers.
 */
__u32 words_restart(__u32 batch, __u64 deadline, __u64 *ns);
/* Sleep until a timer expires, but no longer than @until. Take and park all expired timers. */
__u32 words_sleep(__u64 until);

/* Create @count timeouts, numbered from 0. */
void timeouts_open(__u32 backend, __u32 scheme, __u32 count);
void timeouts_close(void);
/* Start timeouts by their delay, which reads the clock for each. */
void timeouts_start(const __u32 *timers, __u32 n, __u64 delay);
/* Start timeouts at a deadline. */
void timeouts_start_at(const __u32 *timers, __u32 n, __u64 deadline);
void timeouts_stop(const __u32 *timers, __u32 n);

#endif
