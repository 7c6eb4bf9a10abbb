// SPDX-License-Identifier: MIT
/*
 * Touch words: move, cancel and revive timers without a system call. The protocol is
 * described in linux/wheel_timer.h.
 */
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"

static size_t size_of(const struct words *w)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (w->count * sizeof(*w->word) + page - 1) / page * page;
}

void words_map(struct words *w, int fd, u32 count)
{
	memset(w, 0, sizeof(*w));
	w->count = count;
	w->slot = xcalloc(count, sizeof(*w->slot));
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
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* A parked timer can be armed again only with a later deadline than before. */
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
 * An earlier deadline requires a system call. For a timer that is moved or revived by its
 * word, the kernel chooses its place among the timers of the same tick.
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

/* The kernel may change the word once, when the timer expires. */
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

bool words_parked(const struct words *w, u32 slot)
{
	return w->slot[slot].id &&
	       __atomic_load_n(&w->word[slot], __ATOMIC_ACQUIRE) == WHEEL_TOUCH_PARKED;
}
