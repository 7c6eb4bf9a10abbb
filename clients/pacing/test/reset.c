// SPDX-License-Identifier: GPL-2.0
/*
 * reset FLOWS PACKETS LONGEST: take dummy0 down while PACKETS packets of each of FLOWS sockets
 * wait. The system call must discard them in constant time. They are freed in bounded steps: a
 * thread that sleeps for a millisecond must run again within LONGEST microseconds. It has
 * real-time priority, so that no time slice of the scheduler is part of its wait.
 *
 * The guest counts instructions and has one processor, so that the times are exact.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include "pace.h"

static uint64_t longest;

/* Record the longest time between two runs of this thread. */
static void *watch(void *unused)
{
	struct sched_param priority = { .sched_priority = 1 };
	uint64_t time = now();

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority))
		die("no real-time priority");
	for (;;) {
		uint64_t before = time;

		nap(1000000);
		time = now();
		if (time - before > longest)
			__atomic_store_n(&longest, time - before, __ATOMIC_RELAXED);
	}
	return unused;
}

/* CPU time of this thread */
static uint64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void set_device(int fd, bool up)
{
	struct ifreq request = { .ifr_name = DEVICE };

	if (ioctl(fd, SIOCGIFFLAGS, &request))
		die("SIOCGIFFLAGS: %s", strerror(errno));
	request.ifr_flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		die("SIOCSIFFLAGS: %s", strerror(errno));
}

/* Wait until all packets of a socket are freed. */
static void wait_freed(int fd)
{
	int bytes;

	while (!ioctl(fd, SIOCOUTQ, &bytes) && bytes)
		nap(1000000);
}

/* Discard waiting packets. Returns the CPU time of the system call. */
static uint64_t discard(int *fds, unsigned int flows, unsigned int packets)
{
	uint64_t time = now() + 3000 * NS_PER_S, used;

	for (unsigned int n = 0; n < packets; n++)
		for (unsigned int i = 0; i < flows; i++)
			if (sender_send(fds[i], (struct load) { i, n }, 8, time))
				die("a packet was dropped");
	used = cpu_time();
	set_device(fds[0], false);
	used = cpu_time() - used;
	for (unsigned int i = 0; i < flows; i++)
		wait_freed(fds[i]);
	set_device(fds[0], true);
	return used;
}

int main(int argc, char **argv)
{
	unsigned int flows = argc > 3 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int packets = argc > 3 ? strtoul(argv[2], NULL, 0) : 0;
	uint64_t few, many, most;
	pthread_t thread;
	int *fds;

	if (!flows || !packets)
		die("usage: reset FLOWS PACKETS LONGEST");
	most = strtoull(argv[3], NULL, 0);
	fds = malloc(flows * sizeof(*fds));
	allow_files(flows);
	for (unsigned int i = 0; i < flows; i++)
		fds[i] = sender_open(2000 + i, NO_RATE, true);
	discard(fds, 1, 1);
	few = discard(fds, flows, 1);
	if (pthread_create(&thread, NULL, watch, NULL))
		die("no thread");
	longest = 0;
	many = discard(fds, flows, packets);
	printf("discarded %u packets in %lu us, %u in %lu us; another thread waited for %lu us\n",
	       flows, few / 1000, flows * packets, many / 1000, longest / 1000);
	return many > 2 * few || longest > most * 1000;
}
