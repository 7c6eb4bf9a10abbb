/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the oldest supported kernels lack.
 */
#ifndef _SCH_WHEEL_COMPAT_H
#define _SCH_WHEEL_COMPAT_H

#include <linux/module.h>

/* Linux 6.9 gave the modules of qdiscs an alias. */
#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id)	MODULE_ALIAS("net-sch-" id)
#endif

#endif
