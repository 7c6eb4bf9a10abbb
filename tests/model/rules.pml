/* SPDX-License-Identifier: GPL-2.0 */
/* What is checked, and the rules that can be broken to see it found. */

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
#define ARM_RECLAIMS_BY_STORE	5	/* ARM over a parked word, not comparing */
#define PASS_RECLAIMS_BY_STORE	6
#define FILE_FIRST		7	/* ARM files before it writes the word */
#define RECLAIM_IN_FLIGHT_BUSY	8	/* ARM takes a reclaim for an event */
#define RECLAIM_FREES_LATE	9	/* and frees the slot of the next timer */
#define STOPPED_IS_RECLAIMED	10	/* ARM takes what STOP took as reclaimed */
#define STOP_BY_STORE		11	/* STOP reads, then stores */
#define CANCEL_BY_STORE		12	/* CANCEL reads, then stores */
#define REARM_STORES_ZERO	13	/* a deadline of 0 parks */
#define REARM_REVIVES		14	/* REARM does not compare */
#define GARBAGE_IS_LATER	15	/* bit 63 is taken for a far deadline */
#define RETRY_FOREVER		16	/* the pass tries until it wins */
#define REFILE_LATE		17	/* a tick after the word */
#define FIRE_BY_FILING		18	/* the pass never looks at the deadline */
#define SLOT_OF_TWO_OWNERS	19	/* by the program; so it is without OWNED */
#define ARM_GIVES_UP		20	/* when the pass has reclaimed before it */

#ifndef BROKEN
#define BROKEN		0
#endif
