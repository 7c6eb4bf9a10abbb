/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers on a hashed timing wheel, for kernel modules.
 *
 * Create a wheel, embed a struct wheel_timer in your object, arm it. Each
 * function says in its kernel-doc from which contexts it may be called.
 */
#ifndef _LINUX_WHEEL_TIMER_H
#define _LINUX_WHEEL_TIMER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/lockdep_types.h>
#include <linux/spinlock_types.h>
#include <linux/types.h>
#include <linux/wheel_timer_types.h>
#include <uapi/linux/wheel_timer.h>

struct wheel;

/* wheel_config.flags */
/* Callbacks run in process context and may sleep; else in softirq context. */
#define WHEEL_SLEEPABLE		BIT(0)
/* Several bases: a timer goes to that of the CPU which arms it. */
#define WHEEL_PERCPU		BIT(1)
/* The timers go with the wheel: wheel_destroy() leaves them as they are. */
#define WHEEL_FORGET		BIT(2)

/* So many timers are handled under one lock hold, at most. */
#define WHEEL_BATCH		64

/* No deadline; also what wheel_timer_arm_next() returns when it did not arm. */
#define WHEEL_NEVER		(~(u64)0)

/* The fate of a timer whose filed time has come. */
enum wheel_claim {
	WHEEL_FIRE,	/* it fires */
	WHEEL_LATER,	/* its deadline was moved: it is filed again */
	WHEEL_GONE,	/* it counts as cancelled; nothing is called */
};

/**
 * typedef wheel_expire_fn - takes a batch of timers that are due
 * @wheel: the wheel
 * @due: the timers, in order; none is pending
 * @n: how many, 1 .. WHEEL_BATCH
 * @now: the wheel's clock when they were taken, in nanoseconds
 *
 * Called instead of the timers' functions, in their context and by their rules; for a wheel
 * with an owner, see struct wheel_owner.
 */
typedef void (*wheel_expire_fn)(struct wheel *wheel, struct wheel_timer **due,
				unsigned int n, u64 now);

/**
 * typedef wheel_claim_fn - where does the deadline of a timer stand now?
 * @timer: timer whose filed time has come
 * @due: that time, in nanoseconds; WHEEL_NEVER when the wheel is being stopped:
 *	then WHEEL_FIRE hands the timer back. From WHEEL_MAX_TIME on WHEEL_LATER is
 *	no answer
 * @deadline: out: the timer's deadline, unless it is gone; for WHEEL_LATER one
 *	after @due
 *
 * For an owner who keeps the deadlines elsewhere and lets them be moved without
 * the wheel. Called with the wheel's lock held: takes no lock, and of the wheel's functions
 * calls wheel_timer_deadline(), wheel_timer_wheel() and wheel_data() alone.
 *
 * Return: what becomes of the timer. If it is gone, its memory has to last until
 * the wheel's lock is given back, which wheel_timer_cancel() waits for.
 */
typedef enum wheel_claim (*wheel_claim_fn)(struct wheel_timer *timer, u64 due,
					   u64 *deadline);

/**
 * struct wheel_owner - Operations of an owner that runs the passes of its wheel
 * @interrupt: The hrtimer expired. Called in hard interrupt context, with PREEMPT_RT in
 *	softirq context, with no lock held. Runs a short step, by wheel_trylock() and
 *	wheel_step(), or leaves the pass to the owner. Returns HRTIMER_NORESTART, or the
 *	value that wheel_restart() returned
 * @scan: Find timers to arm, at the time that was set by wheel_scan_at(). Called by
 *	wheel_step() with the wheel locked, before it takes due timers. A timer that is armed
 *	here may be due at the tick that is being processed. A complete scan sets the time of
 *	the next one; otherwise the scan is continued by the next step. Returns the number of
 *	timers examined, at most WHEEL_BATCH
 * @expire: Deliver due timers. Called by wheel_step() with the wheel locked: of the wheel's
 *	functions it calls those that wheel_lock() allows
 */
struct wheel_owner {
	enum hrtimer_restart	(*interrupt)(struct wheel *wheel);
	unsigned int		(*scan)(struct wheel *wheel, u64 now);
	wheel_expire_fn		expire;
};

/**
 * struct wheel_config - what wheel_create() makes
 * @name: for messages; a string constant
 * @clock: WHEEL_CLOCK_*
 * @scheme: WHEEL_HASHED, _HIERARCHICAL, _BOUNDED or _OVERFLOW
 * @buckets: of the ring, at most WHEEL_MAX_BUCKETS, rounded up to a power of two;
 *	0: @limit / 16, at least 256, and 4096 without a limit
 * @flags: WHEEL_SLEEPABLE, WHEEL_PERCPU, WHEEL_FORGET
 * @tick_ns: nanoseconds a tick, exact; 0: 1 ms
 * @limit: how many timers may be pending at once; 0: as many as wheel_limit_of() says,
 *	any number but with WHEEL_OVERFLOW. Not with
 *	WHEEL_PERCPU, which shall not count in one place
 * @expire: takes the due timers in batches; NULL: each one's function is called
 * @claim: decides on timers whose time has come; NULL: their deadlines do
 * @owner: runs the passes of the wheel itself; NULL: work items run them. Not with @expire,
 *	WHEEL_PERCPU or WHEEL_SLEEPABLE
 * @data: handed back by wheel_data()
 */
struct wheel_config {
	const char	*name;
	u32		clock;
	u32		scheme;
	u32		buckets;
	u32		flags;
	u64		tick_ns;
	u64		limit;
	wheel_expire_fn	expire;
	wheel_claim_fn	claim;
	const struct wheel_owner *owner;
	void		*data;
};

/* For lockdep: the locks of wheels that are created at one place are one class. */
struct wheel_class {
	struct lock_class_key	lock;
	struct lock_class_key	advance_lock;
	struct lock_class_key	calling;
};

struct wheel *wheel_create_class(const struct wheel_config *config,
				 struct wheel_class *class);

/**
 * wheel_create - make a wheel
 * @config: what kind
 *
 * As wheel_create_class(), with a class for each place that calls this.
 *
 * Return: As wheel_create_class().
 */
#define wheel_create(config)					\
({								\
	static struct wheel_class __class;			\
								\
	wheel_create_class(config, &__class);			\
})

/* 1 ms ticks, MONOTONIC, callbacks in softirq context; for everybody. */
extern struct wheel *wheel_system;

int wheel_stop(struct wheel *wheel, struct list_head *unfired);
void wheel_destroy(struct wheel *wheel);
u64 wheel_advance_to(struct wheel *wheel, u64 now);

u64 wheel_now(const struct wheel *wheel);
void *wheel_data(const struct wheel *wheel);
clockid_t wheel_clockid(const struct wheel *wheel);
u64 wheel_reach(const struct wheel *wheel);
unsigned int wheel_batch_max(const struct wheel *wheel);
u64 wheel_features(void);
u64 wheel_limit_of(u32 scheme);
u32 wheel_buckets_for(const struct wheel_config *config);
size_t wheel_bytes_for(const struct wheel_config *config);
void wheel_read_stats(struct wheel *wheel, struct wheel_stats *stats);

void wheel_timer_init(struct wheel_timer *timer, struct wheel *wheel,
		      wheel_timer_fn function);
void wheel_timer_init_on_stack(struct wheel_timer *timer, struct wheel *wheel,
			       wheel_timer_fn function);
void wheel_timer_destroy_on_stack(struct wheel_timer *timer);
int wheel_timer_arm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_mod(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_reduce(struct wheel_timer *timer, u64 deadline, u64 slack);
bool wheel_timer_push(struct wheel_timer *timer, u64 deadline);
u64 wheel_timer_arm_next(struct wheel_timer *timer, u64 period);
int wheel_timer_cancel(struct wheel_timer *timer);
int wheel_timer_cancel_sync(struct wheel_timer *timer);
int wheel_timer_shutdown_sync(struct wheel_timer *timer);
struct wheel *wheel_timer_wheel(const struct wheel_timer *timer);

/**
 * wheel_timer_pending - will a timer fire?
 * @timer: timer that was initialized
 *
 * Unless the caller keeps others from it, the answer may be old when it comes.
 *
 * Context: Any.
 *
 * Return: true if it is pending.
 */
static inline bool wheel_timer_pending(const struct wheel_timer *timer)
{
	/* Not by its bucket, which it leaves for a moment when it is moved. */
	return !(READ_ONCE(timer->deadline) & WHEEL_IDLE);
}

/**
 * wheel_timer_deadline - a timer's deadline
 * @timer: timer
 *
 * Context: Any.
 *
 * Return: what the last arming, move, push or answer of a claim function made of it, in
 * nanoseconds on the wheel's clock.
 */
static inline u64 wheel_timer_deadline(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->deadline) & ~WHEEL_IDLE;
}

/**
 * wheel_timer_fired - when a timer fired
 * @timer: timer that fired and was not armed since
 *
 * Context: Any; typically its callback.
 *
 * Return: the wheel's clock when the wheel took the timer, not less than its
 * deadline, in nanoseconds.
 */
static inline u64 wheel_timer_fired(const struct wheel_timer *timer)
{
	return READ_ONCE(timer->fired);
}

unsigned long wheel_lock(struct wheel *wheel);
void wheel_unlock(struct wheel *wheel, unsigned long flags);
int wheel_timer_arm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_rearm_locked(struct wheel_timer *timer, u64 deadline, u64 slack);
int wheel_timer_cancel_locked(struct wheel_timer *timer);

/* For the owner of a wheel, with the wheel locked. */
bool wheel_trylock(struct wheel *wheel, unsigned long *flags);
bool wheel_step(struct wheel *wheel, unsigned int max);
void wheel_settle(struct wheel *wheel);
enum hrtimer_restart wheel_restart(struct wheel *wheel);
void wheel_scan_at(struct wheel *wheel, u64 time);
bool wheel_drain_some(struct wheel *wheel, struct list_head *unfired);
void wheel_read_stats_locked(struct wheel *wheel, struct wheel_stats *stats);

/**
 * struct wheel_arm - one of a batch
 * @timer: timer
 * @deadline: as wheel_timer_arm()
 * @slack: as wheel_timer_arm()
 * @res: out: what wheel_timer_arm() would return
 */
struct wheel_arm {
	struct wheel_timer	*timer;
	u64			deadline;
	u64			slack;
	int			res;
};

unsigned int wheel_arm_batch(struct wheel *wheel, struct wheel_arm *arms,
			     unsigned int n);
unsigned int wheel_cancel_batch(struct wheel *wheel,
				struct wheel_timer **timers, int *res,
				unsigned int n);

/**
 * from_wheel_timer - the object that embeds a timer
 * @ptr: a pointer of the object's type, for its type alone
 * @timer: the timer that a callback was given
 * @member: name of the timer in the object
 *
 * Return: the object.
 */
#define from_wheel_timer(ptr, timer, member) \
	container_of(timer, typeof(*(ptr)), member)

#endif
