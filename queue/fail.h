/* SPDX-License-Identifier: MIT */
/*
 * Fatal errors, and allocations that cannot fail.
 */
#ifndef FAIL_H
#define FAIL_H

#include <stddef.h>

#define EXIT_FAILED	1	/* the store or the system failed */
#define EXIT_USAGE	2	/* an option is invalid */

__attribute__((format(printf, 2, 3), noreturn))
void fail(int status, const char *format, ...);
__attribute__((format(printf, 1, 2)))
void say(const char *format, ...);

/* These exit if no memory is available. */
void *zeroed(size_t count, size_t size);
void *grow(void *memory, size_t size);
char *copied(const char *text);

#endif
