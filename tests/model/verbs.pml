/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verbs, one at a time: both locks are held. Their changes to the wheel nobody
 * sees until they let go; their changes to the word the program sees at once. The
 * answer has to be true at one moment of the call.
 */

/* A verb that does not keep the base to itself. */
#if BROKEN >= ARM_LETS_GO && BROKEN <= CANCEL_LETS_GO
#define let_go(verb)							\
	if								\
	:: BROKEN == verb -> base_lock = false; lock(base_lock)		\
	:: else								\
	fi
#else
#define let_go(verb)	skip
#endif

/* Why a timer that is not in the wheel is not: the slot is free if it was reclaimed. */
#define reclaimed(err)	((err) == ENOENT || (BROKEN == FIRED_IS_RECLAIMED))
#define stop_has_it	(stopping && BROKEN != STOPPED_IS_RECLAIMED)

#if defined(PICKS) && BROKEN != PICKED_IS_FREED
#define comes_back	true
#else
#define comes_back	stop_has_it
#endif

/* The slot of a new generation: its old one was parked, perhaps reclaimed. */
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

/* The word governs from now on. */
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

/* The wheel, which may refuse, and then the word. */
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

/* A slot that we pick was reclaimed by the pass: here we learn of it. */
inline collect()
{
	d_step {
		check(EXACTLY_ONCE, state == ARMED && timer != FILED);
		state = FREE;
		gone = false
	}
}

inline arm()
{
	if
#ifdef PICKS
	:: !stopping && gone -> collect()
#else
	:: !stopping && state == ARMED -> reclaim()
#endif
	:: else
	fi;
	if
	:: !stopping && state == FREE -> file()
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

/* Compare-and-swap, as a parked one stays parked. */
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
 * Filed anew where nobody sees it, until we know whose the word is. The wheel may
 * refuse.
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

/* A parked one is reclaimed, but that it was cancelled we were told before. */
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
		:: err == DONE || (reclaimed(err) && !comes_back) -> state = FREE
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

/* LIST does this as well. */
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

/* May a verb be called? Then both locks are taken in the same step. */
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
