/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A queue of packets in the order of their departure times. Packets with equal times leave in the
 * order in which they were queued.
 */
#ifndef _SCH_WHEEL_PACKETS_H
#define _SCH_WHEEL_PACKETS_H

#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>

/**
 * struct packets - Packets in the order of their departure times
 * @head: first packet of a list whose times do not decrease
 * @tail: last packet of the list; valid only if @head is not NULL
 * @tree: packets that were earlier than the tail of the list when they were queued
 * @count: number of packets
 */
struct packets {
	struct sk_buff	*head;
	struct sk_buff	*tail;
	struct rb_root	tree;
	u32		count;
};

/* Departure time that the sender or the horizon gave a packet, in nanoseconds. 0: at once. */
static inline u64 *packet_time(const struct sk_buff *skb)
{
	return (u64 *)qdisc_skb_cb(skb)->data;
}

/* Return the packet that leaves first, or NULL. */
static inline struct sk_buff *packets_first(const struct packets *packets)
{
	struct sk_buff *head = packets->head, *skb;

	if (likely(RB_EMPTY_ROOT(&packets->tree)))
		return head;
	skb = rb_to_skb(rb_first(&packets->tree));
	return head && *packet_time(head) <= *packet_time(skb) ? head : skb;
}

/* Remove the packet that packets_first() returned. @dev is the qdisc's device. */
static inline void packets_remove(struct packets *packets, struct sk_buff *skb,
				  struct net_device *dev)
{
	packets->count--;
	if (likely(skb == packets->head)) {
		packets->head = skb->next;
	} else {
		rb_erase(&skb->rbnode, &packets->tree);
		/* It shares its place with @rbnode. */
		skb->dev = dev;
	}
	skb_mark_not_on_list(skb);
}

static inline void packets_insert(struct packets *packets, struct sk_buff *skb)
{
	struct rb_node **p = &packets->tree.rb_node, *parent = NULL;

	while (*p) {
		parent = *p;
		if (*packet_time(skb) >= *packet_time(rb_to_skb(parent)))
			p = &parent->rb_right;
		else
			p = &parent->rb_left;
	}
	rb_link_node(&skb->rbnode, parent, p);
	rb_insert_color(&skb->rbnode, &packets->tree);
}

/*
 * Queue a packet. An empty list is used again only if the tree is empty, too. Otherwise a packet
 * in the tree could be overtaken by one with the same time.
 */
static inline void packets_add(struct packets *packets, struct sk_buff *skb)
{
	packets->count++;
	if (likely(packets->head)) {
		if (unlikely(*packet_time(skb) < *packet_time(packets->tail))) {
			packets_insert(packets, skb);
			return;
		}
		packets->tail->next = skb;
	} else {
		if (unlikely(!RB_EMPTY_ROOT(&packets->tree))) {
			packets_insert(packets, skb);
			return;
		}
		packets->head = skb;
	}
	packets->tail = skb;
	skb->next = NULL;
}

#endif
