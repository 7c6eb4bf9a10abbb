/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The operations, one at a time, with both locks held. Their changes to the wheel
 * become visible when the locks are released, their changes to the word at once.
 * The result must be correct at one moment of the call.
 */

/* Broken rules: the operation drops base_lock in between. */
#if BROKEN >= ARM_LETS_GO && BROKEN <= CANCEL_LETS_GO
#define let_go(verb)							\
	if								\
	:: BROKEN == verb -> base_lock = false; lock(base_lock)		\
	:: else								\
	fi
#else
#define let_go(verb)	skip
#endif

/* The timer is not in the wheel because it was reclaimed, so its slot is free. */
#define reclaimed(err)	((err) == ENOENT || (BROKEN == FIRED_IS_RECLAIMED))
#define stop_has_it	(stopping && BROKEN != STOPPED_IS_RECLAIMED)

/* Free the slot for a new generation if the old one is parked or reclaimed. */
inline reclaim()
{
	d_step { changed = false; seen = word; was = parked && dead(seen) }
	d_step {
		if
		:: dead(seen) &&
		   (word == seen || BROKEN == ARM_RECLAIMS_BY_STORE) ->
			check(DECISIVE, !governed || parked);
			check(NONE_LOST, !governed || parked);
			claimed();
			cancel_locked();
			if
			:: err == DONE || (reclaimed(err) &&
					   BROKEN != RECLAIMED_IS_BUSY) ->
				state = FREE
			:: else
			fi
		:: else
		fi;
		check(TRUE_ANSWERS, state == FREE || !was || changed)
	}
}

/* Store the deadline of the new timer in the word. */
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

/* Queue the timer, which may fail, then write the word. */
inline file()
{
	if
	:: skip
	:: !halted ->
		d_step { filed_at = want; timer = FILED; armed++; state = ARMED }
		let_go(ARM_LETS_GO);
		write_word()
	fi
}

inline arm()
{
	if
	:: !stopping && state == ARMED -> reclaim()
	:: else
	fi;
	if
	:: !stopping && state == FREE -> file()
	:: else
	fi
}

/* A deadline of 0 has passed, and must not park the timer. */
inline any_time(want)
{
	if
	:: want = (BROKEN == REARM_STORES_ZERO -> PARKED : 1)
	:: any_deadline(want)
	fi
}

/* A compare-and-swap, so that a parked timer stays parked. */
inline move_word()
{
	d_step {
		if
		:: word == seen || BROKEN == REARM_REVIVES ->
			check(DECISIVE, !parked);
			word = want;
			last = max(want, 1);
			latest = last
		:: else ->
			filed_at = was_at
		fi
	}
}

/*
 * Queue the timer at its new time, which may fail. No other process sees this until
 * the compare-and-swap has decided. If it fails, the old time is restored.
 */
inline rearm()
{
	d_step { seen = word; was = governed && !parked }
	if
	:: !dead(seen) && timer == FILED ->
		if
		:: skip
#if BROKEN == REARM_SHOWS_REFUSED
		:: d_step { word == seen -> word = want };
		   d_step { word = (word == want -> seen : word) }
#endif
		:: d_step { was_at = filed_at; filed_at = want };
		   let_go(REARM_LETS_GO);
		   move_word()
		fi
	:: else ->
		check(TRUE_ANSWERS, !was)
	fi
}

/* Cancelling a parked timer frees its slot, but returns an error. */
inline cancel()
{
#if BROKEN == CANCEL_BY_STORE
	take_by_store(seen);
#else
	take(seen);
#endif
	let_go(CANCEL_LETS_GO);
	d_step {
		cancel_locked();
		cancel_said = !dead(seen) &&
			      (err == DONE || BROKEN == CANCEL_BY_WORD);
		check(TRUE_ANSWERS, cancel_said == took);
		if
		:: err == DONE || (reclaimed(err) && !stop_has_it) -> state = FREE
		:: else
		fi
	}
}

#if BROKEN == QUERY_READS_TWICE
#define answer	word
#else
#define answer	seen
#endif

#if BROKEN == LIST_LOCKS_THE_FILE
#define look_alone()	base_lock = false
#define look_no_more()	lock(base_lock)
#else
#define look_alone()	skip
#define look_no_more()	skip
#endif

/* Also used by LIST. */
inline query()
{
	look_alone();
	d_step { changed = false; seen = word; was = governed && !parked }
	if
	:: state == ARMED && timer == FILED && !dead(seen) ->
		check(TRUE_ANSWERS, !dead(answer))
	:: else ->
		check(TRUE_ANSWERS, !was || !governed || changed)
	fi;
	look_no_more()
}

/* An operation can be called; it takes both locks in the same step. */
#define callable	(calls < CALLS && !file_lock && !base_lock)

inline enter()
{
	calls++;
	file_lock = true;
	base_lock = true
}

inline leave()
{
	atomic {
		unlock_base();
		file_lock = false;
		seen = 0; want = 0; was_at = 0;
		was = false; took = false; err = DONE
	}
}

active proctype verbs()
{
	byte seen, want, was_at, calls;
	bool was, took;
	mtype:error err = DONE;

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
