/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of words, doorbells, their summary and next_wake. The processes are two programs with one
 * slot each, in the same __u64 of doorbells, or with CALLS one of them and a thread that calls
 * REARM and CANCEL; a kernel that scans and expires, with any guess for the next scan; and a clock.
 * A tick is one unit of time. All accesses are sequentially consistent. A missing barrier is
 * modelled as a changed order, selected by BROKEN. STOP is not modelled.
 */
#define IDLE	255
#define PARKED	0
#define NEVER	200

#define NEXT_WAKE_AFTER_SCAN	1	/* the kernel takes bits, then updates next_wake */
#define WORD_BEFORE_BIT		2	/* the kernel reads the word, then takes the bit */
#define BIT_BEFORE_SUMMARY	3	/* the kernel takes bits, then the summary */
#define BIT_BEFORE_WORD		4	/* the program sets its bit, then its word */
#define NEXT_WAKE_BEFORE_BIT	5	/* the program reads next_wake, then sets its bit */
#define SUMMARY_BEFORE_BIT	6	/* the program sets the summary, then its bit */
#define NEW_IS_FORGOTTEN	7	/* the kernel does not set the bit of an unqueued timer again */
#define CLAIM_IS_BLIND		8	/* the kernel claims without comparing */
#define REARM_BY_STORE		9	/* REARM reads the word, then stores the deadline */
#define CANCEL_BY_STORE		10	/* CANCEL reads the word, then stores IDLE */

#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef LAST
#define LAST 3
#endif
#ifndef OPS
#define OPS 2
#endif

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))
#define deadline(w) ((w) != PARKED && (w) != IDLE)

byte now = 1;
byte word[2];			/* PARKED */
byte queued[2] = NEVER;		/* time for which it is queued in the wheel */
bool bit_set[2], summary;
byte next_wake = NEVER;
byte scan_at = NEVER;		/* time of the next scan */
bool locked;
bool kicked[2];

byte wanted[2];			/* deadline set by the program; 0 if none */
bool told[2];			/* the function that set it has returned */
byte due[2];			/* latest time of the expiry */
bool event[2];			/* an event that was not taken yet */
bool ended[2];			/* CANCEL has ended the ownership of the slot */

inline set_due(s, d) {
	d_step {
		if
		:: wanted[s] == d -> told[s] = true; due[s] = max(d, now)
		:: else
		fi
	}
}

inline claim(s, w) {
	assert(wanted[s] == w && now >= w);
	word[s] = IDLE; queued[s] = NEVER;
	wanted[s] = 0; told[s] = false; event[s] = true
}

/* A due timer fires, is requeued, or is removed if it is parked. */
inline pop(s, w) {
	do
	:: queued[s] <= now ->
		w = word[s];
		if
		:: !deadline(w) -> queued[s] = NEVER; break
		:: deadline(w) && w > now -> queued[s] = w; break
		:: deadline(w) && w <= now && BROKEN == CLAIM_IS_BLIND ->
			d_step { claim(s, w) }; break
		:: deadline(w) && w <= now && BROKEN != CLAIM_IS_BLIND ->
			if
			:: atomic { word[s] == w -> claim(s, w) }; break
			:: atomic { word[s] != w -> skip }
			fi
		fi
	:: else -> break
	od;
	w = 0
}

inline scan_slot(s, w, b) {
	if
	:: BROKEN == WORD_BEFORE_BIT -> w = word[s]
	:: else
	fi;
	atomic { b = bit_set[s]; bit_set[s] = false };
	if
	:: b && BROKEN != WORD_BEFORE_BIT -> w = word[s]
	:: else
	fi;
	d_step {
		if
		:: b && deadline(w) && queued[s] != NEVER ->
			queued[s] = min(queued[s], max(w, now))
		:: b && deadline(w) && queued[s] == NEVER && w <= now -> queued[s] = now
		:: b && deadline(w) && queued[s] == NEVER && w > now ->
			earliest = min(earliest, w);
			if
			:: BROKEN != NEW_IS_FORGOTTEN -> bit_set[s] = true; summary = true
			:: else -> earliest = NEVER
			fi
		:: else
		fi;
		w = 0; b = 0
	}
}

inline scan(w, b) {
	if
	:: BROKEN == BIT_BEFORE_SUMMARY ->
		if
		:: summary -> scan_slot(0, w, b); scan_slot(1, w, b); summary = false
		:: else
		fi
	:: else ->
		atomic { any = summary; summary = false };
		if
		:: any -> scan_slot(0, w, b); scan_slot(1, w, b)
		:: else
		fi
	fi
}

#define alarm (min(min(queued[0], queued[1]), scan_at))

proctype kernel() {
	byte w, b, guess, earliest, any;

end:	do
	:: alarm <= now || kicked[0] || kicked[1] ->
		atomic { !locked -> locked = true };
		atomic {
			any = kicked[0] || kicked[1];
			kicked[0] = false; kicked[1] = false
		};
		if
		:: any || scan_at <= now ->
			/* Each guess must be correct. */
			if
			:: guess = NEVER
			:: guess = now + 1
			:: guess = now + 2
			fi;
			earliest = NEVER;
			if
			:: BROKEN != NEXT_WAKE_AFTER_SCAN -> next_wake = guess
			:: else
			fi;
			scan(w, b);
			d_step {
				scan_at = min(guess, earliest); next_wake = scan_at;
				guess = 0; earliest = 0
			}
		:: else
		fi;
		any = 0;
		pop(0, w); pop(1, w);
		locked = false
	od
}

inline notify(s, d) {
	if
	:: BROKEN == NEXT_WAKE_BEFORE_BIT -> wake = next_wake
	:: else
	fi;
	if
	:: BROKEN == BIT_BEFORE_WORD
	:: BROKEN == SUMMARY_BEFORE_BIT -> summary = true; bit_set[s] = true
	:: BROKEN != BIT_BEFORE_WORD && BROKEN != SUMMARY_BEFORE_BIT ->
		/* If the bit is set, the summary is not checked. */
		if
		:: bit_set[s]
		:: !bit_set[s] -> bit_set[s] = true; summary = true
		fi
	fi;
	if
	:: BROKEN != NEXT_WAKE_BEFORE_BIT -> wake = next_wake
	:: else
	fi;
	if
	:: d < wake -> kicked[s] = true; !kicked[s] && !locked
	:: else
	fi;
	wake = 0;
	set_due(s, d)
}

/* Arms, moves and cancels its timer, and arms it again after taking the event. */
proctype program(byte s) {
	byte d, old, wake, n;
	bool moved;

	do
	:: n < OPS ->
		n++;
		if
		:: now < LAST -> d = now + 1
		:: now + 1 < LAST -> d = now + 2
		:: d = LAST
		fi;
		old = word[s];
		if
		:: BROKEN == BIT_BEFORE_WORD -> bit_set[s] = true; summary = true
		:: else
		fi;
		if
		:: old == PARKED || (old == IDLE && event[s]) ->
			d_step {
				moved = word[s] == old && !ended[s];
				if
				:: moved ->
					word[s] = d; wanted[s] = d; told[s] = false;
					event[s] = false
				:: else
				fi
			};
			if
			:: moved -> notify(s, d)
			:: else
			fi;
			moved = false
		:: deadline(old) ->
			if
			:: d_step {
				if
				:: word[s] == old ->
					word[s] = PARKED; wanted[s] = 0; told[s] = false
				:: else
				fi
			   }
			:: d_step {
				moved = word[s] == old;
				if
				:: moved && d < old -> word[s] = d; wanted[s] = d; told[s] = false
				:: moved && d >= old ->
					word[s] = d; wanted[s] = d; due[s] = max(d, due[s])
				:: else
				fi
			   };
			   if
			   :: moved && d < old -> notify(s, d)
			   :: else
			   fi;
			   moved = false
			fi
		:: else
		fi;
		d = 0; old = 0
	:: else -> break
	od
}

/* REARM. The timer is queued first, and the queueing is undone if the word has changed. */
inline rearm(s) {
	atomic { !locked -> locked = true };
	w = word[s];
	if
	:: deadline(w) ->
		was = queued[s]; queued[s] = d;
		d_step {
			if
			:: word[s] == w || BROKEN == REARM_BY_STORE ->
				assert(wanted[s] == w);
				word[s] = d; wanted[s] = d; told[s] = true; due[s] = max(d, now)
			:: else -> queued[s] = was
			fi
		}
	:: else
	fi;
	d_step { w = 0; was = 0; locked = false }
}

/* CANCEL. No event follows if the word was a deadline. */
inline cancel(s) {
	atomic { !locked -> locked = true };
	if
	:: BROKEN == CANCEL_BY_STORE -> w = word[s]; word[s] = IDLE
	:: else -> d_step { w = word[s]; word[s] = IDLE }
	fi;
	d_step {
		assert(!deadline(w) || wanted[s] == w);
		if
		:: deadline(w) -> wanted[s] = 0; told[s] = false
		:: else
		fi;
		queued[s] = NEVER; ended[s] = true; w = 0; locked = false
	}
}

proctype caller(byte s) {
	byte w, was, d = 1;

	do
	:: d < LAST -> d++
	:: break
	od;
	rearm(s);
	cancel(s)
}

#define overdue(s) (told[s] && wanted[s] && due[s] < now)

/* The clock advances when the kernel has completed all due work. */
proctype clock() {
	do
	:: now < LAST + 2 ->
		atomic {
			alarm > now && !locked && !kicked[0] && !kicked[1] ->
			assert(!overdue(0) && !overdue(1));
			now++
		}
	:: else -> break
	od;
	atomic {
		alarm > now && !locked && !kicked[0] && !kicked[1] ->
		assert(!overdue(0) && !overdue(1))
	}
}

init {
	atomic {
		run program(0);
#ifdef CALLS
		run caller(0);
#else
		run program(1);
#endif
		run kernel();
		run clock()
	}
}
