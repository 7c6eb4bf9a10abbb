// SPDX-License-Identifier: MIT
/*
 * Slots, and queues of them. Memory comes in chunks, when a slot of a chunk is
 * first armed.
 */
#include <stdlib.h>

#include "user.h"

#define CHUNK	64

static u32 chunk_count(const struct user *u)
{
	return (u->handle.setup.timers + CHUNK - 1) / CHUNK;
}

/**
 * slots_init - a table with no slot in it
 * @u: wheel whose set-up is known
 *
 * Return: 0 or -ENOMEM.
 */
int slots_init(struct user *u)
{
	u->chunks = calloc(chunk_count(u), sizeof(*u->chunks));
	return u->chunks ? 0 : -ENOMEM;
}

/**
 * slots_exit - free all slots
 * @u: wheel
 */
void slots_exit(struct user *u)
{
	u32 i;

	for (i = 0; u->chunks && i < chunk_count(u); i++)
		free(u->chunks[i]);
	free(u->chunks);
}

/**
 * slot_at - find a slot
 * @u: wheel
 * @nr: number below setup.timers
 *
 * Return: the slot, or NULL: it was never armed, nor was one near it.
 */
struct slot *slot_at(const struct user *u, u32 nr)
{
	struct slot *chunk = u->chunks[nr / CHUNK];

	return chunk ? chunk + nr % CHUNK : NULL;
}

/**
 * slot_of_id - find the slot that a timer's id names now
 * @u: wheel
 * @id: WHEEL_ID()
 *
 * Return: the slot, or NULL if the id is stale or was never used.
 */
struct slot *slot_of_id(const struct user *u, u64 id)
{
	struct slot *slot;

	if (WHEEL_ID_SLOT(id) >= u->handle.setup.timers)
		return NULL;
	slot = slot_at(u, WHEEL_ID_SLOT(id));
	if (!slot || slot->id != id || slot->state == SLOT_FREE)
		return NULL;
	return slot;
}

static struct slot *chunk_new(void)
{
	struct slot *chunk = calloc(CHUNK, sizeof(*chunk));
	u32 i;

	for (i = 0; chunk && i < CHUNK; i++)
		chunk[i].timer.bucket = WHEEL_UNFILED;
	return chunk;
}

/**
 * slot_bring - find a slot, or make it
 * @u: wheel
 * @nr: number below setup.timers
 * @slot: set on success
 *
 * Return: 0 or -ENOMEM.
 */
int slot_bring(struct user *u, u32 nr, struct slot **slot)
{
	struct slot **chunk = &u->chunks[nr / CHUNK];

	if (!*chunk)
		*chunk = chunk_new();
	if (!*chunk)
		return -ENOMEM;
	*slot = *chunk + nr % CHUNK;
	return 0;
}

/**
 * slot_free - a timer is over, its slot can be armed anew
 * @u: wheel
 * @slot: slot that is neither filed nor queued
 */
void slot_free(struct user *u, struct slot *slot)
{
	slot->state = SLOT_FREE;
	if (picks_slots(u))
		queue_push(u, &u->unused, slot);
}

/**
 * queue_push - add a slot at the end
 * @u: wheel
 * @queue: queue
 * @slot: slot that is in none
 */
void queue_push(struct user *u, struct queue *queue, struct slot *slot)
{
	u32 nr = WHEEL_ID_SLOT(slot->id);

	if (queue->count++)
		slot_at(u, queue->tail)->next = nr;
	else
		queue->head = nr;
	queue->tail = nr;
}

/**
 * queue_pop - take the first slot
 * @u: wheel
 * @queue: queue
 *
 * Return: the slot, or NULL when the queue is empty.
 */
struct slot *queue_pop(struct user *u, struct queue *queue)
{
	struct slot *slot;

	if (!queue->count)
		return NULL;
	queue->count--;
	slot = slot_at(u, queue->head);
	queue->head = slot->next;
	return slot;
}
