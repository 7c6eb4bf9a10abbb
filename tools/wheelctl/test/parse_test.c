// SPDX-License-Identifier: MIT
/*
 * Text to values, values to text, percentiles, due times, checksums.
 */
#include <string.h>

#include "crc32.h"
#include "due.h"
#include "histogram.h"
#include "ktap.h"
#include "parse.h"
#include "samples.h"
#include "text.h"

static bool is_duration(const char *text, u64 ns)
{
	u64 value = 1;

	return !parse_duration(text, &value) && value == ns;
}

static bool is_no_duration(const char *text)
{
	u64 value;

	return parse_duration(text, &value);
}

static void durations(void)
{
	KTAP_EXPECT(is_duration("0", 0));
	KTAP_EXPECT(is_duration("7ns", 7));
	KTAP_EXPECT(is_duration("10us", 10000));
	KTAP_EXPECT(is_duration("1.5ms", 1500000));
	KTAP_EXPECT(is_duration("2s", 2000000000));
	KTAP_EXPECT(is_duration("5m", 300000000000));
	KTAP_EXPECT(is_duration("1h", 3600000000000));
	KTAP_EXPECT(is_duration("0.5d", 43200000000000));
	KTAP_EXPECT(is_duration("1.2345us", 1234));
	KTAP_EXPECT(is_duration("9223372036854775807ns", WHEEL_MAX_TIME));
	KTAP_EXPECT(is_duration("9223372036.854775807s", WHEEL_MAX_TIME));
}

static void bad_durations(void)
{
	static const char *const bad[] = {
		"", "5", "ms", "1", "-1ms", "+1ms", " 1ms", "1 ms", "1ms ",
		"1.ms", ".5ms", "1.2.3ms", "1e3ms", "0x1ms", "1msx", "1M",
		"9223372036854775808ns", "9223372036.854775808s", "106752d",
		"99999999999999999999h",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KTAP_EXPECT(is_no_duration(bad[i]));
}

static void numbers(void)
{
	u64 value;

	KTAP_EXPECT(!parse_number("0", &value) && value == 0);
	KTAP_EXPECT(!parse_number("9223372036854775807", &value) &&
		    value == WHEEL_MAX_TIME);
	KTAP_EXPECT(parse_number("9223372036854775808", &value));
	KTAP_EXPECT(parse_number("1.0", &value));
	KTAP_EXPECT(parse_number("12k", &value));
	KTAP_EXPECT(parse_count("0", &value));
	KTAP_EXPECT(!parse_count("1", &value) && value == 1);
}

static void speeds(void)
{
	u64 value;

	KTAP_EXPECT(!parse_speed("1", &value) && value == SPEED_UNIT);
	KTAP_EXPECT(!strcmp(text_speed(value).s, "1"));
	KTAP_EXPECT(!parse_speed("2.5", &value) && value == 2500);
	KTAP_EXPECT(!strcmp(text_speed(value).s, "2.5"));
	KTAP_EXPECT(!parse_speed("0.001", &value) && value == 1);
	KTAP_EXPECT(!strcmp(text_speed(value).s, "0.001"));
	KTAP_EXPECT(!parse_speed("1000000", &value));
	KTAP_EXPECT(parse_speed("1000001", &value));
	KTAP_EXPECT(parse_speed("0.0009", &value));
	KTAP_EXPECT(parse_speed("0", &value));
	KTAP_EXPECT(parse_speed("2x", &value));
}

static void texts(void)
{
	KTAP_EXPECT(!strcmp(text_count(0).s, "0"));
	KTAP_EXPECT(!strcmp(text_count(999).s, "999"));
	KTAP_EXPECT(!strcmp(text_count(148731).s, "148,731"));
	KTAP_EXPECT(!strcmp(text_count(NEVER).s, "18,446,744,073,709,551,615"));
	KTAP_EXPECT(!strcmp(text_time(999).s, "999 ns"));
	KTAP_EXPECT(!strcmp(text_time(1000).s, "1.00 us"));
	KTAP_EXPECT(!strcmp(text_time(41299).s, "41.3 us"));
	KTAP_EXPECT(!strcmp(text_time(999999).s, "1.00 ms"));
	KTAP_EXPECT(!strcmp(text_time(2 * NSEC_PER_SEC).s, "2.00 s"));
	KTAP_EXPECT(!strcmp(text_time(WHEEL_MAX_TIME).s, "292 y"));
	KTAP_EXPECT(!strcmp(text_exact(10000412).s, "10.000412 ms"));
}

static void percentiles(void)
{
	struct samples s = { 0 };
	u64 i;

	KTAP_EXPECT(!samples_percentile(&s, 500));
	for (i = 2000; i; i--)
		samples_add(&s, i);
	samples_sort(&s);
	KTAP_EXPECT(samples_percentile(&s, 0) == 1);
	KTAP_EXPECT(samples_percentile(&s, 500) == 1000);
	KTAP_EXPECT(samples_percentile(&s, 999) == 1998);
	KTAP_EXPECT(samples_percentile(&s, 1000) == 2000);
	samples_free(&s);
}

static void buckets(void)
{
	KTAP_EXPECT(histogram_bucket(0) == 0);
	KTAP_EXPECT(histogram_bucket(1) == 0);
	KTAP_EXPECT(histogram_bucket(2) == 1);
	KTAP_EXPECT(histogram_bucket(3) == 1);
	KTAP_EXPECT(histogram_bucket(4) == 2);
	KTAP_EXPECT(histogram_bucket(NEVER) == 63);
}

static void due_times(void)
{
	KTAP_EXPECT(due_time(10, 20, 0) == 20);
	KTAP_EXPECT(due_time(10, 21, 0) == 30);
	KTAP_EXPECT(due_time(10, 21, 20) == 30);
	KTAP_EXPECT(due_time(10, 20, 20) == 30);
	KTAP_EXPECT(due_time(10, 5, 29) == 30);
	KTAP_EXPECT(due_time(10, 5, 30) == 40);
	KTAP_EXPECT(due_time(1, WHEEL_MAX_TIME, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(10, WHEEL_MAX_TIME, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(WHEEL_MAX_TIME, 1, 0) == WHEEL_MAX_TIME);
	KTAP_EXPECT(due_time(WHEEL_MAX_TIME - 1, 1, 0) == WHEEL_MAX_TIME - 1);
	KTAP_EXPECT(time_sum(WHEEL_MAX_TIME - 1, 1) == WHEEL_MAX_TIME);
	KTAP_EXPECT(time_sum(2, WHEEL_MAX_TIME) == WHEEL_MAX_TIME);
}

static void checksums(void)
{
	KTAP_EXPECT(crc32_add(0, "", 0) == 0);
	KTAP_EXPECT(crc32_add(0, "123456789", 9) == 0xcbf43926);
	KTAP_EXPECT(crc32_add(crc32_add(0, "1234", 4), "56789", 5) ==
		    0xcbf43926);
}

const struct ktap_case parse_cases[] = {
	{ "durations", durations },
	{ "bad durations", bad_durations },
	{ "numbers", numbers },
	{ "speeds", speeds },
	{ "texts", texts },
	{ "percentiles", percentiles },
	{ "histogram buckets", buckets },
	{ "due times", due_times },
	{ "checksums", checksums },
	{ NULL }
};
