/* SPDX-License-Identifier: MIT */
/*
 * The wheel: a timer for each moment at which keys expire within the horizon, and what
 * happens when one is due. Redis itself deletes the keys, tells its subscribers
 * and its replicas: it does so when an expired key is opened, and we open it.
 */
#ifndef DUE_H
#define DUE_H

#include <stdbool.h>
#include <stdint.h>

struct RedisModuleCtx;
struct RedisModuleString;
struct name;

/**
 * struct due_counts - since the module was loaded
 * @expired: keys that Redis deleted because their moment had come
 * @moved: keys that were found to expire later by now
 * @refused: keys that found no room on the wheel
 * @late_max_us: the longest from a key's expiry to its deletion
 */
struct due_counts {
	uint64_t expired;
	uint64_t moved;
	uint64_t refused;
	int64_t late_max_us;
};

/* For so many keys at most. 0 or a negative errno. */
int due_open(uint32_t limit);
void due_close(void);
/* Readable when due_serve() has something to do. */
int due_fd(void);
/* "kernel" or "user" */
const char *due_backend(void);
const struct due_counts *due_counts(void);
/* Milliseconds since 1970. */
int64_t due_now_ms(void);
void due_set_horizon(int64_t ms);
int64_t due_horizon(void);

/*
 * A key may expire then: when it is due, it does or does not. Beyond the horizon means
 * nothing, INT64_MAX never.
 */
void due_expect(struct RedisModuleString *string, int64_t expires_ms);
/*
 * A command that is read now gives it so long a life, within the horizon, when it is executed:
 * at once, or once its transaction is.
 */
void due_expect_life(const struct name *name, int64_t lives_ms);
/*
 * Forgets the key of that number if it does not expire within the horizon. seek_begin()
 * comes before it.
 */
void due_check(struct RedisModuleCtx *ctx, uint32_t nr);
void due_forget_all(void);
/* The wheel is told now, at the latest, which keys were expected and forgotten. */
void due_submit(void);
/*
 * Calls @wake from due_serve() once it is that time; instead of the last such
 * call, if that is still to come.
 */
typedef void due_wake_fn(struct RedisModuleCtx *ctx);
void due_wake_at(int64_t ms, due_wake_fn *wake);
/* Lets Redis expire some of the keys that are due. True: there may be more. */
bool due_serve(struct RedisModuleCtx *ctx);

#endif
