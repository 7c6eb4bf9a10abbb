// SPDX-License-Identifier: MIT
/*
 * Runs the unit tests of replay.
 */
#include <stdio.h>

#include "cases.h"

const char *const program = "replay";

int main(int argc, char **argv)
{
	static const struct ktap_test *const suites[] = {
		trace_cases, words_cases, model_cases, player_cases, NULL,
	};
	static const struct ktap_group groups[] = { { "", NULL, suites }, { } };

	(void)argc;
	printf("KTAP version 1\n");
	return !!ktap_run(groups, (const char *const *)argv + 1);
}
