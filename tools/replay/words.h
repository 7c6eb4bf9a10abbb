/* SPDX-License-Identifier: MIT */
/*
 * Words: arm, move and cancel timers without a system call. The protocol is described in
 * linux/wheel_timer.h.
 */
#ifndef WORDS_H
#define WORDS_H

#include "wheelctl.h"

/**
 * struct slot_word - state of a slot
 * @id: id of the timer; 0 until it is armed with a system call
 * @cookie: its cookie
 */
struct slot_word {
	u64 id;
	u64 cookie;
};

/**
 * struct words - the words of all slots
 * @fd: the device
 * @count: number of slots
 * @word: words, shared with the kernel like the next three members
 * @bells: doorbells
 * @summary: summary of the doorbells
 * @kernel: page with next_wake
 * @slot: state of each slot
 * @exchanged: number of operations by an exchange of their word
 * @kicked: number of kicks
 */
struct words {
	int fd;
	u32 count;
	u64 *word;
	u64 *bells;
	u64 *summary;
	struct wheel_kernel_page *kernel;
	struct slot_word *slot;
	u64 exchanged;
	u64 kicked;
};

/* Map the words of a wheel that was set up with WHEEL_SETUP_WORDS. */
void words_map(struct words *w, int fd, u32 count);
void words_unmap(struct words *w);
/*
 * Execute an operation on a timer with a word, and set its result. Returns false if the slot has no
 * word yet, so that the operation requires a system call.
 */
bool words_try(struct words *w, struct wheel_op *op);
/* Record the result of a system call. */
void words_armed(struct words *w, const struct wheel_op *op);

#endif
