/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulated clock for libwheel's user-space backend. The time advances only by machine_pass()
 * and machine_pass_within().
 */
#ifndef _WHEEL_WORDS_MACHINE_H
#define _WHEEL_WORDS_MACHINE_H

#include <libwheel.h>
#include <sys/timerfd.h>
#include <time.h>

struct handle;

__u64 machine_now(void);

/* Advance the clock by @ns. */
void machine_pass(__u64 ns);

/* Returns the time to which the wheel's timerfd is set, or ~0 if it is not set. */
__u64 machine_alarm(void);

/*
 * Advance the clock by @ns at the next clock read of this thread. The wheel reads the clock with
 * its lock held, so no other thread uses the wheel at that moment.
 */
void machine_pass_within(__u64 ns);

/* Returns the total number of kicks. */
__u64 machine_kicks(void);

/* Replacements, see --wrap in ld(1). */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);
int __wrap_user_command(struct handle *handle, unsigned long command, void *arg);
int __real_user_command(struct handle *handle, unsigned long command, void *arg);

#endif
