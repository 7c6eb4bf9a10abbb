/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests of timers with a word, with a simulated clock.
 */
#ifndef _WHEEL_WORDS_TESTS_H
#define _WHEEL_WORDS_TESTS_H

#include <linux/types.h>
#include <stdbool.h>

#include "../host/ktap.h"

extern const struct ktap_test torture_tests[];
extern const struct ktap_test load_tests[];

/* Returns the seed, which is printed. SEED=n sets it. */
__u64 test_seed(void);
/* Returns the number in the environment variable @name, or @otherwise if it is not set. */
__u64 env_number(const char *name, __u64 otherwise);

#endif
