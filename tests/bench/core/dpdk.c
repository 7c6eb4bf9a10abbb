// SPDX-License-Identifier: GPL-2.0
/*
 * DPDK's rte_timer, a skip list of linked nodes, sorted by the time stamp counter.
 *
 * rte_timer reads that counter when it arms and expires timers. The counter cannot be
 * overridden. A tick therefore has a fixed number of cycles, about a millisecond, and all
 * deadlines are in the past. The list has the correct order, but all of its timers are
 * due. The first call at or after the earliest deadline expires all of them.
 *
 * A sweep therefore omits the cost of one call per tick, which includes a search for
 * the end of the expired part of the list.
 */
#define _GNU_SOURCE

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "contestant.h"

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_timer.h>

#define TICK_SHIFT	20

/* In cycles: longer than any delay, but shorter than the uptime of the machine. */
#define PAST		((u64)1 << 37)

#define WORDS		7

static struct rte_timer *timers;
static u64 first = ~(u64)0;

static void fire(struct rte_timer *timer, void *arg)
{
	(void)timer;
	(void)arg;
	bench_fire();
}

/* No devices, files or messages; one lcore, on the current CPU. */
static bool start_dpdk(void)
{
	static char word[WORDS][24] = {
		"bench-core", "", "--no-huge", "--no-pci", "--no-shconf",
		"--no-telemetry", "--log-level=emergency",
	};
	char *argv[WORDS + 1] = { };
	u32 i;

	snprintf(word[1], sizeof(word[1]), "--lcores=0@%d", sched_getcpu());
	for (i = 0; i < WORDS; i++)
		argv[i] = word[i];
	return rte_eal_init(WORDS, argv) >= 0 && !rte_timer_subsystem_init();
}

static bool create(u32 count)
{
	u32 i;

	timers = calloc(count, sizeof(*timers));
	if (!timers || !start_dpdk())
		return false;
	for (i = 0; i < count; i++)
		rte_timer_init(&timers[i]);
	return true;
}

static void arm(u32 i, u64 deadline)
{
	u64 cycles = (deadline - bench_now) << TICK_SHIFT;

	if (deadline < first)
		first = deadline;
	rte_timer_reset_sync(&timers[i], cycles - PAST, SINGLE, rte_lcore_id(),
			     fire, NULL);
}

static void cancel(u32 i)
{
	rte_timer_stop_sync(&timers[i]);
}

static void advance(void)
{
	if (bench_now < first)
		return;
	rte_timer_manage();
	first = ~(u64)0;
}

const struct contestant dpdk_skip_list = {
	"DPDK", create, arm, arm, cancel, advance,
};
