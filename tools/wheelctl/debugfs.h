/* SPDX-License-Identifier: MIT */
/*
 * The part of a wheel that only root may see.
 */
#ifndef DEBUGFS_H
#define DEBUGFS_H

#include "occupancy.h"

void debugfs_read(struct occupied_list *all, const struct look *looks, size_t count);
void debugfs_occupancy(struct occupancy *o, const struct occupied_list *all,
		       const struct look *before);

#endif
