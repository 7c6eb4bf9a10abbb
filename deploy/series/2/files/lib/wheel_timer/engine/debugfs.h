/* SPDX-License-Identifier: GPL-2.0 */
/*
 * No list of all wheels in debugfs.
 */
#ifndef _WHEEL_ENGINE_DEBUGFS_H
#define _WHEEL_ENGINE_DEBUGFS_H

struct wheel;

static inline void wheel_debugfs_add(struct wheel *wheel)
{
}

static inline void wheel_debugfs_remove(struct wheel *wheel)
{
}

#endif
