/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of all wheels in debugfs.
 */
#ifndef _WHEEL_ENGINE_DEBUGFS_H
#define _WHEEL_ENGINE_DEBUGFS_H

struct wheel;

void wheel_debugfs_add(struct wheel *wheel);
void wheel_debugfs_remove(struct wheel *wheel);
void wheel_debugfs_init(void);
void wheel_debugfs_exit(void);

#endif
