/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The word of the slot, in shared memory, and what is true of it: the ghosts,
 * which no party reads, change in the same step as the word.
 */

#define PARKED	0
#define OFF	128	/* bit 63 */
#define GARBAGE	129	/* bit 63, and more */

#define dead(w)		((w) == PARKED || (w) >= OFF)
#define max(a, b)	((a) > (b) -> (a) : (b))

byte word = OFF;

#ifdef HOSTILE
#define honest	false
#else
#define honest	true
#endif

bool governed;		/* a timer stands behind the word, unclaimed */
bool parked;		/* so the program wrote it */
byte last;		/* the deadline that was written last */
byte latest;		/* the latest one since ARM or REARM */
byte generation;	/* of the timer behind it */
byte since;		/* the latest one since a REARM that is under way */
bool changed;		/* by the program, since a verb was called */
bool published;		/* this generation has had its event */
bool cancel_said;	/* CANCEL was answered 0 */

/* The program wrote @w: binding if a timer stands behind it. */
inline written(w)
{
	changed = true;
	if
	:: governed && dead(w) ->
		parked = true
	:: governed && !dead(w) ->
		parked = false;
		last = w;
		latest = max(latest, w);
		since = max(since, w)
	:: else
	fi
}

/* The kernel claimed the word and found @w in it. */
inline claimed(w)
{
	word = OFF;
	governed = false
}
