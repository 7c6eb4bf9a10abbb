/* SPDX-License-Identifier: MIT */
/*
 * Touch words: timers moved, cancelled and revived without a call.
 */
#ifndef WORDS_H
#define WORDS_H

#include "wheelctl.h"

/**
 * struct slot_word - what we remember of a slot
 * @id: of its last arm
 * @cookie: of that
 * @latest: the latest deadline that its word has had since
 */
struct slot_word {
	u64 id;
	u64 cookie;
	u64 latest;
};

/**
 * struct words - of all slots
 * @word: shared with the kernel
 * @slot: one for each
 * @count: how many
 * @revived: arms that took no call, nor a new generation
 * @touched: moves and cancels that took no call
 */
struct words {
	u64 *word;
	struct slot_word *slot;
	u32 count;
	u64 revived;
	u64 touched;
};

void words_map(struct words *w, int fd, u32 count);
void words_unmap(struct words *w);
bool words_try(struct words *w, struct wheel_op *op);
void words_armed(struct words *w, const struct wheel_op *op);
bool words_parked(const struct words *w, u32 slot);

#endif
