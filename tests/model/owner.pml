/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of words without atomics on the device: the thread that owns the slot also takes its events.
 * It postpones and stops by a plain store, which stays in a store buffer for any time. The kernel
 * reads the word when the timer is due, and proposes an event instead of changing the word. The owner
 * accepts a proposal if its word is a deadline that had passed then, notifies the kernel again if the
 * deadline is later, and otherwise drops it. A start of a stopped timer, and a move to an earlier
 * deadline, need a full barrier after the store, as in words.pml.
 *
 * The processes are an owner with one slot, its store buffer, a kernel that scans and proposes, with
 * any guess for the next scan, and a clock. The orders of doorbell, summary and next_wake are those of
 * words.pml. With READ, the kernel keeps a proposal until it is read; otherwise it is in a ring at once,
 * and the next scan may propose an event for the same slot again.
 */
#define IDLE	255
#define PARKED	0
#define NEVER	200

#define START_IS_PLAIN		1	/* no barrier after the store that starts a stopped timer */
#define EARLIER_IS_PLAIN	2	/* no barrier after the store of an earlier deadline */
#define PROPOSAL_IS_EVENT	3	/* the owner accepts each proposal */
#define LATER_IS_DROPPED	4	/* the owner drops a proposal if the deadline is later */
#define START_IS_LAZY		5	/* a start after the old deadline does not notify the kernel */
#define ACCEPTED_STAYS		6	/* the owner does not change the word when it accepts */

#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef LAST
#define LAST 3
#endif
#ifndef OPS
#define OPS 3
#endif

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))
#define deadline(w) ((w) != PARKED)

byte now = 1;
byte word;			/* in memory; PARKED */
chan buffer = [2] of { byte };	/* stores of the owner that others cannot see yet */
byte mine;			/* the word as the owner sees it */
byte queued = NEVER;		/* time for which the timer is queued in the wheel */
bool bit_set;
byte next_wake = NEVER;
byte scan_at = NEVER;
bool locked, kicked;
bool proposed;			/* READ: the proposal was not read */
chan ring = [OPS + 2] of { byte };	/* times at which events were proposed */

byte wanted;			/* deadline set by the owner; 0 if none */
bool told;			/* the function that set it has returned */
byte due;			/* latest time of the proposal */

#define alarm (min(queued, scan_at))

/* The stores become visible in order, each at any time. */
proctype store_buffer() {
end:	do
	:: buffer ? word
	od
}

inline propose() {
#ifdef READ
	proposed = true;
#endif
	queued = NEVER;
	ring ! now
}

/* A due timer is proposed, requeued, or removed if it is stopped. */
inline pop() {
	if
	:: queued <= now ->
		w = word;
		d_step {
			if
			:: !deadline(w) -> queued = NEVER
			:: deadline(w) && w > now -> queued = w
			:: else -> propose()
			fi;
			w = 0
		}
	:: else
	fi
}

inline scan() {
	atomic { any = bit_set; bit_set = false };
	if
	:: any && !proposed ->
		w = word;
		d_step {
			if
			:: deadline(w) && queued != NEVER -> queued = min(queued, max(w, now))
			:: deadline(w) && queued == NEVER && w <= now -> queued = now
			:: deadline(w) && queued == NEVER && w > now ->
				earliest = min(earliest, w); bit_set = true
			:: else
			fi;
			w = 0
		}
	:: else
	fi;
	any = false
}

proctype kernel() {
	byte w, guess, earliest;
	bool any;

end:	do
	:: (alarm <= now || kicked) && nfull(ring) ->
		atomic { !locked -> locked = true };
		atomic { any = kicked; kicked = false };
		if
		:: any || scan_at <= now ->
			if
			:: guess = NEVER
			:: guess = now + 1
			:: guess = now + 2
			fi;
			earliest = NEVER;
			next_wake = guess;
			scan();
			d_step {
				scan_at = min(guess, earliest); next_wake = scan_at;
				guess = 0; earliest = 0
			}
		:: else
		fi;
		any = false;
		pop();
		locked = false
	od
}

inline store(d) {
	nfull(buffer);
	d_step { mine = d; buffer ! d }
}

/* After a full barrier, unless it is missing. */
inline notify(d, plain) {
	if
	:: plain
	:: !(plain) -> empty(buffer)
	fi;
	if
	:: bit_set
	:: !bit_set -> bit_set = true
	fi;
	wake = next_wake;
	if
	:: d < wake -> kicked = true; !kicked && !locked
	:: else
	fi;
	d_step {
		wake = 0;
		if
		:: wanted == d -> told = true; due = max(d, now)
		:: else
		fi
	}
}

/* Take one proposal. Until the kernel is notified again, no event is late. */
inline take() {
	atomic { !locked && nempty(ring) -> ring ? fired; proposed = false; told = false };
	if
	:: deadline(mine) && (mine <= fired || BROKEN == PROPOSAL_IS_EVENT) ->
		assert(wanted == mine && now >= mine);
		wanted = 0;
		if
		:: BROKEN != ACCEPTED_STAYS -> store(PARKED)
		:: else
		fi
	:: deadline(mine) && mine > fired && BROKEN != PROPOSAL_IS_EVENT ->
		if
		:: BROKEN != LATER_IS_DROPPED -> notify(mine, false)
		:: else -> told = true
		fi
	:: !deadline(mine) -> assert(BROKEN != PROPOSAL_IS_EVENT)
	fi;
	fired = 0
}

proctype owner() {
	byte d, wake, n, fired, old;

end:	do
	:: nempty(ring) -> take()
	:: n < OPS ->
		n++;
		if
		:: now < LAST -> d = now + 1
		:: now + 1 < LAST -> d = now + 2
		:: d = LAST
		fi;
		if
		:: !deadline(mine) ->
			d_step { wanted = d; told = false };
			store(d);
			if
			:: BROKEN == START_IS_LAZY && old && d >= old ->
				d_step { told = true; due = max(d, now) }
			:: else -> notify(d, BROKEN == START_IS_PLAIN)
			fi
		:: deadline(mine) && d < mine ->
			d_step { wanted = d; told = false };
			store(d);
			notify(d, BROKEN == EARLIER_IS_PLAIN)
		:: deadline(mine) && d >= mine ->
			nfull(buffer);
			d_step { wanted = d; due = max(d, due); mine = d; buffer ! d }
		:: deadline(mine) ->
			old = mine;
			nfull(buffer);
			d_step { wanted = 0; told = false; mine = PARKED; buffer ! PARKED }
		fi;
		d = 0
	od
}

/* No proposal is left, so the owner cannot know that its timer is due. */
#define overdue (told && wanted && due < now && len(ring) == 0)

/* The clock advances when the kernel has completed all due work; the owner may be late. */
proctype clock() {
	do
	:: now < LAST + 2 ->
		atomic {
			alarm > now && !locked && !kicked ->
			assert(!overdue);
			now++
		}
	:: else -> break
	od;
	atomic { alarm > now && !locked && !kicked -> assert(!overdue) }
}

init {
	atomic {
		run owner();
		run store_buffer();
		run kernel();
		run clock()
	}
}
