// SPDX-License-Identifier: MIT
/*
 * Conversion of text to values, of values to text, and JSON output.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const clocks[] = {
	[WHEEL_CLOCK_MONOTONIC]	= "monotonic",
	[WHEEL_CLOCK_BOOTTIME]	= "boottime",
	[WHEEL_CLOCK_REALTIME]	= "realtime",
	[WHEEL_CLOCK_TAI]	= "tai",
	[WHEEL_CLOCK_VIRTUAL]	= "virtual",
};

static const char *const schemes[] = {
	[WHEEL_HASHED]		= "hashed",
	[WHEEL_HIERARCHICAL]	= "hierarchical",
	[WHEEL_BOUNDED]		= "bounded",
	[WHEEL_OVERFLOW]	= "overflow",
};

static const struct unit {
	const char *name;
	u64 ns;
} units[] = {
	{ "ns",	1 },
	{ "us",	1000 },
	{ "ms",	NSEC_PER_MSEC },
	{ "s",	NSEC_PER_SEC },
	{ "m",	60 * NSEC_PER_SEC },
	{ "h",	3600 * NSEC_PER_SEC },
	{ "d",	86400 * NSEC_PER_SEC },
};

const char *clock_name(u32 clock)
{
	return clock < ARRAY_SIZE(clocks) ? clocks[clock] : "unknown";
}

const char *scheme_name(u32 scheme)
{
	return scheme && scheme < ARRAY_SIZE(schemes) ? schemes[scheme] : "unknown";
}

/*
 * Convert digits with an optional fraction, multiplied by @unit, up to 2^63-1. Digits below 1
 * are truncated. Returns the rest of the text, or NULL if it does not begin with a number.
 */
static const char *take_decimal(const char *text, u64 unit, u64 *value)
{
	u64 sum = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		u64 digit = (u64)(*text - '0') * unit;

		if (digit > WHEEL_MAX_TIME || sum > (WHEEL_MAX_TIME - digit) / 10)
			return NULL;
		sum = sum * 10 + digit;
	}
	if (*text == '.') {
		text++;
		if (*text < '0' || *text > '9')
			return NULL;
	}
	for (; *text >= '0' && *text <= '9'; text++) {
		unit /= 10;
		sum += (u64)(*text - '0') * unit;
	}
	if (sum > WHEEL_MAX_TIME)
		return NULL;
	*value = sum;
	return text;
}

const char *parse_flag(const char *text, void *value)
{
	(void)text;
	*(bool *)value = true;
	return NULL;
}

const char *parse_string(const char *text, void *value)
{
	*(const char **)value = text;
	return *text ? NULL : "a name";
}

const char *parse_number(const char *text, void *value)
{
	const char *end = take_decimal(text, 1, value);

	if (!end || *end || strchr(text, '.'))
		return "a whole number up to 2^63-1";
	return NULL;
}

const char *parse_count(const char *text, void *value)
{
	if (parse_number(text, value) || !*(u64 *)value)
		return "a whole number, 1 or more";
	return NULL;
}

const char *parse_duration(const char *text, void *value)
{
	size_t digits = strspn(text, "0123456789.");
	size_t i;

	if (!strcmp(text, "0")) {
		*(u64 *)value = 0;
		return NULL;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text + digits, units[i].name) &&
		    take_decimal(text, units[i].ns, value) == text + digits)
			return NULL;
	return "a duration up to 2^63-1 ns: 10us, 1.5ms, 2s, 5m, 1h or 3d";
}

const char *parse_interval(const char *text, void *value)
{
	const char *expected = parse_duration(text, value);

	if (!expected && !*(u64 *)value)
		return "a duration of 1ns or more";
	return expected;
}

const char *parse_buckets(const char *text, void *value)
{
	u64 buckets;

	if (parse_count(text, &buckets) || buckets > WHEEL_MAX_BUCKETS)
		return "a whole number from 1 to 1048576";
	*(u32 *)value = (u32)buckets;
	return NULL;
}

const char *parse_speed(const char *text, void *value)
{
	u64 *speed = value;
	const char *end = take_decimal(text, SPEED_UNIT, speed);

	if (!end || *end || !*speed || *speed > 1000000ULL * SPEED_UNIT)
		return "a factor from 0.001 to 1000000";
	return NULL;
}

static bool find_name(const char *const *names, size_t count, const char *text, u32 *index)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!names[i] || strcmp(names[i], text))
			continue;
		*index = (u32)i;
		return true;
	}
	return false;
}

const char *parse_clock(const char *text, void *value)
{
	if (find_name(clocks, ARRAY_SIZE(clocks), text, value))
		return NULL;
	return "monotonic, boottime, realtime, tai or virtual";
}

const char *parse_scheme(const char *text, void *value)
{
	if (find_name(schemes, ARRAY_SIZE(schemes), text, value))
		return NULL;
	return "hashed, hierarchical, bounded or overflow";
}

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

struct text text_time(u64 ns)
{
	static const struct {
		double ns;
		const char *name;
	} scale[] = {
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
	while (i + 1 < ARRAY_SIZE(scale) && (double)ns >= scale[i + 1].ns * .9995)
		i++;
	value = (double)ns / scale[i].ns;
	decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	snprintf(text.s, sizeof(text.s), "%.*f %s", decimals, value, scale[i].name);
	return text;
}

struct text text_exact(u64 ns)
{
	struct text text;

	snprintf(text.s, sizeof(text.s), "%llu.%06llu ms", ns / NSEC_PER_MSEC, ns % NSEC_PER_MSEC);
	return text;
}

struct text text_duration(u64 ns)
{
	size_t i = ARRAY_SIZE(units) - 1;
	struct text text;

	while (i && (ns < units[i].ns || ns % units[i].ns))
		i--;
	snprintf(text.s, sizeof(text.s), "%llu%s", ns / units[i].ns, units[i].name);
	return text;
}

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

/* A static program has no locales, so setlocale() is no help. */
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

/* Nesting depth, and whether the next member is the first at this depth. */
static unsigned int depth;
static bool first = true;

static void put_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			putchar('\\');
		if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void new_line(void)
{
	unsigned int i;

	putchar('\n');
	for (i = 0; i < depth; i++)
		putchar('\t');
}

static void new_member(const char *key)
{
	if (depth) {
		if (!first)
			putchar(',');
		new_line();
	}
	first = false;
	if (key) {
		put_string(key);
		fputs(": ", stdout);
	}
}

void json_open(const char *key, char bracket)
{
	new_member(key);
	putchar(bracket);
	depth++;
	first = true;
}

void json_close(char bracket)
{
	depth--;
	if (!first)
		new_line();
	putchar(bracket);
	first = !depth;
	if (!depth)
		putchar('\n');
}

void json_u64(const char *key, u64 value)
{
	new_member(key);
	printf("%llu", value);
}

void json_u64s(const char *key, const u64 *values, size_t count)
{
	size_t i;

	new_member(key);
	putchar('[');
	for (i = 0; i < count; i++)
		printf("%s%llu", i ? ", " : "", values[i]);
	putchar(']');
}

void json_bool(const char *key, bool value)
{
	new_member(key);
	fputs(value ? "true" : "false", stdout);
}

void json_string(const char *key, const char *value)
{
	new_member(key);
	put_string(value);
}
