/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The touch word of the slot, and ghost variables, which record facts about it.
 * No process reads a ghost variable to decide. The ghosts change in the same
 * step as the word.
 */

#define PARKED	0
#define IDLE	128	/* bit 63 */
#define GARBAGE	129	/* bit 63, and more */

#define dead(w)		((w) == PARKED || (w) >= IDLE)
#define max(a, b)	((a) > (b) -> (a) : (b))

byte word = IDLE;

bool governed;		/* the word belongs to a pending timer, not claimed yet */
bool parked;		/* the program wrote a word that is no deadline */
byte last;		/* deadline written last */
byte latest;		/* latest deadline written since ARM or REARM */
byte generation;	/* generation of the timer */
bool changed;		/* the program wrote the word since the current call began */
bool published;		/* the event of this generation was published */
bool cancel_said;	/* CANCEL returned 0 */

/* The program wrote @w. This has an effect only on the word of a pending timer. */
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

/* The kernel claimed the word. */
inline claimed()
{
	word = IDLE;
	governed = false
}

/* Claim by exchange with IDLE, which cannot fail. took: the timer was not parked. */
inline take(w)
{
	d_step { w = word; took = governed && !parked; claimed() }
}

/* The same as two steps. */
inline take_by_store(w)
{
	w = word;
	d_step { took = governed && !parked; claimed() }
}
