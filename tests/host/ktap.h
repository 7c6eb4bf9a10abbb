/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Runs tests and reports them in KTAP version 1, one line per test. Each test runs in a
 * separate process; its memory is then released. If a sanitizer terminates a test, the test
 * fails, and the others still run. kselftest_harness.h is not used, because these tests also run
 * without the kernel's source. tests/vm/tally parses all reports.
 */
#ifndef _HOST_KTAP_H
#define _HOST_KTAP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct ktap_test - test
 * @name: name in the report; NULL at the end of a table
 * @run: test function, which calls ktap_fail() or KTAP_EXPECT()
 */
struct ktap_test {
	const char *name;
	void (*run)(void);
};

/**
 * struct ktap_group - tests of one subject
 * @name: prefix of the test names, followed by a dot unless it is empty; NULL at the end of
 *	the groups
 * @subject: subject, available to the tests in ktap_subject
 * @tables: tables of tests, terminated by NULL
 */
struct ktap_group {
	const char *name;
	const void *subject;
	const struct ktap_test *const *tables;
};

extern const void *ktap_subject;

/* Report a failure and end the test. */
__attribute__((noreturn)) void ktap_fail(const char *error);

/* Report the reason and end the test, which is then skipped. */
__attribute__((noreturn)) void ktap_skip(const char *reason);

/* Report a false condition. The test continues, and fails when it returns. Returns @condition. */
#define KTAP_EXPECT(condition) \
	ktap_expect(!!(condition), __FILE__, __LINE__, #condition)

bool ktap_expect(bool met, const char *file, int line, const char *text);

/* Set a function that prints the parameters of the test if it fails. */
void ktap_if_it_fails(void (*explain)(const void *of), const void *of);

/*
 * Run a function that may end the program in a separate process. Returns its exit status, or 0
 * if it returned. @printed receives its stderr.
 */
int ktap_status_of(void (*run)(const void *with), const void *with, char *printed, size_t size);

/*
 * Run the tests whose names contain one of @parts, or all tests if @parts is empty. The array
 * @parts is terminated by NULL.
 * Returns the number of failed tests.
 */
int ktap_run(const struct ktap_group *groups, const char *const *parts);

#endif
