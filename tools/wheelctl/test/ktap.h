/* SPDX-License-Identifier: MIT */
/*
 * Runs test cases and prints their results in KTAP, the kernel's test protocol.
 */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct ktap_case - a test case
 * @name: expected behaviour; the last case has a NULL name
 * @run: checks it with KTAP_EXPECT()
 */
struct ktap_case {
	const char *name;
	void (*run)(void);
};

#define KTAP_EXPECT(condition)						       \
	ktap_expect(condition, __FILE__, __LINE__, #condition)

void ktap_expect(bool met, const char *file, int line, const char *text);

/* Run the cases of all suites, up to a NULL; returns the exit status. */
int ktap_run(const struct ktap_case *const *suites);

/*
 * Run a function that may end the program in a child process. Returns its exit status, or 0 if
 * it returned. @printed receives its stderr.
 */
int exit_status_of(void (*run)(const void *data), const void *data, char *printed, size_t size);

/* The test suites of wheelctl and replay. */
extern const struct ktap_case trace_cases[];
extern const struct ktap_case words_cases[];
extern const struct ktap_case model_cases[];
extern const struct ktap_case player_cases[];
extern const struct ktap_case text_cases[];
extern const struct ktap_case setup_cases[];
extern const struct ktap_case arm_cases[];
extern const struct ktap_case save_cases[];
extern const struct ktap_case show_cases[];

#endif
