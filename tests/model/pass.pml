/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's pass: when the timer's queued time is reached, the word decides
 * whether the timer fires. base_lock is held; the program takes no kernel lock.
 */

#define TRIES	3

/* Compare-and-swap to IDLE. won is set if it succeeded. */
inline claim()
{
	d_step {
		won = word == seen || BROKEN == CLAIM_BY_STORE ||
		      (BROKEN == PASS_RECLAIMS_BY_STORE && dead(seen));
		if
		:: won && dead(seen) ->
			check(DECISIVE, governed && parked);
			check(NONE_LOST, governed && parked);
			claimed();
			timer = UNFILED;
			cancelled++
		:: won && !dead(seen) ->
			check(NEVER_EARLY, parked || tick >= last);
			check(DECISIVE, governed && !parked);
			claimed();
			timer = UNFILED;
			calling = true;
			fired++
		:: else ->
			tries = tries + (tries < TRIES -> 1 : 0)
		fi
	}
}

#if BROKEN == PUBLISH_FIRST
#define publish_early()	d_step { published = published || !dead(seen) }
#else
#define publish_early()	skip
#endif

#if BROKEN == PASS_READS_TWICE
#define read_again()	seen = (dead(seen) || dead(word) -> seen : word)
#else
#define read_again()	skip
#endif

#if BROKEN == GARBAGE_IS_LATER
#define later(w)	((w) > tick)
#elif BROKEN == FIRE_BY_FILING
#define later(w)	false
#else
#define later(w)	(!dead(w) && (w) > tick)
#endif

/* Process the due timer. */
inline look()
{
	d_step { timer = POPPED; looking = true }
	do
	:: tries < TRIES || BROKEN == RETRY_FOREVER ->
		seen = word;
		if
		:: later(seen) ->
			filed_at = seen + (BROKEN == REFILE_LATE -> 1 : 0);
			timer = FILED;
			break
		:: else ->
			publish_early();
			read_again();
			claim();
			if
			:: won -> break
			:: else
			fi
		fi
	:: else ->
		d_step {
			filed_at = tick + 1;
			latest = max(latest, filed_at);
			timer = FILED
		}
		break
	od;
	looking = false
}

/* The callback: publish the event, some time after the word became IDLE. */
inline publish()
{
	lock(file_lock);
	d_step {
		check(EXACTLY_ONCE, state == ARMED);
		check(EXACTLY_ONCE, !published || BROKEN == PUBLISH_FIRST);
		check(DECISIVE, !cancel_said);
		published = true;
		state = FIRED
	}
	unlock(file_lock);
	atomic { !base_lock -> calling = false }
}

active proctype pass()
{
	byte tick, seen, tries;
	bool won;

end:	do
	:: atomic { timer == FILED && filed_at <= now && !halted -> tick = now }
	   lock(base_lock);
	   if
	   :: timer == FILED && filed_at <= tick && !halted -> look()
	   :: else
	   fi;
	   unlock_base();
	   if
	   :: calling -> publish()
	   :: else
	   fi;
	   d_step { won = false; seen = 0; tries = 0; tick = 0 }
	od
}
