/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The schemes as parameters of a test. A promise is a promise of each of them,
 * where it takes the timers at all: WHEEL_BOUNDED takes none that is due beyond
 * its revolution, WHEEL_OVERFLOW no more than WHEEL_OVERFLOW_TIMERS.
 *
 * The suite of such a test has rig_init_scheme() as its init.
 */
#ifndef _WHEEL_KUNIT_SCHEMES_H
#define _WHEEL_KUNIT_SCHEMES_H

#include "rig.h"

extern const struct rig_scheme rig_schemes[4];
extern const struct rig_scheme rig_far_schemes[3];
extern const struct rig_scheme rig_many_schemes[2];

__maybe_unused KUNIT_ARRAY_PARAM_DESC(any, rig_schemes, desc);
__maybe_unused KUNIT_ARRAY_PARAM_DESC(far, rig_far_schemes, desc);
__maybe_unused KUNIT_ARRAY_PARAM_DESC(many, rig_many_schemes, desc);

/* For every scheme; up to WHEEL_OVERFLOW_TIMERS, BOUNDED_BUCKETS ticks ahead. */
#define ANY_CASE(test)		KUNIT_CASE_PARAM(test, any_gen_params)

/* For those that take any delay; up to WHEEL_OVERFLOW_TIMERS. */
#define FAR_CASE(test)		KUNIT_CASE_PARAM(test, far_gen_params)

/* For those that take any delay and any number of timers. */
#define MANY_CASE(test)		KUNIT_CASE_PARAM(test, many_gen_params)
#endif
