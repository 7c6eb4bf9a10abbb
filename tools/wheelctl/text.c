// SPDX-License-Identifier: MIT
/*
 * From values to text for people.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/**
 * text_count - a number in groups of three digits
 * @n: the number
 *
 * Return: "148,731".
 */
struct text text_count(u64 n)
{
	struct text text;
	size_t length, i, at = 0;
	char digits[24];

	length = (size_t)snprintf(digits, sizeof(digits), "%llu", n);
	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text.s[at++] = ',';
		text.s[at++] = digits[i];
	}
	text.s[at] = '\0';
	return text;
}

/**
 * text_time - a time in three digits and the unit that suits it
 * @ns: nanoseconds
 *
 * Return: "0 ns", "41.3 us", "2.00 s", "20.8 h", "12.5 d" or "292 y".
 */
struct text text_time(u64 ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {
		{ 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" }, { 60e9, "min" },
		{ 3600e9, "h" }, { 86400e9, "d" }, { 365.2425 * 86400e9, "y" },
	};
	struct text text;
	double value;
	size_t i = 0;
	int decimals;

	if (ns < 1000) {
		snprintf(text.s, sizeof(text.s), "%llu ns", ns);
		return text;
	}
	while (i + 1 < ARRAY_SIZE(units) && (double)ns >= units[i + 1].ns * .9995)
		i++;
	value = (double)ns / units[i].ns;
	decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(text.s, sizeof(text.s), "%.*f %s", decimals, value,
		 units[i].name);
	return text;
}

/**
 * text_exact - a time to the nanosecond
 * @ns: nanoseconds
 *
 * Return: milliseconds, "10.000412 ms".
 */
struct text text_exact(u64 ns)
{
	struct text text;

	snprintf(text.s, sizeof(text.s), "%llu.%06llu ms", ns / NSEC_PER_MSEC,
		 ns % NSEC_PER_MSEC);
	return text;
}

/**
 * text_duration - a time as parse_duration() reads it, exactly
 * @ns: nanoseconds
 *
 * Return: "1500us" or "2h".
 */
struct text text_duration(u64 ns)
{
	struct text text;
	u64 count;
	const char *unit = duration_unit(ns, &count);

	snprintf(text.s, sizeof(text.s), "%llu%s", count, unit);
	return text;
}

/**
 * text_speed - a speed as parse_speed() reads it
 * @speed: in parts of SPEED_UNIT
 *
 * Return: "2" or "0.5".
 */
struct text text_speed(u64 speed)
{
	u64 whole = speed / SPEED_UNIT;
	u64 parts = speed % SPEED_UNIT;
	struct text text;
	size_t end;

	if (!parts) {
		snprintf(text.s, sizeof(text.s), "%llu", whole);
		return text;
	}
	snprintf(text.s, sizeof(text.s), "%llu.%03llu", whole, parts);
	for (end = strlen(text.s); text.s[end - 1] == '0'; end--)
		text.s[end - 1] = '\0';
	return text;
}

/**
 * text_unicode - may the terminal be sent UTF-8?
 *
 * Asks the environment, as setlocale() would, which a static program lacks.
 *
 * Return: whether it says so.
 */
bool text_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strstr(value, "UTF-8") || strstr(value, "utf8");
	}
	return false;
}
