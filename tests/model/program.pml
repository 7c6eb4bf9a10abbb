/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program: postpones, advances, parks and revives its timer, each with a load
 * and a compare-and-swap. It does not change an IDLE word.
 */

#ifdef OWNED
bool owned;		/* lock of the program that serializes its ARM and touch */
#define own(yes)	owned = yes
#else
#define owned		false
#define own(yes)	skip
#endif

inline any_deadline(want)
{
	if
	:: want = 1
	:: want = 2
	:: LAST > 2 -> want = 3
	fi
}

#ifdef HOSTILE
/* Write any value at any time; for LOOKS_END, without limit. */
inline write()
{
	atomic {
		if
		:: want = PARKED
		:: any_deadline(want)
		:: want = IDLE
		:: want = GARBAGE
		fi;
		word = want;
		written(want);
		want = 0
	}
}
#endif

/* Compare-and-swap from the value read to the new value. */
inline touch()
{
	d_step {
		if
		:: word == seen ->
			word = want;
			check(DECISIVE, !published);
			check(NONE_LOST, governed);
			check(NO_STRANGER, generation == meant);
			written(want)
		:: else
		fi;
		own(false);
		seen = 0; want = 0; meant = 0
	}
}

#if PROPERTY == NO_STRANGER
#define remember()	meant = generation
#else
#define remember()	skip
#endif

active proctype program()
{
	byte seen, want, meant, ops;

end:	do
#if PROPERTY == LOOKS_END
	:: write()
#elif defined(HOSTILE)
	:: ops < OPS -> ops++; write()
#else
	:: atomic {
		ops < OPS && word != IDLE && !owned ->
		own(true);
		ops++;
		seen = word;
		remember();
		if
		:: want = PARKED
		:: any_deadline(want)
		fi
	   }
	   touch()
#endif
	od
}
