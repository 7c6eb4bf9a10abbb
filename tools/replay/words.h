/* SPDX-License-Identifier: MIT */
/*
 * Touch words: move, cancel and revive timers without a system call.
 */
#ifndef WORDS_H
#define WORDS_H

#include "wheelctl.h"

/**
 * struct slot_word - state of a slot with a word
 * @id: id of the last arm
 * @cookie: cookie of the last arm
 * @latest: latest deadline of the word since then
 */
struct slot_word {
	u64 id;
	u64 cookie;
	u64 latest;
};

/**
 * struct words - the words of all slots
 * @word: memory shared with the kernel
 * @slot: state of each slot
 * @count: number of slots
 * @revived: number of arms without a system call, which keep the generation
 * @touched: number of moves and cancels without a system call
 */
struct words {
	u64 *word;
	struct slot_word *slot;
	u32 count;
	u64 revived;
	u64 touched;
};

/* Map the words of a wheel that was set up with WHEEL_SETUP_TOUCH. */
void words_map(struct words *w, int fd, u32 count);
void words_unmap(struct words *w);
/* Try an operation without a system call; returns false if it requires one. */
bool words_try(struct words *w, struct wheel_op *op);
/* Record the result of a system call. */
void words_armed(struct words *w, const struct wheel_op *op);
/* Check whether a timer is parked, which the kernel counts as pending. */
bool words_parked(const struct words *w, u32 slot);

#endif
