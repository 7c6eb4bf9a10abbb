/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's state of the slot, and its two locks. Lock order: file, then base. */

/* State of the slot in the device, protected by file_lock. */
mtype:state = { FREE, ARMED, FIRED, STOPPED };
mtype:state state = FREE;

/* State of the timer in the wheel, protected by base_lock. */
mtype:timer = { UNFILED, FILED, POPPED, DRAINED };
mtype:timer timer = UNFILED;
byte filed_at;
bool calling;		/* the timer's callback is running */

byte now;
bool stopping;		/* the device rejects ARM */
bool halted;		/* the base rejects timers, and its pass expires none */
bool looking;		/* the pass is processing the word */
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

/* Check the invariants that hold whenever base_lock is free. */
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

/* Result of removing the timer from the wheel: 0, EALREADY or ENOENT. */
mtype:error = { DONE, EALREADY, ENOENT };

inline cancel_locked()
{
	if
	:: timer == FILED -> timer = UNFILED; cancelled++; err = DONE
	:: timer != FILED && calling -> err = EALREADY
	:: timer != FILED && !calling -> err = ENOENT
	fi
}
