/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the oldest supported kernels lack. The other files are written for the newest
 * supported kernel and do not check versions.
 */
#ifndef _WHEEL_COMPAT_H
#define _WHEEL_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/workqueue.h>

/* Linux 6.13 merged hrtimer_init() and the assignment of the function. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Since Linux 6.3, the flags of a mapping are read-only and changed by functions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * Work item in softirq context: a BH workqueue since Linux 6.9, which added them as a replacement
 * for tasklets; otherwise a tasklet.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)

#define bh_work				work_struct
#define bh_work_init(bh, function)	INIT_WORK(bh, function)
#define bh_work_cancel_sync(bh)		cancel_work_sync(bh)

static inline void bh_work_queue(struct bh_work *bh)
{
	queue_work(system_bh_wq, bh);
}

#else

#define bh_work				tasklet_struct
#define bh_work_init(bh, function)	tasklet_setup(bh, function)
#define bh_work_queue(bh)		tasklet_schedule(bh)
#define bh_work_cancel_sync(bh)		tasklet_kill(bh)

#endif

#endif
