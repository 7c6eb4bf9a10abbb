/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans of kept timers, by passes and by kicks.
 */
#ifndef _WHEEL_DEV_KEEP_H
#define _WHEEL_DEV_KEEP_H

#include "dev.h"

unsigned int wheel_file_scan(struct wheel *wheel, u64 now);
int wheel_file_kick(struct wheel_file *file);
void wheel_file_bells_unmapped(struct wheel_file *file);
void wheel_file_stop_kept(struct wheel_file *file);

#endif
