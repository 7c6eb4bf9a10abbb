/* SPDX-License-Identifier: MIT */
/*
 * The scan finds keys that expire beyond the horizon, which need no memory here. It visits each
 * key at least twice per horizon, and so at least once while the key expires within the horizon.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdint.h>

void scan_init(void);
void scan_exit(void);
/* Starts a scan without pauses between its steps. */
void scan_at_once(void);
/* Returns the number of completed scans. */
uint64_t scans_done(void);

#endif
