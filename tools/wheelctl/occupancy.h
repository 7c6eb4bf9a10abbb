/* SPDX-License-Identifier: MIT */
/*
 * How many buckets of a wheel hold timers.
 */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <stdio.h>

#include "look.h"

/**
 * struct occupancy - by groups of neighbouring buckets
 * @busy: buckets that hold timers, for each group
 * @groups: how many groups; 0: nobody knows
 * @of: buckets in a group
 */
struct occupancy {
	u32 busy[64];
	u32 groups;
	u32 of;
};

bool occupancy_find(struct occupancy *o, FILE *wheels, const struct look *before,
		    const struct look *now);
void occupancy_draw(FILE *to, const struct occupancy *o);

#endif
