/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STOP, by another thread: first the base lets go of its timers, their words are
 * claimed, and they are put on a list; then the slots learn of it.
 */

#if BROKEN == STOP_BY_STORE
#define hand_over(w)	w = word; d_step { took = governed && !parked; claimed(w) }
#else
#define hand_over(w)	d_step { w = word; took = governed && !parked; claimed(w) }
#endif

/* Handed back is what was pending, with the deadline that the word had. */
inline halt()
{
	lock(base_lock);
	halted = true;
	if
	:: timer == FILED ->
		hand_over(seen);
		d_step {
			check(TRUE_ANSWERS, !took || (!dead(seen) && seen == last));
			check(TRUE_ANSWERS, took || dead(seen) || !honest);
			timer = (dead(seen) -> RECLAIMED : HALTED);
			cancelled++
		}
	:: else
	fi;
	unlock_base()
}

inline hand_back()
{
	lock(file_lock);
	d_step {
		stopped = true;
		if
		:: timer == HALTED ->
			check(EXACTLY_ONCE, state == ARMED);
			state = STOPPED;
			timer = IDLE;
			handed_back = true
		:: else
		fi
	}
	unlock(file_lock)
}

active proctype stop()
{
	byte seen;
	bool took;

end:	do
	:: atomic { !halted -> skip }
	   halt();
	   hand_back()
	od
}
