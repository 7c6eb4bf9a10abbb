/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The word of the slot, in shared memory, and what is true of it: the ghosts,
 * which no party reads, change in the same step as the word.
 */

#define PARKED	0
#define IDLE	128	/* bit 63 */
#define GARBAGE	129	/* bit 63, and more */

#define dead(w)		((w) == PARKED || (w) >= IDLE)
#define max(a, b)	((a) > (b) -> (a) : (b))

byte word = IDLE;

bool governed;		/* a timer stands behind the word, unclaimed */
bool parked;		/* so the program wrote it */
byte last;		/* the deadline that was written last */
byte latest;		/* the latest one since ARM or REARM */
byte generation;	/* of the timer behind it */
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
		latest = max(latest, w)
	:: else
	fi
}

/* The kernel claimed the word, and knows what it found in it. */
inline claimed()
{
	word = IDLE;
	governed = false
}

/* Exchange with IDLE: a claim that cannot fail. took: it ended a live timer. */
inline take(w)
{
	d_step { w = word; took = governed && !parked; claimed() }
}

/* The same, not in one step. */
inline take_by_store(w)
{
	w = word;
	d_step { took = governed && !parked; claimed() }
}
