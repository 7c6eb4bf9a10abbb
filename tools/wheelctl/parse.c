// SPDX-License-Identifier: MIT
/*
 * From text to values.
 */
#include "parse.h"

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
	return scheme < ARRAY_SIZE(schemes) ? schemes[scheme] : "unknown";
}

/**
 * duration_unit - the greatest unit that a time is a whole number of
 * @ns: nanoseconds
 * @count: how many of them
 *
 * Return: the unit, as parse_duration() reads it.
 */
const char *duration_unit(u64 ns, u64 *count)
{
	size_t i = ARRAY_SIZE(units) - 1;

	while (i && (ns < units[i].ns || ns % units[i].ns))
		i--;
	*count = ns / units[i].ns;
	return units[i].name;
}

/*
 * Digits with a fraction, times @unit, up to 2^63-1. Digits of the fraction that
 * are worth less than one are cut off. Returns what comes behind, or NULL.
 */
static const char *take_decimal(const char *text, u64 unit, u64 *value)
{
	u64 sum = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		u64 digit = (u64)(*text - '0') * unit;

		if (digit > WHEEL_MAX_TIME ||
		    sum > (WHEEL_MAX_TIME - digit) / 10)
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
	const char *end;
	size_t i;

	if (!strcmp(text, "0")) {
		*(u64 *)value = 0;
		return NULL;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text + digits, units[i].name))
			continue;
		end = take_decimal(text, units[i].ns, value);
		if (end == text + digits)
			return NULL;
	}
	return "a duration up to 2^63-1 ns: 10us, 1.5ms, 2s, 5m, 1h or 3d";
}

const char *parse_interval(const char *text, void *value)
{
	const char *wanted = parse_duration(text, value);

	if (!wanted && !*(u64 *)value)
		return "a duration of 1ns or more";
	return wanted;
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

static int find_name(const char *const *names, size_t count, const char *text)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], text))
			return (int)i;
	return -1;
}

const char *parse_clock(const char *text, void *value)
{
	int clock = find_name(clocks, ARRAY_SIZE(clocks), text);

	if (clock < 0)
		return "monotonic, boottime, realtime, tai or virtual";
	*(u32 *)value = (u32)clock;
	return NULL;
}

const char *parse_scheme(const char *text, void *value)
{
	int scheme = find_name(schemes, ARRAY_SIZE(schemes), text);

	if (scheme < 0)
		return "hashed, hierarchical, bounded or overflow";
	*(u32 *)value = (u32)scheme;
	return NULL;
}
