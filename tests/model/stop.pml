/* SPDX-License-Identifier: GPL-2.0 */
/*
 * STOP, by another thread: first the base lets go of its timers, then the slots
 * are looked at. In between the word still governs, but no pass will come.
 */

#if BROKEN == STOP_BY_STORE
#define hand_over(w)	w = word; d_step { took = governed && !parked; claimed(w) }
#else
#define hand_over(w)	d_step { w = word; took = governed && !parked; claimed(w) }
#endif

inline halt()
{
	lock(base_lock);
	d_step {
		halted = true;
		if
		:: timer == FILED -> timer = HALTED; cancelled++
		:: else
		fi
	}
	unlock_base()
}

/* Handed back is what was pending, with the deadline that the word has. */
inline hand_back()
{
	lock(file_lock);
	stopped = true;
	if
	:: timer == HALTED ->
		hand_over(seen);
		d_step {
			check(EXACTLY_ONCE, state == ARMED);
			check(TRUE_ANSWERS, took == !dead(seen));
			check(TRUE_ANSWERS, !took || seen == last);
			timer = IDLE;
			if
			:: took -> state = STOPPED; handed_back = true
			:: else -> state = FREE
			fi
		}
	:: else
	fi;
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
