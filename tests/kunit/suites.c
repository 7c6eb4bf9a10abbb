// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "rig.h"

kunit_test_suites(&promises_suite,
		  &far_suite,
		  &silence_suite,
		  &work_suite,
		  &counters_suite,
		  &lifecycle_suite,
		  &callback_suite,
		  &periodic_suite,
		  &push_promises_suite,
		  &push_suite,
		  &push_race_suite,
		  &batch_suite,
		  &expire_suite,
		  &claim_suite,
		  &bases_suite,
		  &system_suite,
		  &input_suite,
		  &context_suite,
		  &sync_suite,
		  &race_suite,
		  &scheme_suite,
		  &traps_suite,
		  &debug_suite,
		  &model_suite);

MODULE_DESCRIPTION("KUnit tests of wheel_timer");
MODULE_LICENSE("GPL");
