// SPDX-License-Identifier: MIT
/*
 * Recorded traces: the times at which timers were armed and cancelled.
 *
 * After comments, a file contains lines in time order:
 *
 *	t_ns,A,timer,delay_ns	arm the timer, or re-arm it if it is pending
 *	t_ns,C,timer		cancel the timer
 *
 * A comment in the first line may contain crc32=XXXXXXXX, the checksum of the other lines.
 */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRC_MARK	"crc32="

#define FORM_ARM	"t_ns,A,timer,delay_ns"
#define FORM_CANCEL	"t_ns,C,timer"

/* The number of lines to search for a longer delay, to report it instead. */
#define LOOK_AHEAD	100000

/* Delays of a made trace: multiples of the golden section, modulo the spread. */
#define SPREAD_NS	(200 * NSEC_PER_MSEC)
#define STEP_NS		123606797ULL

#define CANCEL_ONE_OF	4

enum {
	FIELD_TIME,
	FIELD_OP,
	FIELD_TIMER,
	FIELD_DELAY,
	FIELDS
};

/**
 * struct reader - state of a reader
 * @trace: result
 * @lines: the file
 * @field: fields of the current line; missing fields are NULL
 * @armed: for each timer of the trace, true if it was armed
 */
struct reader {
	struct trace *trace;
	struct lines lines;
	char *field[FIELDS];
	bool *armed;
};

/* Quote an invalid field, without characters that control a terminal. */
static void __noreturn reject_field(const struct reader *r, int field, const char *expected)
{
	static const char *const names[] = {
		[FIELD_TIME]	= "t_ns",
		[FIELD_OP]	= "the operation",
		[FIELD_TIMER]	= "timer",
		[FIELD_DELAY]	= "delay_ns",
	};
	char quoted[24];
	size_t i;

	snprintf(quoted, sizeof(quoted), "%s", r->field[field]);
	for (i = 0; quoted[i]; i++)
		if (quoted[i] < ' ' || quoted[i] > '~')
			quoted[i] = '?';
	lines_reject(&r->lines, "field %d, %s, is '%s', not %s", field + 1, names[field], quoted,
		     expected);
}

/* Split a line at its commas. Returns the text after the last field, or NULL. */
static char *split(struct reader *r)
{
	char *text = r->lines.text;
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

static u64 take_number(const struct reader *r, int field, u64 max, const char *expected)
{
	const char *text = r->field[field];
	u64 value = 0;

	if (!*text)
		reject_field(r, field, expected);
	for (; *text; text++) {
		u64 digit = (u64)(*text - '0');

		if (*text < '0' || *text > '9' || value > (max - digit) / 10)
			reject_field(r, field, expected);
		value = value * 10 + digit;
	}
	return value;
}

static u64 take_time(const struct reader *r, int field)
{
	return take_number(r, field, WHEEL_MAX_TIME, "a whole number up to 2^63-1");
}

/* Check the number of fields. Returns true if the line arms a timer. */
static bool take_form(const struct reader *r, bool has_more)
{
	bool arms;

	if (!r->field[FIELD_OP])
		lines_reject(&r->lines, "expected " FORM_ARM " or " FORM_CANCEL);
	arms = !strcmp(r->field[FIELD_OP], "A");
	if (!arms && strcmp(r->field[FIELD_OP], "C"))
		reject_field(r, FIELD_OP, "A or C");
	if (!r->field[FIELD_TIMER])
		lines_reject(&r->lines, "field 3, timer, is missing: expected %s",
			     arms ? FORM_ARM : FORM_CANCEL);
	if (arms && !r->field[FIELD_DELAY])
		lines_reject(&r->lines, "field 4, delay_ns, is missing: expected " FORM_ARM);
	if (arms ? has_more : !!r->field[FIELD_DELAY])
		lines_reject(&r->lines, "unexpected field %d: expected %s", arms ? 5 : 4,
			     arms ? FORM_ARM : FORM_CANCEL);
	return arms;
}

static void add_timer(struct reader *r, u32 timer)
{
	struct trace *t = r->trace;
	u32 timers = timer + 1;

	if (timer < t->timers)
		return;
	r->armed = xreallocarray(r->armed, timers, sizeof(*r->armed));
	memset(r->armed + t->timers, 0, timers - t->timers);
	t->timers = timers;
}

static void add_record(struct trace *t, const struct record *record)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 4096;
		t->record = xreallocarray(t->record, t->room, sizeof(*record));
	}
	t->record[t->count++] = *record;
}

static void read_record(struct reader *r)
{
	struct record record = { .line = r->lines.number, .delay = TRACE_CANCEL };
	bool arms = take_form(r, split(r));
	struct trace *t = r->trace;

	record.time = take_time(r, FIELD_TIME);
	if (t->count && record.time < t->record[t->count - 1].time)
		lines_reject(&r->lines, "field 1, t_ns, decreases from %llu to %llu",
			     t->record[t->count - 1].time, record.time);
	record.timer = (u32)take_number(r, FIELD_TIMER, WHEEL_MAX_TIMERS - 1,
					"a whole number below 2^24");
	add_timer(r, record.timer);
	if (arms)
		record.delay = take_time(r, FIELD_DELAY);
	else if (!r->armed[record.timer])
		lines_reject(&r->lines, "cancels timer %u, which was never armed", record.timer);
	r->armed[record.timer] = true;
	add_record(t, &record);
}

static void read_stated(struct reader *r)
{
	const char *mark = strstr(r->lines.text, CRC_MARK);

	r->lines.crc = 0;
	if (!mark)
		return;
	mark += strlen(CRC_MARK);
	if (strspn(mark, "0123456789abcdefABCDEF") != 8)
		lines_reject(&r->lines, CRC_MARK " requires eight hexadecimal digits");
	r->trace->stated = (u32)strtoul(mark, NULL, 16);
	r->trace->has_stated = true;
}

static bool last_is_longer(const struct trace *t, u64 longest)
{
	u64 delay = t->count ? t->record[t->count - 1].delay : TRACE_CANCEL;

	return delay != TRACE_CANCEL && delay > longest;
}

/* A delay exceeds the limit: find the longest delay in the next lines. */
static void look_ahead(struct reader *r)
{
	struct trace *t = r->trace;
	u64 delay;
	int i;

	t->too_long_line = r->lines.number;
	t->too_long = t->record[t->count - 1].delay;
	for (i = 0; i < LOOK_AHEAD && lines_next(&r->lines); i++)
		if (sscanf(r->lines.text, "%*u,A,%*u,%llu", &delay) == 1 &&
		    delay <= WHEEL_MAX_TIME && delay > t->too_long)
			t->too_long = delay;
}

void trace_load(struct trace *t, const char *path, u64 longest)
{
	struct reader r = { .trace = t };

	memset(t, 0, sizeof(*t));
	t->path = path;
	lines_open(&r.lines, path);
	while (!t->too_long && lines_next(&r.lines)) {
		if (*r.lines.text != '#')
			read_record(&r);
		else if (r.lines.number == 1)
			read_stated(&r);
		if (last_is_longer(t, longest))
			look_ahead(&r);
	}
	t->crc = r.lines.crc;
	lines_close(&r.lines);
	free(r.armed);
	if (!t->count)
		fail(EXIT_USAGE, "%s: contains no operation", path);
}

void trace_verify(const struct trace *t)
{
	if (t->has_stated && t->stated != t->crc)
		fail(EXIT_USAGE,
		     "%s:1: states " CRC_MARK "%08x, but it is %08x: the file was changed",
		     t->path, t->stated, t->crc);
}

void trace_make(struct trace *t, u32 timers)
{
	u32 i;

	*t = (struct trace){ .path = "self-test", .timers = timers };
	for (i = 0; i < timers; i++)
		add_record(t, &(struct record){
			.delay = NSEC_PER_MSEC + i * STEP_NS % SPREAD_NS,
			.timer = i,
			.line = i + 1,
		});
	for (i = 0; i + CANCEL_ONE_OF <= timers; i += CANCEL_ONE_OF)
		add_record(t, &(struct record){
			.delay = TRACE_CANCEL,
			.timer = i,
			.line = (u32)t->count + 1,
		});
}

void trace_free(struct trace *t)
{
	free(t->record);
	memset(t, 0, sizeof(*t));
}
