/* SPDX-License-Identifier: MIT */
/*
 * A slot of wheel_timer::task: an owner that arms, refreshes its waker and drops, the wheel that expires
 * the timer, and the driver that takes its event. Each step is one atomic access of slot.rs, or
 * one exchange of the timer's word.
 *
 * Checked: one thread at a time accesses the waker; a slot is freed once per use, and only if
 * its word is parked and no event of it is pending; a waiting owner is woken; in the end the
 * slot is free.
 *
 * -DBREAK=n removes a rule, which a search must detect.
 */
#ifndef BREAK
#define BREAK	0
#endif
#define USES	2

#define PARKED	0
#define ARMED	1
#define IDLE	2

mtype = { WAIT, EDIT, WAKE, FIRED, LEFT };

byte word = PARKED;
mtype state = WAIT;
bool stored;		/* a waker is stored in the slot */
byte users;		/* threads that access the waker */
bool event;		/* the timer's event was not taken */
bool woken;		/* the owner's task was woken */
bool free = true;
byte uses;
bool finished;

inline begin_waker()	{ users++; assert(users == 1) }
inline end_waker()	{ users-- }

/* compare_exchange() */
inline cas(from, to, done)
{
	atomic {
		done = (state == from);
		if
		:: done -> state = to
		:: else
		fi
	}
}

inline give()
{
	atomic {
		assert(!free && !stored && !event && users == 0);
		assert(word != ARMED);
		word = PARKED;
		free = true
	}
}

/* Slot::prepare(), and the exchange of the word. */
inline arm()
{
	atomic { free; free = false; uses++; woken = false };
	begin_waker(); stored = true; end_waker();
	state = WAIT;
	atomic { assert(word == PARKED); word = ARMED }
}

/* Slot::refresh(): with the waker that is stored, or with another one. */
inline refresh(done)
{
	if
	:: true ->
#if BREAK == 5
		done = true
#else
		done = (state == WAIT)
#endif
	:: true ->
		cas(WAIT, EDIT, done);
		if
		:: done ->
			begin_waker(); stored = true; end_waker();
#if BREAK == 4
			state = WAIT
#else
			cas(EDIT, WAIT, done)
#endif
		:: else
		fi
	fi
}

/* libwheel_word_park() */
inline park(done)
{
	atomic {
		done = (word == ARMED);
		if
		:: done -> word = PARKED
		:: else
		fi
	}
}

/* Slot::leave(): mine. */
inline leave(mine)
{
	cas(WAIT, EDIT, mine);
	if
	:: mine ->
		begin_waker(); stored = false; end_waker();
		cas(EDIT, LEFT, mine);
		mine = !mine
	:: else ->
#if BREAK == 1
		mine = true;
#else
		cas(WAKE, LEFT, mine);
		mine = !mine;
#endif
		if
		:: mine -> begin_waker(); stored = false; end_waker()
		:: else
		fi
	fi
}

/* Timer::release() */
inline release(done)
{
	park(done);
	if
	:: done ->
		begin_waker(); stored = false; end_waker();
		give()
	:: else ->
		leave(done);
		if
		:: done -> give()
		:: else
		fi
	fi
}

proctype owner()
{
	bool done;

	do
	:: uses < USES ->
		arm();
		do
		/* The task waits, or is woken for another reason. Then it is polled. */
		:: true ->
			if
			:: true -> woken
			:: true
			fi;
			woken = false;
			refresh(done);
			if
			:: !done -> break
			:: else
			fi
		/* The future is dropped. */
		:: break
		od;
		release(done)
	:: else -> break
	od;
	finished = true
}

/* The timer expires, or not. */
proctype wheel()
{
	do
	:: atomic { word == ARMED -> word = IDLE; event = true }
	:: finished -> break
	od
}

/* End::fire() */
proctype driver()
{
	bool done, took;

	do
	:: atomic { event -> event = false };
again:
		took = false;
		cas(WAIT, WAKE, done);
		if
		:: done ->
			begin_waker(); took = stored; stored = false; end_waker();
#if BREAK == 2
			state = FIRED; done = false;
#else
			atomic { done = (state == LEFT); state = FIRED };
#endif
			if
			:: done -> give()
			:: else -> woken = (took -> true : woken)
			fi
		:: else ->
			if
			:: state == LEFT -> give()
			:: else ->
#if BREAK == 3
				state = FIRED
#else
				cas(EDIT, FIRED, done);
				if
				:: !done -> goto again
				:: else
				fi
#endif
			fi
		fi
	:: finished && !event && word != ARMED -> break
	od
}

init {
	atomic { run owner(); run wheel(); run driver() };
	(_nr_pr == 1);
	assert(free && !stored && word == PARKED && users == 0)
}
