/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of kept timers: words, doorbells, their summary and next_wake. The processes are two
 * programs with one slot each, in the same __u64 of doorbells; a kernel that scans and expires,
 * with any guess for the next scan; and a clock. A tick is one unit of time. All accesses are
 * sequentially consistent. A missing barrier is modelled as a changed order, selected by BROKEN.
 */
#define IDLE	255
#define PARKED	0
#define NEVER	200

#define PROMISE_AFTER_LOOK	1	/* the kernel takes bits, then updates next_wake */
#define WORD_BEFORE_BIT		2	/* the kernel reads the word, then takes the bit */
#define BIT_BEFORE_SUMMARY	3	/* the kernel takes bits, then the summary */
#define BIT_BEFORE_WORD		4	/* the program sets its bit, then its word */
#define NEXT_WAKE_BEFORE_BIT	5	/* the program reads next_wake, then sets its bit */
#define SUMMARY_BEFORE_BIT	6	/* the program sets the summary, then its bit */
#define YOUNG_IS_FORGOTTEN	7	/* the kernel does not set the bit of an unqueued timer again */
#define CLAIM_IS_BLIND		8	/* the kernel claims without comparing */

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
byte filed[2] = NEVER;		/* time for which it is queued in the wheel */
bool bit_set[2], summary;
byte next_wake = NEVER;
byte look_at = NEVER;		/* time of the next scan */
bool locked;
bool kicked[2];

byte wanted[2];			/* deadline set by the program; 0 if none */
bool told[2];			/* the function that set it has returned */
byte due[2];			/* latest time of the expiry */
bool event[2];			/* an event that was not taken yet */

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
	word[s] = IDLE; filed[s] = NEVER;
	wanted[s] = 0; told[s] = false; event[s] = true
}

/* A due timer fires, is requeued, or is removed if it is parked. */
inline pop(s, w) {
	do
	:: filed[s] <= now ->
		w = word[s];
		if
		:: !deadline(w) -> filed[s] = NEVER; break
		:: deadline(w) && w > now -> filed[s] = w; break
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
		:: b && deadline(w) && filed[s] != NEVER ->
			filed[s] = min(filed[s], max(w, now))
		:: b && deadline(w) && filed[s] == NEVER && w <= now -> filed[s] = now
		:: b && deadline(w) && filed[s] == NEVER && w > now ->
			earliest = min(earliest, w);
			if
			:: BROKEN != YOUNG_IS_FORGOTTEN -> bit_set[s] = true; summary = true
			:: else -> earliest = NEVER
			fi
		:: else
		fi;
		w = 0; b = 0
	}
}

inline look(w, b) {
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

#define alarm (min(min(filed[0], filed[1]), look_at))

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
		:: any || look_at <= now ->
			/* Each guess must be correct. */
			if
			:: guess = NEVER
			:: guess = now + 1
			:: guess = now + 2
			fi;
			earliest = NEVER;
			if
			:: BROKEN != PROMISE_AFTER_LOOK -> next_wake = guess
			:: else
			fi;
			look(w, b);
			d_step {
				look_at = min(guess, earliest); next_wake = look_at;
				guess = 0; earliest = 0
			}
		:: else
		fi;
		any = 0;
		pop(0, w); pop(1, w);
		locked = false
	od
}

inline tell(s, d) {
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
				word[s] = d; wanted[s] = d; told[s] = false;
				event[s] = false
			};
			tell(s, d)
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
			   :: moved && d < old -> tell(s, d)
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
		run program(1);
		run kernel();
		run clock()
	}
}
