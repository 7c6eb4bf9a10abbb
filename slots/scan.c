// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Scans for armed timers with a word. Between two scans, a program arms, moves and cancels these
 * timers without a system call. wheel_kernel_page.next_wake announces the time of the next
 * scan. A program that needs an earlier one requests it with a kick:
 *
 *	a scan				the program
 *
 *	next_wake = the next scan	exchange its word for D
 *	full barrier			full barrier (the exchange is one)
 *	read and clear the bits		set the bit, unless it is set
 *	full barrier (an exchange)	full barrier
 *	read the words			D < next_wake? kick
 *
 * The barriers exclude two outcomes. First, that the scan finds the bit clear and the program
 * reads the old next_wake. Hence a timer that this scan misses is found by the next one, in
 * time. Second, that the program finds its bit set and the scan, which clears it later, reads
 * the old word. Hence a program need not set a bit that is set.
 *
 * A timer found by a scan is queued only if it is due now, or if its word has not changed since
 * the previous scan. Nearly all timeouts are cancelled long before that. The bit of an armed
 * timer that is not queued is set again, so that the next scan checks it.
 *
 * The next scan is made before the first timer found is due, and at the latest after the
 * estimated time from arming to expiry, wheel_scanner.ahead. Too high an estimate costs kicks, too
 * low an estimate costs scans.
 *
 * A scan may take many lock holds. A caller that needs a scan helps with the one in progress, which
 * keeps the time of its begin: it queues the timers due by then, from all slots. Timers that are
 * due later expire after the next scan.
 */
#include "word.h"

/* A time in the past of every clock. */
#define PASSED		1

#define ALL_BITS	(~(u64)0)

/* The slots of one u64 of doorbells are in one page. */
static_assert(WHEEL_SLOTS_PER_PAGE % WHEEL_BELLS == 0);

/* Round a time up to a tick boundary. */
static u64 tick_from(const struct wheel_slots *slots, u64 time)
{
	u64 tick = slots->setup.tick_ns;
	u64 boundary = div64_u64(time + tick - 1, tick) * tick;

	return boundary > WHEEL_MAX_TIME ? WHEEL_NEVER : boundary;
}

/*
 * Announce the time of the next scan to the program. The value is one tick earlier, plus 1: a
 * deadline in the tick that ends with the scan needs no kick. If the scan is at the next tick,
 * the value is 0, because no timer is due earlier. This does not apply to a clock that can be
 * set, because its next tick may be far away. On a VIRTUAL clock the value is always 0, because
 * WHEEL_IOC_ADVANCE scans.
 */
static void scan_announce(const struct wheel_slots *slots, u64 next, u64 present)
{
	u32 clock = slots->setup.clock;
	bool settable = clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
	u64 tick = slots->setup.tick_ns;
	u64 value = next;

	if (clock == WHEEL_CLOCK_VIRTUAL)
		value = 0;
	else if (next != WHEEL_NEVER)
		value = next <= present + tick && !settable ?
		       0 : next - min(next, tick) + 1;
	WRITE_ONCE(*slots->scanner.next_wake, value);
}

static void scan_begin(struct wheel_slots *slots, u64 present)
{
	struct wheel_scanner *scanner = &slots->scanner;

	/* If the last scan found no armed timer, only a kick starts the one after this. */
	scanner->next = scanner->found ? tick_from(slots, present + scanner->ahead) : WHEEL_NEVER;
	scanner->scans++;
	scanner->all = scanner->all_next;
	scanner->all_next = false;
	scanner->scanning = true;
	scanner->found = false;
	scanner->present = present;
	scanner->earliest = WHEEL_NEVER;
	scanner->at = 0;
	scan_announce(slots, scanner->next, present);
	/*
	 * Order the store of next_wake before the reads of the bits. Pairs with the program's full
	 * barrier between setting its bit and reading next_wake.
	 */
	smp_mb();
}

/*
 * Update the estimated time from arming to expiry. One scan at most doubles or halves it: a
 * program that arms a few immediate timers still arms others as far ahead as before.
 */
static u64 scan_estimate(const struct wheel_scanner *scanner)
{
	u64 far = max(scanner->earliest, scanner->present) - scanner->present;

	if (!scanner->ahead)
		return far;
	return min(max(far, scanner->ahead / 2), scanner->ahead * 2);
}

static void scan_end(struct wheel_slots *slots)
{
	u64 tick = slots->setup.tick_ns;
	struct wheel_scanner *scanner = &slots->scanner;

	scanner->scanning = false;
	if (scanner->earliest != WHEEL_NEVER) {
		scanner->ahead = max(scan_estimate(scanner), tick);
		scanner->next = min(scanner->next, tick_from(slots, scanner->earliest));
	}
	/* A timer that became due during this scan is at most one scan late. */
	scanner->next = max(scanner->next, scanner->present + tick);
	/* This may be earlier than the value announced before, which is always safe. */
	scan_announce(slots, scanner->next, scanner->present);
	/* On a VIRTUAL clock, WHEEL_IOC_ADVANCE scans. */
	wheel_scan_at(slots->wheel,
		      slots->setup.clock == WHEEL_CLOCK_VIRTUAL ? WHEEL_NEVER : scanner->next);
}

/*
 * Check a slot whose bit was set. Returns true if the bit must be set again, because the timer
 * is armed and was not queued at its deadline: it was deferred to the next scan, or the deadline
 * is still beyond the revolution of a bounded wheel.
 */
static bool scan_slot(struct wheel_slots *slots, struct wheel_slot *slot, struct wheel_scan *scan)
{
	struct wheel_scanner *scanner = &slots->scanner;
	bool disarmed = slot->state == WHEEL_SLOT_DISARMED;
	bool queued = slot->state == WHEEL_SLOT_ARMED;
	const struct wheel_params *params;
	u64 word;

	scan->budget--;
	if (!slot->word)
		return false;
	word = READ_ONCE(*wheel_word_of(slots, slot));
	/* The word of an expired timer is checked when its event is consumed. */
	if (wheel_word_parked(word) || (!disarmed && !queued))
		return false;
	scanner->found = true;
	if (word > scanner->present) {
		scanner->earliest = min(scanner->earliest, word);
		if (disarmed && slot->seen != (u32)word &&
		    slots->setup.clock != WHEEL_CLOCK_VIRTUAL) {
			slot->seen = (u32)word;
			return true;
		}
	}
	scan->budget -= min(scan->budget, scan->cost);
	params = wheel_params(slots, slot);
	if (disarmed)
		return wheel_word_enqueue(slots, slot, word, params->slack);
	return word < wheel_timer_deadline(&slot->timer) &&
	       wheel_timer_rearm_locked(&slot->timer, word, params->slack);
}

/*
 * Check the slots of the bits read from one u64, within the budget. They are in one page, which may
 * not exist; the last ones may be beyond the table, and have no word.
 */
static void scan_bits(struct wheel_slots *slots, struct wheel_scan *scan)
{
	struct wheel_scanner *scanner = &slots->scanner;
	struct wheel_slot *first = wheel_slot_named(slots, scanner->leaf * WHEEL_BELLS);
	u64 stay = 0;

	if (!first) {
		scanner->bits = 0;
		scan->budget--;
	}
	while (scanner->bits && scan->budget) {
		u64 bit = scanner->bits & -scanner->bits;

		scanner->bits ^= bit;
		if (scan_slot(slots, first + __ffs64(bit), scan))
			stay |= bit;
	}
	if (stay)
		wheel_bells_ring(slots, scanner->leaf, stay);
}

/*
 * Read the next bits. Returns false at the end of the scan. A scan of all words ignores the bits,
 * and skips slots that do not exist.
 */
static bool scan_read(struct wheel_slots *slots, struct wheel_scan *scan)
{
	u32 leaves = DIV_ROUND_UP(slots->setup.timers, WHEEL_BELLS);
	struct wheel_scanner *scanner = &slots->scanner;

	scan->budget--;
	if (!scanner->leaves) {
		if (scanner->at >= DIV_ROUND_UP(leaves, WHEEL_BELLS))
			return false;
		scanner->leaves = wheel_bells_clear(scanner->summary, scanner->at++);
		if (unlikely(scanner->all))
			scanner->leaves = ALL_BITS;
		return true;
	}
	scanner->leaf = (scanner->at - 1) * WHEEL_BELLS + __ffs64(scanner->leaves);
	scanner->leaves &= scanner->leaves - 1;
	if (scanner->leaf < leaves) {
		scanner->bits = wheel_bells_clear(scanner->bells, scanner->leaf);
		if (unlikely(scanner->all && wheel_slot_named(slots, scanner->leaf * WHEEL_BELLS)))
			scanner->bits = ALL_BITS;
	}
	return true;
}

/*
 * Begin a scan, or continue the one in progress. Returns true if the budget is used up and the
 * caller must call again with a new one; false if scan @scan->number has ended or the wheel was
 * stopped.
 */
bool wheel_scan_run(struct wheel_slots *slots, struct wheel_scan *scan)
{
	struct wheel_scanner *scanner = &slots->scanner;
	u64 tick = slots->setup.tick_ns;

	while (scan->budget) {
		if (slots->stopping)
			return false;
		if (!scanner->scanning) {
			if (scanner->scans >= scan->number)
				return false;
			scan_begin(slots, div64_u64(scan->now, tick) * tick);
		}
		if (scanner->bits)
			scan_bits(slots, scan);
		else if (!scan_read(slots, scan))
			scan_end(slots);
	}
	return true;
}

/*
 * Return the tick boundary of the earliest armed word that the last scan has found, in the future;
 * WHEEL_NEVER if there is none.
 */
u64 wheel_scan_earliest(const struct wheel_slots *slots)
{
	u64 earliest = slots->scanner.earliest;

	return earliest == WHEEL_NEVER ? WHEEL_NEVER : tick_from(slots, earliest);
}

/* Schedule a scan for the next pass. On a VIRTUAL clock, WHEEL_IOC_ADVANCE scans anyway. */
void wheel_scan_now(struct wheel_slots *slots)
{
	if (slots->setup.clock == WHEEL_CLOCK_VIRTUAL || slots->stopping)
		return;
	/* A scan in progress may have passed the bit: another one must follow it. */
	slots->scanner.earliest = PASSED;
	scan_announce(slots, PASSED, PASSED);
	wheel_scan_at(slots->wheel, PASSED);
}

/*
 * Return a slot to the program after its event was consumed. Sets the slot's doorbell, so that the
 * program usually finds it set when it arms the timer again. The program may have armed the timer
 * already, before it received the event. Scans have ignored the slot until now, so another scan
 * must follow at once:
 *
 *	this				the program
 *
 *	state = DISARMED		exchange IDLE for D
 *	set the bit			full barrier (the exchange is one)
 *	full barrier			set the bit, unless it is set
 *	word is D? scan at once		D < next_wake? kick
 */
void wheel_scan_consumed(struct wheel_slots *slots, struct wheel_slot *slot)
{
	u32 nr = wheel_slot_nr(slot);

	slot->state = WHEEL_SLOT_DISARMED;
	wheel_bells_ring(slots, nr / WHEEL_BELLS, (u64)1 << nr % WHEEL_BELLS);
	/*
	 * Order setting the bit before reading the word. Pairs with the program's exchange of the
	 * word, which precedes its read of the bit.
	 */
	smp_mb();
	if (!wheel_word_parked(READ_ONCE(*wheel_word_of(slots, slot))))
		wheel_scan_now(slots);
}

/* Initialize next_wake: without a scan, each deadline needs a kick. */
void wheel_scan_init(struct wheel_slots *slots)
{
	scan_announce(slots, WHEEL_NEVER, 0);
}

/* End all scans of a stopped wheel. From now on kicks are required and fail with ESHUTDOWN. */
void wheel_scan_stop(struct wheel_slots *slots)
{
	/* A pass at the time of a scan would otherwise wait for a scan that never ends. */
	wheel_scan_at(slots->wheel, WHEEL_NEVER);
	WRITE_ONCE(*slots->scanner.next_wake, WHEEL_NEVER);
	/*
	 * Order the store of next_wake before the exchanges by which STOP takes the words back.
	 * Pairs with the program's full barrier between exchanging a word and reading next_wake:
	 * either STOP finds the timer armed, or the program makes a kick, which fails.
	 */
	smp_mb();
}
