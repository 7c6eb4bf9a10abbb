// SPDX-License-Identifier: GPL-2.0
/*
 * The flows of a qdisc, and its wheel. This is the only file that uses the interface for owners of
 * wheels.
 */
#include <linux/slab.h>
#include <net/pkt_sched.h>
#include "packets.h"
#include "pacing.h"
#include "table.h"

/*
 * Number of flows to check before a flow is created: more than one, so that those which are no
 * longer used become fewer. And half the maximum number, if too many are idle.
 */
#define COLLECT		2
#define EVICT_MAX	16

/*
 * Tick length from which on the wheel is hashed. One revolution of its 4096 buckets then takes
 * 82 ms or more, and most flows wait for less. The timers of a hashed wheel do not move to lower
 * levels, but each revolution visits those that are due later. It has 140 KB instead of 23 KB.
 */
#define HASHED_TICK	(20 * NSEC_PER_USEC)

static struct kmem_cache *cache;

static void check_append(struct flows *flows, struct flow *flow)
{
	flow->check_after = NULL;
	if (flows->check_first)
		flows->check_last->check_after = flow;
	else
		flows->check_first = flow;
	flows->check_last = flow;
}

/* Free an idle flow that is in no list. */
static void flow_free(struct flows *flows, struct flow *flow)
{
	table_remove(&flows->table, flow);
	kmem_cache_free(cache, flow);
	flows->count--;
	flows->idle_count--;
	flows->collected++;
}

/*
 * Check the next flow. Free it if it is idle since @age jiffies and its rate permits a packet.
 * Otherwise it is checked again after all others.
 */
static void flow_check(struct flows *flows, long age, u64 now)
{
	struct flow *flow = flows->check_first;

	flows->check_first = flow->check_after;
	if (!flow->packets.count && (long)(jiffies - flow->idle_since) >= age && flow->next <= now)
		flow_free(flows, flow);
	else
		check_append(flows, flow);
}

/*
 * Free idle flows until fewer than @limit remain, or the next ones to check have packets. One that
 * must wait for its rate is freed only if the others do not suffice: it may exceed its rate then,
 * but new flows are not dropped.
 */
static void flows_evict(struct flows *flows, u32 limit)
{
	u64 now = ktime_get_ns();
	int n;

	for (n = 0; n < 2 * EVICT_MAX && flows->idle_count >= limit; n++)
		flow_check(flows, 0, n < EVICT_MAX ? now : WHEEL_NEVER);
}

/* Free flows that are idle for a long time. */
static void flows_collect(struct flows *flows)
{
	int n;

	for (n = 0; n < COLLECT && flows->count; n++)
		flow_check(flows, IDLE_AGE, flows->now);
}

/* Create an idle flow. Not many more than @limit remain idle. */
struct flow *flow_create(struct flows *flows, unsigned long key, u32 limit)
{
	struct flow *flow;

	flows_collect(flows);
	if (unlikely(flows->idle_count >= limit))
		flows_evict(flows, limit);
	flow = kmem_cache_zalloc(cache, GFP_ATOMIC | __GFP_NOWARN);
	if (unlikely(!flow))
		return NULL;
	flow->key = key;
	wheel_timer_init(&flow->timer, flows->wheel, NULL);
	flows->count++;
	table_insert(&flows->table, flow, flows->count);
	flow_rest(flows, flow);
	check_append(flows, flow);
	return flow;
}

static enum hrtimer_restart flows_interrupt(void *data)
{
	struct flows *flows = data;

	WRITE_ONCE(flows->due, true);
	/* Pairs with flows_all_wait(). */
	smp_mb__before_atomic();
	rcu_read_lock();
	__netif_schedule(qdisc_root(flows->sch));
	rcu_read_unlock();
	return HRTIMER_NORESTART;
}

static void flows_expire(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
	struct flows *flows = data;
	unsigned int i;

	for (i = 0; i < n; i++)
		turns_add(&flows->ready, from_wheel_timer((struct flow *)NULL, due[i], timer));
}

static const struct wheel_owner flows_owner = {
	.interrupt	= flows_interrupt,
	.expire		= flows_expire,
};

/* Move due flows to the ready ones, at most WHEEL_BATCH. If more are due, @due remains set. */
void flows_run(struct flows *flows)
{
	wheel_lock(flows->wheel);
	if (!wheel_step(flows->wheel, flows_clock(flows), WHEEL_BATCH)) {
		WRITE_ONCE(flows->due, false);
		wheel_settle(flows->wheel);
	}
	wheel_unlock(flows->wheel);
}

/*
 * Let a flow wait until a time, or move the time until which it waits. A flow that does not wait
 * yet must be in no list. Returns false if that fails; then the flow does not wait.
 */
bool flow_wait(struct flows *flows, struct flow *flow, u64 until)
{
	int err;

	wheel_lock(flows->wheel);
	if (unlikely(flow_waits(flow)))
		err = wheel_timer_rearm_locked(&flow->timer, until, 0);
	else
		err = wheel_timer_arm_locked(&flow->timer, until, 0);
	wheel_unlock(flows->wheel);
	return !WARN_ON_ONCE(err);
}

/* Stop waiting. The flow is in no list afterwards. */
void flow_wake(struct flows *flows, struct flow *flow)
{
	wheel_lock(flows->wheel);
	wheel_timer_cancel_locked(&flow->timer);
	wheel_unlock(flows->wheel);
}

/* Add the counters of the flows' wheel. */
void flows_add_stats(struct flows *flows, struct wheel_stats *sum)
{
	struct wheel_stats stats;
	int i;

	wheel_read_stats(flows->wheel, &stats);
	sum->armed += stats.armed;
	sum->pending += stats.pending;
	sum->wakeups += stats.wakeups;
	for (i = 0; i < ARRAY_SIZE(sum->late); i++)
		sum->late[i] += stats.late[i];
}

struct flows *flows_create(struct Qdisc *sch, u64 tick)
{
	struct flows *flows = kvzalloc(sizeof(*flows), GFP_KERNEL);
	const struct wheel_config config = {
		.name		= "sch_wheel",
		.scheme		= tick >= HASHED_TICK ? WHEEL_HASHED : WHEEL_HIERARCHICAL,
		.tick_ns	= tick,
	};

	if (!flows)
		return NULL;
	flows->wheel = wheel_create_owned(&config, &flows_owner, flows);
	if (IS_ERR(flows->wheel) || !table_init(&flows->table)) {
		wheel_destroy(flows->wheel);
		kvfree(flows);
		return NULL;
	}
	flows->sch = sch;
	return flows;
}

static void packets_free(struct packets *packets)
{
	struct sk_buff *skb;

	while ((skb = packets_first(packets))) {
		packets_remove(packets, skb, NULL);
		kfree_skb(skb);
		cond_resched();
	}
}

/* Free flows that no qdisc uses. May sleep. Takes long if there are many packets. */
void flows_destroy(struct flows *flows)
{
	struct flow *flow, *next;

	if (!flows)
		return;
	wheel_destroy(flows->wheel);
	packets_free(&flows->direct);
	for (flow = flows->check_first; flow; flow = next) {
		next = flow->check_after;
		packets_free(&flow->packets);
		kmem_cache_free(cache, flow);
		cond_resched();
	}
	table_destroy(&flows->table);
	kvfree(flows);
}

int flows_init(void)
{
	cache = KMEM_CACHE(flow, 0);
	return cache ? 0 : -ENOMEM;
}

void flows_exit(void)
{
	kmem_cache_destroy(cache);
}
