// SPDX-License-Identifier: GPL-2.0
/*
 * Slots that the kernel picks: the one that was freed longest ago, or, when none is
 * free, one that was never used.
 */
#include "pick.h"

/**
 * pick_slot - which slot will the next arm use?
 * @file: file whose slots we pick
 *
 * Return: its number, or -EDQUOT: all are in use.
 */
int pick_slot(const struct wheel_file *file)
{
	u32 nr = file->unused.count ? file->unused.head : file->fresh;

	return nr < file->setup.timers ? nr : -EDQUOT;
}

/**
 * pick_taken - the slot that pick_slot() named is armed
 * @file: file whose slots we pick, locked
 */
void pick_taken(struct wheel_file *file)
{
	if (!slot_pop(file, &file->unused))
		file->fresh++;
}

/**
 * pick_again - a slot is free
 * @file: file whose slots we pick, locked
 * @slot: slot that is in no queue
 */
void pick_again(struct wheel_file *file, struct slot *slot)
{
	slot_push(file, &file->unused, slot);
}

/**
 * pick_gone - a slot is free; from where the file must not be locked
 * @file: file whose slots we pick
 * @slot: slot whose timer is not pending, so that nobody uses its node
 */
void pick_gone(struct wheel_file *file, struct slot *slot)
{
	llist_add(&slot->gone, &file->gone);
}

/**
 * pick_collect - see to it that a slot can be picked, if one is gone
 * @file: file whose slots we pick, locked
 */
void pick_collect(struct wheel_file *file)
{
	struct llist_node *node;

	if (file->unused.count || llist_empty(&file->gone))
		return;
	node = llist_del_first(&file->gone);
	if (node)
		slot_free(file, llist_entry(node, struct slot, gone));
}
