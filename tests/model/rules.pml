/* SPDX-License-Identifier: GPL-2.0 */
/* The properties to check, and the rules that can be broken to verify the checks. */

/* Properties. */
#define NEVER_EARLY	1	/* no event before the deadline last written */
#define DECISIVE	2	/* no event after park or cancel, and neither after an event */
#define EXACTLY_ONCE	3	/* armed = fired + cancelled + pending */
#define NONE_LOST	4	/* each armed timer fires, is cancelled or reclaimed */
#define IN_TIME		5	/* queued no later than the latest word since ARM */
#define TRUE_ANSWERS	6	/* a result was correct at one moment of the call */
#define LOOKS_END	7	/* each pass ends, regardless of the program */
#define NO_STRANGER	8	/* a touch changes only the intended timer */

#define check(property, what)	assert(PROPERTY != property || (what))

/* Broken rules: BROKEN selects one. All but the last are rules of the kernel. */
#define CLAIM_BY_STORE		1	/* the pass claims without comparing */
#define PUBLISH_FIRST		2	/* the event is published before the claim */
#define PASS_READS_TWICE	3	/* once to decide and once to claim */
#define QUERY_READS_TWICE	4	/* once to decide and once for the result */
#define LIST_LOCKS_THE_FILE	5	/* but not the base, whose pass may requeue */
#define ARM_RECLAIMS_BY_STORE	6	/* ARM replaces a parked word without comparing */
#define PASS_RECLAIMS_BY_STORE	7
#define RECLAIMED_IS_BUSY	8	/* ARM mistakes a reclaim for an event */
#define FIRED_IS_RECLAIMED	9	/* an operation mistakes an event for a reclaim */
#define STOPPED_IS_RECLAIMED	10	/* CANCEL mistakes a timer taken by STOP for one */
#define STOP_IS_NOT_TOLD	11	/* ARM is not disabled before the base is */
#define STOP_BY_STORE		12	/* STOP reads, then stores */
#define CANCEL_BY_STORE		13	/* CANCEL reads, then stores */
#define CANCEL_BY_WORD		14	/* CANCEL checks the word, not the wheel */
#define ARM_LETS_GO		15	/* base_lock is dropped between wheel and word */
#define REARM_LETS_GO		16
#define CANCEL_LETS_GO		17
#define REARM_SHOWS_REFUSED	18	/* writes the word first; restores it on errors */
#define REARM_STORES_ZERO	19	/* a deadline of 0 is stored, which parks */
#define REARM_REVIVES		20	/* REARM writes the word without comparing */
#define GARBAGE_IS_LATER	21	/* bit 63 is treated as a late deadline */
#define RETRY_FOREVER		22	/* the pass retries without limit */
#define REFILE_LATE		23	/* requeued one tick after the word */
#define FIRE_BY_FILING		24	/* the pass ignores the deadline */
#define SLOT_OF_TWO_OWNERS	25	/* the program arms and touches concurrently */

#ifndef BROKEN
#define BROKEN		0
#endif
