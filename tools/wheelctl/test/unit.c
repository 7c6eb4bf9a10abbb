// SPDX-License-Identifier: MIT
/*
 * Runs the unit tests of wheelctl.
 */
#include <stdio.h>

#include "cases.h"

const char *const program = "wheelctl";

int main(int argc, char **argv)
{
	static const struct ktap_test *const suites[] = {
		text_cases, setup_cases, arm_cases, save_cases, show_cases, NULL,
	};
	static const struct ktap_group groups[] = { { "", NULL, suites }, { } };

	(void)argc;
	printf("KTAP version 1\n");
	return !!ktap_run(groups, (const char *const *)argv + 1);
}
