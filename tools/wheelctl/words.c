// SPDX-License-Identifier: MIT
/*
 * Touch words: timers moved, cancelled and revived without a call. The protocol is
 * that of linux/wheel_timer.h.
 */
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "memory.h"

static size_t size_of(const struct words *w)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (w->count * sizeof(*w->word) + page - 1) / page * page;
}

/**
 * words_map - map the words of a wheel that was set up with them
 * @w: set up
 * @fd: the wheel
 * @count: its timers
 */
void words_map(struct words *w, int fd, u32 count)
{
	memset(w, 0, sizeof(*w));
	w->count = count;
	w->slot = memory_zeroed(count, sizeof(*w->slot));
	w->word = mmap(NULL, size_of(w), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       WHEEL_OFF_TOUCH);
	if (w->word == MAP_FAILED)
		fail(EXIT_DEVICE, "mmap of the touch words: %s", strerror(errno));
}

void words_unmap(struct words *w)
{
	munmap(w->word, size_of(w));
	free(w->slot);
	memset(w, 0, sizeof(*w));
}

static bool swap(u64 *word, u64 from, u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A parked timer is armed again, as what it was; only later than ever before. */
static bool revive(struct words *w, u32 number, struct wheel_op *op)
{
	struct slot_word *slot = &w->slot[number];

	op->flags |= WHEEL_OP_TOUCH;
	if (!slot->id || op->when <= slot->latest ||
	    !swap(&w->word[number], WHEEL_TOUCH_PARKED, op->when))
		return false;
	op->id = slot->id;
	op->cookie = slot->cookie;
	op->res = 0;
	slot->latest = op->when;
	w->revived++;
	return true;
}

/*
 * To be sure of an earlier deadline takes a call. Of one that is moved by its word the
 * kernel chooses the place among those of its tick, as of one that is revived.
 */
static bool move(struct words *w, u32 number, struct wheel_op *op)
{
	u64 old = __atomic_load_n(&w->word[number], __ATOMIC_ACQUIRE);

	if (old & WHEEL_TOUCH_IDLE) {
		op->res = -ENOENT;
		return true;
	}
	if (op->when < old || !swap(&w->word[number], old, op->when))
		return false;
	op->flags |= WHEEL_OP_TOUCH;
	op->res = 0;
	if (op->when > w->slot[number].latest)
		w->slot[number].latest = op->when;
	w->touched++;
	return true;
}

/* The word changes once more at most: when the kernel claims it. */
static bool park(struct words *w, u32 number, struct wheel_op *op)
{
	u64 old = __atomic_load_n(&w->word[number], __ATOMIC_ACQUIRE);

	if (old == WHEEL_TOUCH_PARKED || old & WHEEL_TOUCH_IDLE ||
	    !swap(&w->word[number], old, WHEEL_TOUCH_PARKED)) {
		op->res = -ENOENT;
		return true;
	}
	op->res = 0;
	w->touched++;
	return true;
}

/**
 * words_try - do an operation without a call
 * @w: words
 * @op: an arm, a re-arm or a cancel; changed into what was done
 *
 * Return: false when it takes a call.
 */
bool words_try(struct words *w, struct wheel_op *op)
{
	u32 number = WHEEL_ID_SLOT(op->id);

	switch (op->op) {
	case WHEEL_OP_ARM:
		return revive(w, number, op);
	case WHEEL_OP_REARM:
		return move(w, number, op);
	default:
		return park(w, number, op);
	}
}

/**
 * words_armed - a call has done it
 * @w: words
 * @op: with its answer
 */
void words_armed(struct words *w, const struct wheel_op *op)
{
	struct slot_word *slot = &w->slot[WHEEL_ID_SLOT(op->id)];

	if (op->res)
		return;
	if (op->op == WHEEL_OP_ARM) {
		slot->id = op->id;
		slot->cookie = op->cookie;
		slot->latest = op->when;
	} else if (op->op == WHEEL_OP_REARM && op->when > slot->latest) {
		slot->latest = op->when;
	}
}

/**
 * words_parked - is a timer parked, and counted as pending by the kernel?
 * @w: words
 * @slot: its number
 *
 * Return: whether it was, a moment ago.
 */
bool words_parked(const struct words *w, u32 slot)
{
	return w->slot[slot].id &&
	       __atomic_load_n(&w->word[slot], __ATOMIC_ACQUIRE) ==
	       WHEEL_TOUCH_PARKED;
}
