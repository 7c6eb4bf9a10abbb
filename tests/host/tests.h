/* SPDX-License-Identifier: GPL-2.0 */
/* A table a file; main() runs them in its own order. */
#ifndef _HOST_TESTS_H
#define _HOST_TESTS_H

#include "ktap.h"
#include "wheel_env.h"

extern const struct ktap_test rig_tests[];
extern const struct ktap_test division_tests[];
extern const struct ktap_test lateness_tests[];
extern const struct ktap_test accounting_tests[];
extern const struct ktap_test order_tests[];
extern const struct ktap_test range_tests[];
extern const struct ktap_test silence_tests[];
extern const struct ktap_test work_tests[];
extern const struct ktap_test exhaustive_tests[];
extern const struct ktap_test differential_tests[];

extern u64 differential_ops;

#endif
