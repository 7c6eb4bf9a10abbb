/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * Netlink attributes and statistics of the qdisc "wheel", for its module and for the plug-in of tc.
 */
#ifndef _PKT_WHEEL_H
#define _PKT_WHEEL_H

#include <linux/types.h>

/* Attributes in TCA_OPTIONS */
enum {
	TCA_WHEEL_UNSPEC,
	TCA_WHEEL_PAD,
	TCA_WHEEL_LIMIT,		/* u32: packets in the qdisc */
	TCA_WHEEL_FLOW_LIMIT,		/* u32: packets per flow */
	TCA_WHEEL_QUANTUM,		/* u32: bytes per flow and round */
	TCA_WHEEL_INITIAL_QUANTUM,	/* u32: bytes that a new flow may send at first */
	TCA_WHEEL_MAXRATE,		/* u64: bytes per second and flow; ~0: unlimited */
	TCA_WHEEL_HORIZON,		/* u64: ns from now to the latest departure */
	TCA_WHEEL_HORIZON_DROP,		/* u8: 1: drop packets beyond it; 0: move them to it */
	TCA_WHEEL_ORPHAN_MASK,		/* u32: of the hash of packets without a socket */
	TCA_WHEEL_CE_THRESHOLD,		/* u64: ns after the departure; ~0: no marks */
	TCA_WHEEL_TICK,			/* u64: ns */
	TCA_WHEEL_OFFLOAD,		/* flag; not supported */
	__TCA_WHEEL_MAX
};

#define TCA_WHEEL_MAX	(__TCA_WHEEL_MAX - 1)

/**
 * struct tc_wheel_xstats - Statistics of the qdisc, TCA_STATS_APP
 * @flows: flows in memory
 * @idle: of these, flows without packets
 * @waiting: of these, flows that wait for their next departure
 * @pad: 0
 * @direct: packets that were queued without a flow, because none was waiting
 * @throttled: number of times that a flow had to wait
 * @collected: idle flows that were freed
 * @flow_limit_drops: packets dropped because their flow had reached its limit
 * @horizon_drops: packets dropped because they were to leave beyond the horizon
 * @horizon_caps: packets that were moved to the horizon
 * @ce_marks: packets marked because they left late
 * @alloc_errors: packets dropped because no memory was available for a flow
 * @long_gaps: packets whose gap was reduced to the horizon
 * @interrupts: interrupts of the wheel's hrtimer
 * @late: lateness of departures of flows that waited, in ns: upper bounds, rounded up to a power of
 *	two, of 50 %, 99 % and all of them
 */
struct tc_wheel_xstats {
	__u32	flows;
	__u32	idle;
	__u32	waiting;
	__u32	pad;
	__u64	direct;
	__u64	throttled;
	__u64	collected;
	__u64	flow_limit_drops;
	__u64	horizon_drops;
	__u64	horizon_caps;
	__u64	ce_marks;
	__u64	alloc_errors;
	__u64	long_gaps;
	__u64	interrupts;
	__u64	late[3];
};

#endif
