/* SPDX-License-Identifier: GPL-2.0 */
/* The checks, and the rules that can be broken to see them fail. */

/* Properties. */
#define NEVER_EARLY	1	/* no event before the deadline last written */
#define DECISIVE	2	/* parked or cancelled: no event; an event: neither */
#define EXACTLY_ONCE	3	/* armed = fired + cancelled + pending */
#define NONE_LOST	4	/* what is armed fires, is cancelled or reclaimed */
#define IN_TIME		5	/* filed no later than the latest word since ARM */
#define TRUE_ANSWERS	6	/* an answer was true at one moment of its call */
#define LOOKS_END	7	/* whatever the program does */
#define NO_STRANGER	8	/* a touch reaches the timer that it was meant for */

#define check(property, what)	assert(PROPERTY != property || (what))

/* Rules that a kernel, and in one case a program, may fail to keep. */
#define CLAIM_BY_STORE		1	/* the pass claims without comparing */
#define PUBLISH_FIRST		2	/* the event goes out before the claim */
#define PASS_READS_TWICE	3	/* to decide and to claim */
#define QUERY_READS_TWICE	4	/* to decide and to answer */
#define LIST_LOCKS_THE_FILE	5	/* alone, while the pass files again */
#define ARM_RECLAIMS_BY_STORE	6	/* ARM over a parked word, not comparing */
#define PASS_RECLAIMS_BY_STORE	7
#define RECLAIMED_IS_BUSY	8	/* ARM takes a reclaim for an event */
#define FIRED_IS_RECLAIMED	9	/* a verb takes an event for a reclaim */
#define STOPPED_IS_RECLAIMED	10	/* CANCEL takes what STOP took for one */
#define STOP_IS_NOT_TOLD	11	/* to ARM, before the base is shut */
#define STOP_BY_STORE		12	/* STOP reads, then stores */
#define CANCEL_BY_STORE		13	/* CANCEL reads, then stores */
#define CANCEL_BY_WORD		14	/* it believes the word, not the wheel */
#define ARM_LETS_GO		15	/* of the base between wheel and word */
#define REARM_LETS_GO		16
#define CANCEL_LETS_GO		17
#define REARM_SHOWS_REFUSED	18	/* the word first; back if it cannot be */
#define REARM_STORES_ZERO	19	/* a deadline of 0 parks */
#define REARM_REVIVES		20	/* REARM does not compare */
#define GARBAGE_IS_LATER	21	/* bit 63 is taken for a far deadline */
#define RETRY_FOREVER		22	/* the pass tries until it wins */
#define REFILE_LATE		23	/* a tick after the word */
#define FIRE_BY_FILING		24	/* the pass never looks at the deadline */
#define PICKED_IS_FREED		25	/* by CANCEL, though it is among the gone */
#define SLOT_OF_TWO_OWNERS	26	/* by the program; so it is without OWNED */

#ifndef BROKEN
#define BROKEN		0
#endif
