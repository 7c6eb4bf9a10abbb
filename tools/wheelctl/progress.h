/* SPDX-License-Identifier: MIT */
/*
 * How far a long run is, on stderr.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "wheelctl.h"

/**
 * struct progress - what was said last
 * @total: when it is done
 * @said: time of the last word on a terminal
 * @tenths: of @total at the last word elsewhere
 * @terminal: one line, written again and again
 */
struct progress {
	u64 total;
	u64 said;
	u64 tenths;
	bool terminal;
};

void progress_begin(struct progress *p, u64 total);
void progress_step(struct progress *p, u64 done, u64 now, u64 behind);
void progress_end(struct progress *p);

#endif
