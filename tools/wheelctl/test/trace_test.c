// SPDX-License-Identifier: MIT
/*
 * What a trace is, and what is none.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "trace.h"

/*
 * Loads @text as a trace in a process of its own, as an error ends it. Returns
 * the exit status; what it said last is in @said.
 */
static int load(const char *text, char *said, size_t size)
{
	char path[] = "/tmp/wheelctl-trace.XXXXXX";
	int fd = mkstemp(path);
	struct trace trace;
	size_t length = 0;
	int ends[2];
	ssize_t got;
	pid_t child;
	int status;

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || pipe(ends))
		abort();
	close(fd);
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		trace_load(&trace, path);
		trace_verify(&trace);
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + length, size - length - 1)) > 0)
		length += (size_t)got;
	said[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_loaded(const char *text)
{
	char said[512];

	return !load(text, said, sizeof(said)) && !*said;
}

/* One line on stderr that says @what, and exit status 2. */
static bool is_refused(const char *text, const char *what)
{
	char said[512];

	return load(text, said, sizeof(said)) == EXIT_ASKED &&
	       strstr(said, what) && strchr(said, '\n') == strrchr(said, '\n');
}

static void good_traces(void)
{
	KTAP_EXPECT(is_loaded("# t_ns,op,timer,delay_ns\n0,A,0,1\n5,C,0\n"));
	KTAP_EXPECT(is_loaded("0,A,0,0\n0,A,0,0\n0,C,0\n0,C,0\n"));
	KTAP_EXPECT(is_loaded("0,A,16777215,9223372036854775807"));
	KTAP_EXPECT(is_loaded("#\n#\n9223372036854775807,A,3,1\n# end\n"));
}

static void impossible_operations(void)
{
	KTAP_EXPECT(is_refused("5,A,0,1\n4,A,1,1\n", ":2: time goes backwards"));
	KTAP_EXPECT(is_refused("#\n5,A,0,1\n6,C,1\n",
			       ":3: cancels a timer that was never armed"));
	KTAP_EXPECT(is_refused("5,A,0,9223372036854775808\n",
			       ":1: the delay is beyond 2^63-1"));
	KTAP_EXPECT(is_refused("9223372036854775808,A,0,1\n",
			       ":1: the time is beyond 2^63-1"));
	KTAP_EXPECT(is_refused("5,A,16777216,1\n",
			       ":1: the timer's number is beyond 2^24-1"));
}

static void malformed_lines(void)
{
	KTAP_EXPECT(is_refused("5,A,0,1x\n", ":1: the delay is not a number"));
	KTAP_EXPECT(is_refused("5,A,0,-1\n", ":1: the delay is not a number"));
	KTAP_EXPECT(is_refused("5,A,0,\n", ":1: the delay is not a number"));
	KTAP_EXPECT(is_refused("5,A,0\n", ":1: the timer is not a number"));
	KTAP_EXPECT(is_refused("5,A,0,1,2\n", ":1: the delay is not a number"));
	KTAP_EXPECT(is_refused("5,A,0,1\r\n", ":1: the delay is not a number"));
	KTAP_EXPECT(is_refused("x,A,0,1\n", ":1: the time is not a number"));
	KTAP_EXPECT(is_refused("\n", ":1: the time is not a number"));
	KTAP_EXPECT(is_refused("5,B,0,1\n", ":1: the operation is neither"));
	KTAP_EXPECT(is_refused("5,C,0,1\n", ":1: the timer is not a number"));
	KTAP_EXPECT(is_refused("", "no operation in it"));
	KTAP_EXPECT(is_refused("# nothing\n", "no operation in it"));
}

/* The checksum is that of "0,A,0,1\n". */
static void stated_checksums(void)
{
	KTAP_EXPECT(is_loaded("# crc32=cf336db9\n0,A,0,1\n"));
	KTAP_EXPECT(is_loaded("# t_ns crc32=CF336DB9 x\n0,A,0,1\n"));
	KTAP_EXPECT(is_refused("# crc32=cf336db9\n0,A,0,2\n",
			       "the file was changed"));
	KTAP_EXPECT(is_refused("# crc32=cf336db9\n0,A,0,1\n\n", ":3:"));
	KTAP_EXPECT(is_refused("# crc32=cf336db9\n#\n0,A,0,1\n",
			       "the file was changed"));
	KTAP_EXPECT(is_refused("# crc32=cf336d\n0,A,0,1\n",
			       ":1: crc32= wants eight hexadecimal digits"));
	KTAP_EXPECT(is_loaded("#\n# crc32=00000000\n0,A,0,1\n"));
}

const struct ktap_case trace_cases[] = {
	{ "good traces", good_traces },
	{ "impossible operations", impossible_operations },
	{ "malformed lines", malformed_lines },
	{ "stated checksums", stated_checksums },
	{ NULL }
};
