/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The touch protocol with its parties: a program that changes the word of one
 * slot, a clock, the kernel's pass, the verbs, and a STOP. Slots have nothing in
 * common but the two locks, so one slot shows all races.
 *
 * Every access to the word is a step of its own, a compare-and-swap is one step,
 * and between any two steps the others may make any of theirs. The steps are
 * sequentially consistent: what the barriers are for does not show here. The holder of
 * the base's lock does to the wheel in one step what nobody sees in two.
 *
 * -DPROPERTY=  what is checked, by its number in rules.pml
 * -DLIVENESS   that it comes to be, and not that it never fails
 * -DBROKEN=    which rule of the protocol is not kept
 * -DHOSTILE    the program stores what it likes, whenever it likes
 * -DPICKS      the kernel picks the slot
 * -DOWNED      the program arms no slot while it is about to touch it
 */
#include "rules.pml"
#include "word.pml"
#include "slot.pml"
#include "program.pml"
#include "pass.pml"
#include "verbs.pml"
#include "stop.pml"

/* With LOOKS_END the program never rests, but time has to end. */
#define time_goes_on	(timer == FILED && filed_at > now && PROPERTY != LOOKS_END)

active proctype clock()
{
end:	do
	:: now < END || time_goes_on -> now++
	od
}

/* Nobody can move any more: what is left? */
active proctype auditor()
{
	timeout -> d_step {
		check(EXACTLY_ONCE, timer != FILED && armed == fired + cancelled);
		check(NONE_LOST, !governed);
		check(TRUE_ANSWERS, handed_back == (state == STOPPED))
	}
}

#ifdef LIVENESS
#if PROPERTY == LOOKS_END
ltl wanted { [] (looking -> <> !looking) }
#else
ltl wanted { [] (governed -> <> !governed) }
#endif
#endif
