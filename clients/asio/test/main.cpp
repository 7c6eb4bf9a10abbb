// SPDX-License-Identifier: MIT
/* Runs each test in a separate process, because a failed check aborts it. */
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "test.hpp"

unsigned int seed;

static bool passes(const test &test)
{
	pid_t child = fork();
	int status;

	if (!child) {
		test.run();
		std::fflush(stdout);
		std::exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	int number = 0, failed = 0;
	std::size_t i;

	seed = argc > 2 ? std::atoi(argv[2]) : std::random_device()();
	for (i = 0; i < test_count; i++)
		number += !!std::strstr(tests[i].name, part);
	std::printf("KTAP version 1\n1..%d\n# SEED=%u\n", number, seed);
	number = 0;
	for (i = 0; i < test_count; i++) {
		bool passed;

		if (!std::strstr(tests[i].name, part))
			continue;
		std::fflush(stdout);
		passed = passes(tests[i]);
		failed += !passed;
		std::printf("%sok %d %s\n", passed ? "" : "not ", ++number, tests[i].name);
	}
	return !!failed;
}
