/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs tests and reports them in KTAP version 1, one line per test. Each test runs
 * in a separate process, which its first failure ends; the memory that it allocated goes
 * with it. A test that a sanitizer stops has failed, too, and the others still run.
 */
#ifndef _HOST_KTAP_H
#define _HOST_KTAP_H

#include <stdbool.h>

/**
 * struct ktap_test - a test
 * @name: as reported; NULL ends a table
 * @run: returns if all is well, and calls ktap_fail() otherwise
 */
struct ktap_test {
	const char *name;
	void (*run)(void);
};

/**
 * struct ktap_group - tests of one thing
 * @name: of the thing, before the names of the tests and a dot; NULL ends the
 *	groups
 * @subject: the thing, which the tests find in ktap_subject
 * @tables: NULL ends them
 */
struct ktap_group {
	const char *name;
	const void *subject;
	const struct ktap_test *const *tables;
};

extern const void *ktap_subject;

/* The test has failed, and ends here. */
__attribute__((noreturn)) void ktap_fail(const char *error);

/* If the test fails from here on, @explain prints under which circumstances. */
void ktap_if_it_fails(void (*explain)(const void *of), const void *of);

/* Does @run fail? It runs in a separate process, without a report. */
bool ktap_fails(void (*run)(const void *with), const void *with);

/*
 * Run the tests whose name contains one of @parts, which NULL ends, or all if it is empty.
 * Returns the number of failed tests.
 */
int ktap_run(const struct ktap_group *groups, const char *const *parts);

#endif
