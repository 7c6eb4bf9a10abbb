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

/**
 * struct occupied - a wheel that the file in debugfs tells of
 * @tick: in nanoseconds
 * @armed: as in struct wheel_stats, like the two that follow
 * @fired: expiries
 * @cancelled: cancelled while pending
 * @occupancy: of its buckets
 */
struct occupied {
	u64 tick;
	u64 armed;
	u64 fired;
	u64 cancelled;
	struct occupancy occupancy;
};

/**
 * struct occupied_list - the wheels of open files, those that it tells all of
 * @list: in the file's order
 * @count: how many; 0: nobody knows
 */
struct occupied_list {
	struct occupied *list;
	size_t count;
};

void occupied_read(struct occupied_list *all, FILE *wheels);
void occupied_free(struct occupied_list *all);
bool occupancy_find(struct occupancy *o, const struct occupied_list *all,
		    const struct look *before, const struct look *now);
void occupancy_draw(FILE *to, const struct occupancy *o);

#endif
