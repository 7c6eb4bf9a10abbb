// SPDX-License-Identifier: MIT
/*
 * Runs the tests of wheelctl's parts and prints KTAP.
 */
#include <stdio.h>

#include "ktap.h"

static bool failed;

void ktap_expect(bool met, const char *file, int line, const char *text)
{
	if (met)
		return;
	printf("# %s:%d: expected %s\n", file, line, text);
	failed = true;
}

int main(void)
{
	static const struct ktap_case *const suites[] = {
		parse_cases, trace_cases, ledger_cases, replay_cases,
		alarm_cases, bounds_cases, near_cases, advice_cases,
		frame_cases, schedule_cases, pending_cases,
		words_cases, html_cases,
	};
	const unsigned int count = sizeof(suites) / sizeof(suites[0]);
	const struct ktap_case *test;
	unsigned int number = 0;
	unsigned int failures = 0;
	unsigned int i;

	puts("KTAP version 1");
	for (i = 0; i < count; i++)
		for (test = suites[i]; test->name; test++)
			number++;
	printf("1..%u\n", number);
	number = 0;
	for (i = 0; i < count; i++) {
		for (test = suites[i]; test->name; test++) {
			failed = false;
			test->run();
			printf("%sok %u %s\n", failed ? "not " : "", ++number,
			       test->name);
			failures += failed;
		}
	}
	return !!failures;
}
