// SPDX-License-Identifier: MIT
/*
 * Tests of files with pending timers: a damaged file is rejected.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases.h"
#include "save.h"
#include "util.h"

/* A file in memory, so that a test that ends early leaves nothing in the file system. */
static char path[32];

static void create_file(void)
{
	int fd = memfd_create("pending", 0);

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

static struct pending example(void)
{
	struct wheel_op ops[] = {
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(7, 3), .when = 5000,
		  .slack = 10, .period = 20, .cookie = ~0ULL },
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(WHEEL_MAX_TIMERS - 1, 1),
		  .when = WHEEL_MAX_TIME, .flags = WHEEL_OP_WORD },
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(9, 2), .when = 6000,
		  .flags = WHEEL_OP_WORD },
	};
	struct pending p = {
		.setup = { .scheme = WHEEL_HIERARCHICAL, .tick_ns = 1000, .timers = 9 },
		.moment = { .now = 4000, .wall = 700000, .boot = "12-ab" },
	};

	pending_add(&p, &ops[0]);
	pending_add(&p, &ops[1]);
	pending_add(&p, &ops[2]);
	return p;
}

/* Write the example with a changed byte at @at, or truncated there if @byte is 0. */
static void write_example(long at, char byte)
{
	struct pending p = example();
	FILE *file = fopen(path, "w+");

	if (!file)
		abort();
	pending_write(&p, file);
	if (at >= 0 && byte) {
		fseek(file, at, SEEK_SET);
		putc(byte, file);
	}
	fflush(file);
	if (at >= 0 && !byte && ftruncate(fileno(file), at))
		abort();
	fclose(file);
	pending_free(&p);
}

static void round_trip(void)
{
	struct pending p, wanted = example();

	create_file();
	write_example(-1, 0);
	pending_load(&p, path);
	KTAP_EXPECT(p.count == 3 &&
		    !memcmp(p.op, wanted.op, 3 * sizeof(*p.op)));
	KTAP_EXPECT(!memcmp(&p.setup, &wanted.setup, sizeof(p.setup)));
	KTAP_EXPECT(!memcmp(&p.moment, &wanted.moment, sizeof(p.moment)));
	pending_free(&p);
	pending_free(&wanted);
}

static void load(const void *data)
{
	struct pending p;

	(void)data;
	pending_load(&p, path);
}

static bool is_rejected(void)
{
	char printed[200];

	return ktap_status_of(load, NULL, printed, sizeof(printed)) == EXIT_USAGE;
}

/* Change each byte, and truncate the file at each place. */
static void damage(void)
{
	FILE *file;
	long size, i;

	create_file();
	write_example(-1, 0);
	file = fopen(path, "r");
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	fclose(file);
	for (i = 0; i < size - 1; i++) {
		write_example(i, '~');
		KTAP_EXPECT(is_rejected());
		/* The last line feed is optional. */
		write_example(i, 0);
		KTAP_EXPECT(is_rejected());
	}
	write_example(size - 1, '~');
	KTAP_EXPECT(is_rejected());
	write_example(size, '\n');
	KTAP_EXPECT(is_rejected());
	write_example(-1, 0);
	KTAP_EXPECT(!is_rejected());
	/* The checksum is correct, but the wheel and the moment are missing. */
	file = fopen(path, "w");
	fputs("end,0,00000000\n", file);
	fclose(file);
	KTAP_EXPECT(is_rejected());
}

static void instants(void)
{
	struct moment same = { .now = 4500, .wall = 700500, .boot = "12-ab" };
	struct moment next = { .now = 100, .wall = 700600, .boot = "34-cd" };
	struct pending p = example();

	pending_move(&p, &same);
	KTAP_EXPECT(p.op[0].when == 5000);
	/* The timer was due in 1000 ns, and 600 ns have passed. */
	pending_move(&p, &next);
	KTAP_EXPECT(p.op[0].when == 100 + 400);
	next.wall += 1000000;
	p.op[0].when = 5000;
	pending_move(&p, &next);
	KTAP_EXPECT(p.op[0].when == 0);
	p.setup.clock = WHEEL_CLOCK_REALTIME;
	p.op[0].when = 5000;
	pending_move(&p, &next);
	KTAP_EXPECT(p.op[0].when == 5000);
	pending_free(&p);
}

const struct ktap_test save_cases[] = {
	{ "a file preserves timers", round_trip },
	{ "a damaged file is rejected", damage },
	{ "timers are due at the same instants after a boot", instants },
	{ NULL }
};
