/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of tests. main() assigns them to subjects. */
#ifndef _HOST_TESTS_H
#define _HOST_TESTS_H

#include "ktap.h"
#include "core/env.h"

extern const struct ktap_test division_tests[];
extern const struct ktap_test ledger_tests[];
extern const struct ktap_test unbounded_tests[];
extern const struct ktap_test rest_tests[];
extern const struct ktap_test rest_of_buckets_tests[];
extern const struct ktap_test rest_of_levels_tests[];
extern const struct ktap_test edge_tests[];
extern const struct ktap_test lateness_tests[];
extern const struct ktap_test accounting_tests[];
extern const struct ktap_test order_tests[];
extern const struct ktap_test range_tests[];
extern const struct ktap_test silence_tests[];
extern const struct ktap_test hints_tests[];
extern const struct ktap_test hints_of_rounds_tests[];
extern const struct ktap_test set_back_tests[];
extern const struct ktap_test bound_tests[];
extern const struct ktap_test work_tests[];
extern const struct ktap_test search_tests[];
extern const struct ktap_test exhaustive_tests[];
extern const struct ktap_test volume_tests[];

extern u64 random_ops;
extern unsigned int history_length;

#endif
