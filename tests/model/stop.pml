/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STOP, by another thread: the device arms nothing any more, then the base neither;
 * the base lets go of its timers, their words are claimed, and they are put on a
 * list; when no callback is under way, the slots learn of it.
 */

#if BROKEN == STOP_BY_STORE
#define hand_over(w)	take_by_store(w)
#else
#define hand_over(w)	take(w)
#endif

/* Handed back is what was pending, with the deadline that the word had. */
inline drain()
{
	lock(base_lock);
	if
	:: timer == FILED ->
		hand_over(seen);
		d_step {
			check(TRUE_ANSWERS, took == !dead(seen));
			check(TRUE_ANSWERS, !took || seen == last);
			cancelled++;
			if
			:: dead(seen) -> tell_gone(); timer = UNFILED
			:: else -> timer = DRAINED
			fi
		}
	:: else
	fi;
	unlock_base()
}

inline hand_back()
{
	lock(file_lock);
	d_step {
		if
		:: timer == DRAINED ->
			check(EXACTLY_ONCE, state == ARMED);
			state = STOPPED;
			timer = UNFILED;
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
	:: atomic {
		!halted && !file_lock ->
		stopping = BROKEN != STOP_IS_NOT_TOLD
	   }
	   atomic { !base_lock -> halted = true }
	   drain();
	   !calling;
	   hand_back();
	   d_step { seen = 0; took = false }
	od
}
