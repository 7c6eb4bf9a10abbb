/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STOP, called by another thread. First the device rejects ARM, then the base does.
 * The base removes its timers, claims their words, and puts the timers on a list.
 * When no callback is running, the slots are updated.
 */

#if BROKEN == STOP_BY_STORE
#define hand_over(w)	take_by_store(w)
#else
#define hand_over(w)	take(w)
#endif

/* Pending timers are returned to the program, with the deadline in their words. */
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
			:: dead(seen) -> timer = UNFILED
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
