// SPDX-License-Identifier: GPL-2.0
/* POSIX timers, whose signals are read from a signalfd. */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "singly.h"

static timer_t *ids;
static __u32 ids_count;
static int signals;
static struct signalfd_siginfo infos[MOST_BATCH];

static void open_one(__u32 i)
{
	struct sigevent event = {
		.sigev_notify		= SIGEV_SIGNAL,
		.sigev_signo		= SIGRTMIN,
		.sigev_value.sival_int	= (int)i,
	};

	if (timer_create(CLOCK_MONOTONIC, &event, &ids[i]))
		die("timer_create");
}

static void open_all(__u32 count, unsigned int with)
{
	sigset_t mask;
	__u32 i;

	(void)with;
	allow(count);
	sigemptyset(&mask);
	sigaddset(&mask, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signals = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	ids = allocate(count * sizeof(*ids));
	ids_count = count;
	for (i = 0; i < count; i++)
		open_one(i);
}

static void close_all(void)
{
	__u32 i;

	for (i = 0; i < ids_count; i++)
		timer_delete(ids[i]);
	close(signals);
}

static inline void set_one(__u32 timer, __u64 deadline)
{
	struct itimerspec time = { .it_value = timespec_of(deadline) };

	if (timer_settime(ids[timer], TIMER_ABSTIME, &time, NULL))
		die("timer_settime");
}

static inline void query_one(__u32 timer)
{
	struct itimerspec time;

	if (timer_gettime(ids[timer], &time))
		die("timer_gettime");
}

static __u32 take(__u32 batch)
{
	ssize_t bytes = read(signals, infos, batch * sizeof(*infos));

	return bytes > 0 ? (__u32)bytes / sizeof(*infos) : 0;
}

/* Limited, because the kernel searches for a timer in one of only 512 hash chains. */
const struct contestant posix = {
	.name = "posix", .most = 100000, .takes = true,
	.open = open_all, .close = close_all, .take = take,
	.arm = arm, .rearm = arm, .cancel = cancel, .query = query,
};
