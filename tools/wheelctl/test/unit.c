// SPDX-License-Identifier: MIT
/*
 * Runs the unit tests of wheelctl.
 */
#include "ktap.h"

const char *const program = "wheelctl";

int main(void)
{
	static const struct ktap_case *const suites[] = {
		text_cases, setup_cases, arm_cases, save_cases, show_cases, NULL
	};

	return ktap_run(suites);
}
