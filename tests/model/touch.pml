/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The touch protocol with its parties: a program that changes the word of one
 * slot, a clock, the kernel's pass, the verbs, and a STOP. Slots have nothing in
 * common but the two locks, so one slot shows all races.
 *
 * Every access to the word is a step of its own, a compare-and-swap is one step,
 * and between any two steps the others may make any of theirs. The steps are
 * sequentially consistent: what the barriers are for does not show here.
 *
 * -DPROPERTY=  what is checked; all if not given
 * -DBROKEN=    which rule of the protocol is not kept; none if not given
 * -DHOSTILE    the program stores what it likes, whenever it likes
 * -DOWNED      the program arms no slot while it is about to touch it
 */
#include "rules.pml"
#include "word.pml"
#include "slot.pml"
#include "program.pml"
#include "pass.pml"
#include "verbs.pml"
#include "stop.pml"

/* It can stand still for as long as it likes, but not for ever. */
active proctype clock()
{
end:	do
	:: now < END || (timer == FILED && filed_at > now) -> now++
	od
}

/* Nobody can move any more: what is left? */
active proctype auditor()
{
	timeout -> d_step {
		check(EXACTLY_ONCE, timer != FILED && armed == fired + cancelled);
		check(NONE_LOST, governed == false);
		check(DECISIVE, handed_back == (state == STOPPED))
	}
}

#if PROPERTY == NONE_LOST
ltl none_lost { [] (governed -> <> !governed) }
#elif PROPERTY == LOOKS_END
ltl looks_end { [] (looking -> <> !looking) }
#endif
