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

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "fail.h"
#include "memory.h"
#include "source.h"

#define CRC_MARK	"crc32="

#define FORM_ARM	"t_ns,A,timer,delay_ns"
#define FORM_CANCEL	"t_ns,C,timer"

enum {
	FIELD_TIME,
	FIELD_OP,
	FIELD_TIMER,
	FIELD_DELAY,
	FIELDS
};

/**
 * struct reader - where reading stands
 * @trace: what is being read
 * @line: number of the line
 * @field: its fields; those that are not there are NULL
 * @armed: which timers were armed, as many as the trace has
 */
struct reader {
	struct trace *trace;
	u32 line;
	char *field[FIELDS];
	bool *armed;
};

static void __noreturn __printf(2, 3) reject(const struct reader *r,
					     const char *format, ...)
{
	char why[200];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	fail(EXIT_ASKED, "%s:%u: %s", r->trace->path, r->line, why);
}

/* A field is not what it should be: cites it, in what a terminal may be sent. */
static void __noreturn reject_field(const struct reader *r, int field,
				    const char *wanted)
{
	static const char *const names[] = {
		[FIELD_TIME]	= "t_ns",
		[FIELD_OP]	= "the operation",
		[FIELD_TIMER]	= "timer",
		[FIELD_DELAY]	= "delay_ns",
	};
	char cited[24];
	size_t i;

	snprintf(cited, sizeof(cited), "%s", r->field[field]);
	for (i = 0; cited[i]; i++)
		if (cited[i] < ' ' || cited[i] > '~')
			cited[i] = '?';
	reject(r, "field %d, %s, is '%s', not %s", field + 1, names[field],
	       cited, wanted);
}

/* Cuts a line at its commas. Returns what is too much for fields, or NULL. */
static char *split(struct reader *r, char *text)
{
	int i;

	for (i = 0; i < FIELDS; i++) {
		r->field[i] = text;
		if (text)
			text = strchr(text, ',');
		if (text)
			*text++ = '\0';
	}
	return text;
}

static u64 take_number(const struct reader *r, int field, u64 max,
		       const char *wanted)
{
	const char *text = r->field[field];
	u64 value = 0;

	if (!*text)
		reject_field(r, field, wanted);
	for (; *text; text++) {
		u64 digit = (u64)(*text - '0');

		if (*text < '0' || *text > '9' || value > (max - digit) / 10)
			reject_field(r, field, wanted);
		value = value * 10 + digit;
	}
	return value;
}

static u64 take_time(const struct reader *r, int field)
{
	return take_number(r, field, WHEEL_MAX_TIME,
			   "a whole number up to 2^63-1");
}

/* Is the line an arm? Nothing is missing in it and nothing is too much. */
static bool take_form(const struct reader *r, bool too_much)
{
	bool arms;

	if (!r->field[FIELD_OP])
		reject(r, "expected " FORM_ARM " or " FORM_CANCEL);
	arms = !strcmp(r->field[FIELD_OP], "A");
	if (!arms && strcmp(r->field[FIELD_OP], "C"))
		reject_field(r, FIELD_OP, "A or C");
	if (!r->field[FIELD_TIMER])
		reject(r, "field 3, timer, is missing: expected %s",
		       arms ? FORM_ARM : FORM_CANCEL);
	if (arms && !r->field[FIELD_DELAY])
		reject(r, "field 4, delay_ns, is missing: expected " FORM_ARM);
	if (arms ? too_much : !!r->field[FIELD_DELAY])
		reject(r, "field %d is too much: expected %s", arms ? 5 : 4,
		       arms ? FORM_ARM : FORM_CANCEL);
	return arms;
}

/* Makes room for timers up to this one. */
static void know_timer(struct reader *r, u32 timer)
{
	struct trace *t = r->trace;
	u32 timers = timer + 1;

	if (timer < t->timers)
		return;
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

static void read_record(struct reader *r, char *text)
{
	struct record record = { .line = r->line, .delay = TRACE_CANCEL };
	bool arms = take_form(r, split(r, text));
	struct trace *t = r->trace;

	record.time = take_time(r, FIELD_TIME);
	if (t->count && record.time < t->record[t->count - 1].time)
		reject(r, "field 1, t_ns, goes back from %llu to %llu",
		       t->record[t->count - 1].time, record.time);
	record.timer = (u32)take_number(r, FIELD_TIMER, WHEEL_MAX_TIMERS - 1,
					"a whole number below 2^24");
	know_timer(r, record.timer);
	if (arms)
		record.delay = take_time(r, FIELD_DELAY);
	else if (!r->armed[record.timer])
		reject(r, "cancels timer %u, which was never armed",
		       record.timer);
	r->armed[record.timer] = true;
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
	const char *wrong;

	r->line++;
	if (r->line > 1 || !comment)
		t->crc = crc32_add(t->crc, text, length);
	wrong = source_cut(text, length);
	if (wrong)
		reject(r, "%s", wrong);
	if (r->line == 1 && comment)
		read_stated(r, text);
	if (!comment)
		read_record(r, text);
}

/* How many lines behind a delay that is too long may have a longer one to be told. */
#define LOOK_AHEAD	100000

/* A delay is too long: what is the longest one, as far as we want to wait for it? */
static void look_ahead(struct reader *r, FILE *file)
{
	struct trace *t = r->trace;
	char *text = NULL;
	size_t room = 0;
	u64 delay;
	int i;

	t->too_long_line = r->line;
	t->too_long = t->record[t->count - 1].delay;
	for (i = 0; i < LOOK_AHEAD && getline(&text, &room, file) > 0; i++)
		if (sscanf(text, "%*u,A,%*u,%llu", &delay) == 1 &&
		    delay <= WHEEL_MAX_TIME && delay > t->too_long)
			t->too_long = delay;
	free(text);
}

static bool last_is_longer(const struct trace *t, u64 longest)
{
	u64 delay = t->count ? t->record[t->count - 1].delay : TRACE_CANCEL;

	return delay != TRACE_CANCEL && delay > longest;
}

/**
 * trace_load - read a file; an error in it ends the program
 * @t: set up
 * @path: of the file
 * @longest: a delay beyond this ends the reading: then @t->too_long is not 0
 */
void trace_load(struct trace *t, const char *path, u64 longest)
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
		if (last_is_longer(t, longest)) {
			look_ahead(&r, source.text);
			break;
		}
	}
	if (t->too_long)
		source_abandon(&source);
	else
		source_close(&source);
	if (length > 0 && !t->too_long)
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
