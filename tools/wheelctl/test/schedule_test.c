// SPDX-License-Identifier: MIT
/*
 * When jobs are due.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "schedule.h"

/* Sunday, 2026-11-22 12:34:56 UTC. */
#define NOW	1795350896

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static time_t once(const char *text)
{
	struct schedule s;

	return schedule_at(&s, text, NOW) || s.kind != SCHEDULE_TIME ? 0 : s.time;
}

static void times(void)
{
	struct schedule s;

	zone("UTC");
	KTAP_EXPECT(once("12:35") == NOW + 4);
	KTAP_EXPECT(once("12:34:57") == NOW + 1);
	KTAP_EXPECT(once("12:34:56") == NOW + 86400);
	KTAP_EXPECT(once("12:34") == NOW + 86400 - 56);
	KTAP_EXPECT(once("2026-11-22 12:35") == NOW + 4);
	KTAP_EXPECT(once("2026-11-22T12:35:01") == NOW + 5);
	KTAP_EXPECT(once("2027-02-28T00:00") == 1803772800);
	KTAP_EXPECT(once("@1795350897") == NOW + 1);
	KTAP_EXPECT(once("2262-04-11T23:47:16") == 9223372036);
	zone("XST-2");
	KTAP_EXPECT(once("2026-11-22T14:35") == NOW + 4);
	zone("UTC");
	KTAP_EXPECT(!schedule_at(&s, "+5m", NOW) && s.kind == SCHEDULE_DELAY &&
		    s.ns == 300 * NSEC_PER_SEC);
	KTAP_EXPECT(!schedule_every(&s, "10s") && s.kind == SCHEDULE_PERIOD);
}

static void bad_times(void)
{
	static const char *const bad[] = {
		"", "12", "12:60", "12:30:60", "24:00", "12:30x", "noon", "@", "@x", "@1",
		"@99999999999999999999", "+", "+5", "2026-11-22T12:34:56",
		"2026-02-30T12:00", "2027-13-01T12:00", "2030-12-31T23:59:60",
		"* * * *", "* * * * x",
		"2600-01-01T00:00", "9999-12-31T23:59:59", "@9223372037",
		"60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *",
		"* * * 13 *", "* * * * 8", "5-3 * * * *", "*/0 * * * *",
		"1,,2 * * * *", "1- * * * *", "@often", "0 0 31 2,4,6 *",
	};
	struct schedule s;
	size_t i;

	zone("UTC");
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KTAP_EXPECT(schedule_at(&s, bad[i], NOW));
	KTAP_EXPECT(schedule_every(&s, "0s"));
}

/* How long after @after a calendar comes next, in minutes of 60 s; -1: refused. */
static long next(const char *text, time_t after)
{
	struct schedule s;

	if (schedule_calendar(&s, text))
		return -1;
	return (long)(schedule_next(&s, after) - after);
}

static void calendars(void)
{
	zone("UTC");
	KTAP_EXPECT(next("* * * * *", NOW) == 4);
	KTAP_EXPECT(next("* * * * *", NOW + 4) == 60);
	KTAP_EXPECT(next("*/5 * * * *", NOW) == 4);
	KTAP_EXPECT(next("1-59/7 * * * *", NOW) == 64);
	KTAP_EXPECT(next("34 12 * * *", NOW) == 86400 - 56);
	KTAP_EXPECT(next("0 0 * * mon", NOW) == 41104);
	KTAP_EXPECT(next("0 0 * * 7", NOW) == 41104 + 6 * 86400);
	KTAP_EXPECT(next("0 0 1 dec *", NOW) == 41104 + 8 * 86400);
	KTAP_EXPECT(next("0 0 25 * tue", NOW) == 41104 + 86400);
	KTAP_EXPECT(next("0 0 25 * *", NOW) == 41104 + 2 * 86400);
	KTAP_EXPECT(next("0 0 29 2 *", NOW) == 1835395200 - NOW);
	KTAP_EXPECT(next("@hourly", NOW) == 1504);
	KTAP_EXPECT(next("@yearly", NOW) == 41104 + 39 * 86400);
	KTAP_EXPECT(next("0,30 8-18/2 * jan-mar,dec mon-fri", NOW) ==
		    41104 + 8 * 86400 + 8 * 3600);
}

/* Clocks go from 2 to 3 on 2027-03-28, and back from 3 to 2 on 2027-10-31. */
static void summer_time(void)
{
	const time_t spring = 1806195600;
	const time_t autumn = 1824944400;

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	KTAP_EXPECT(next("30 2 * * *", spring - 7200) == 86400 + 7200 - 1800);
	KTAP_EXPECT(next("0 3 * * *", spring - 7200) == 7200);
	KTAP_EXPECT(next("0 4 * * *", autumn - 7200) == 7200 + 7200);
	KTAP_EXPECT(next("*/30 * * * *", autumn) == 1800);
	KTAP_EXPECT(next("*/30 * * * *", autumn - 1800) == 1800);
	zone("UTC");
}

const struct ktap_case schedule_cases[] = {
	{ "times", times },
	{ "times that are none", bad_times },
	{ "times of a crontab", calendars },
	{ "times when clocks change", summer_time },
	{ NULL }
};
