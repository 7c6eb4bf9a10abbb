// SPDX-License-Identifier: MIT
/*
 * Tests of touch words. The test changes the words in place of the kernel.
 */
#include <errno.h>
#include <string.h>

#include "cases.h"
#include "words.h"

static u64 word[4];
static struct slot_word slot[4];

static struct words begin(void)
{
	u32 i;

	memset(slot, 0, sizeof(slot));
	for (i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = WHEEL_TOUCH_IDLE;
	return (struct words){ .word = word, .slot = slot, .count = 4 };
}

static struct wheel_op operation(u32 verb, u64 when)
{
	return (struct wheel_op){
		.op = verb, .id = WHEEL_ID(2, 7), .when = when, .cookie = 8,
		.res = -EINPROGRESS,
	};
}

/* Arm a timer with a system call. */
static void arm(struct words *w, u64 when)
{
	struct wheel_op op = operation(WHEEL_OP_ARM, when);

	KTAP_EXPECT(!words_try(w, &op) && op.flags == WHEEL_OP_TOUCH);
	word[2] = when;
	op.res = 0;
	op.cookie = 5;
	words_armed(w, &op);
}

static void moves(void)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_REARM, 20);

	arm(&w, 10);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == 20);
	/* The flag informs the model that the kernel chooses the place in the tick. */
	KTAP_EXPECT(op.flags & WHEEL_OP_TOUCH);
	op = operation(WHEEL_OP_REARM, 19);
	KTAP_EXPECT(!words_try(&w, &op) && word[2] == 20 && !op.flags);
	word[2] = WHEEL_TOUCH_IDLE;
	op = operation(WHEEL_OP_REARM, 30);
	KTAP_EXPECT(words_try(&w, &op) && op.res == -ENOENT);
	KTAP_EXPECT(word[2] == WHEEL_TOUCH_IDLE && w.touched == 1);
}

static void cancels(void)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_CANCEL, 0);

	KTAP_EXPECT(words_try(&w, &op) && op.res == -ENOENT);
	arm(&w, 10);
	KTAP_EXPECT(!words_parked(&w, 2));
	op = operation(WHEEL_OP_CANCEL, 0);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && words_parked(&w, 2));
	op = operation(WHEEL_OP_CANCEL, 0);
	KTAP_EXPECT(words_try(&w, &op) && op.res == -ENOENT && w.touched == 1);
	KTAP_EXPECT(!words_parked(&w, 1));
}

static void revives(void)
{
	struct words w = begin();
	struct wheel_op op = operation(WHEEL_OP_CANCEL, 0);

	arm(&w, 10);
	words_try(&w, &op);
	/* The deadline is not later than before, so the timer might be late. */
	op = operation(WHEEL_OP_ARM, 10);
	KTAP_EXPECT(!words_try(&w, &op) && word[2] == WHEEL_TOUCH_PARKED);
	op = operation(WHEEL_OP_ARM, 11);
	op.id = WHEEL_ID(2, 8);
	KTAP_EXPECT(words_try(&w, &op) && !op.res && word[2] == 11);
	/* The id and the cookie are unchanged. */
	KTAP_EXPECT(op.id == WHEEL_ID(2, 7) && op.cookie == 5 && w.revived == 1);
	/* The kernel has reclaimed the timer. */
	word[2] = WHEEL_TOUCH_IDLE;
	op = operation(WHEEL_OP_ARM, 99);
	KTAP_EXPECT(!words_try(&w, &op) && word[2] == WHEEL_TOUCH_IDLE);
}

const struct ktap_test words_cases[] = {
	{ "later deadlines need no system call", moves },
	{ "cancels need no system call", cancels },
	{ "parked timers can be revived", revives },
	{ NULL }
};
