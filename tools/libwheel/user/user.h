/* SPDX-License-Identifier: MIT */
/*
 * The backend in the program: the device's own contract, compiled for user space,
 * over the kernel's own wheel, and a timerfd. What /dev/wheel does in an interrupt
 * happens here when the program calls: each function first lets fire what has become
 * due. The timerfd only tells the program's event loop when it is time to call.
 *
 *	setup -> commands -> watch
 *	             |-----> slots/ -> engine -> wheel
 *
 * One mutex a wheel protects all of it but the touch words.
 */
#ifndef LIBWHEEL_USER_H
#define LIBWHEEL_USER_H

#include <pthread.h>

#include "../../../slots/slots.h"
#include "../handle.h"

/**
 * struct user - a wheel of this backend
 * @handle: what the program has
 * @lock: protects what follows
 * @wheel: the wheel
 * @slots: its timers
 * @stopped: nothing fires any more
 * @watched: the time that the timerfd is set to
 */
struct user {
	struct handle handle;
	pthread_mutex_t lock;
	struct wheel wheel;
	struct wheel_slots slots;
	bool stopped;
	u64 watched;
};

/* commands.c */
int user_submit(struct handle *handle, struct wheel_submit *submit);
int user_take(struct handle *handle, struct wheel_event *events, u32 count);
int user_stop(struct handle *handle, struct wheel_stop *stop);
int user_list(struct handle *handle, struct wheel_list *list);
int user_stats(struct handle *handle, struct wheel_stats *stats);
int user_advance(struct handle *handle, struct wheel_advance *advance);
int user_kick(struct handle *handle);
u64 user_now(struct handle *handle);

/* watch.c */
int watch_open(u32 clock);
void watch_sooner(struct user *u);
void watch_again(struct user *u);

static inline struct user *user_of(struct handle *handle)
{
	return container_of(handle, struct user, handle);
}

static inline bool is_virtual(const struct user *u)
{
	return u->handle.setup.clock == WHEEL_CLOCK_VIRTUAL;
}

#endif
