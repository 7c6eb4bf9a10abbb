/* SPDX-License-Identifier: MIT */
/*
 * Traces, and violations of the guarantees that a replay checks.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include "util.h"

/* The delay of a record that cancels. */
#define TRACE_CANCEL	NEVER

/**
 * struct record - one operation of a trace
 * @time: nanoseconds since the start of the trace
 * @delay: time until the timer expires, or TRACE_CANCEL
 * @timer: number of the timer
 * @line: line of the file
 */
struct record {
	u64 time;
	u64 delay;
	u32 timer;
	u32 line;
};

/**
 * struct trace - a valid trace
 * @path: name of the file
 * @record: operations in time order
 * @count: number of operations
 * @room: allocated number of operations
 * @timers: highest number of a timer plus 1
 * @crc: CRC-32 of the file, except for a comment in the first line
 * @stated: CRC-32 in the first line
 * @has_stated: true if the first line contains a CRC-32
 * @too_long: longest delay near one that exceeds the limit, or 0
 * @too_long_line: line of the first such delay, after which reading has stopped
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

/* Read a file; an error in it ends the program. A delay longer than @longest ends reading. */
void trace_load(struct trace *t, const char *path, u64 longest);
/* Exit if the trace has another checksum than stated. */
void trace_verify(const struct trace *t);
/* Make a trace that arms timers for 200 ms and cancels every fourth. */
void trace_make(struct trace *t, u32 timers);
void trace_free(struct trace *t);

enum breach {
	/* P1: fired before the deadline. */
	BREACH_EARLY,
	/* P8: due, but no event was received. */
	BREACH_LOST,
	/* P3, P4: an event of a timer that is not pending. */
	BREACH_DUPLICATE,
	/* P5: fired after a timer that was due later. */
	BREACH_ORDER,
	/* P3: an event or a listed timer differs from the operation. */
	BREACH_WRONG,
	/* P4: the result of an operation is not possible in the timer's state. */
	BREACH_RESULT,
	/* P11: a counter of the device differs from the model. */
	BREACH_COUNTER,
	BREACHES
};

/**
 * struct breaches - violations of the guarantees
 * @count: number of violations of each kind
 * @first: description of the first violation of each kind
 */
struct breaches {
	u64 count[BREACHES];
	char first[BREACHES][120];
};

void __printf(3, 4) breach_add(struct breaches *b, enum breach kind, const char *format, ...);
u64 breach_total(const struct breaches *b);

#endif
