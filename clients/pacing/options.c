// SPDX-License-Identifier: GPL-2.0
/*
 * The options and the statistics of the qdisc.
 */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include "pacing.h"

#define HORIZON_MAX	(3600ULL * NSEC_PER_SEC)
#define TICK_MAX	(10ULL * NSEC_PER_MSEC)
#define QUANTUM_MIN	256U
#define QUANTUM_MAX	(1U << 20)
#define INITIAL_MAX	(1U << 30)

void options_default(struct Qdisc *sch, struct options *options)
{
	u32 mtu = clamp_t(u32, psched_mtu(qdisc_dev(sch)), QUANTUM_MIN / 2, QUANTUM_MAX / 2);

	*options = (struct options) {
		.limit			= 10000,
		.flow_limit		= 100,
		.quantum		= 2 * mtu,
		.initial_quantum	= 10 * mtu,
		.orphan_mask		= 1023,
		.horizon_drop		= true,
		.maxrate		= NO_RATE,
		.horizon		= 10 * NSEC_PER_SEC,
		.ce_threshold		= ~0ULL,
		.tick			= 50 * NSEC_PER_USEC,
	};
}

static const struct nla_policy policy[TCA_WHEEL_MAX + 1] = {
	[TCA_WHEEL_LIMIT]		= { .type = NLA_U32 },
	[TCA_WHEEL_FLOW_LIMIT]		= { .type = NLA_U32 },
	[TCA_WHEEL_QUANTUM]		= { .type = NLA_U32 },
	[TCA_WHEEL_INITIAL_QUANTUM]	= { .type = NLA_U32 },
	[TCA_WHEEL_MAXRATE]		= { .type = NLA_U64 },
	[TCA_WHEEL_HORIZON]		= { .type = NLA_U64 },
	[TCA_WHEEL_HORIZON_DROP]	= NLA_POLICY_MAX(NLA_U8, 1),
	[TCA_WHEEL_ORPHAN_MASK]		= { .type = NLA_U32 },
	[TCA_WHEEL_CE_THRESHOLD]	= { .type = NLA_U64 },
	[TCA_WHEEL_TICK]		= { .type = NLA_U64 },
	[TCA_WHEEL_OFFLOAD]		= { .type = NLA_FLAG },
};

static void get_u32(u32 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u32(attr);
}

static void get_u64(u64 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u64(attr);
}

static int options_check(const struct options *options, struct netlink_ext_ack *extack)
{
	if (!options->limit || !options->flow_limit)
		NL_SET_ERR_MSG_MOD(extack, "limit and flow_limit must be at least 1");
	else if (options->quantum < QUANTUM_MIN || options->quantum > QUANTUM_MAX)
		NL_SET_ERR_MSG_MOD(extack, "quantum must be from 256 to 1048576 bytes");
	else if (options->initial_quantum > INITIAL_MAX)
		NL_SET_ERR_MSG_MOD(extack, "initial_quantum must be at most 2^30 bytes");
	else if (!options->maxrate)
		NL_SET_ERR_MSG_MOD(extack, "maxrate must be at least 1 byte per second");
	else if (!options->tick || options->tick > TICK_MAX)
		NL_SET_ERR_MSG_MOD(extack, "tick must be from 1 ns to 10 ms");
	else if (options->horizon < options->tick || options->horizon > HORIZON_MAX)
		NL_SET_ERR_MSG_MOD(extack, "horizon must be from one tick to one hour");
	else
		return 0;
	return -EINVAL;
}

/* Change the options that a message contains. On failure, they are undefined. */
int options_parse(struct nlattr *attr, struct options *options,
		  struct netlink_ext_ack *extack)
{
	u64 maxrate = options->maxrate;
	struct nlattr *tb[TCA_WHEEL_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_WHEEL_MAX, attr, policy, extack);
	if (err)
		return err;
	if (tb[TCA_WHEEL_OFFLOAD]) {
		NL_SET_ERR_MSG_MOD(extack, "offload of departure times is not supported");
		return -EOPNOTSUPP;
	}
	get_u32(&options->limit, tb[TCA_WHEEL_LIMIT]);
	get_u32(&options->flow_limit, tb[TCA_WHEEL_FLOW_LIMIT]);
	get_u32(&options->quantum, tb[TCA_WHEEL_QUANTUM]);
	get_u32(&options->initial_quantum, tb[TCA_WHEEL_INITIAL_QUANTUM]);
	get_u32(&options->orphan_mask, tb[TCA_WHEEL_ORPHAN_MASK]);
	get_u64(&maxrate, tb[TCA_WHEEL_MAXRATE]);
	options->maxrate = maxrate;
	get_u64(&options->horizon, tb[TCA_WHEEL_HORIZON]);
	get_u64(&options->ce_threshold, tb[TCA_WHEEL_CE_THRESHOLD]);
	get_u64(&options->tick, tb[TCA_WHEEL_TICK]);
	if (tb[TCA_WHEEL_HORIZON_DROP])
		options->horizon_drop = nla_get_u8(tb[TCA_WHEEL_HORIZON_DROP]);
	return options_check(options, extack);
}

int pacing_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct pacing *pacing = qdisc_priv(sch);
	const struct options *options = &pacing->options;
	struct nlattr *nest = nla_nest_start_noflag(skb, TCA_OPTIONS);

	if (!nest)
		return -1;
	if (nla_put_u32(skb, TCA_WHEEL_LIMIT, sch->limit) ||
	    nla_put_u32(skb, TCA_WHEEL_FLOW_LIMIT, options->flow_limit) ||
	    nla_put_u32(skb, TCA_WHEEL_QUANTUM, options->quantum) ||
	    nla_put_u32(skb, TCA_WHEEL_INITIAL_QUANTUM, options->initial_quantum) ||
	    nla_put_u64_64bit(skb, TCA_WHEEL_MAXRATE, options->maxrate, TCA_WHEEL_PAD) ||
	    nla_put_u64_64bit(skb, TCA_WHEEL_HORIZON, options->horizon, TCA_WHEEL_PAD) ||
	    nla_put_u8(skb, TCA_WHEEL_HORIZON_DROP, options->horizon_drop) ||
	    nla_put_u32(skb, TCA_WHEEL_ORPHAN_MASK, options->orphan_mask) ||
	    nla_put_u64_64bit(skb, TCA_WHEEL_CE_THRESHOLD, options->ce_threshold,
			      TCA_WHEEL_PAD) ||
	    nla_put_u64_64bit(skb, TCA_WHEEL_TICK, options->tick, TCA_WHEEL_PAD)) {
		nla_nest_cancel(skb, nest);
		return -1;
	}
	return nla_nest_end(skb, nest);
}

/* Return an upper bound of the lateness of @percent of the expiries. */
static u64 late_bound(const struct wheel_stats *stats, unsigned int percent)
{
	u64 sum = 0, below = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(stats->late); i++)
		sum += stats->late[i];
	for (i = 0; i < ARRAY_SIZE(stats->late); i++) {
		below += stats->late[i];
		if (sum && below * 100 >= sum * percent)
			return i < 63 ? 2ULL << i : ~0ULL;
	}
	return 0;
}

int pacing_dump_stats(struct Qdisc *sch, struct gnet_dump *dump)
{
	struct pacing *pacing = qdisc_priv(sch);
	const struct flows *flows;
	struct tc_wheel_xstats counts;
	struct wheel_stats stats;

	sch_tree_lock(sch);
	counts = pacing->counts;
	stats = pacing->past;
	stats.pending = 0;
	flows = pacing->flows;
	if (flows) {
		flows_add_stats(pacing->flows, &stats);
		counts.flows = flows->count;
		counts.idle = flows->idle_count;
		counts.collected += flows->collected;
	}
	sch_tree_unlock(sch);
	counts.waiting = stats.pending;
	counts.throttled = stats.armed;
	counts.interrupts = stats.wakeups;
	counts.late[0] = late_bound(&stats, 50);
	counts.late[1] = late_bound(&stats, 99);
	counts.late[2] = late_bound(&stats, 100);
	return gnet_stats_copy_app(dump, &counts, sizeof(counts));
}
