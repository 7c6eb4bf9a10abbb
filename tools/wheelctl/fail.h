/* SPDX-License-Identifier: MIT */
/*
 * One clear line on stderr, and out.
 */
#ifndef FAIL_H
#define FAIL_H

#ifndef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#endif
#ifndef __noreturn
#define __noreturn	__attribute__((__noreturn__))
#endif

void __noreturn __printf(2, 3) fail(int status, const char *format, ...);
void flush_or_fail(void);

#endif
