// SPDX-License-Identifier: MIT
/*
 * The file that the module has in debugfs.
 */
#include "debugfs.h"

#include <stdio.h>
#include <string.h>

#define WHEELS	"/sys/kernel/debug/wheel_timer/wheels"

/**
 * debugfs_read - read which wheels there are
 * @all: set up; empty unless we are root, and for looks none of which saw all
 * @looks: at the wheels that are to be found there
 * @count: how many
 *
 * The file tells of all wheels, so it is read once for all of these.
 */
void debugfs_read(struct occupied_list *all, const struct look *looks, size_t count)
{
	FILE *wheels;

	memset(all, 0, sizeof(*all));
	while (count && !looks[count - 1].all)
		count--;
	wheels = count ? fopen(WHEELS, "re") : NULL;
	if (!wheels)
		return;
	setvbuf(wheels, NULL, _IOFBF, 1 << 20);
	occupied_read(all, wheels);
	fclose(wheels);
}

/**
 * debugfs_occupancy - how many buckets of a wheel hold timers
 * @o: set up; it has no groups unless the wheel is there
 * @all: read
 * @before: a look at the wheel before that
 */
void debugfs_occupancy(struct occupancy *o, const struct occupied_list *all,
		       const struct look *before)
{
	struct look after;

	memset(o, 0, sizeof(*o));
	if (all->count && before->all && look_at(&after, &before->holder))
		occupancy_find(o, all, before, &after);
}
