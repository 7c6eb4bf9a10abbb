// SPDX-License-Identifier: MIT
/*
 * Tests of words. The test changes the words in place of the kernel, which needs no kick.
 */
#include <errno.h>
#include <string.h>

#include "cases.h"
#include "words.h"

static u64 word[4], bells, summary;
static struct slot_word slot[4];
static struct wheel_kernel_page kernel;

static struct words begin(void)
{
	u32 i;

	memset(slot, 0, sizeof(slot));
	for (i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = WHEEL_WORD_IDLE;
	return (struct words){
		.fd = -1, .count = 4, .word = word, .bells = &bells, .summary = &summary,
		.kernel = &kernel, .slot = slot,
	};
}

static struct wheel_op operation(u32 verb, u64 when)
{
	return (struct wheel_op){
		.op = verb, .id = WHEEL_ID(2, 7), .when = when, .cookie = 8,
		.res = -EINPROGRESS,
	};
}

/* Arm a timer with a system call. */
static void armed(struct words *w, u64 when)
{
	struct wheel_op op = operation(WHEEL_OP_ARM, when);

	KTAP_EXPECT(!words_try(w, &op) && op.flags == WHEEL_OP_WORD);
	word[2] = when;
	op.res = 0;
	op.cookie = 5;
	words_armed(w, &op);
	bells = 0;
	summary = 0;
}

static void moves(void)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_REARM, 20);

	armed(&w, 10);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == 20 && !bells);
	/* The flag informs the model that the kernel chooses the place in the tick. */
	KTAP_EXPECT(op.flags & WHEEL_OP_WORD);
	op = operation(WHEEL_OP_REARM, 19);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == 19);
	KTAP_EXPECT(bells == 1 << 2 && summary == 1);
	word[2] = WHEEL_WORD_IDLE;
	op = operation(WHEEL_OP_REARM, 30);
	KTAP_EXPECT(words_try(&w, &op) && op.res == -ENOENT);
	KTAP_EXPECT(word[2] == WHEEL_WORD_IDLE && w.exchanged == 2 && !w.kicked);
}

static void cancels(void)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_CANCEL, 0);

	armed(&w, 10);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == WHEEL_WORD_PARKED);
	op = operation(WHEEL_OP_CANCEL, 0);
	KTAP_EXPECT(words_try(&w, &op) && op.res == -ENOENT && w.exchanged == 1);
}

/* @from: value of the word, with which the timer is not armed */
static void arms_again(u64 from)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_ARM, 9);

	armed(&w, 10);
	KTAP_EXPECT(words_try(&w, &op) && op.res == -EBUSY && word[2] == 10);
	word[2] = from;
	op = operation(WHEEL_OP_ARM, 9);
	op.id = WHEEL_ID(2, 8);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == 9);
	KTAP_EXPECT(bells == 1 << 2 && summary == 1);
	/* The id and the cookie are unchanged. */
	KTAP_EXPECT(op.id == WHEEL_ID(2, 7) && op.cookie == 5 && w.exchanged == 1);
}

static void arms_parked(void)
{
	arms_again(WHEEL_WORD_PARKED);
}

static void arms_expired(void)
{
	arms_again(WHEEL_WORD_IDLE);
}

const struct ktap_test words_cases[] = {
	{ "moves need no system call", moves },
	{ "cancels need no system call", cancels },
	{ "parked timers are armed without a system call", arms_parked },
	{ "expired timers are armed without a system call", arms_expired },
	{ NULL, NULL }
};
