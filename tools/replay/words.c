// SPDX-License-Identifier: MIT
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"

/* Number of u64s of the doorbells of @count slots, and of the summary of @count u64s. */
static u32 bells(u32 count)
{
	return (count + 63) / 64;
}

static size_t area_size(u32 count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (count * sizeof(u64) + page - 1) / page * page;
}

static void *area_map(int fd, u32 count, int protection, off_t offset)
{
	void *area = mmap(NULL, area_size(count), protection, MAP_SHARED, fd, offset);

	if (area == MAP_FAILED)
		fail(EXIT_DEVICE, "mmap of the words: %s", strerror(errno));
	return area;
}

void words_map(struct words *w, int fd, u32 count)
{
	int both = PROT_READ | PROT_WRITE;

	*w = (struct words){
		.fd = fd, .count = count,
		.word = area_map(fd, count, both, WHEEL_OFF_WORDS),
		.bells = area_map(fd, bells(count), both, WHEEL_OFF_BELLS),
		.summary = area_map(fd, bells(bells(count)), both, WHEEL_OFF_SUMMARY),
		.kernel = area_map(fd, 1, PROT_READ, WHEEL_OFF_KERNEL),
		.slot = xcalloc(count, sizeof(*w->slot)),
	};
}

void words_unmap(struct words *w)
{
	munmap(w->word, area_size(w->count));
	munmap(w->bells, area_size(bells(w->count)));
	munmap(w->summary, area_size(bells(bells(w->count))));
	munmap(w->kernel, area_size(1));
	free(w->slot);
}

static bool swap(u64 *word, u64 from, u64 to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static void set_bit(u64 *bits, u32 number)
{
	__atomic_fetch_or(&bits[number / 64], 1ULL << number % 64, __ATOMIC_SEQ_CST);
}

/* Notify the kernel of a new deadline, after the word was exchanged. */
static int notify(struct words *w, u32 number, u64 deadline)
{
	struct wheel_enter enter = { .size = sizeof(enter), .flags = WHEEL_ENTER_KICK };

	set_bit(w->bells, number);
	set_bit(w->summary, number / 64);
	if (deadline >= __atomic_load_n(&w->kernel->next_wake, __ATOMIC_SEQ_CST))
		return 0;
	w->kicked++;
	return ioctl(w->fd, WHEEL_IOC_ENTER, &enter) ? -errno : 0;
}

static bool is_deadline(u64 word)
{
	return (__s64)word > 0;
}

/* Arm a parked timer, or one whose event was taken. */
static int arm(struct words *w, u32 number, struct wheel_op *op)
{
	u64 old = __atomic_load_n(&w->word[number], __ATOMIC_ACQUIRE);

	if (is_deadline(old) || !swap(&w->word[number], old, op->when))
		return -EBUSY;
	op->id = w->slot[number].id;
	op->cookie = w->slot[number].cookie;
	return notify(w, number, op->when);
}

/* Move a timer, or park it if @to is WHEEL_WORD_PARKED. The kernel may change the word once. */
static int move(struct words *w, u32 number, u64 to)
{
	u64 old = __atomic_load_n(&w->word[number], __ATOMIC_ACQUIRE);

	if (!is_deadline(old) || !swap(&w->word[number], old, to))
		return -ENOENT;
	return is_deadline(to) && to < old ? notify(w, number, to) : 0;
}

/* A cancel has a @when of 0, which is WHEEL_WORD_PARKED. */
bool words_try(struct words *w, struct wheel_op *op)
{
	u32 number = WHEEL_ID_SLOT(op->id);

	if (op->op == WHEEL_OP_ARM || op->op == WHEEL_OP_REARM)
		op->flags |= WHEEL_OP_WORD;
	if (!w->slot[number].id)
		return false;
	op->res = op->op == WHEEL_OP_ARM ? arm(w, number, op) : move(w, number, op->when);
	w->exchanged += !op->res;
	return true;
}

void words_armed(struct words *w, const struct wheel_op *op)
{
	if (op->op == WHEEL_OP_ARM && !op->res)
		w->slot[WHEEL_ID_SLOT(op->id)] = (struct slot_word){ op->id, op->cookie };
}
