// SPDX-License-Identifier: MIT
/*
 * A recorded trace: which timer was armed or cancelled when.
 *
 * After comments come lines in time order:
 *
 *	t_ns,A,timer,delay_ns	arm it, or re-arm it when it is pending
 *	t_ns,C,timer		cancel it
 *
 * The first comment may state the checksum of all lines behind it: crc32=XXXXXXXX.
 */
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "fail.h"
#include "memory.h"
#include "source.h"

#define CRC_MARK	"crc32="

/**
 * struct reader - where reading stands
 * @trace: what is being read
 * @line: number of the line
 * @armed: which timers were armed, as many as the trace has
 */
struct reader {
	struct trace *trace;
	u32 line;
	bool *armed;
};

static void __noreturn reject(const struct reader *r, const char *why)
{
	fail(EXIT_ASKED, "%s:%u: %s", r->trace->path, r->line, why);
}

/* Takes digits up to @end. Returns what follows @end. */
static const char *take_number(const struct reader *r, const char *text,
			       char end, const char *what, u64 *value)
{
	char why[80];

	*value = 0;
	if (*text == end)
		goto malformed;
	for (; *text >= '0' && *text <= '9'; text++) {
		u64 digit = (u64)(*text - '0');

		if (*value > (WHEEL_MAX_TIME - digit) / 10) {
			snprintf(why, sizeof(why), "the %s is beyond 2^63-1",
				 what);
			reject(r, why);
		}
		*value = *value * 10 + digit;
	}
	if (*text == end)
		return text + (end != '\0');
malformed:
	snprintf(why, sizeof(why), "the %s is not a number", what);
	reject(r, why);
}

/* Makes room for timers up to this one. */
static void know_timer(struct reader *r, u64 timer)
{
	struct trace *t = r->trace;
	u32 timers;

	if (timer >= WHEEL_MAX_TIMERS)
		reject(r, "the timer's number is beyond 2^24-1");
	if (timer < t->timers)
		return;
	timers = (u32)timer + 1;
	r->armed = memory_resized(r->armed, timers, sizeof(*r->armed));
	memset(r->armed + t->timers, 0, timers - t->timers);
	t->timers = timers;
}

static void add_record(struct trace *t, const struct record *record)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 4096;
		t->record = memory_resized(t->record, t->room, sizeof(*record));
	}
	t->record[t->count++] = *record;
}

static void read_record(struct reader *r, const char *text)
{
	struct record record = { .line = r->line };
	struct trace *t = r->trace;
	u64 timer;
	char op;

	text = take_number(r, text, ',', "time", &record.time);
	if (t->count && record.time < t->record[t->count - 1].time)
		reject(r, "time goes backwards");
	op = *text;
	if ((op != 'A' && op != 'C') || text[1] != ',')
		reject(r, "the operation is neither A nor C");
	text = take_number(r, text + 2, op == 'A' ? ',' : '\0', "timer",
			   &timer);
	know_timer(r, timer);
	record.timer = (u32)timer;
	record.delay = TRACE_CANCEL;
	if (op == 'A') {
		take_number(r, text, '\0', "delay", &record.delay);
		r->armed[timer] = true;
	} else if (!r->armed[timer]) {
		reject(r, "cancels a timer that was never armed");
	}
	add_record(t, &record);
}

static void read_stated(struct reader *r, const char *comment)
{
	const char *mark = strstr(comment, CRC_MARK);

	if (!mark)
		return;
	mark += strlen(CRC_MARK);
	if (strspn(mark, "0123456789abcdefABCDEF") != 8)
		reject(r, "crc32= wants eight hexadecimal digits");
	r->trace->stated = (u32)strtoul(mark, NULL, 16);
	r->trace->has_stated = true;
}

static void read_line(struct reader *r, char *text, size_t length)
{
	struct trace *t = r->trace;
	bool comment = *text == '#';

	r->line++;
	if (r->line > 1 || !comment)
		t->crc = crc32_add(t->crc, text, length);
	if (text[length - 1] == '\n')
		text[--length] = '\0';
	if (strlen(text) != length)
		reject(r, "has a zero byte");
	if (r->line == 1 && comment)
		read_stated(r, text);
	if (!comment)
		read_record(r, text);
}

/**
 * trace_load - read a file; an error in it ends the program
 * @t: set up
 * @path: of the file
 */
void trace_load(struct trace *t, const char *path)
{
	struct reader r = { .trace = t };
	struct source source;
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	memset(t, 0, sizeof(*t));
	t->path = path;
	source_open(&source, path);
	while ((length = getline(&text, &room, source.text)) > 0) {
		/* Only the last line can lack its end: was the file cut off? */
		if (text[length - 1] != '\n')
			break;
		read_line(&r, text, (size_t)length);
	}
	source_close(&source);
	if (length > 0)
		read_line(&r, text, (size_t)length);
	free(text);
	free(r.armed);
	if (!t->count)
		fail(EXIT_ASKED, "%s: no operation in it", path);
}

/**
 * trace_verify - refuse a trace that is not as its author left it
 * @t: loaded
 */
void trace_verify(const struct trace *t)
{
	if (t->has_stated && t->stated != t->crc)
		fail(EXIT_ASKED,
		     "%s:1: states " CRC_MARK "%08x, but it is %08x: the file was changed",
		     t->path, t->stated, t->crc);
}

void trace_free(struct trace *t)
{
	free(t->record);
	memset(t, 0, sizeof(*t));
}
