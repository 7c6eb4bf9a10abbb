// SPDX-License-Identifier: MIT
/*
 * Runs the unit tests of replay.
 */
#include "ktap.h"

const char *const program = "replay";

int main(void)
{
	static const struct ktap_case *const suites[] = {
		trace_cases, words_cases, model_cases, player_cases, NULL
	};

	return ktap_run(suites);
}
