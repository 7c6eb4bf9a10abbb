// SPDX-License-Identifier: MIT
/*
 * The pending timers of a wheel, in a file. Its first line is a comment, the others:
 *
 *	wheel,clock,scheme,tick_ns,timers
 *	moment,now_ns,wall_ns,boot
 *	timer,slot,generation,deadline_ns,slack_ns,period_ns,cookie,word
 *	...
 *	end,timers,crc32
 *
 * A timer's word is 1 if it is touched, 2 if it is kept, and otherwise 0. Without its last
 * line the file was cut off; the checksum is that of all lines before.
 */
#define _GNU_SOURCE
#include "pending.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crc32.h"
#include "fail.h"
#include "memory.h"
#include "parse.h"
#include "source.h"

#define HEAD	"# pending timers of a wheel, as wheelctl save writes them\n"

/* The meaning of a timer's word, by what the file says of it. */
static const u32 words[] = { 0, WHEEL_OP_TOUCH, WHEEL_OP_KEEP };

static u32 word_of(const struct wheel_op *op)
{
	if (op->flags & WHEEL_OP_KEEP)
		return 2;
	return op->flags & WHEEL_OP_TOUCH ? 1 : 0;
}

void pending_add(struct pending *p, const struct wheel_op *op)
{
	if (p->count == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		p->op = memory_resized(p->op, p->room, sizeof(*p->op));
	}
	p->op[p->count++] = *op;
}

void pending_free(struct pending *p)
{
	free(p->op);
	memset(p, 0, sizeof(*p));
}

static u32 put(FILE *file, u32 crc, const char *line)
{
	fputs(line, file);
	return crc32_add(crc, line, strlen(line));
}

/**
 * pending_write - write them
 * @p: timers
 * @file: has ferror() set afterwards if that failed
 */
void pending_write(const struct pending *p, FILE *file)
{
	char line[256];
	size_t i;
	u32 crc;

	crc = put(file, 0, HEAD);
	snprintf(line, sizeof(line), "wheel,%s,%s,%llu,%u\n",
		 clock_name(p->setup.clock), scheme_name(p->setup.scheme),
		 p->setup.tick_ns, p->setup.timers);
	crc = put(file, crc, line);
	snprintf(line, sizeof(line), "moment,%llu,%llu,%s\n", p->moment.now,
		 p->moment.wall, p->moment.boot);
	crc = put(file, crc, line);
	for (i = 0; i < p->count; i++) {
		const struct wheel_op *op = &p->op[i];

		snprintf(line, sizeof(line), "timer,%u,%llu,%llu,%llu,%llu,%llu,%u\n",
			 WHEEL_ID_SLOT(op->id), WHEEL_ID_GEN(op->id), op->when,
			 op->slack, op->period, op->cookie, word_of(op));
		crc = put(file, crc, line);
	}
	fprintf(file, "end,%zu,%08x\n", p->count, crc);
}

static bool take_wheel(struct pending *p, const char *line)
{
	char clock[16], scheme[16];

	return sscanf(line, "wheel,%15[a-z],%15[a-z],%llu,%u", clock, scheme,
		      &p->setup.tick_ns, &p->setup.timers) == 4 &&
	       !parse_clock(clock, &p->setup.clock) &&
	       !parse_scheme(scheme, &p->setup.scheme);
}

static bool take_moment(struct pending *p, const char *line)
{
	return sscanf(line, "moment,%llu,%llu,%39[0-9a-f-]", &p->moment.now,
		      &p->moment.wall, p->moment.boot) == 3;
}

static bool take_timer(struct pending *p, const char *line)
{
	struct wheel_op op = { .op = WHEEL_OP_ARM };
	unsigned int slot, word;
	unsigned long long gen;

	if (sscanf(line, "timer,%u,%llu,%llu,%llu,%llu,%llu,%u", &slot, &gen,
		   &op.when, &op.slack, &op.period, &op.cookie, &word) != 7 ||
	    slot >= WHEEL_MAX_TIMERS || word >= ARRAY_SIZE(words) || op.when > WHEEL_MAX_TIME)
		return false;
	op.id = WHEEL_ID(slot, gen);
	op.flags = words[word];
	pending_add(p, &op);
	return true;
}

static bool take_line(struct pending *p, u32 number, const char *line)
{
	switch (number) {
	case 1:
		return !strcmp(line, HEAD);
	case 2:
		return take_wheel(p, line);
	case 3:
		return take_moment(p, line);
	default:
		return take_timer(p, line);
	}
}

/* The last line, and nothing behind it. */
static bool take_end(const char *line, size_t *count, u32 *crc)
{
	int length = 0;

	if (sscanf(line, "end,%zu,%8x%n", count, crc, &length) != 2)
		return false;
	return !line[length] || !strcmp(line + length, "\n");
}

/**
 * pending_load - read a file; an error in it ends the program
 * @p: set up
 * @path: of the file
 */
void pending_load(struct pending *p, const char *path)
{
	struct source source;
	char *text = NULL;
	bool ended = false;
	size_t room = 0;
	u32 number = 0;
	u32 crc = 0;

	memset(p, 0, sizeof(*p));
	source_open(&source, path);
	while (getline(&text, &room, source.text) > 0) {
		size_t count;
		u32 stated;

		number++;
		if (ended)
			fail(EXIT_ASKED, "%s:%u: text after its end", path, number);
		if (number > 3 && take_end(text, &count, &stated)) {
			ended = true;
			if (count != p->count || stated != crc)
				fail(EXIT_ASKED, "%s:%u: the file was changed",
				     path, number);
		} else if (!take_line(p, number, text)) {
			fail(EXIT_ASKED, "%s:%u: not as wheelctl save writes it",
			     path, number);
		}
		crc = crc32_add(crc, text, strlen(text));
	}
	free(text);
	if (!ended)
		fail(EXIT_ASKED, "%s: its end is missing: it was cut off", path);
	source_close(&source);
}

/**
 * moment_take - the present
 * @m: set up
 * @now: the wheel's clock
 */
void moment_take(struct moment *m, u64 now)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct timespec wall;

	memset(m, 0, sizeof(*m));
	m->now = now;
	clock_gettime(CLOCK_REALTIME, &wall);
	m->wall = (u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec;
	if (!file || fscanf(file, "%39[0-9a-f-]", m->boot) != 1)
		m->boot[0] = '-';
	if (file)
		fclose(file);
}

/* The time that comes after @a when @by has passed, before it for less than 0. */
static u64 moved(u64 a, __s64 by)
{
	if (by < 0)
		return a > -(u64)by ? a - -(u64)by : 0;
	return (u64)by > WHEEL_MAX_TIME - a ? WHEEL_MAX_TIME : a + (u64)by;
}

/**
 * pending_move - have the timers due at the same instants as when they were saved
 * @p: timers
 * @to: the present
 *
 * A clock that counts from the boot begins anew with the next one; what has passed
 * between the two the wall clock tells.
 */
void pending_move(struct pending *p, const struct moment *to)
{
	bool from_boot = p->setup.clock == WHEEL_CLOCK_MONOTONIC ||
			 p->setup.clock == WHEEL_CLOCK_BOOTTIME;
	u64 passed = to->wall - p->moment.wall;
	__s64 by = (__s64)(to->now - p->moment.now - passed);
	size_t i;

	if (from_boot && strcmp(p->moment.boot, to->boot))
		for (i = 0; i < p->count; i++)
			p->op[i].when = moved(p->op[i].when, by);
}
