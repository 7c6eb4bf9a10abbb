/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Schemes as parameters of a test. Each guarantee applies to all schemes, within two limits:
 * WHEEL_BOUNDED rejects timers that are due beyond its revolution, and WHEEL_OVERFLOW rejects more
 * than wheel_limit_of(WHEEL_OVERFLOW) timers, which is 4096.
 *
 * The suite of such a test must use rig_init_scheme() as its init function.
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

/* All schemes; at most 4096 timers, at most BOUNDED_BUCKETS ticks ahead. */
#define ANY_CASE(test)		KUNIT_CASE_PARAM(test, any_gen_params)

/* Schemes that accept any delay; at most 4096 timers. */
#define FAR_CASE(test)		KUNIT_CASE_PARAM(test, far_gen_params)

/* Schemes that accept any delay and any number of timers. */
#define MANY_CASE(test)		KUNIT_CASE_PARAM(test, many_gen_params)
#endif
