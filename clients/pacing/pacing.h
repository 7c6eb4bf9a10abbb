/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The qdisc "wheel" sends the packets of each flow on time. A flow that must wait for its next
 * departure is on a timing wheel.
 *
 *	enqueue() --> direct ------------------------------------> dequeue()
 *	    |			  no flow has packets			^
 *	    |								|
 *	    '-------> flow: idle --> ready -- round robin, quantum -----'
 *			  |		^
 *			  |		| wheel_step(), after the interrupt
 *			  '--> waiting -'
 *			       on the wheel
 *
 * The root qdisc's lock protects everything here, except for struct flows once it is discarded. The
 * interrupt of the wheel takes no lock: it sets @due and schedules the qdisc.
 */
#ifndef _SCH_WHEEL_PACING_H
#define _SCH_WHEEL_PACING_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/skbuff.h>
#include <linux/wheel_timer_owner.h>
#include <linux/workqueue.h>
#include <net/sch_generic.h>
#include "packets.h"
#include "pkt_wheel.h"

/* No limit of a rate, as in sk_pacing_rate. */
#define NO_RATE		(~0UL)

/**
 * struct flow - Packets of one socket, or those without a socket that have the same hash
 * @chain: next flow in the same bucket of the table, or NULL
 * @key: address of the socket, or an odd hash
 * @packets: packets that wait
 * @credit: bytes that the flow may send before it is moved to the end of the ready flows
 * @next: earliest departure of the next packet by the flow's rate
 * @after: flow whose turn is after this one; valid only while it is ready
 * @check_after: flow whose age is checked after that of this one, or NULL
 * @socket_hash: sk_hash of the socket, to detect that its address was reused
 * @idle_since: time in jiffies when the last packet was sent; valid only while idle
 * @timer: pending while the flow waits for its next departure
 */
struct flow {
	struct flow		*chain;
	unsigned long		key;
	struct packets		packets;
	s32			credit;
	u64			next;
	struct flow		*after;
	struct flow		*check_after;
	u32			socket_hash;
	unsigned long		idle_since;
	struct wheel_timer	timer;
};

/**
 * struct turns - Ready flows, which take turns
 * @first: flow whose turn it is, or NULL
 * @last: last flow; valid only if @first is not NULL
 */
struct turns {
	struct flow	*first;
	struct flow	*last;
};

/* Maximum number of buckets, and their number per segment, which is a page or more */
#define TABLE_MAX	(1U << 19)
#define SEGMENT_SIZE	512

/**
 * struct table - Hash table of flows, see table.h
 * @multiplier: random odd number
 * @mask: twice the number of buckets before the current round of splits, minus 1
 * @buckets: number of buckets
 * @segment: arrays of SEGMENT_SIZE buckets; NULL from the last bucket on
 */
struct table {
	u64		multiplier;
	u32		mask;
	u32		buckets;
	struct flow	**segment[TABLE_MAX / SEGMENT_SIZE];
};

/**
 * struct flows - All flows of a qdisc; discarded as a whole when the qdisc is reset
 * @wheel: wheel of the flows that wait
 * @due: true if the interrupt has left due timers to dequeue(); lockless
 * @now: last reading of the clock; the current time is not earlier
 * @now_jiffies: jiffies at the last reading of the clock
 * @direct: packets that need no flow
 * @fresh: ready flows that have not used up their credit since they became ready
 * @ready: other ready flows
 * @check_first: flow whose age is checked next, or NULL
 * @check_last: flow whose age is checked last; valid only if @check_first is not NULL
 * @count: number of flows
 * @idle_count: number of flows without packets
 * @collected: number of idle flows that were freed
 * @sch: qdisc
 * @discarded: entry in pacing.discarded
 * @table: flows by key
 */
struct flows {
	struct wheel		*wheel;
	bool			due;
	u64			now;
	unsigned long		now_jiffies;
	struct packets		direct;
	struct turns		fresh;
	struct turns		ready;
	struct flow		*check_first;
	struct flow		*check_last;
	u32			count;
	u32			idle_count;
	u64			collected;
	struct Qdisc		*sch;
	struct llist_node	discarded;
	struct table		table;
};

/**
 * struct options - Options of the qdisc, except for sch->limit
 * @flow_limit: maximum number of packets per flow
 * @quantum: bytes that a flow may send per round
 * @initial_quantum: bytes that a new flow may send in its first round
 * @orphan_mask: mask of the hash of packets without a socket
 * @horizon_drop: true if packets beyond the horizon are dropped
 * @maxrate: bytes per second and flow, or NO_RATE
 * @horizon: nanoseconds from now to the latest departure
 * @ce_threshold: nanoseconds after its departure time from which on a packet is marked, or ~0
 * @tick: tick length of the wheel in nanoseconds; never changed
 * @limit: maximum number of packets
 */
struct options {
	u32		flow_limit;
	u32		quantum;
	u32		initial_quantum;
	u32		orphan_mask;
	bool		horizon_drop;
	unsigned long	maxrate;
	u64		horizon;
	u64		ce_threshold;
	u64		tick;
	u32		limit;
};

/**
 * struct pacing - Private data of the qdisc
 * @options: options
 * @flows: flows in use, or NULL if none could be allocated since the last reset
 * @spare: flows for the next reset, or NULL; lockless
 * @discarded: flows to free
 * @renew: allocates the spare flows, and frees the discarded ones, which takes long
 * @counts: counters that tc_wheel_xstats describes
 * @past: counters of the wheels of discarded flows
 * @sch: qdisc
 * @memcg: memory cgroup that created the qdisc, to which the wheels are charged
 */
struct pacing {
	struct options		options;
	struct flows		*flows;
	struct flows		*spare;
	struct llist_head	discarded;
	struct work_struct	renew;
	struct tc_wheel_xstats	counts;
	struct wheel_stats	past;
	struct Qdisc		*sch;
	struct mem_cgroup	*memcg;
};

struct flows *flows_create(struct Qdisc *sch, u64 tick);
void flows_destroy(struct flows *flows);
void flows_run(struct flows *flows);
bool flow_wait(struct flows *flows, struct flow *flow, u64 until);
void flow_wake(struct flows *flows, struct flow *flow);
struct flow *flow_create(struct flows *flows, unsigned long key, u32 limit);
void flows_add_stats(struct flows *flows, struct wheel_stats *sum);
int flows_init(void);
void flows_exit(void);

int options_parse(struct nlattr *attr, struct options *options,
		  struct netlink_ext_ack *extack);
void options_default(struct Qdisc *sch, struct options *options);
int pacing_dump(struct Qdisc *sch, struct sk_buff *skb);
int pacing_dump_stats(struct Qdisc *sch, struct gnet_dump *dump);

/*
 * Number of jiffies after which an idle flow may be freed. Idle flows are in no list, so that a
 * flow that becomes idle and busy repeatedly costs nothing.
 */
#define IDLE_AGE	(3 * HZ)

static inline u64 flows_clock(struct flows *flows)
{
	flows->now_jiffies = jiffies;
	return flows->now = ktime_get_ns();
}

static inline void turns_add(struct turns *turns, struct flow *flow)
{
	flow->after = NULL;
	if (turns->first)
		turns->last->after = flow;
	else
		turns->first = flow;
	turns->last = flow;
}

/* Remove the first flow. */
static inline void turns_remove(struct turns *turns)
{
	turns->first = turns->first->after;
}

/* The last packet of a flow has left. */
static inline void flow_rest(struct flows *flows, struct flow *flow)
{
	flow->idle_since = jiffies;
	flows->idle_count++;
}

static inline bool flow_waits(const struct flow *flow)
{
	return wheel_timer_pending(&flow->timer);
}

#endif
