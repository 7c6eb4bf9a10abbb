/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of all wheels in debugfs. Empty functions without CONFIG_DEBUG_FS.
 */
#ifndef _WHEEL_ENGINE_DEBUGFS_H
#define _WHEEL_ENGINE_DEBUGFS_H

#include "engine.h"

#ifdef CONFIG_DEBUG_FS
void wheel_debugfs_add(struct wheel *wheel);
void wheel_debugfs_remove(struct wheel *wheel);
void wheel_debugfs_init(void);
void wheel_debugfs_exit(void);
#else
static inline void wheel_debugfs_add(struct wheel *wheel) {}
static inline void wheel_debugfs_remove(struct wheel *wheel) {}
static inline void wheel_debugfs_init(void) {}
static inline void wheel_debugfs_exit(void) {}
#endif

#endif
