// SPDX-License-Identifier: GPL-2.0
/*
 * The texts that wheelctl reads, for libFuzzer: durations and other words, times and
 * crontabs, traces, and saved timers. The first byte says which. A text is refused by a message, or
 * what was read keeps the rules that are checked here.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sanitizer/allocator_interface.h>

#include "../../tools/wheelctl/crc32.h"
#include "../../tools/wheelctl/fail.h"
#include "../../tools/wheelctl/parse.h"
#include "../../tools/wheelctl/pending.h"
#include "../../tools/wheelctl/schedule.h"
#include "../../tools/wheelctl/source.h"
#include "../../tools/wheelctl/trace.h"

/* Some days before clocks are put forward in Berlin. */
#define NOW	1900000000

/* Of one file that is read, no more is allocated at once. */
#define ALLOCATIONS	16

/* The text that is read as a file, and the place to go on when it was refused. */
static const u8 *text;
static size_t length;
static FILE *file;
static jmp_buf refused;
/* The text is wheelctl's own, which it may not refuse. */
static bool own;

/* A parser that refuses a text ends the program, and need not free what it has read. */
static const void *allocated[ALLOCATIONS];
static bool reads;

static void note_malloc(const void *memory, size_t size)
{
	int i;

	(void)size;
	for (i = 0; reads && i < ALLOCATIONS; i++) {
		if (allocated[i])
			continue;
		allocated[i] = memory;
		break;
	}
}

static void note_free(const void *memory)
{
	int i;

	for (i = 0; i < ALLOCATIONS; i++)
		if (allocated[i] == memory)
			allocated[i] = NULL;
}

static void free_all(void)
{
	int i;

	for (i = 0; i < ALLOCATIONS; i++)
		free((void *)allocated[i]);
}

void __noreturn fail(int status, const char *format, ...)
{
	(void)format;
	if (status != EXIT_ASKED || own)
		abort();
	if (file)
		fclose(file);
	file = NULL;
	free_all();
	longjmp(refused, 1);
}

/* No luck finds a sum: each one is right. */
u32 crc32_add(u32 crc, const void *data, size_t size)
{
	(void)data;
	(void)size;
	return crc;
}

void source_open(struct source *s, const char *path)
{
	s->path = path;
	s->gzip = 0;
	s->text = fmemopen((void *)text, length, "r");
	if (!s->text)
		longjmp(refused, 1);
	file = s->text;
	reads = true;
}

void source_close(struct source *s)
{
	fclose(s->text);
	file = NULL;
}

void source_abandon(struct source *s)
{
	source_close(s);
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A duration is what it is called. */
static void words(const char *word)
{
	u64 ns, count, again;
	const char *unit;
	char name[40];

	parse_number(word, &count);
	parse_count(word, &count);
	parse_interval(word, &count);
	parse_speed(word, &count);
	parse_buckets(word, &count);
	parse_clock(word, &count);
	parse_scheme(word, &count);
	if (parse_duration(word, &ns))
		return;
	must(ns <= WHEEL_MAX_TIME);
	unit = duration_unit(ns, &count);
	snprintf(name, sizeof(name), "%llu%s", count, unit);
	must(!parse_duration(name, &again) && again == ns);
}

/* The next time is later than now. */
static void times(const char *line)
{
	struct schedule s;

	if (schedule_at(&s, line, NOW))
		return;
	if (s.kind == SCHEDULE_CALENDAR)
		must(schedule_next(&s, NOW) > NOW);
	else if (s.kind == SCHEDULE_TIME)
		must(s.time > NOW);
	else
		must(s.ns <= WHEEL_MAX_TIME);
}

static void traces(void)
{
	struct trace t;
	size_t i;

	trace_load(&t, "trace", WHEEL_MAX_TIME / 2);
	must(t.count);
	for (i = 0; i < t.count; i++) {
		must(t.record[i].timer < t.timers);
		must(!i || t.record[i].time >= t.record[i - 1].time);
	}
	trace_free(&t);
}

/* Saved timers are the same when they are saved and read once more. */
static void pendings(void)
{
	const struct moment now = { .now = NOW, .wall = NOW };
	struct pending first, second;
	char *saved = NULL;
	size_t i, size;
	FILE *to;

	pending_load(&first, "pending");
	to = open_memstream(&saved, &size);
	must(to);
	pending_write(&first, to);
	fclose(to);
	text = (u8 *)saved;
	length = size;
	own = true;
	pending_load(&second, "saved");
	own = false;
	must(second.count == first.count);
	for (i = 0; i < first.count; i++)
		must(!memcmp(&first.op[i], &second.op[i], sizeof(first.op[i])));
	pending_move(&second, &now);
	for (i = 0; i < second.count; i++)
		must(second.op[i].when <= WHEEL_MAX_TIME);
	pending_free(&first);
	pending_free(&second);
	free(saved);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	__sanitizer_install_malloc_and_free_hooks((void *)note_malloc, (void *)note_free);
	return setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *line;

	if (!size)
		return 0;
	memset(allocated, 0, sizeof(allocated));
	reads = false;
	text = data + 1;
	length = size - 1;
	line = strndup((const char *)text, length);
	if (!setjmp(refused)) {
		switch (*data % 4) {
		case 0:
			words(line);
			break;
		case 1:
			times(line);
			break;
		case 2:
			traces();
			break;
		default:
			pendings();
			break;
		}
	}
	free(line);
	return 0;
}
