/* SPDX-License-Identifier: MIT */
/*
 * A wheel's counters, shown.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "wheelctl.h"

void counters_print(const struct wheel_stats *stats);
void counters_json(const struct wheel_stats *stats);

#endif
