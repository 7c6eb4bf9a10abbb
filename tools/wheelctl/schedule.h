/* SPDX-License-Identifier: MIT */
/*
 * When a job is due.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <time.h>

#include "wheelctl.h"

enum schedule_kind {
	/* Again and again, from now on. */
	SCHEDULE_PERIOD,
	/* Once, after a while. */
	SCHEDULE_DELAY,
	/* Once, at a time of the wall clock. */
	SCHEDULE_TIME,
	/* At each minute that a crontab's fields allow. */
	SCHEDULE_CALENDAR,
};

/**
 * struct schedule - when
 * @kind: which of these members count
 * @ns: period or delay in nanoseconds
 * @time: seconds of the wall clock
 * @minutes: a bit for each that is allowed
 * @hours: the same
 * @days: of the month
 * @months: from 1 on
 * @weekdays: Sunday is 0
 * @either_day: a day that is in @days or in @weekdays will do
 */
struct schedule {
	enum schedule_kind kind;
	u64 ns;
	time_t time;
	u64 minutes;
	u64 hours;
	u64 days;
	u64 months;
	u64 weekdays;
	bool either_day;
};

const char *schedule_every(struct schedule *s, const char *text);
const char *schedule_at(struct schedule *s, const char *text, time_t now);
const char *schedule_calendar(struct schedule *s, const char *text);
time_t schedule_next(const struct schedule *s, time_t after);
size_t schedule_words(const char *line);

#endif
