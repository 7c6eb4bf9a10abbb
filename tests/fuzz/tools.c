// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the texts that wheelctl and replay read, with libFuzzer: durations and other words,
 * traces, and saved timers. The first byte selects the kind. A text is rejected with a message,
 * or the result satisfies the conditions checked here.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sanitizer/allocator_interface.h>

#include "../../tools/replay/replay.h"
#include "../../tools/wheelctl/save.h"
#include "../../tools/wheelctl/text.h"

#define NOW	1900000000

/* The number of allocations while one text is read is limited. */
#define ALLOCATIONS	16

const char *const program = "tools";
struct globals globals;

/* The text that is read as a file, and the state to restore after it was rejected. */
static const char *text;
static size_t length;
static jmp_buf rejected;
/* The text was written by wheelctl, which must accept it. */
static bool own;

/* A parser that rejects a text exits and does not free its memory. */
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

static void __noreturn reject(void)
{
	if (own)
		abort();
	free_all();
	longjmp(rejected, 1);
}

void __noreturn fail(int status, const char *format, ...)
{
	(void)format;
	if (status != EXIT_USAGE)
		abort();
	reject();
}

void __noreturn lines_reject(const struct lines *l, const char *format, ...)
{
	(void)l;
	(void)format;
	reject();
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count, size);

	if (!memory)
		abort();
	return memory;
}

void lines_open(struct lines *l, const char *path)
{
	memset(l, 0, sizeof(*l));
	l->path = path;
	reads = true;
}

/* All checksums are correct, because the fuzzer would not find one. */
bool lines_next(struct lines *l)
{
	size_t size = strnlen(text, length);
	const char *end = memchr(text, '\n', size);

	if (end)
		size = (size_t)(end - text);
	if (!length || size >= sizeof(l->text))
		return false;
	memcpy(l->text, text, size);
	l->text[size] = '\0';
	size += size < length;
	text += size;
	length -= size;
	l->number++;
	return sscanf(l->text, "end,%*u,%8x", &l->before) <= 1;
}

void lines_close(struct lines *l)
{
	(void)l;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A duration can be written and read again. */
static void words(const char *word)
{
	u64 ns, count, again;

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
	must(!parse_duration(text_duration(ns).s, &again) && again == ns);
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

/* Saved timers can be written and read again. */
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
	text = saved;
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
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *line;

	if (!size)
		return 0;
	memset(allocated, 0, sizeof(allocated));
	reads = false;
	text = (const char *)data + 1;
	length = size - 1;
	line = strndup(text, length);
	if (!setjmp(rejected)) {
		switch (*data % 3) {
		case 0:
			words(line);
			break;
		case 1:
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
