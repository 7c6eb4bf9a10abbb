/* SPDX-License-Identifier: MIT */
/*
 * Plays a trace through a device, in time, with a ledger as the witness.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include "device.h"
#include "ledger.h"
#include "progress.h"
#include "trace.h"
#include "words.h"

/* Operations a call, events a read. */
#define PLAYER_BATCH	1024

/**
 * struct player - a replay
 * @trace: what is played
 * @device: to whom
 * @words: of the device, or NULL: each operation takes a call
 * @interrupt: of interrupt_open(), or -1
 * @speed: in parts of SPEED_UNIT of the recorded speed
 * @linger: timers that are due so soon after the last record are waited for
 * @tamper: from this arm on, hand over an earlier deadline than the ledger's,
 *	until the ledger notices; 0: never
 * @ledger: the witness
 * @progress: what it says meanwhile, when it has a total
 * @behind: by how much operations were late
 * @start: when it began
 * @end: when it was over
 * @next: the record whose turn it is
 * @arms: records that armed, so far
 * @cancels: records that cancelled, so far
 * @cancelled: timers that the records cancelled
 * @status: 128 + the signal that ended it early
 * @stuck: something was lost, and it could not go on
 * @tampered_line: of the record that was tampered with last
 * @tampered_timer: its timer
 * @tampered_by: by how much
 * @batch: number of the batch that is being filled
 * @in_batch: for each timer the last batch it was in
 * @requests: the batch, as the ledger has it
 * @ops: the batch, as the device gets it
 * @calls: of these, what touch words could not do
 * @events: what was read
 */
struct player {
	const struct trace *trace;
	struct device *device;
	struct words *words;
	int interrupt;
	u64 speed;
	u64 linger;
	u64 tamper;
	struct ledger ledger;
	struct progress progress;
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
	u32 batch;
	u32 *in_batch;
	struct ledger_request requests[PLAYER_BATCH];
	struct wheel_op ops[PLAYER_BATCH];
	struct wheel_op calls[PLAYER_BATCH];
	struct wheel_event events[PLAYER_BATCH];
};

void player_init(struct player *p, const struct trace *trace,
		 struct device *device, u64 tick);
u64 player_longest(const struct player *p);
void player_run(struct player *p);
void player_free(struct player *p);

#endif
