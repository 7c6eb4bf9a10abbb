// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated clock. The linker replaces clock_gettime(), timerfd_settime() and libwheel's
 * user_command() with the __wrap functions.
 */
#include "machine.h"

#define NS_PER_SEC	1000000000ULL

static __u64 now = 5 * NS_PER_SEC + 123;
static __u64 alarm_at = ~0ULL;
static __u64 kicks;
static __thread __u64 within;

__u64 machine_now(void)
{
	return __atomic_load_n(&now, __ATOMIC_SEQ_CST);
}

void machine_pass(__u64 ns)
{
	__atomic_fetch_add(&now, ns, __ATOMIC_SEQ_CST);
}

__u64 machine_alarm(void)
{
	return __atomic_load_n(&alarm_at, __ATOMIC_SEQ_CST);
}

void machine_pass_within(__u64 ns)
{
	within = ns;
}

__u64 machine_kicks(void)
{
	return __atomic_load_n(&kicks, __ATOMIC_SEQ_CST);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	__u64 time;

	(void)clock;
	machine_pass(within);
	within = 0;
	time = machine_now();
	ts->tv_sec = (time_t)(time / NS_PER_SEC);
	ts->tv_nsec = (long)(time % NS_PER_SEC);
	return 0;
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old)
{
	__u64 time = (__u64)new->it_value.tv_sec * NS_PER_SEC +
		     (__u64)new->it_value.tv_nsec;

	(void)fd;
	(void)flags;
	(void)old;
	__atomic_store_n(&alarm_at, time ? time : ~0ULL, __ATOMIC_SEQ_CST);
	return 0;
}

int __wrap_user_command(struct handle *handle, unsigned long command, void *arg)
{
	__atomic_fetch_add(&kicks, command == WHEEL_IOC_ENTER, __ATOMIC_SEQ_CST);
	return __real_user_command(handle, command, arg);
}
