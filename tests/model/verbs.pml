/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs and the reading of the event, one at a time: the file's lock is
 * held. The word is changed first, without the base's lock, then the wheel. What
 * an answer says has to be true at one moment of the call.
 */

/* Exchange with OFF: a claim that cannot fail. took: it ended a live timer. */
#if BROKEN == CANCEL_BY_STORE
#define take(w)		w = word; d_step { took = governed && !parked; claimed(w) }
#else
#define take(w)		d_step { w = word; took = governed && !parked; claimed(w) }
#endif

#if BROKEN == RECLAIM_IN_FLIGHT_BUSY
#define is_over		(timer == IDLE)
#elif BROKEN == STOPPED_IS_RECLAIMED
#define is_over		(timer == RECLAIMED || timer == HALTED)
#else
#define is_over		(timer == RECLAIMED)
#endif

/*
 * Take a timer whose word we have claimed from the wheel. over: it is out of the
 * wheel, by us or by the pass, which found its word OFF; it has not fired, and
 * STOP does not have it.
 */
inline detach()
{
	lock(base_lock);
	d_step {
		if
		:: timer == FILED ->
			timer = IDLE;
			cancelled++;
			over = true
		:: else ->
			over = is_over
		fi
	}
	unlock_base()
}

/* A swap that fails for OFF was lost to the pass, which has reclaimed it. */
#define finds_off	(word == OFF && BROKEN != ARM_GIVES_UP)

/* The slot of a new generation: its old one was parked, perhaps reclaimed. */
inline reclaim()
{
	seen = word;
	d_step {
		won = dead(seen) && (word == seen || finds_off ||
				     BROKEN == ARM_RECLAIMS_BY_STORE);
		if
		:: won ->
			check(DECISIVE, !governed || parked);
			check(NONE_LOST, !governed || parked);
			claimed(seen)
		:: else
		fi
	}
	if
	:: won -> detach()
	:: else
	fi
}

/* The word governs from now on, and the timer is filed after that. */
inline write_word()
{
	d_step {
		check(NONE_LOST, !governed);
		check(EXACTLY_ONCE, timer != HALTED);
		word = want;
		governed = true; parked = false;
		published = false; cancel_said = false;
		last = want; latest = want; since = want;
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
		over = state == FREE;
		was = parked && state == ARMED && dead(word)
	}
	if
	:: state == ARMED -> reclaim()
	:: else
	fi;
	check(TRUE_ANSWERS, over || halted || !was || changed);
	if
	:: over && !stopped ->
#if BROKEN == FILE_FIRST
		file();
		write_word()
#else
		write_word();
		file()
#endif
	:: over && stopped ->
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

/*
 * The word first, by compare-and-swap, as a parked one stays parked; then the
 * wheel. A pass in between finds the new word, and what it does is right.
 */
inline rearm()
{
	seen = word;
	d_step {
		won = state == ARMED && !dead(seen) &&
		      (word == seen || BROKEN == REARM_REVIVES);
		if
		:: won && governed ->
			check(DECISIVE, !parked);
			word = want;
			last = max(want, 1);
			since = last;
			latest = max(latest, last)
		:: won && !governed ->
			word = want
		:: else
		fi
	}
	if
	:: won -> move()
	:: else
	fi
}

/* From now on it is filed by what REARM and those after it wrote. */
inline move()
{
	lock(base_lock);
	d_step {
		if
		:: timer == FILED ->
			filed_at = max(want, 1);
			latest = since
		:: else
		fi
	}
	unlock_base()
}

/* A parked one is reclaimed, but that it was cancelled we were told before. */
inline cancel()
{
	take(seen);
	detach();
	d_step {
		check(TRUE_ANSWERS, !took || (over && !dead(seen)) || !honest);
		check(TRUE_ANSWERS, took || !over || dead(seen) || !honest);
		cancel_said = took && over;
		if
		:: over -> state = FREE; timer = IDLE
		:: else
		fi
	}
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
		seen = 0; want = 0;
		over = false; won = false; was = false; took = false
	}
}

active proctype verbs()
{
	byte seen, want, calls;
	bool over, won, was, took;

end:	do
	:: atomic { callable && !owned -> enter(); own(true); any_deadline(want) }
	   arm();
	   own(false);
	   leave()
	:: atomic { callable -> enter(); any_time(want) }
	   rearm();
	   leave()
	:: atomic { callable && state == ARMED -> enter() }
	   cancel();
	   leave()
	:: atomic { callable -> enter() }
	   query();
	   leave()
	:: d_step { callable && state == FIRED -> calls++; state = FREE }
	od
}
