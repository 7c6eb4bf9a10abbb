/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs and the reading of the event, one at a time: the file's lock is
 * held. What an answer says has to be true at one moment of the call.
 */

/* Exchange with OFF: a claim that cannot fail, for who needs no condition. */
#if BROKEN == CANCEL_BY_STORE
#define take(w)		w = word; d_step { took = governed && !parked; claimed(w) }
#else
#define take(w)		d_step { w = word; took = governed && !parked; claimed(w) }
#endif

/*
 * The slot of a new generation: free, or parked, in which case the old one is
 * reclaimed, by the pass or here. ok says whether it can be had.
 */
inline reclaim()
{
	lock(base_lock);
	if
	:: timer == RECLAIMED && BROKEN != RECLAIM_IN_FLIGHT_BUSY ->
		ok = true
#if BROKEN == STOPPED_IS_RECLAIMED
	:: timer == HALTED ->
		ok = true
#endif
	:: timer == FILED ->
		seen = word;
		d_step {
			if
			:: dead(seen) && (word == seen ||
			   BROKEN == ARM_RECLAIMS_BY_STORE) ->
				check(DECISIVE, parked);
				check(NONE_LOST, parked);
				claimed(seen);
				timer = IDLE;
				cancelled++;
				ok = true
			:: else
			fi
		}
	:: else
	fi;
	unlock_base()
}

/* The word governs from now on, and the timer is filed after that. */
inline write_word()
{
	d_step {
		check(NONE_LOST, !governed);
		word = want;
		governed = true; parked = false;
		published = false; cancel_said = false;
		last = want; latest = want;
		generation++
	}
}

inline file()
{
	lock(base_lock);
	d_step {
		if
		:: halted -> claimed(word); state = FREE; timer = IDLE
		:: else -> filed_at = want; timer = FILED; armed++; state = ARMED
		fi
	}
	unlock_base()
}

inline arm()
{
	d_step {
		changed = false;
		ok = state == FREE;
		was = parked && state == ARMED
	}
	if
	:: state == ARMED -> reclaim()
	:: else
	fi;
	check(TRUE_ANSWERS, ok || halted || !was || changed);
	if
	:: ok && !stopped ->
#if BROKEN == FILE_FIRST
		file();
		write_word()
#else
		write_word();
		file()
#endif
	:: ok && stopped ->
		state = FREE
	:: else
	fi
}

/* A time of 0 is long past, and must not park. */
inline any_time(want)
{
	if
	:: want = (BROKEN == REARM_STORES_ZERO -> PARKED : 1)
	:: any_deadline(want)
	fi
}

/* By compare-and-swap, three times at most, as a parked one stays parked. */
inline rearm()
{
	lock(base_lock);
	ok = timer != FILED;
	do
	:: !ok && tries < TRIES ->
		seen = word;
		d_step {
			if
			:: !dead(seen) &&
			   (word == seen || BROKEN == REARM_REVIVES) ->
				check(DECISIVE, !parked);
				check(NONE_LOST, governed);
				word = want;
				last = max(want, 1); latest = last;
				filed_at = last;
				ok = true
			:: dead(seen) ->
				ok = true
			:: else ->
				tries++
			fi
		}
	:: else ->
		break
	od;
	unlock_base()
}

/* A parked one is reclaimed, but that it was cancelled we were told before. */
inline cancel()
{
	lock(base_lock);
	if
	:: state == ARMED && timer == FILED ->
		take(seen);
		d_step {
			check(TRUE_ANSWERS, took == !dead(seen));
			cancel_said = !dead(seen);
			timer = IDLE;
			cancelled++;
			state = FREE
		}
	:: else
	fi;
	unlock_base()
}

#if BROKEN == QUERY_READS_TWICE
#define answer	word
#else
#define answer	seen
#endif

inline query()
{
	seen = word;
	if
	:: state == ARMED && timer == FILED && !dead(seen) ->
		check(TRUE_ANSWERS, !dead(answer))
	:: else
	fi
}

/* May a verb be called? Then the file's lock is taken in the same step. */
#define callable	(calls < CALLS && !file_lock)

inline enter()
{
	calls++;
	file_lock = true
}

inline leave()
{
	d_step {
		file_lock = false;
		seen = 0; want = 0; tries = 0;
		ok = false; was = false; took = false
	}
}

active proctype verbs()
{
	byte seen, want, tries, calls;
	bool ok, was, took;

end:	do
	:: atomic { callable && !owned -> enter(); own(true); any_deadline(want) }
	   arm();
	   own(false);
	   leave()
	:: atomic { callable -> enter(); any_time(want) }
	   rearm();
	   leave()
	:: atomic { callable -> enter() }
	   cancel();
	   leave()
	:: atomic { callable -> enter() }
	   query();
	   leave()
	:: d_step { callable && state == FIRED -> calls++; state = FREE }
	od
}
