// SPDX-License-Identifier: GPL-2.0
/*
 * faults: fail the first, second, ... allocation of an operation of the qdisc of dummy0, until one
 * completes without a failure. Needs a kernel with fault injection.
 *
 * - Adding the qdisc results in a qdisc that sends packets, or in none.
 * - A change changes all its options or none.
 * - The first packet of a flow is queued or dropped. All queued ones leave, and a flow that could
 *   not be allocated is counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../pkt_wheel.h"
#include "pace.h"

#define DEBUG	"/sys/kernel/debug/"

/* A netlink attribute */
struct option {
	struct rtattr	header;
	uint32_t	value;
};

static int nth;
static unsigned int failures;

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/* Fail allocations of any size, also those that may sleep, without messages in the log. */
static void faults_open(void)
{
	write_file(DEBUG "failslab/ignore-gfp-wait", "0");
	write_file(DEBUG "failslab/verbose", "0");
	write_file(DEBUG "fail_page_alloc/ignore-gfp-wait", "0");
	write_file(DEBUG "fail_page_alloc/min-order", "0");
	write_file(DEBUG "fail_page_alloc/verbose", "0");
	write_file(DEBUG "fail_usercopy/verbose", "0");
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0)
		die("fail-nth: %s", strerror(errno));
}

/* Fail the allocation number @n from now on; 0: none. */
static void fail_from(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, len, 0) != len)
		die("fail-nth: %s", strerror(errno));
}

/* End the injection. Returns true if an allocation has failed. */
static bool has_failed(void)
{
	char text[16] = "";
	bool failed = pread(nth, text, sizeof(text), 0) > 0 && text[0] == '0';

	/* If the failure hits this write, none has happened before. */
	while (pwrite(nth, "0", 1, 0) != 1)
		;
	failures += failed;
	return failed;
}

static bool exists(void)
{
	return !system("/usr/sbin/tc qdisc show dev " DEVICE " root | grep -q 'qdisc wheel'");
}

static void run(const char *command)
{
	if (system(command))
		die("%s failed", command);
}

static void check_sending(void)
{
	int fd = sender_open(1000, NO_RATE, false);

	if (sender_send(fd, (struct load) {}, 100, 0) || statistic("packets") != 1)
		die("the qdisc does not send");
	close(fd);
}

static void fail_add(void)
{
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		struct request request;
		int err;

		request_begin(&request, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, "wheel");
		fail_from(n);
		err = request_send(&request);
		failed = has_failed();
		if (err ? !failed : !exists())
			die("add %u: %s", n, strerror(err));
		if (exists()) {
			check_sending();
			run("/usr/sbin/tc qdisc del dev " DEVICE " root");
		}
	}
}

static void fail_change(void)
{
	uint64_t limits[2] = { 100, 10000 };
	bool failed = true;

	run("/usr/sbin/tc qdisc add dev " DEVICE " root wheel");
	for (uint32_t n = 1; failed; n++) {
		struct option options[2] = {
			{ { sizeof(*options), TCA_WHEEL_FLOW_LIMIT }, 200 + n },
			{ { sizeof(*options), TCA_WHEEL_LIMIT }, 20000 + n },
		};
		struct request request;
		int err;

		request_begin(&request, RTM_NEWQDISC, 0, "wheel");
		request_add(&request, TCA_OPTIONS | NLA_F_NESTED, options, sizeof(options));
		fail_from(n);
		err = request_send(&request);
		failed = has_failed();
		if (statistic("flow_limit") != limits[0]) {
			limits[0] = options[0].value;
			limits[1] = options[1].value;
		} else if (!err) {
			die("change %u: nothing has changed", n);
		}
		if ((err && !failed) || statistic("flow_limit") != limits[0] ||
		    statistic("limit") != limits[1])
			die("change %u: %s", n, strerror(err));
	}
}

static void fail_packets(void)
{
	uint64_t accepted = 0, alloc_errors = 0;
	bool failed = true;

	for (unsigned int n = 1; failed; n++) {
		int fd = sender_open(1000 + n, 10000, false);

		fail_from(n);
		accepted += !sender_send(fd, (struct load) { n, 0 }, 100, 0);
		failed = has_failed();
		/* Also if its flow could not be allocated, a socket can send later. */
		if (sender_send(fd, (struct load) { n, 1 }, 100, 0))
			die("packet %u: the flow cannot send", n);
		accepted++;
		/* Not closed: the next socket could have its memory, and thus its flow. */
	}
	while (statistic("qlen"))
		nap(1000000);
	alloc_errors = statistic("alloc_errors");
	if (statistic("packets") != accepted || !alloc_errors ||
	    statistic("drops") != alloc_errors)
		die("%lu packets of %lu left, %lu flows not allocated", statistic("packets"),
		    accepted, alloc_errors);
}

int main(void)
{
	faults_open();
	fail_add();
	fail_change();
	fail_packets();
	run("/usr/sbin/tc qdisc del dev " DEVICE " root");
	printf("%u allocations failed\n", failures);
	return 0;
}
