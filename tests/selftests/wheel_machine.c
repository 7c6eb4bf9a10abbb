// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/wheel_timer.h>

#include "../splitmix64.h"
#include "wheel_machine.h"

__u64 wt_now(__u32 clock)
{
	static const clockid_t ids[] = {
		[WHEEL_CLOCK_MONOTONIC] = CLOCK_MONOTONIC,
		[WHEEL_CLOCK_BOOTTIME] = CLOCK_BOOTTIME,
		[WHEEL_CLOCK_REALTIME] = CLOCK_REALTIME,
		[WHEEL_CLOCK_TAI] = CLOCK_TAI,
	};
	struct timespec ts;

	clock_gettime(ids[clock], &ts);
	return ts.tv_sec * WT_SEC + ts.tv_nsec;
}

void wt_let_pass(__u64 ns)
{
	struct itimerspec its = {
		.it_value.tv_sec = ns / WT_SEC,
		.it_value.tv_nsec = ns % WT_SEC,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	__u64 ticks;

	if (fd < 0 || timerfd_settime(fd, 0, &its, NULL) ||
	    read(fd, &ticks, sizeof(ticks)) != sizeof(ticks))
		abort();
	close(fd);
}

void wt_sleep_until(__u64 time)
{
	const struct timespec ts = { .tv_sec = time / WT_SEC, .tv_nsec = time % WT_SEC };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

int wt_set_clock(__s64 ns)
{
	__u64 now = wt_now(WHEEL_CLOCK_REALTIME) + ns;
	struct timespec ts = {
		.tv_sec = now / WT_SEC, .tv_nsec = now % WT_SEC,
	};

	if (getenv("WHEEL_KEEP_CLOCK"))
		return -EPERM;
	return clock_settime(CLOCK_REALTIME, &ts) ? -errno : 0;
}

/* A change of the uid clears PDEATHSIG. */
bool wt_become(uid_t uid)
{
	const struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };

	return !setrlimit(RLIMIT_MEMLOCK, &memory) && !setgid(uid) && !setuid(uid) &&
	       !prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int wt_end_of(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -255;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool wt_sleeps(pid_t tid)
{
	char path[64], state;
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	do {
		wt_let_pass(100 * WT_US);
		f = fopen(path, "r");
		if (!f)
			return false;
		n = fscanf(f, "%*d (%*[^)]) %c", &state);
		fclose(f);
	} while (n == 1 && (state == 'R' || state == 'D'));
	return n == 1 && state == 'S';
}

bool wt_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool written = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return written;
}

long wt_module_refs(void)
{
	char line[256], name[64];
	unsigned long size;
	long found = -1;
	long refs;
	FILE *f;

	f = fopen("/proc/modules", "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu %ld", name, &size, &refs) == 3 &&
		    !strcmp(name, "wheel_timer"))
			found = refs;
	fclose(f);
	return found;
}

__u64 wt_seed(void)
{
	const char *env = getenv("SEED");
	__u64 seed;

	if (env)
		seed = strtoull(env, NULL, 0);
	else
		seed = wt_now(WHEEL_CLOCK_REALTIME) ^ (__u64)getpid() << 40;
	printf("# SEED=0x%llx\n", seed);
	fflush(stdout);
	return seed;
}

__u64 wt_random(__u64 *state)
{
	return splitmix64(state);
}

__u64 wt_below(__u64 *state, __u64 limit)
{
	return wt_random(state) % limit;
}
