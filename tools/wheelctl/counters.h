/* SPDX-License-Identifier: MIT */
/*
 * A wheel's counters, shown.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "wheelctl.h"

/**
 * struct counter - one of struct wheel_stats
 * @name: its member
 * @offset: of the member
 * @goes_down: it counts what is there now
 * @told: fdinfo tells it
 * @meaning: in a few words
 */
struct counter {
	const char *name;
	size_t offset;
	bool goes_down;
	bool told;
	const char *meaning;
};

/* Ends with a NULL name. */
extern const struct counter counters[];

u64 counter_value(const struct counter *counter,
		  const struct wheel_stats *stats);
void counters_print(const struct wheel_stats *stats, bool all);
void counters_json(const struct wheel_stats *stats, bool all);

#endif
