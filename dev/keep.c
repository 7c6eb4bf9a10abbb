// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at kept timers: by passes, and by kicks. A look goes through many lock holds, and
 * each pass or kick that needs it goes on with it: slots/look.c.
 */
#include <linux/sched/signal.h>
#include "../slots/bell.h"
#include "../slots/keep.h"
#include "../slots/look.h"
#include "event.h"
#include "keep.h"

/* One lock hold's worth. Returns true if there is more. */
static bool look_step(struct wheel_file *file, struct wheel_looker *looker,
		      bool kicked)
{
	struct wheel_slots *slots = &file->slots;
	unsigned long flags;
	bool more;

	looker->budget = DEV_HOLD;
	spin_lock_irq(&file->lock);
	if (!looker->number)
		looker->number = kicked ? wheel_look_next(slots) :
					  wheel_look_under_way(slots);
	flags = wheel_lock(slots->wheel);
	more = wheel_look(slots, looker);
	wheel_unlock(slots->wheel, flags);
	spin_unlock_irq(&file->lock);
	return more;
}

static struct wheel_looker looker_of(struct wheel *wheel, u64 now)
{
	return (struct wheel_looker){
		.now	= now,
		/* If filing a timer walks a list, one is a lock hold's worth. */
		.price	= WHEEL_BATCH / wheel_batch_max(wheel),
	};
}

/**
 * wheel_file_look_at_kept - a pass looks at the kept timers of a file
 * @wheel: its wheel
 * @now: the clock
 *
 * Return: as wheel_look_fn.
 */
unsigned int wheel_file_look_at_kept(struct wheel *wheel, u64 now)
{
	struct wheel_looker looker = looker_of(wheel, now);

	look_step(wheel_file_of(wheel), &looker, false);
	return DEV_HOLD - looker.budget;
}

/* A pass makes the look, or goes on with it; on a VIRTUAL clock whoever moves that. */
static void look_hand_on(struct wheel_file *file)
{
	spin_lock_irq(&file->lock);
	wheel_look_at_once(&file->slots);
	spin_unlock_irq(&file->lock);
}

/**
 * wheel_file_kick - look at the kept timers of a file now
 * @file: file that is set up
 *
 * The caller pays: it is all done here, unless the caller is killed.
 *
 * Return: 0; -EOPNOTSUPP: it has no touch words; -ESHUTDOWN: it was stopped; -EINTR: a fatal
 * signal.
 */
int wheel_file_kick(struct wheel_file *file)
{
	struct wheel *wheel = file->slots.wheel;
	struct wheel_looker looker = looker_of(wheel, wheel_now(wheel));

	if (!file->slots.words)
		return -EOPNOTSUPP;
	while (look_step(file, &looker, true)) {
		if (fatal_signal_pending(current)) {
			look_hand_on(file);
			return -EINTR;
		}
		cond_resched();
	}
	return READ_ONCE(file->stopped) ? -ESHUTDOWN : 0;
}

/**
 * wheel_file_bells_unmapped - announce the timers that a program may not have announced
 * @file: file with touch words, of which a mapping of the doorbells goes
 *
 * To arm a kept timer a program exchanges its word, sets its bit, and kicks if need be. A
 * program that was killed on the way has left a timer for which no look comes. Other
 * programs that share the file do not announce it: its slot is not theirs.
 */
void wheel_file_bells_unmapped(struct wheel_file *file)
{
	u32 leaves = DIV_ROUND_UP(file->slots.setup.timers, WHEEL_BELLS);
	u32 leaf;

	for (leaf = 0; leaf < leaves; leaf++) {
		wheel_keep_ring(&file->slots, leaf);
		cond_resched();
	}
	look_hand_on(file);
}

/* One lock hold's worth, from *@nr on. Returns how many were armed. */
static u32 stop_step(struct wheel_file *file, u32 *nr)
{
	struct wheel_slots *slots = &file->slots;
	u32 end = min(slots->setup.timers, *nr + DEV_HOLD);
	u32 unfired = 0;

	spin_lock_irq(&file->lock);
	for (; *nr < end; ++*nr) {
		struct wheel_slot *slot = wheel_slot_at(slots, *nr);

		unfired += slot && wheel_keep_unfired(slots, slot);
	}
	spin_unlock_irq(&file->lock);
	return unfired;
}

/**
 * wheel_file_stop_kept - take the words of kept timers back that are not filed
 * @file: file that was stopped
 *
 * Return: how many were armed.
 */
u64 wheel_file_stop_kept(struct wheel_file *file)
{
	u64 unfired = 0;
	u32 nr = 0;

	if (!file->slots.words)
		return 0;
	while (nr < file->slots.setup.timers) {
		unfired += stop_step(file, &nr);
		cond_resched();
	}
	return unfired;
}
