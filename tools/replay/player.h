/* SPDX-License-Identifier: MIT */
/*
 * Submits the operations of a trace at their times, and checks the device with the model.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include "device.h"
#include "model.h"
#include "words.h"

/* Maximum number of operations per system call, and of events per read. */
#define PLAYER_BATCH	1024

/**
 * struct player - a replay
 * @trace: the trace
 * @device: the wheel
 * @words: words of the device, or NULL if each operation is a system call
 * @interrupt: result of interrupt_open(), or -1
 * @speed: speed in units of SPEED_UNIT
 * @linger: timers that are due this long after the last record are awaited
 * @tamper: number of the first arm with an earlier deadline than in the model, which is
 *	repeated until the model detects it; 0: none
 * @progress: true if the progress is reported on stderr
 * @model: expected state of the device
 * @behind: lateness of the operations
 * @start: start of the replay
 * @end: end of the replay
 * @next: index of the next record
 * @arms: number of records that armed
 * @cancels: number of records that cancelled
 * @cancelled: number of timers cancelled by records
 * @status: 128 + the signal that interrupted the replay
 * @stuck: true if a lost event prevents the replay from continuing
 * @tampered_line: line of the last arm with a changed deadline
 * @tampered_timer: timer of this arm
 * @tampered_by: difference of the deadline
 * @reported: time of the last progress report
 * @tenths: progress in tenths at the last report
 * @batch: number of the current batch
 * @in_batch: for each timer, the last batch that contains it
 * @requests: requests of the batch
 * @ops: operations of the batch
 * @calls: operations that the words cannot do
 * @events: events that were read
 */
struct player {
	const struct trace *trace;
	struct device *device;
	struct words *words;
	int interrupt;
	u64 speed;
	u64 linger;
	u64 tamper;
	bool progress;
	struct model model;
	struct samples behind;
	u64 start;
	u64 end;
	size_t next;
	u64 arms;
	u64 cancels;
	u64 cancelled;
	int status;
	bool stuck;
	u32 tampered_line;
	u32 tampered_timer;
	u64 tampered_by;
	u64 reported;
	u64 tenths;
	u32 batch;
	u32 *in_batch;
	struct request requests[PLAYER_BATCH];
	struct wheel_op ops[PLAYER_BATCH];
	struct wheel_op calls[PLAYER_BATCH];
	struct wheel_event events[PLAYER_BATCH];
};

/* Initialize a replay; its options can be changed before player_run(). */
void player_init(struct player *p, const struct trace *trace, struct device *device, u64 tick);
/* The longest delay in the trace at the selected speed. */
u64 player_longest(const struct player *p);
/* Replay the trace, and compare the counters at the end. */
void player_run(struct player *p);
void player_free(struct player *p);

/* Print the result of a replay. */
void report_print(const struct player *p);
void report_json(const struct player *p);

#endif
