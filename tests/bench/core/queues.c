// SPDX-License-Identifier: GPL-2.0
/*
 * One queue per timeout length. The timer armed last is due last, so appending keeps each
 * queue sorted. A binary heap sorts the queues by the deadline of their first timers.
 *
 * libevent's common timeouts and Node.js use the same method. When the first timer of a
 * queue is cancelled, the queue keeps its position in the heap. The position is corrected
 * when the queue's old deadline expires.
 */
#include <stdlib.h>

#include "contestant.h"

/* Delays are shorter than this, in milliseconds. */
#define QUEUES	131072

struct timer {
	struct timer	*next;
	struct timer	*prev;
	u64		deadline;
};

/* Circular list of timers. No timer is due before @when. */
struct queue {
	struct timer	ends;
	u64		when;
	bool		queued;
};

static struct queue *queues;
static struct queue *heap[QUEUES];
static struct timer *timers;
static u32 used;

static bool create(u32 count)
{
	u32 i;

	queues = calloc(QUEUES, sizeof(*queues));
	timers = calloc(count, sizeof(*timers));
	if (!queues || !timers)
		return false;
	for (i = 0; i < QUEUES; i++) {
		queues[i].ends.next = &queues[i].ends;
		queues[i].ends.prev = &queues[i].ends;
	}
	return true;
}

static void rise(struct queue *queue)
{
	u32 at = used++;

	while (at && heap[(at - 1) / 2]->when > queue->when) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = queue;
}

/* Move the first queue down the heap after its deadline was postponed. */
static void sink(struct queue *queue)
{
	u32 at = 0;
	u32 child;

	while ((child = 2 * at + 1) < used) {
		child += child + 1 < used && heap[child + 1]->when < heap[child]->when;
		if (queue->when <= heap[child]->when)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = queue;
}

static void arm(u32 i, u64 deadline)
{
	struct queue *queue = &queues[deadline - bench_now];
	struct timer *t = &timers[i];

	t->deadline = deadline;
	t->next = &queue->ends;
	t->prev = queue->ends.prev;
	t->prev->next = t;
	queue->ends.prev = t;
	if (queue->queued)
		return;
	queue->queued = true;
	queue->when = deadline;
	rise(queue);
}

static void cancel(u32 i)
{
	struct timer *t = &timers[i];

	t->next->prev = t->prev;
	t->prev->next = t->next;
}

static void rearm(u32 i, u64 deadline)
{
	cancel(i);
	arm(i, deadline);
}

static void fire_due(struct queue *queue)
{
	struct timer *t = queue->ends.next;

	while (t != &queue->ends && t->deadline <= bench_now) {
		t = t->next;
		bench_fire();
	}
	queue->ends.next = t;
	t->prev = &queue->ends;
}

static void advance(void)
{
	while (used && heap[0]->when <= bench_now) {
		struct queue *queue = heap[0];

		fire_due(queue);
		queue->queued = queue->ends.next != &queue->ends;
		if (queue->queued) {
			queue->when = queue->ends.next->deadline;
			sink(queue);
		} else if (--used) {
			sink(heap[used]);
		}
	}
}

const struct contestant timeout_queues = {
	"queues", create, arm, rearm, cancel, advance,
};
