// SPDX-License-Identifier: MIT
/*
 * Tests of conversions, percentiles, suggestions and advice.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "histogram.h"
#include "cases.h"
#include "text.h"
#include "util.h"

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

static void sample_percentiles(void)
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

static const char *meant(const char *word)
{
	static const char *const words[] = {
		"info", "arm", "list", "stats", "replay", "restore", "--json",
	};
	struct near near;
	size_t i;

	near_begin(&near, word);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		near_offer(&near, words[i]);
	return near.best ? near.best : "";
}

static void near_words(void)
{
	KTAP_EXPECT(!strcmp(meant("lits"), "list"));
	KTAP_EXPECT(!strcmp(meant("ilst"), "list"));
	KTAP_EXPECT(!strcmp(meant("lis"), "list"));
	KTAP_EXPECT(!strcmp(meant("listt"), "list"));
	KTAP_EXPECT(!strcmp(meant("stat"), "stats"));
	KTAP_EXPECT(!strcmp(meant("rm"), "arm"));
	KTAP_EXPECT(!strcmp(meant("reply"), "replay"));
	KTAP_EXPECT(!strcmp(meant("repaly"), "replay"));
	KTAP_EXPECT(!strcmp(meant("rest"), "restore"));
	KTAP_EXPECT(!strcmp(meant("-json"), "--json"));
}

static void far_words(void)
{
	static const char *const far[] = {
		"", "x", "frobnicate", "xyz", "tsil", "statistics of it",
		"a word that is much longer than any word in any language on this planet",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(far); i++)
		KTAP_EXPECT(!*meant(far[i]));
}

static char directory[64];

static const char *path_of(const char *name)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static bool advises(const char *name, const char *what)
{
	char tool[100];

	snprintf(tool, sizeof(tool), "%s", path_of(name));
	return !strncmp(advice_on_absence(directory, tool, "sudo ").s, what, strlen(what));
}

static void absence(void)
{
	const char *parent = getenv("TMPDIR");
	char insmod[140];

	snprintf(directory, sizeof(directory), "%s/wheelctl.XXXXXX", parent ?: "/tmp");
	if (!mkdtemp(directory))
		abort();
	write_file("modules.dep", "kernel/net/other.ko: kernel/wheel_timer.ko\n");
	KTAP_EXPECT(advises("bin/wheelctl", "install the module"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", "install the module"));
	write_file("Kbuild", "");
	KTAP_EXPECT(advises("bin/wheelctl", "install the module"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", "build the module"));
	write_file("wheel_timer.ko", "");
	snprintf(insmod, sizeof(insmod), "load the module: sudo insmod %s",
		 path_of("wheel_timer.ko"));
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl", insmod));
	write_file("modules.dep", "updates/dkms/wheel_timer.ko.xz:\n");
	KTAP_EXPECT(advises("tools/wheelctl/wheelctl",
			    "load the module: sudo modprobe wheel_timer"));
	remove(path_of("modules.dep"));
	remove(path_of("Kbuild"));
	remove(path_of("wheel_timer.ko"));
	remove(directory);
}

const struct ktap_test text_cases[] = {
	{ "durations are converted", durations },
	{ "invalid durations are rejected", bad_durations },
	{ "numbers are converted", numbers },
	{ "speeds are converted", speeds },
	{ "values are converted to text", texts },
	{ "percentiles of samples", sample_percentiles },
	{ "times are counted in the right bucket", buckets },
	{ "a near word is suggested", near_words },
	{ "a distant word is not suggested", far_words },
	{ "the advice for a missing device depends on the installation", absence },
	{ NULL }
};
