// SPDX-License-Identifier: GPL-2.0
/*
 * The qdisc "wheel": when packets leave.
 *
 * A packet with a departure time, skb->tstamp, leaves at this time or later. The sender sets it by
 * SO_TXTIME with CLOCK_MONOTONIC, TCP by its internal pacing. A flow with a rate sends a packet no
 * earlier than the departure of the previous one plus its length divided by the rate.
 *
 * This is the planned departure, because the lateness of the wheel must not reduce the rate. Hence
 * a flow may send several packets per tick. If a packet leaves late by more than a tick and by more
 * than half the gap, the excess is lost.
 */
#include <linux/if_ether.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/pkt_sched.h>
#include <net/inet_ecn.h>
#include <net/pkt_sched.h>
#include <net/sock.h>
#include "compat.h"
#include "pacing.h"
#include "table.h"

/* Maximum number of packets that wait without a flow. */
#define DIRECT_MAX	8

/* Number of jiffies of idleness after which a flow may send a quantum again. */
#define REFILL		(HZ / 25)

/* Maximum number of times that one dequeue() moves due flows. */
#define RUN_MAX		4

/* Maximum number of turns that a packet costs, however long a size table makes it. */
#define TURNS_MAX	256U

/*
 * The current time is normally before this. If jiffies are late by more than a tick of the kernel,
 * it may be after it.
 */
static u64 flows_clock_bound(const struct flows *flows)
{
	return flows->now + (jiffies - flows->now_jiffies + 2) * TICK_NSEC;
}

/*
 * Check whether a time is in the future. The clock is read only if neither its last reading nor
 * jiffies suffice. The result may be true for a time that has just passed: then a flow waits until
 * the next tick of the wheel.
 */
static bool flows_ahead(struct flows *flows, u64 time)
{
	return time > flows->now &&
	       (time > flows_clock_bound(flows) || time > flows_clock(flows));
}

/* The rate of a packet's flow in bytes per second. TCP has applied its rate to skb->tstamp. */
static inline unsigned long packet_rate(const struct pacing *pacing, const struct sk_buff *skb)
{
	unsigned long rate = pacing->options.maxrate;
	const struct sock *sk = skb->sk;

	if (sk && sk_fullsock(sk) && !(skb->tstamp && sk_is_tcp(sk)))
		rate = min(rate, READ_ONCE(sk->sk_pacing_rate));
	return rate;
}

/* Departure of the first packet of a flow that is not idle */
static u64 flow_departure(const struct flow *flow)
{
	return max(flow->next, *packet_time(packets_first(&flow->packets)));
}

/* A waiting flow's first departure may have changed. */
static void flow_reschedule(struct flows *flows, struct flow *flow)
{
	u64 departure = flow_departure(flow);

	if (departure == wheel_timer_deadline(&flow->timer))
		return;
	if (flows_ahead(flows, departure) && flow_wait(flows, flow, departure))
		return;
	flow_wake(flows, flow);
	turns_add(&flows->ready, flow);
}

/* Tell TCP that it need not delay packets itself. */
static void socket_is_paced(struct sock *sk)
{
	if (READ_ONCE(sk->sk_pacing_status) == SK_PACING_FQ)
		return;
	/* As in sch_fq: TCP reads it without the qdisc's lock, when it sends the next packet. */
	smp_store_release(&sk->sk_pacing_status, SK_PACING_FQ);
}

/*
 * The key of a packet's flow. A UDP socket that is not connected, and sends to many destinations,
 * is in state CLOSE. If it has a rate, it has a flow, because others must not wait for its rate.
 * Neither must replies of a listener and of an incomplete socket.
 */
static unsigned long packet_key(const struct pacing *pacing, struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (likely(sk && sk_fullsock(sk))) {
		if (likely(sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN))
			return (unsigned long)sk;
		if (sk->sk_state == TCP_CLOSE && READ_ONCE(sk->sk_pacing_rate) != NO_RATE)
			return (unsigned long)sk;
		if (sk->sk_state == TCP_LISTEN)
			skb_orphan(skb);
	} else if (sk) {
		skb_orphan(skb);
	}
	return (unsigned long)(skb_get_hash(skb) & pacing->options.orphan_mask) << 1 | 1;
}

/* The address of a socket was reused by another one. */
static void flow_reuse(struct pacing *pacing, struct flows *flows, struct flow *flow,
		       const struct sock *sk)
{
	flow->socket_hash = sk->sk_hash;
	flow->credit = pacing->options.initial_quantum;
	flow->next = 0;
	if (flow_waits(flow))
		flow_reschedule(flows, flow);
}

/* Find or create the flow of a packet. Returns NULL if no memory is available. */
static struct flow *flow_get(struct Qdisc *sch, struct flows *flows, struct sk_buff *skb)
{
	struct pacing *pacing = qdisc_priv(sch);
	unsigned long key = packet_key(pacing, skb);
	bool owned = !(key & 1);
	struct flow *flow = table_find(&flows->table, key);

	if (likely(flow)) {
		if (owned && unlikely(flow->socket_hash != skb->sk->sk_hash))
			flow_reuse(pacing, flows, flow, skb->sk);
	} else {
		flow = flow_create(flows, key, sch->limit);
		if (unlikely(!flow))
			return NULL;
		flow->credit = pacing->options.initial_quantum;
		if (owned)
			flow->socket_hash = skb->sk->sk_hash;
	}
	if (owned)
		socket_is_paced(skb->sk);
	return flow;
}

/*
 * Determine the departure time that the sender requests. Returns false if it is beyond the horizon
 * and the packet must be dropped.
 */
static bool packet_admit(struct pacing *pacing, struct flows *flows, struct sk_buff *skb)
{
	const struct options *options = &pacing->options;
	u64 time = skb->tstamp;

	if (time > flows->now + options->horizon &&
	    time > flows_clock(flows) + options->horizon) {
		if (options->horizon_drop) {
			pacing->counts.horizon_drops++;
			return false;
		}
		pacing->counts.horizon_caps++;
		time = flows->now + options->horizon;
		skb->tstamp = time;
	}
	/* A mark of lateness needs the time of arrival. */
	if (!time && unlikely(options->ce_threshold != ~0ULL))
		time = flows_clock(flows);
	*packet_time(skb) = time;
	return true;
}

/* Check whether a packet may leave without a flow. It then overtakes no other one of its flow. */
static bool packet_is_direct(struct Qdisc *sch, struct flows *flows, const struct sk_buff *skb)
{
	const struct pacing *pacing = qdisc_priv(sch);

	if (unlikely((skb->priority & TC_PRIO_MAX) == TC_PRIO_CONTROL))
		return true;
	return sch->q.qlen == flows->direct.count && flows->direct.count < DIRECT_MAX &&
	       packet_rate(pacing, skb) == NO_RATE && pacing->options.ce_threshold == ~0ULL &&
	       !flows_ahead(flows, *packet_time(skb));
}

static void direct_add(struct pacing *pacing, struct flows *flows, struct sk_buff *skb)
{
	struct sock *sk = skb->sk;

	if (sk && sk_fullsock(sk) && sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN)
		socket_is_paced(sk);
	*packet_time(skb) = 0;
	packets_add(&flows->direct, skb);
	pacing->counts.direct++;
}

/* Queue the first packet of an idle flow. */
static void flow_begin(struct pacing *pacing, struct flows *flows, struct flow *flow,
		       struct sk_buff *skb)
{
	u64 departure;

	packets_add(&flow->packets, skb);
	flows->idle_count--;
	if (time_after(jiffies, flow->idle_since + REFILL))
		flow->credit = max_t(s32, flow->credit, pacing->options.quantum);
	/* A flow that was idle has not missed departures. */
	if (packet_rate(pacing, skb) != NO_RATE && !flows_ahead(flows, flow->next))
		flow->next = flows_clock(flows);
	departure = max(flow->next, *packet_time(skb));
	if (!flows_ahead(flows, departure) || unlikely(!flow_wait(flows, flow, departure)))
		turns_add(&flows->fresh, flow);
}

/*
 * The time of a packet without a departure time that is queued after others. It is that of arrival,
 * except that behind packets which are due, that of the last one saves a reading of the clock.
 */
static u64 packet_arrival(struct flows *flows, const struct flow *flow)
{
	const struct packets *packets = &flow->packets;
	u64 last;

	/* If the flow waits for another reason than its rate, it must not save up departures. */
	if (unlikely(!RB_EMPTY_ROOT(&packets->tree)) ||
	    (flow_waits(flow) && flow->next < wheel_timer_deadline(&flow->timer)))
		return flows_clock(flows);
	last = *packet_time(packets->tail);
	return flows_ahead(flows, last) ? flows->now : last;
}

/* Queue another packet. */
static void flow_append(struct flows *flows, struct flow *flow, struct sk_buff *skb)
{
	if (!*packet_time(skb))
		*packet_time(skb) = packet_arrival(flows, flow);
	packets_add(&flow->packets, skb);
	if (unlikely(packets_first(&flow->packets) == skb) && flow_waits(flow))
		flow_reschedule(flows, flow);
}

static struct flows *flows_get(struct pacing *pacing)
{
	if (unlikely(!pacing->flows)) {
		pacing->flows = xchg(&pacing->spare, NULL);
		schedule_work(&pacing->renew);
	}
	return pacing->flows;
}

static int pacing_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct pacing *pacing = qdisc_priv(sch);
	struct flows *flows = flows_get(pacing);
	struct flow *flow;

	if (unlikely(sch->q.qlen >= sch->limit || !flows ||
		     !packet_admit(pacing, flows, skb)))
		return qdisc_drop(skb, sch, to_free);
	if (packet_is_direct(sch, flows, skb)) {
		direct_add(pacing, flows, skb);
		goto queued;
	}
	flow = flow_get(sch, flows, skb);
	if (unlikely(!flow)) {
		pacing->counts.alloc_errors++;
		return qdisc_drop(skb, sch, to_free);
	}
	if (!flow->packets.count) {
		flow_begin(pacing, flows, flow, skb);
	} else if (likely(flow->packets.count < pacing->options.flow_limit)) {
		flow_append(flows, flow, skb);
	} else {
		pacing->counts.flow_limit_drops++;
		return qdisc_drop(skb, sch, to_free);
	}
queued:
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

/* The time until the next departure of a flow, by its rate */
static u64 packet_gap(struct pacing *pacing, const struct sk_buff *skb, unsigned long rate)
{
	u64 gap = (u64)qdisc_pkt_len(skb) * NSEC_PER_SEC;

	gap = likely(rate) ? div64_ul(gap, rate) : WHEEL_NEVER;
	if (likely(gap <= pacing->options.horizon))
		return gap;
	pacing->counts.long_gaps++;
	return pacing->options.horizon;
}

/*
 * Set the earliest departure of the packet after @skb. @departure is the one planned for @skb. Its
 * lateness is determined by the last reading of the clock, which may be old. A flow whose next
 * departure is after that reading must wait, and when it has waited, the clock is read again. So
 * the flow catches up only with the packets that were due at the last reading.
 */
static void flow_charge(struct pacing *pacing, struct flows *flows, struct flow *flow,
			const struct sk_buff *skb, u64 departure, unsigned long rate)
{
	u64 gap = packet_gap(pacing, skb, rate);
	u64 allowance = max(pacing->options.tick, gap / 2);

	flow->next = max(departure + allowance, flows->now) - allowance + gap;
}

/*
 * Packets that were queued before the threshold was set may have no departure. Not inline, because
 * its buffer on the stack would be protected in each call of the caller.
 */
static noinline void packet_mark_late(struct pacing *pacing, struct flows *flows,
				      struct sk_buff *skb, u64 departure)
{
	if (departure && flows_clock(flows) - departure > pacing->options.ce_threshold &&
	    INET_ECN_set_ce(skb))
		pacing->counts.ce_marks++;
}

/* Take the first packet of the flow whose turn it is. */
static struct sk_buff *flow_send(struct Qdisc *sch, struct flows *flows, struct turns *turns)
{
	struct pacing *pacing = qdisc_priv(sch);
	struct flow *flow = turns->first;
	struct sk_buff *skb = packets_first(&flow->packets);
	u64 departure = max(flow->next, *packet_time(skb));
	unsigned long rate = packet_rate(pacing, skb);

	packets_remove(&flow->packets, skb, qdisc_dev(sch));
	flow->credit -= min(qdisc_pkt_len(skb), TURNS_MAX * pacing->options.quantum);
	if (rate != NO_RATE)
		flow_charge(pacing, flows, flow, skb, departure, rate);
	if (unlikely(pacing->options.ce_threshold != ~0ULL))
		packet_mark_late(pacing, flows, skb, departure);
	if (!flow->packets.count) {
		turns_remove(turns);
		flow_rest(flows, flow);
		return skb;
	}
	/* If the last reading of the clock is old, the flow may wait for a tick that has passed. */
	departure = flow_departure(flow);
	if (departure > flows->now) {
		turns_remove(turns);
		if (unlikely(!flow_wait(flows, flow, departure)))
			turns_add(&flows->ready, flow);
	}
	return skb;
}

/* The list of the flow that sends next, or NULL if none may send now. */
static struct turns *flows_select(struct pacing *pacing, struct flows *flows)
{
	struct turns *turns;
	struct flow *flow;

	for (;;) {
		turns = flows->fresh.first ? &flows->fresh : &flows->ready;
		flow = turns->first;
		if (!flow)
			return NULL;
		if (likely(flow->credit > 0))
			return turns;
		flow->credit += pacing->options.quantum;
		turns_remove(turns);
		turns_add(&flows->ready, flow);
	}
}

static struct sk_buff *packet_next(struct Qdisc *sch, struct flows *flows)
{
	struct sk_buff *skb = packets_first(&flows->direct);
	struct turns *turns;
	int runs = 0;

	if (unlikely(skb)) {
		packets_remove(&flows->direct, skb, qdisc_dev(sch));
		return skb;
	}
	if (READ_ONCE(flows->due))
		flows_run(flows);
	while (!(turns = flows_select(qdisc_priv(sch), flows))) {
		if (likely(!READ_ONCE(flows->due)))
			return NULL;
		if (++runs == RUN_MAX) {
			__netif_schedule(qdisc_root_bh(sch));
			return NULL;
		}
		flows_run(flows);
	}
	return flow_send(sch, flows, turns);
}

/*
 * Check whether no packet may leave. While all flows wait, a dequeue() follows each enqueue().
 *
 *	net_tx_action()			flows_interrupt()
 *
 *	clear __QDISC_STATE_SCHED	due = true
 *	full barrier			full barrier
 *	read due			test and set __QDISC_STATE_SCHED
 *
 * Either this reads @due, or the interrupt schedules the qdisc once more. On x86, both atomic
 * operations are the barriers.
 */
static bool flows_all_wait(const struct flows *flows)
{
	if (flows->fresh.first || flows->ready.first || flows->direct.count)
		return false;
	/* Pairs with flows_interrupt(). */
	smp_mb__after_atomic();
	return !READ_ONCE(flows->due);
}

static noinline struct sk_buff *packet_dequeue(struct Qdisc *sch, struct flows *flows)
{
	struct sk_buff *skb = packet_next(sch, flows);

	if (!skb)
		return NULL;
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	qdisc_bstats_update(sch, skb);
	return skb;
}

static struct sk_buff *pacing_dequeue(struct Qdisc *sch)
{
	struct pacing *pacing = qdisc_priv(sch);
	struct flows *flows = pacing->flows;

	return unlikely(!flows) || flows_all_wait(flows) ? NULL : packet_dequeue(sch, flows);
}

/* Allocate the flows for the next reset, then free the discarded ones. */
static void pacing_renew(struct work_struct *work)
{
	struct pacing *pacing = container_of(work, struct pacing, renew);
	struct mem_cgroup *own = set_active_memcg(pacing->memcg);
	struct flows *flows, *next;

	flows = READ_ONCE(pacing->spare) ? NULL : flows_create(pacing->sch, pacing->options.tick);
	if (flows)
		/* Pairs with the xchg() of the two users: the flows are complete. */
		smp_store_release(&pacing->spare, flows);
	set_active_memcg(own);
	llist_for_each_entry_safe(flows, next, llist_del_all(&pacing->discarded), discarded)
		flows_destroy(flows);
}

/*
 * Discard all flows. The caller holds a spin lock, so a work item frees them. pacing_destroy()
 * waits for it.
 */
static void pacing_reset(struct Qdisc *sch)
{
	struct pacing *pacing = qdisc_priv(sch);
	struct flows *flows = pacing->flows;

	if (!flows || (!sch->q.qlen && !flows->count))
		return;
	flows_add_stats(flows, &pacing->past);
	pacing->counts.collected += flows->collected;
	pacing->flows = xchg(&pacing->spare, NULL);
	llist_add(&flows->discarded, &pacing->discarded);
	schedule_work(&pacing->renew);
}

static int pacing_change(struct Qdisc *sch, struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct pacing *pacing = qdisc_priv(sch);
	struct options options = pacing->options;
	int err;

	options.limit = sch->limit;
	err = options_parse(attr, &options, extack);
	if (err)
		return err;
	if (options.tick != pacing->options.tick) {
		NL_SET_ERR_MSG_MOD(extack, "the tick of an existing qdisc cannot be changed");
		return -EINVAL;
	}
	sch_tree_lock(sch);
	pacing->options = options;
	sch->limit = options.limit;
	sch_tree_unlock(sch);
	return 0;
}

static int pacing_init(struct Qdisc *sch, struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct pacing *pacing = qdisc_priv(sch);
	int err;

	pacing->sch = sch;
	pacing->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_WORK(&pacing->renew, pacing_renew);
	options_default(sch, &pacing->options);
	err = attr ? options_parse(attr, &pacing->options, extack) : 0;
	if (err)
		return err;
	sch->limit = pacing->options.limit;
	pacing->flows = flows_create(sch, pacing->options.tick);
	pacing->spare = flows_create(sch, pacing->options.tick);
	return pacing->flows && pacing->spare ? 0 : -ENOMEM;
}

static void pacing_destroy(struct Qdisc *sch)
{
	struct pacing *pacing = qdisc_priv(sch);

	flush_work(&pacing->renew);
	flows_destroy(pacing->flows);
	flows_destroy(pacing->spare);
	mem_cgroup_put(pacing->memcg);
}

static struct Qdisc_ops pacing_ops = {
	.id		= "wheel",
	.priv_size	= sizeof(struct pacing),
	.enqueue	= pacing_enqueue,
	.dequeue	= pacing_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= pacing_init,
	.reset		= pacing_reset,
	.destroy	= pacing_destroy,
	.change		= pacing_change,
	.dump		= pacing_dump,
	.dump_stats	= pacing_dump_stats,
	.owner		= THIS_MODULE,
};

static int __init pacing_module_init(void)
{
	int err = flows_init();

	if (err)
		return err;
	err = register_qdisc(&pacing_ops);
	if (err)
		flows_exit();
	return err;
}

static void __exit pacing_module_exit(void)
{
	unregister_qdisc(&pacing_ops);
	flows_exit();
}

module_init(pacing_module_init);
module_exit(pacing_module_exit);
MODULE_ALIAS_NET_SCH("wheel");
MODULE_DESCRIPTION("Packet scheduler that paces flows on a timing wheel");
MODULE_LICENSE("GPL");
