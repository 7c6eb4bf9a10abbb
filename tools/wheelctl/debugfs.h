/* SPDX-License-Identifier: MIT */
/*
 * The part of a wheel that only root may see.
 */
#ifndef DEBUGFS_H
#define DEBUGFS_H

#include "occupancy.h"

void debugfs_occupancy(struct occupancy *o, const struct look *before);

#endif
