/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine whose clock is ours: what libwheel's own wheel asks of the kernel. Its clock
 * stands still but for machine_turn().
 */
#ifndef _KEPT_MACHINE_H
#define _KEPT_MACHINE_H

#include <libwheel.h>
#include <sys/timerfd.h>
#include <time.h>

struct handle;

__u64 machine_now(void);

/* Let so many nanoseconds go by. */
void machine_pass(__u64 ns);

/* The time that the wheel's timerfd is set to; ~0: it is not set. */
__u64 machine_alarm(void);

/*
 * The next reading of the clock in this thread, which the wheel makes under its lock, lets
 * so many nanoseconds go by: nobody else is in the wheel meanwhile.
 */
void machine_pass_within(__u64 ns);

/* Kicks so far. */
__u64 machine_kicks(void);

/* By these names the linker has the library call us. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);
int __wrap_user_kick(struct handle *handle);
int __real_user_kick(struct handle *handle);

#endif
