/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine adds a lock, a clock and an hrtimer to the data structure of wheel.h. The owner of the
 * wheel decides in which context timers expire. callback/ is an owner: its work items call the
 * functions of a module's timers. dev/ is another one: timers expire in the interrupt and in the
 * system calls of a program.
 *
 *	hrtimer ----> owner->interrupt()
 *			 |
 *		      context of the owner: wheel_step()
 *			 |
 *		      wheel_pop() ----> claim ----> owner->expire()
 *		      (lock held)	(lock held)	(lock held)
 *
 * Lock order: locks of callers -> wheel_base.lock -> locks of hrtimers and workqueues.
 * Callbacks and wake-ups run without wheel_base.lock. The interrupt of an owner that calls
 * wheel_lock() does not spin on wheel_base.lock, which is then held with interrupts enabled: see
 * wheel_trylock().
 */
#ifndef _WHEEL_ENGINE_H
#define _WHEEL_ENGINE_H

#include <linux/debugobjects.h>
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include "../compat.h"
#include "../wheel.h"
#include "debugfs.h"
#include "module.h"

#ifndef CONFIG_64BIT
#error "deadlines and clocks are read without a lock and must not tear"
#endif

/* What starts the next pass of a base. */
enum base_state {
	BASE_TIMED,	/* the hrtimer; or it has started it and left it to the owner */
	BASE_UNTIMED,	/* the owner, who runs or continues a pass; or the clock is VIRTUAL */
	BASE_STOPPED,	/* nothing: no timer can expire or be armed any longer */
};

/**
 * struct wheel_base - One wheel of timers with its lock and hrtimer
 * @lock: protects all members not marked "constant" or "lockless"; taken with interrupts disabled,
 *	except by wheel_lock(): then the interrupt only tries to take it
 * @state: what starts the next pass
 * @needs_clock: true if the core's clock must be forwarded before each arm; constant
 * @reprogram: true if @wake_tick was lowered; @hrtimer is started before @lock is released
 * @missed: true if the interrupt found @lock held; lockless
 * @held: true while wheel_lock() holds @lock, if the kernel supports one CPU, on which a trylock
 *	always succeeds; otherwise unused
 * @scan_tick: tick at which the owner scans for timers to arm, or WHEEL_NO_TICK
 * @scan_until: current tick while the owner's scan function is running, otherwise 0
 * @wake_tick: tick for which @hrtimer is programmed, or WHEEL_NO_TICK; an earlier timer lowers it.
 *	Valid only if @state is BASE_TIMED
 * @core: timing wheel
 * @needs_clock_until: latest deadline that may already have passed, so that the core's clock must
 *	be forwarded before a timer is armed for it. This is the time of @wake_tick, or 0 in
 *	wheel_step(), or otherwise WHEEL_NEVER from the interrupt of @hrtimer to the end of its
 *	pass. Lockless: the interrupt writes it
 * @wheel: wheel that contains this base; constant
 * @data: argument of the owner's operations; constant
 * @claimed: deadline that the owner's claim function has stored
 * @budget: number of timers and buckets that the step in progress may still visit
 * @due: timers that are being delivered to the owner
 * @counts: counters for wheel_read_stats(); @counts.wakeups is lockless and is written only by
 *	the interrupt of @hrtimer
 * @hrtimer: hrtimer that starts a pass
 * @mode: mode of @hrtimer; constant
 */
struct wheel_base {
	raw_spinlock_t		lock;
	enum base_state		state;
	bool			needs_clock;
	bool			reprogram;
	bool			missed;
	bool			held;
	u64			scan_tick;
	u64			scan_until;
	u64			wake_tick;
	u64			needs_clock_until;
	struct wheel_core	core;
	struct wheel		*wheel;
	void			*data;
	u64			claimed;
	unsigned int		budget;
	struct wheel_timer	*due[WHEEL_BATCH];
	struct wheel_stats	counts;
	struct hrtimer		hrtimer;
	enum hrtimer_mode	mode;
} ____cacheline_aligned_in_smp;

/**
 * struct wheel - Wheel; constant except for @virtual_now
 * @config: effective configuration
 * @owner: operations of the owner
 * @claim: copy of @owner->claim; NULL if there is none, and while the wheel is destroyed
 * @virtual_now: time of a VIRTUAL clock in nanoseconds; written under @advance_lock, read lockless
 * @advance_lock: serializes moves of a VIRTUAL clock
 * @memory: memory of the rings of all bases
 * @pages: its pages if it is large, otherwise NULL
 * @count: number of bases
 * @id: number of the wheel in traces and debugfs
 * @all_wheels: entry in the list of all wheels, for debugfs
 * @base: bases; more than one only with WHEEL_PERCPU. The data of the owner may follow them
 */
struct wheel {
	struct wheel_config	config;
	const struct wheel_owner *owner;
	wheel_claim_fn		claim;
	u64			virtual_now;
	/* Held during the passes that a move of a VIRTUAL clock runs. */
	struct mutex		advance_lock;
	void			*memory;
	struct page		**pages;
	u32			count;
	u32			id;
	struct list_head	all_wheels;
	struct wheel_base	base[];
};

/* Iterate over the bases of a wheel. */
#define for_each_base(base, wheel) \
	for (base = (wheel)->base; base < (wheel)->base + (wheel)->count; base++)

int wheel_config_check(const struct wheel_config *config);
const struct wheel_scheme *wheel_config_resolve(struct wheel_config *config);

bool wheel_far_ahead(const struct wheel *wheel, u64 time);

void wheel_base_check_missed(struct wheel_base *base);
void wheel_base_init(struct wheel_base *base, struct wheel *wheel);
void wheel_base_program(struct wheel_base *base);

struct wheel *wheel_new(const struct wheel_config *config, const struct wheel_owner *owner,
			struct wheel_class *class, u32 count, size_t size);
bool wheel_calls_us(struct wheel *wheel);

/* Debugobjects report a pending timer that is freed or initialized. */
extern const struct debug_obj_descr wheel_timer_debug;

/* Bit of wheel_timer.base: the timer was shut down and can never be armed again. */
#define WHEEL_SHUTDOWN	1UL

static inline struct wheel_base *timer_base(const struct wheel_timer *timer)
{
	return (struct wheel_base *)(READ_ONCE(timer->base) & ~WHEEL_SHUTDOWN);
}

/* Return the base of a timer, or warn and return NULL if the timer was not initialized. */
static inline struct wheel_base *timer_base_or_warn(const struct wheel_timer *timer)
{
	struct wheel_base *base = timer_base(timer);

	WARN_ONCE(!base, "wheel_timer: a timer is used that was not initialized\n");
	return base;
}

/* Lock a base of any wheel, in process context. */
static inline void base_lock(struct wheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
}

static inline void base_unlock(struct wheel_base *base)
{
	raw_spin_unlock_irq(&base->lock);
	wheel_base_check_missed(base);
}

/* Return a time before which no timer of a base is due; WHEEL_NEVER if no timer is pending. */
static inline u64 base_next(const struct wheel_base *base)
{
	if (!base->core.pending)
		return WHEEL_NEVER;
	return wheel_time_of(&base->core, base->core.next);
}

/* Return the tick at which the next pass is needed. */
static inline u64 base_next_tick(const struct wheel_base *base)
{
	return min(base->core.next, base->scan_tick);
}

/* Ensure that the next pass begins at @tick. The hrtimer is started before the lock is released. */
static inline void base_wake_at(struct wheel_base *base, u64 tick)
{
	if (tick < base->wake_tick && base->state == BASE_TIMED) {
		base->wake_tick = tick;
		base->reprogram = true;
	}
}

/* Set the latest deadline that may already have passed when a timer is armed for it. */
static inline void base_need_clock(struct wheel_base *base, u64 time)
{
	WRITE_ONCE(base->needs_clock_until, base->needs_clock ? WHEEL_NEVER : time);
}

/* End a pass. The hrtimer is started before the lock is released. */
static inline void base_settle(struct wheel_base *base)
{
	lockdep_assert_held(&base->lock);
	if (base->wheel->config.clock == WHEEL_CLOCK_VIRTUAL) {
		base_need_clock(base, 0);
	} else if (likely(base->state != BASE_STOPPED)) {
		base->wake_tick = base_next_tick(base);
		base->state = BASE_TIMED;
		base->reprogram = base->wake_tick != WHEEL_NO_TICK;
	}
}

/* Return the maximum number of timers to arm per lock hold: 1 if arming a timer walks a list. */
static inline unsigned int base_batch_max(const struct wheel_base *base)
{
	return base->core.scheme->max_timers ? 1 : WHEEL_BATCH;
}

/* Return true if a clock can be set, also back. */
static inline bool wheel_settable(u32 clock)
{
	return clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;
}

#endif
