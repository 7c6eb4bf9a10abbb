/* SPDX-License-Identifier: MIT */
/*
 * The result of a replay.
 */
#ifndef REPORT_H
#define REPORT_H

#include "player.h"

void report_print(const struct player *p);
void report_json(const struct player *p);

#endif
