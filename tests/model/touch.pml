/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of the touch protocol. The processes are a program that changes the word of one
 * slot, a clock, the kernel's pass, the operations, and STOP. Slots share nothing except
 * the two locks, so one slot shows all races.
 *
 * Each access to the word is a separate step. A compare-and-swap is one step. Between any
 * two steps, the other processes may execute their own steps. All steps are sequentially
 * consistent, so the model does not check the barriers; tests/litmus does. Changes to the
 * wheel that base_lock hides from the other processes are combined into one step.
 *
 * -DPROPERTY=  number of the property to check, see rules.pml
 * -DLIVENESS   check the property as liveness instead of safety
 * -DBROKEN=    number of the rule to break, see rules.pml
 * -DHOSTILE    the program stores any value at any time
 * -DOWNED      the program does not arm a slot while it touches it
 */
#include "rules.pml"
#include "word.pml"
#include "slot.pml"
#include "program.pml"
#include "pass.pml"
#include "verbs.pml"
#include "stop.pml"

/* For LOOKS_END the program never stops, so the time must be bounded. */
#define time_goes_on	(timer == FILED && filed_at > now && PROPERTY != LOOKS_END)

active proctype clock()
{
end:	do
	:: now < END || time_goes_on -> now++
	od
}

/* Check the final state, when no process can continue. */
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
