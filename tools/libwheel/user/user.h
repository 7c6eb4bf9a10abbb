/* SPDX-License-Identifier: MIT */
/*
 * The backend in the program: the kernel's own wheel, compiled for user space,
 * and a timerfd. What /dev/wheel does in an interrupt happens here when the
 * program calls: each function first lets fire what has become due. The timerfd
 * only tells the program's event loop when it is time to call.
 *
 *	setup -> slot, submit, touch -> pass -> watch -> clock
 *	                   read, end -->
 *
 * One mutex a wheel protects all of it but the touch words.
 */
#ifndef LIBWHEEL_USER_H
#define LIBWHEEL_USER_H

#include <pthread.h>

#include "../../../wheel.h"
#include "../handle.h"

enum slot_state {
	SLOT_FREE,
	/* Pending. */
	SLOT_ARMED,
	/* Its event is unread. */
	SLOT_FIRED,
	/* Was pending when the wheel was stopped. */
	SLOT_STOPPED,
};

/**
 * struct slot - a timer of the program
 * @timer: what the wheel knows of it
 * @id: WHEEL_ID() of the last arm
 * @cookie: the program's
 * @period: nanoseconds; 0: once
 * @slack: nanoseconds
 * @missed: @ended: the periods that were missed until then
 * @seq: FIRED: the number of its event
 * @next: in a queue of slots, the number of the next one
 * @state: enum slot_state
 * @ended: cancelled with an event unread: its periods are over
 * @touch: while ARMED: the slot's word governs
 */
struct slot {
	struct wheel_timer timer;
	u64 id;
	u64 cookie;
	u64 period;
	u64 slack;
	u64 missed;
	u32 seq;
	u32 next;
	enum slot_state state;
	bool ended;
	bool touch;
};

/**
 * struct queue - slots in a row, linked by number
 * @head: the first, if @count
 * @tail: the last, if @count
 * @count: how many
 */
struct queue {
	u32 head;
	u32 tail;
	u32 count;
};

/**
 * struct user - a wheel of this backend
 * @handle: what the program has
 * @lock: protects what follows
 * @core: the wheel
 * @memory: its rings
 * @chunks: of slots, each there when a slot of it was first armed
 * @fired: slots whose events are unread, the oldest first
 * @unused: slots that can be picked again, with WHEEL_SETUP_ANY_SLOT
 * @fresh: the first slot that was never picked
 * @seq: number of the next event
 * @stopped: nothing can be armed and nothing fires any more
 * @virtual_now: the VIRTUAL clock
 * @watched: the time that the timerfd is set to
 * @counts: counters
 */
struct user {
	struct handle handle;
	pthread_mutex_t lock;
	struct wheel_core core;
	void *memory;
	struct slot **chunks;
	struct queue fired;
	struct queue unused;
	u32 fresh;
	u32 seq;
	bool stopped;
	u64 virtual_now;
	u64 watched;
	struct wheel_stats counts;
};

/* slot.c */
int slots_init(struct user *u);
void slots_exit(struct user *u);
struct slot *slot_at(const struct user *u, u32 nr);
struct slot *slot_of_id(const struct user *u, u64 id);
int slot_bring(struct user *u, u32 nr, struct slot **slot);
void slot_free(struct user *u, struct slot *slot);
void queue_push(struct user *u, struct queue *queue, struct slot *slot);
struct slot *queue_pop(struct user *u, struct queue *queue);

/**
 * enum verdict - what becomes of a timer whose filed time has come
 * @FIRE: its event is due
 * @RECLAIM: the program parked it
 * @REFILE: the program moved it
 */
enum verdict {
	FIRE,
	RECLAIM,
	REFILE,
};

/* touch.c */
void touch_arm(struct user *u, const struct slot *slot, u64 deadline);
u64 touch_off(struct user *u, const struct slot *slot);
bool touch_reclaim(struct user *u, const struct slot *slot);
u64 touch_deadline(const struct user *u, const struct slot *slot);
bool touch_move(struct user *u, const struct slot *slot, u64 deadline);
enum verdict touch_judge(struct user *u, const struct slot *slot, u64 due,
			 u64 *deadline);

/* pass.c */
u64 user_now(const struct user *u);
u64 user_enter(struct user *u);
void user_leave(struct user *u, u64 now);
void user_pass(struct user *u, u64 now);
void tell_time(struct user *u, u64 now);

/* watch.c */
int watch_open(u32 clock);
void watch_sooner(struct user *u, u64 now);
void watch_again(struct user *u, u64 now);

/* submit.c, read.c, end.c: the commands */
int user_submit(struct handle *handle, struct wheel_submit *submit);
int user_take(struct handle *handle, struct wheel_event *events, u32 count);
int user_stop(struct handle *handle, struct wheel_stop *stop);
int user_list(struct handle *handle, struct wheel_list *list);
u64 slot_missed(const struct slot *slot, u64 now);

static inline struct user *user_of(struct handle *handle)
{
	return container_of(handle, struct user, handle);
}

static inline struct slot *slot_of(struct wheel_timer *timer)
{
	return container_of(timer, struct slot, timer);
}

static inline bool is_virtual(const struct user *u)
{
	return u->handle.setup.clock == WHEEL_CLOCK_VIRTUAL;
}

/* Clocks that the administrator may set. */
static inline bool is_settable(const struct user *u)
{
	return u->handle.setup.clock == WHEEL_CLOCK_REALTIME ||
	       u->handle.setup.clock == WHEEL_CLOCK_TAI;
}

static inline bool picks_slots(const struct user *u)
{
	return u->handle.setup.flags & WHEEL_SETUP_ANY_SLOT;
}

#endif
