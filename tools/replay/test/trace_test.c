// SPDX-License-Identifier: MIT
/*
 * Tests of traces and of invalid files.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "replay.h"

static void load_file(const void *path)
{
	struct trace trace;

	trace_load(&trace, path, NEVER);
	trace_verify(&trace);
}

/* Load a text as a trace. Returns the exit status; @printed receives the message. */
static int load(const char *text, char *printed, size_t size)
{
	int fd = memfd_create("trace", 0);
	char path[32];
	int status;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = ktap_status_of(load_file, path, printed, size);
	close(fd);
	return status;
}

static bool is_loaded(const char *text)
{
	char printed[512];

	return !load(text, printed, sizeof(printed)) && !*printed;
}

/* Check for one line on stderr that contains @what, and exit status 2. */
static bool is_rejected(const char *text, const char *what)
{
	char printed[512];

	return load(text, printed, sizeof(printed)) == EXIT_USAGE &&
	       strstr(printed, what) && strchr(printed, '\n') == strrchr(printed, '\n');
}

static void good_traces(void)
{
	KTAP_EXPECT(is_loaded("# t_ns,op,timer,delay_ns\n0,A,0,1\n5,C,0\n"));
	KTAP_EXPECT(is_loaded("0,A,0,0\n0,A,0,0\n0,C,0\n0,C,0\n"));
	KTAP_EXPECT(is_loaded("0,A,16777215,9223372036854775807"));
	KTAP_EXPECT(is_loaded("#\n#\n9223372036854775807,A,3,1\n# end\n"));
}

#define NO_TIME		", not a whole number up to 2^63-1\n"
#define NO_TIMER	", not a whole number below 2^24\n"

static void impossible_operations(void)
{
	KTAP_EXPECT(is_rejected("5,A,0,1\n4,A,1,1\n",
				":2: field 1, t_ns, decreases from 5 to 4\n"));
	KTAP_EXPECT(is_rejected("#\n5,A,0,1\n6,C,1\n",
				":3: cancels timer 1, which was never armed\n"));
	KTAP_EXPECT(is_rejected("5,A,0,9223372036854775808\n",
				":1: field 4, delay_ns, is '9223372036854775808'"
				NO_TIME));
	KTAP_EXPECT(is_rejected("9223372036854775808,A,0,1\n",
				":1: field 1, t_ns, is '9223372036854775808'"
				NO_TIME));
	KTAP_EXPECT(is_rejected("5,A,16777216,1\n",
				":1: field 3, timer, is '16777216'" NO_TIMER));
	KTAP_EXPECT(is_rejected("5,A,18446744073709551616,1\n",
				":1: field 3, timer, is '18446744073709551616'"
				NO_TIMER));
}

static void malformed_fields(void)
{
	KTAP_EXPECT(is_rejected("5,A,0,1x\n", ":1: field 4, delay_ns, is '1x', not"));
	KTAP_EXPECT(is_rejected("5,A,0,-1\n", ":1: field 4, delay_ns, is '-1', not"));
	KTAP_EXPECT(is_rejected("5,A,0,1.5\n", ":1: field 4, delay_ns, is '1.5',"));
	KTAP_EXPECT(is_rejected("5,A,0,\n", ":1: field 4, delay_ns, is '', not"));
	KTAP_EXPECT(is_rejected("5,A, 0,1\n", ":1: field 3, timer, is ' 0', not"));
	KTAP_EXPECT(is_rejected("5,A,\33[m,1\n", ":1: field 3, timer, is '?[m',"));
	KTAP_EXPECT(is_rejected("x,A,0,1\n", ":1: field 1, t_ns, is 'x', not"));
	KTAP_EXPECT(is_rejected(",A,0,1\n", ":1: field 1, t_ns, is '', not"));
	KTAP_EXPECT(is_rejected("5,B,0,1\n",
				":1: field 2, the operation, is 'B', not A or C\n"));
	KTAP_EXPECT(is_rejected("5,,0,1\n", ":1: field 2, the operation, is '',"));
}

#define ARM_FORM	": expected t_ns,A,timer,delay_ns\n"
#define CANCEL_FORM	": expected t_ns,C,timer\n"

static void malformed_lines(void)
{
	KTAP_EXPECT(is_rejected("5,A,0\n",
				":1: field 4, delay_ns, is missing" ARM_FORM));
	KTAP_EXPECT(is_rejected("5,A\n",
				":1: field 3, timer, is missing" ARM_FORM));
	KTAP_EXPECT(is_rejected("5,C\n",
				":1: field 3, timer, is missing" CANCEL_FORM));
	KTAP_EXPECT(is_rejected("5,A,0,1,2\n",
				":1: unexpected field 5" ARM_FORM));
	KTAP_EXPECT(is_rejected("5,A,0,1,\n", ":1: unexpected field 5:"));
	KTAP_EXPECT(is_rejected("5,A,0,1\n5,C,0,1\n",
				":2: unexpected field 4" CANCEL_FORM));
	KTAP_EXPECT(is_rejected("5,A,0,1\r\n", ":1: ends in a carriage return"));
	KTAP_EXPECT(is_rejected("\n",
				":1: expected t_ns,A,timer,delay_ns or t_ns,C,timer\n"));
	KTAP_EXPECT(is_rejected("5;A;0;1\n", ":1: expected t_ns,A,timer,delay_ns or"));
	KTAP_EXPECT(is_rejected("5,A,0,1\n5,A,0", ":2: field 4, delay_ns, is missing"));
	KTAP_EXPECT(is_rejected("", "contains no operation"));
	KTAP_EXPECT(is_rejected("# nothing\n", "contains no operation"));
}

/* cf336db9 is the checksum of "0,A,0,1\n". */
static void stated_checksums(void)
{
	KTAP_EXPECT(is_loaded("# crc32=cf336db9\n0,A,0,1\n"));
	KTAP_EXPECT(is_loaded("# t_ns crc32=CF336DB9 x\n0,A,0,1\n"));
	KTAP_EXPECT(is_rejected("# crc32=cf336db9\n0,A,0,2\n",
				"the file was changed"));
	KTAP_EXPECT(is_rejected("# crc32=cf336db9\n0,A,0,1\n\n", ":3:"));
	KTAP_EXPECT(is_rejected("# crc32=cf336db9\n#\n0,A,0,1\n",
				"the file was changed"));
	KTAP_EXPECT(is_rejected("# crc32=cf336d\n0,A,0,1\n",
				":1: crc32= requires eight hexadecimal digits"));
	KTAP_EXPECT(is_loaded("#\n# crc32=00000000\n0,A,0,1\n"));
}

const struct ktap_test trace_cases[] = {
	{ "valid traces are accepted", good_traces },
	{ "impossible operations are rejected", impossible_operations },
	{ "malformed fields are rejected", malformed_fields },
	{ "malformed lines are rejected", malformed_lines },
	{ "checksums are verified", stated_checksums },
	{ NULL }
};
