/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel knows of the slot, and the two locks: file before base. */

/* The device's state, under the file's lock. */
mtype:state = { FREE, ARMED, FIRED, STOPPED };
mtype:state state = FREE;

/* Where the timer is, under the base's lock. */
mtype:timer = { IDLE, FILED, FIRING, RECLAIMED, HALTED };
mtype:timer timer = IDLE;
byte filed_at;

byte now;
bool halted;		/* the base files nothing any more */
bool stopped;		/* the device arms nothing any more */
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

/* What holds whenever the base's lock is free. */
inline unlock_base()
{
	d_step {
		check(EXACTLY_ONCE,
		      armed == fired + cancelled + (timer == FILED -> 1 : 0));
		check(IN_TIME,
		      timer != FILED || !governed || filed_at <= latest);
		base_lock = false
	}
}
