// SPDX-License-Identifier: MIT
/*
 * The file that the module has in debugfs.
 */
#include "debugfs.h"

#include <stdio.h>
#include <string.h>

#define WHEELS	"/sys/kernel/debug/wheel_timer/wheels"

/**
 * debugfs_occupancy - how many buckets of a wheel hold timers
 * @o: set up; it has no groups unless the file can be read and has the wheel
 * @before: a look at the wheel
 */
void debugfs_occupancy(struct occupancy *o, const struct look *before)
{
	FILE *wheels = before->all ? fopen(WHEELS, "re") : NULL;
	struct look after;

	memset(o, 0, sizeof(*o));
	if (!wheels)
		return;
	/* Its content is made when it is read for the first time. */
	setvbuf(wheels, NULL, _IOFBF, 1 << 20);
	ungetc(getc(wheels), wheels);
	if (look_at(&after, &before->holder))
		occupancy_find(o, wheels, before, &after);
	fclose(wheels);
}
