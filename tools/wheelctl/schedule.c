// SPDX-License-Identifier: MIT
/*
 * When a job is due.
 */
#define _GNU_SOURCE
#include "schedule.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* A crontab has five fields: minute, hour, day, month, day of the week. */
#define FIELDS	5

/* The end of the clock that a wheel counts in nanoseconds. */
#define LAST_SECOND	((time_t)(WHEEL_MAX_TIME / NSEC_PER_SEC))

/* A date that a calendar asks for comes within so many years, or never. */
#define YEARS	9

static const char *const month_names[] = {
	"jan", "feb", "mar", "apr", "may", "jun",
	"jul", "aug", "sep", "oct", "nov", "dec", NULL
};

static const char *const day_names[] = {
	"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL
};

/**
 * schedule_every - again and again
 * @s: set up
 * @text: a duration
 *
 * Return: NULL, or what the text should have been.
 */
const char *schedule_every(struct schedule *s, const char *text)
{
	memset(s, 0, sizeof(*s));
	s->kind = SCHEDULE_PERIOD;
	return parse_interval(text, &s->ns);
}

/* One number or name; moves @text behind it. Returns -1 for none. */
static int take_value(const char **text, int least, const char *const *names)
{
	char *end;
	int i;

	if (isdigit((unsigned char)**text)) {
		long value = strtol(*text, &end, 10);

		*text = end;
		return value < 1000 ? (int)value : -1;
	}
	for (i = 0; names && names[i]; i++) {
		if (strncasecmp(*text, names[i], 3))
			continue;
		*text += 3;
		return least + i;
	}
	return -1;
}

/* "*", "5", "1-5" or one of these with "/2". Returns whether it was one. */
static bool take_range(const char **text, int least, int most,
		       const char *const *names, u64 *bits)
{
	int first = least;
	int last = most;
	int step = 1;
	bool single = false;

	if (**text == '*') {
		++*text;
	} else {
		first = take_value(text, least, names);
		last = first;
		single = **text != '-';
		if (!single) {
			++*text;
			last = take_value(text, least, names);
		}
	}
	if (**text == '/') {
		++*text;
		step = take_value(text, 1, NULL);
		if (single)
			last = most;
	}
	if (first < least || last > most || first > last || step < 1)
		return false;
	for (; first <= last; first += step)
		*bits |= 1ULL << first;
	return true;
}

/* A list of ranges, up to a blank or the end. */
static bool take_field(const char **text, int least, int most,
		       const char *const *names, u64 *bits)
{
	*bits = 0;
	for (;;) {
		if (!take_range(text, least, most, names, bits))
			return false;
		if (**text != ',')
			break;
		++*text;
	}
	if (**text && !isspace((unsigned char)**text))
		return false;
	*text += strspn(*text, " \t");
	return true;
}

static const char *expand(const char *text)
{
	static const char *const shorthands[][2] = {
		{ "@hourly", "0 * * * *" }, { "@daily", "0 0 * * *" },
		{ "@weekly", "0 0 * * 0" }, { "@monthly", "0 0 1 * *" },
		{ "@yearly", "0 0 1 1 *" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shorthands); i++)
		if (!strcmp(text, shorthands[i][0]))
			return shorthands[i][1];
	return text;
}

/**
 * schedule_calendar - as crontab(5) writes it
 * @s: set up
 * @text: five fields, or one of @hourly, @daily, @weekly, @monthly, @yearly
 *
 * Return: NULL, or what the text should have been.
 */
const char *schedule_calendar(struct schedule *s, const char *text)
{
	bool any_day, any_weekday;

	memset(s, 0, sizeof(*s));
	s->kind = SCHEDULE_CALENDAR;
	text = expand(text);
	if (*text == '@')
		return "@hourly, @daily, @weekly, @monthly or @yearly";
	if (!take_field(&text, 0, 59, NULL, &s->minutes))
		return "a crontab's: its minute is a list of 0-59";
	if (!take_field(&text, 0, 23, NULL, &s->hours))
		return "a crontab's: its hour is a list of 0-23";
	any_day = *text == '*';
	if (!take_field(&text, 1, 31, NULL, &s->days))
		return "a crontab's: its day is a list of 1-31";
	if (!take_field(&text, 1, 12, month_names, &s->months))
		return "a crontab's: its month is a list of 1-12 or jan-dec";
	any_weekday = *text == '*';
	if (!take_field(&text, 0, 7, day_names, &s->weekdays) || *text)
		return "a crontab's: its day of the week is a list of 0-7 or sun-sat";
	if (s->weekdays & 1 << 7)
		s->weekdays |= 1;
	s->either_day = !any_day && !any_weekday;
	if (!schedule_next(s, time(NULL)))
		return "a time that ever comes";
	return NULL;
}

/* A date or a time of day, exactly as it stands there; a leap second is none. */
static bool take_time(struct schedule *s, const char *text, time_t now)
{
	static const char *const forms[] = {
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%H:%M:%S", "%H:%M",
	};
	struct tm asked, got;
	const char *end = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		localtime_r(&now, &asked);
		asked.tm_sec = 0;
		end = strptime(text, forms[i], &asked);
		if (end && !*end)
			break;
	}
	if (i == ARRAY_SIZE(forms) || asked.tm_sec > 59)
		return false;
	asked.tm_isdst = -1;
	got = asked;
	s->time = mktime(&got);
	if (forms[i][1] == 'H' && s->time <= now) {
		got = asked;
		got.tm_mday++;
		s->time = mktime(&got);
	}
	return forms[i][1] == 'H' || got.tm_mday == asked.tm_mday;
}

/**
 * schedule_at - once, or by a calendar
 * @s: set up
 * @text: a time of day, a date, @ and seconds, + and a delay, or a crontab's fields
 * @now: the wall clock
 *
 * Return: NULL, or what the text should have been.
 */
const char *schedule_at(struct schedule *s, const char *text, time_t now)
{
	u64 seconds;

	memset(s, 0, sizeof(*s));
	if (*text == '+') {
		s->kind = SCHEDULE_DELAY;
		return parse_duration(text + 1, &s->ns);
	}
	if (schedule_words(text) == FIELDS || (*text == '@' && isalpha((unsigned char)text[1])))
		return schedule_calendar(s, text);
	s->kind = SCHEDULE_TIME;
	if (*text == '@' && !parse_number(text + 1, &seconds))
		s->time = (time_t)seconds;
	else if (!take_time(s, text, now))
		return "a time: 12:30, '2030-12-31 23:59:59', @SECONDS, +5m or '*/5 * * * *'";
	if (s->time <= now)
		return "a time to come";
	if (s->time > LAST_SECOND)
		return "a time before the clock's end in the year 2262";
	return NULL;
}

static bool has(u64 bits, int bit)
{
	return bits >> bit & 1;
}

static bool is_day(const struct schedule *s, const struct tm *t)
{
	bool day = has(s->days, t->tm_mday);
	bool weekday = has(s->weekdays, t->tm_wday);

	return has(s->months, t->tm_mon + 1) &&
	       (s->either_day ? day || weekday : day && weekday);
}

/* Goes to the begin of the next hour, day or minute; mktime() carries. */
static void step(struct tm *t, const struct schedule *s)
{
	if (!is_day(s, t)) {
		t->tm_mday++;
		t->tm_hour = 0;
		t->tm_min = 0;
		/* Another day may keep another time. */
		t->tm_isdst = -1;
	} else if (!has(s->hours, t->tm_hour)) {
		t->tm_hour++;
		t->tm_min = 0;
	} else {
		t->tm_min++;
	}
}

/**
 * schedule_next - the next time of a calendar
 * @s: SCHEDULE_CALENDAR
 * @after: seconds of the wall clock
 *
 * Return: seconds later than @after; 0: never.
 */
time_t schedule_next(const struct schedule *s, time_t after)
{
	time_t at = after - after % 60 + 60;
	struct tm t, begun;

	localtime_r(&at, &begun);
	for (t = begun; t.tm_year < begun.tm_year + YEARS; localtime_r(&at, &t)) {
		time_t next;

		if (is_day(s, &t) && has(s->hours, t.tm_hour) &&
		    has(s->minutes, t.tm_min))
			return at;
		step(&t, s);
		next = mktime(&t);
		/* An hour comes twice when clocks are put back. */
		at = next > at ? next : at + 60;
	}
	return 0;
}

/**
 * schedule_words - how many words there are
 * @line: text
 *
 * Return: their number.
 */
size_t schedule_words(const char *line)
{
	size_t words = 0;

	for (;;) {
		line += strspn(line, " \t");
		if (!*line)
			return words;
		line += strcspn(line, " \t");
		words++;
	}
}
