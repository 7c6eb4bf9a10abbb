/* SPDX-License-Identifier: MIT */
/*
 * A recorded trace: which timer was armed or cancelled when.
 */
#ifndef TRACE_H
#define TRACE_H

#include "wheelctl.h"

/* The delay of a record that cancels. */
#define TRACE_CANCEL	NEVER

/**
 * struct record - one line
 * @time: nanoseconds since the first
 * @delay: of the arm, or TRACE_CANCEL
 * @timer: its number
 * @line: where it stands
 */
struct record {
	u64 time;
	u64 delay;
	u32 timer;
	u32 line;
};

/**
 * struct trace - a file, read and found to be in order
 * @path: its name
 * @record: in time order
 * @count: how many
 * @room: how many fit
 * @timers: one more than the greatest number of a timer
 * @crc: checksum of all that follows the first line, if that is a comment
 * @stated: the checksum that the first line states
 * @has_stated: there is one
 * @too_long: a delay beyond what was allowed, the longest one near it; 0: none
 * @too_long_line: where the first one stands; no more than that has been read
 */
struct trace {
	const char *path;
	struct record *record;
	size_t count;
	size_t room;
	u32 timers;
	u32 crc;
	u32 stated;
	bool has_stated;
	u64 too_long;
	u32 too_long_line;
};

void trace_load(struct trace *t, const char *path, u64 longest);
void trace_verify(const struct trace *t);
void trace_free(struct trace *t);

#endif
