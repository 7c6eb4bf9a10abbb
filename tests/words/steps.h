/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before each file of the library. Calls step() before each atomic operation
 * of the program and of the wheel.
 */
#ifndef _WHEEL_WORDS_STEPS_H
#define _WHEEL_WORDS_STEPS_H

void step(void);

#define __atomic_load_n(p, order)					\
	(step(), __atomic_load_n(p, order))
#define __atomic_store_n(p, v, order)					\
	(step(), __atomic_store_n(p, v, order))
#define __atomic_exchange_n(p, v, order)				\
	(step(), __atomic_exchange_n(p, v, order))
#define __atomic_fetch_or(p, v, order)					\
	(step(), __atomic_fetch_or(p, v, order))
#define __atomic_compare_exchange_n(p, old, v, weak, won, lost)		\
	(step(), __atomic_compare_exchange_n(p, old, v, weak, won, lost))

#endif
