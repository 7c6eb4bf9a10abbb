// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Looks. Between two looks a program arms, moves and cancels its kept timers without a
 * call. It is told when the next look is, next_wake, and asks for an earlier one, by a
 * kick, if a deadline needs it:
 *
 *	a look				the program
 *
 *	next_wake = the next look	exchange its word for D
 *	full barrier			full barrier (the exchange is one)
 *	take the bits			set the bit, unless it is set
 *	full barrier (an exchange)	full barrier
 *	read the words			D < next_wake? kick
 *
 * Two things cannot be. That the look finds the bit not set, and the program does not find
 * the new next_wake: so a timer that this look misses is found by the next one in time.
 * And that the program finds its bit set, since we have not taken it, and we read the
 * word as it was before: so a bit that is set announces the word.
 *
 * A timer that is found is filed only if it proves to live: if it is due now, or if its word
 * is what it was at the last look. Nearly all timeouts are cancelled long before that. The
 * bit of one that is not filed is set again: it is looked at next time.
 *
 * The next look is before the first timer that was found is due, and no later than a guess:
 * as far ahead as programs arm, which is learned. Too far ahead costs kicks, and too near
 * costs looks.
 *
 * A look may take many lock holds, and anybody who needs one helps with that under way. It
 * is made before the timers are taken that are due: then a timer that is due at this very
 * tick can still be filed for it.
 */
#include "bell.h"
#include "keep.h"
#include "look.h"

/* A time that has passed on every clock. */
#define PASSED	1

/* The first tick boundary that is not before a time. */
static u64 tick_from(const struct wheel_slots *slots, u64 time)
{
	u64 tick = slots->setup.tick_ns;
	u64 boundary = div64_u64(time + tick - 1, tick) * tick;

	return boundary > WHEEL_MAX_TIME ? WHEEL_NEVER : boundary;
}

/* The last tick boundary that is not after a time. */
static u64 tick_before(const struct wheel_slots *slots, u64 time)
{
	return div64_u64(time, slots->setup.tick_ns) * slots->setup.tick_ns;
}

static bool settable(const struct wheel_slots *slots)
{
	return slots->setup.clock == WHEEL_CLOCK_REALTIME ||
	       slots->setup.clock == WHEEL_CLOCK_TAI;
}

/*
 * Tell the program when the next look is. Deadlines in the tick that ends with it are
 * not too early; and nobody needs a look before the next tick, at which a timer is due
 * at the earliest. On a clock that can be set the next tick may be far away.
 */
static void look_tell(const struct wheel_slots *slots, u64 next, u64 present)
{
	u64 tick = slots->setup.tick_ns;
	u64 told = next;

	if (slots->setup.clock == WHEEL_CLOCK_VIRTUAL)
		told = 0;
	else if (next != WHEEL_NEVER)
		told = next <= present + tick && !settable(slots) ?
		       0 : next - min(next, tick) + 1;
	WRITE_ONCE(*slots->keep.next_wake, told);
}

static void look_begin(struct wheel_slots *slots, const struct wheel_looker *looker)
{
	struct wheel_keep *keep = &slots->keep;
	u64 present = looker->present;

	/* A look that found nothing armed has no other after it, but by a kick. */
	keep->next = keep->found ? tick_from(slots, present + keep->ahead) : WHEEL_NEVER;
	keep->begun++;
	keep->looking = true;
	keep->found = false;
	keep->earliest = WHEEL_NEVER;
	keep->at = 0;
	look_tell(slots, keep->next, present);
	/* Pairs with the program's, between its bit and our next_wake. */
	smp_mb();
}

/*
 * How far ahead shall the next guess be? By one look it is at most doubled, and at most
 * halved: a program that arms a few timers for at once arms others as far ahead as before.
 */
static u64 look_learn(const struct wheel_keep *keep, u64 present)
{
	u64 far = max(keep->earliest, present) - present;

	if (!keep->ahead)
		return far;
	return min(max(far, keep->ahead / 2), keep->ahead * 2);
}

static void look_end(struct wheel_slots *slots, const struct wheel_looker *looker)
{
	u64 tick = slots->setup.tick_ns;
	u64 present = looker->present;
	struct wheel_keep *keep = &slots->keep;

	keep->looking = false;
	if (keep->earliest != WHEEL_NEVER) {
		keep->ahead = max(look_learn(keep, present), tick);
		keep->next = min(keep->next, tick_from(slots, keep->earliest));
	}
	/* A timer that became due meanwhile is at most one look late. */
	keep->next = max(keep->next, present + tick);
	/* Sooner than was told is always right. */
	look_tell(slots, keep->next, present);
	if (slots->setup.clock != WHEEL_CLOCK_VIRTUAL)
		wheel_scan_at(slots->wheel, keep->next);
}

/*
 * A slot whose bit was set. Returns true if that shall stay: its timer is armed and not
 * filed, or a bounded wheel cannot hold it yet.
 */
static bool look_at_slot(struct wheel_slots *slots, struct wheel_slot *slot,
			 struct wheel_looker *looker)
{
	struct wheel_keep *keep = &slots->keep;
	bool rests = slot && slot->state == WHEEL_SLOT_RESTING;
	bool filed = slot && slot->state == WHEEL_SLOT_ARMED;
	u64 word;

	looker->budget--;
	if (!slot || !slot->keep)
		return false;
	word = wheel_word_read(slots, wheel_slot_nr(slot));
	/* Of one that has fired the word is not looked at before its event is consumed. */
	if (wheel_word_parked(word) || (!rests && !filed))
		return false;
	keep->found = true;
	if (word > looker->present) {
		keep->earliest = min(keep->earliest, word);
		if (rests && slot->seen != (u32)word &&
		    slots->setup.clock != WHEEL_CLOCK_VIRTUAL) {
			slot->seen = (u32)word;
			return true;
		}
	}
	looker->budget -= min(looker->budget, looker->price);
	if (rests)
		return wheel_keep_file(slot, word, slot->slack);
	return word < wheel_timer_deadline(&slot->timer) &&
	       wheel_timer_rearm_locked(&slot->timer, word, slot->slack);
}

/* Of the bits that were taken, as far as the budget goes. */
static void look_at_bits(struct wheel_slots *slots, struct wheel_looker *looker)
{
	struct wheel_keep *keep = &slots->keep;
	u64 stay = 0;

	while (keep->bits && looker->budget) {
		u64 bit = keep->bits & -keep->bits;
		u32 nr = keep->leaf * WHEEL_BELLS + __ffs64(bit);

		keep->bits ^= bit;
		if (nr < slots->setup.timers &&
		    look_at_slot(slots, wheel_slot_at(slots, nr), looker))
			stay |= bit;
	}
	if (stay)
		wheel_bells_ring(slots, keep->leaf, stay);
}

/* Take the next bits. Returns false when there are none any more. */
static bool look_take(struct wheel_slots *slots, struct wheel_looker *looker)
{
	u32 leaves = DIV_ROUND_UP(slots->setup.timers, WHEEL_BELLS);
	struct wheel_keep *keep = &slots->keep;

	looker->budget--;
	if (!keep->leaves) {
		if (keep->at >= DIV_ROUND_UP(leaves, WHEEL_BELLS))
			return false;
		keep->leaves = wheel_bells_take(keep->summary, keep->at++);
		return true;
	}
	keep->leaf = (keep->at - 1) * WHEEL_BELLS + __ffs64(keep->leaves);
	keep->leaves &= keep->leaves - 1;
	if (keep->leaf < leaves)
		keep->bits = wheel_bells_take(keep->bells, keep->leaf);
	return true;
}

/*
 * Set the bits of armed timers that no program may have announced: those of one u64. If the
 * words have no page, none of its timers was armed.
 */
static void look_announce(struct wheel_slots *slots, struct wheel_looker *looker)
{
	struct wheel_keep *keep = &slots->keep;
	u32 leaf = --keep->unsure;

	if (wheel_word_page(slots, leaf * WHEEL_BELLS)) {
		wheel_keep_ring(slots, leaf);
		looker->budget -= min_t(u32, looker->budget, WHEEL_BELLS);
	} else {
		keep->unsure -= leaf % (WHEEL_WORDS_PER_PAGE / WHEEL_BELLS);
		looker->budget--;
	}
	/* The scan in progress may have passed them by: the next one follows at once. */
	if (!keep->unsure)
		keep->earliest = PASSED;
}

/**
 * wheel_look - go on with a look, or begin one
 * @slots: table, locked
 * @looker: who looks
 *
 * Return: true if it is to be called again, with a new budget.
 */
bool wheel_look(struct wheel_slots *slots, struct wheel_looker *looker)
{
	struct wheel_keep *keep = &slots->keep;

	looker->present = tick_before(slots, looker->now);
	while (looker->budget) {
		if (slots->stopping)
			return false;
		if (unlikely(keep->unsure)) {
			look_announce(slots, looker);
			continue;
		}
		if (!keep->looking) {
			if (keep->begun >= looker->number)
				return false;
			look_begin(slots, looker);
		}
		if (keep->bits)
			look_at_bits(slots, looker);
		else if (!look_take(slots, looker))
			look_end(slots, looker);
	}
	return true;
}

/**
 * wheel_look_under_way - the look that a pass waits for
 * @slots: table, locked
 *
 * Return: the number of the one under way, or of the next.
 */
u64 wheel_look_under_way(const struct wheel_slots *slots)
{
	return slots->keep.begun + !slots->keep.looking;
}

/**
 * wheel_look_next - the look that a kick asks for
 * @slots: table, locked
 *
 * One that is under way may have passed by already.
 *
 * Return: its number.
 */
u64 wheel_look_next(const struct wheel_slots *slots)
{
	return slots->keep.begun + 1;
}

/**
 * wheel_look_at_once - have a look at the next chance
 * @slots: table, locked
 */
void wheel_look_at_once(struct wheel_slots *slots)
{
	if (slots->setup.clock == WHEEL_CLOCK_VIRTUAL || slots->stopping)
		return;
	/* The look under way may have passed by already. */
	slots->keep.earliest = PASSED;
	look_tell(slots, PASSED, PASSED);
	wheel_scan_at(slots->wheel, PASSED);
}

/**
 * wheel_look_at_all() - Have all words read, because a program may have died
 * @slots: table, locked
 *
 * In constant time: the next scans read the words.
 */
void wheel_look_at_all(struct wheel_slots *slots)
{
	slots->keep.unsure = DIV_ROUND_UP(slots->setup.timers, WHEEL_BELLS);
	wheel_look_at_once(slots);
}

/**
 * wheel_look_init - nothing is kept: each deadline needs a kick
 * @slots: table whose next_wake is there
 */
void wheel_look_init(struct wheel_slots *slots)
{
	look_tell(slots, WHEEL_NEVER, 0);
}

/**
 * wheel_look_stop - there are no looks any more: a kick says so
 * @slots: table, locked, that was stopped
 */
void wheel_look_stop(struct wheel_slots *slots)
{
	/* A pass whose time it is would wait for the end of a look that nobody makes. */
	wheel_scan_at(slots->wheel, WHEEL_NEVER);
	WRITE_ONCE(*slots->keep.next_wake, WHEEL_NEVER);
	/* Pairs with the program's: words that are exchanged from now on need a kick. */
	smp_mb();
}
