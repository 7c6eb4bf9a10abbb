// SPDX-License-Identifier: MIT
/*
 * One clear line on stderr, and out.
 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "wheelctl.h"

/**
 * fail - say what is wrong and exit
 * @status: EXIT_DEVICE or EXIT_ASKED
 * @format: one line, without its end
 */
void fail(int status, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("wheelctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(status);
}

/**
 * flush_or_fail - what was printed is to be read now
 */
void flush_or_fail(void)
{
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_DEVICE, "cannot write the answer to stdout");
}
