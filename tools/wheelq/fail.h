/* SPDX-License-Identifier: MIT */
/*
 * One clear line on stderr, and the end. Memory that must be there.
 */
#ifndef FAIL_H
#define FAIL_H

#include <stddef.h>

#define EXIT_FAILED	1	/* the store or the system refused */
#define EXIT_USAGE	2	/* it was asked for something that makes no sense */

__attribute__((format(printf, 2, 3), noreturn))
void fail(int status, const char *format, ...);
__attribute__((format(printf, 1, 2)))
void say(const char *format, ...);

/* Without memory nothing can be promised, so they do not return NULL. */
void *zeroed(size_t count, size_t size);
void *grow(void *memory, size_t size);
char *copied(const char *text);

#endif
