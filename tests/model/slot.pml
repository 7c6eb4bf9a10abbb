/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's state of the slot, and the two locks: file before base. */

/* The device's state, under the file's lock. */
mtype:state = { FREE, ARMED, FIRED, STOPPED };
mtype:state state = FREE;

/* The timer's place, under the base's lock. */
mtype:timer = { UNFILED, FILED, POPPED, DRAINED };
mtype:timer timer = UNFILED;
byte filed_at;
bool calling;		/* its callback is under way */
bool gone;		/* the kernel picks the slot: it was reclaimed */

byte now;
bool stopping;		/* the device arms nothing any more */
bool halted;		/* nor does the base, whose pass looks at nothing */
bool looking;		/* the pass is at the word */
byte armed, fired, cancelled;
bool handed_back;

bool file_lock, base_lock;

inline lock(l)
{
	atomic { !l -> l = true }
}

inline unlock(l)
{
	d_step { assert(l); l = false }
}

/* The invariant whenever the base's lock is free. */
inline unlock_base()
{
	d_step {
		check(EXACTLY_ONCE,
		      armed == fired + cancelled + (timer == FILED -> 1 : 0));
		check(NONE_LOST, governed == (timer == FILED));
		check(IN_TIME, timer != FILED || filed_at <= latest);
		base_lock = false
	}
}

#ifdef PICKS
#define tell_gone()	gone = true
#else
#define tell_gone()	skip
#endif

/* Out of the wheel, if it is there: answers 0, EALREADY or ENOENT. */
mtype:error = { DONE, EALREADY, ENOENT };

inline cancel_locked()
{
	if
	:: timer == FILED -> timer = UNFILED; cancelled++; err = DONE
	:: timer != FILED && calling -> err = EALREADY
	:: timer != FILED && !calling -> err = ENOENT
	fi
}
