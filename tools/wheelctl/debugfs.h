/* SPDX-License-Identifier: MIT */
/*
 * What only root may see of a wheel.
 */
#ifndef DEBUGFS_H
#define DEBUGFS_H

#include "occupancy.h"

void debugfs_occupancy(struct occupancy *o, const struct look *before);

#endif
