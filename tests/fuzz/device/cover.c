// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/kcov.h>

#include "cover.h"

/* Maximum number of traced basic blocks per program. */
#define ENTRIES	(256 * 1024)
/* Size of the hash table of edges. Collisions are harmless. */
#define EDGES	(1U << 16)

static unsigned long *trace;
static int kcov;
static unsigned char seen[EDGES];

/**
 * cover_open() - Open KCOV. Must be called once, before any traced process is created.
 *
 * Return: true if the kernel supports KCOV.
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
 * cover_begin() - Trace this process until its end
 */
void cover_begin(void)
{
	__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
	if (ioctl(kcov, KCOV_ENABLE, KCOV_TRACE_PC))
		abort();
}

/**
 * cover_take() - Process the trace of the traced process, which must have ended
 *
 * Return: number of new edges, i.e. pairs of consecutive locations not seen before.
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
