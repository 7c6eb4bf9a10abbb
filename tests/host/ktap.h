/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs tests and reports them in KTAP version 1, a line a test. Each test runs
 * in a process of its own, so that one which a sanitizer stops is one that
 * fails, and the others still run.
 */
#ifndef _HOST_KTAP_H
#define _HOST_KTAP_H

/**
 * struct ktap_test - a test
 * @name: as reported; NULL ends a table
 * @run: returns NULL, or what went wrong
 */
struct ktap_test {
	const char *name;
	const char *(*run)(void);
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

/*
 * Runs those whose name contains one of @parts, which NULL ends; all, if there is
 * none. Returns how many failed.
 */
int ktap_run(const struct ktap_group *groups, const char *const *parts);

#endif
