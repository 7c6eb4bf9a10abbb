/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work items in softirq context.
 */
#ifndef _WHEEL_COMPAT_H
#define _WHEEL_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/workqueue.h>

#define bh_work				work_struct
#define bh_work_init(bh, function)	INIT_WORK(bh, function)
#define bh_work_cancel_sync(bh)		cancel_work_sync(bh)

static inline void bh_work_queue(struct bh_work *bh)
{
	queue_work(system_bh_wq, bh);
}

#endif
