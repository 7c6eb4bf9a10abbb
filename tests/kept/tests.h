/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests of kept timers on a machine whose clock is ours.
 */
#ifndef _KEPT_TESTS_H
#define _KEPT_TESTS_H

#include <linux/types.h>
#include <stdbool.h>

#include "../host/ktap.h"

extern const struct ktap_test torture_tests[];
extern const struct ktap_test load_tests[];

/* The run's seed, which is printed: SEED=n repeats it. */
__u64 test_seed(void);
/* A number of the environment's. */
__u64 env_number(const char *name, __u64 otherwise);

#endif
