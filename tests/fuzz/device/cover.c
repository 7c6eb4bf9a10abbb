// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/kcov.h>

#include "cover.h"

/* So many steps of the module are seen of a program. */
#define ENTRIES	(256 * 1024)
/* Pairs of places are hashed to so many bits: that two share one is of no harm. */
#define EDGES	(1U << 16)

static unsigned long *trace;
static int kcov;
static unsigned char seen[EDGES];

/**
 * cover_open - once, before processes are made that are watched
 *
 * Return: whether the kernel has KCOV.
 */
bool cover_open(void)
{
	kcov = open("/sys/kernel/debug/kcov", O_RDWR);
	if (kcov < 0 || ioctl(kcov, KCOV_INIT_TRACE, ENTRIES))
		return false;
	trace = mmap(NULL, ENTRIES * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED,
		     kcov, 0);
	return trace != MAP_FAILED;
}

/**
 * cover_begin - from now on this process is watched, to its end
 */
void cover_begin(void)
{
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
	if (ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC))
		abort();
}

/**
 * cover_take - what the process that was watched has done; it has ended
 *
 * Return: how many pairs of places were never seen one after the other before.
 */
unsigned int cover_take(void)
{
	unsigned long n = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	unsigned long i, last = 0;
	unsigned int fresh = 0;

	for (i = 1; i <= n && i < ENTRIES; i++) {
		unsigned long here = trace[i] * 0x9e3779b97f4a7c15UL >> 40;
		unsigned long edge = (here ^ last) % EDGES;

		fresh += !seen[edge];
		seen[edge] = 1;
		last = here >> 1;
	}
	return fresh;
}
