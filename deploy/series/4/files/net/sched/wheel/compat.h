/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Headers of the kernel that qdisc.c needs.
 */
#ifndef _SCH_WHEEL_COMPAT_H
#define _SCH_WHEEL_COMPAT_H

#include <linux/module.h>

#endif
