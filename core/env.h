/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The environment of the wheel: headers of the kernel, or definitions of the same names in user
 * space. All other files of the wheel are independent of the environment.
 */
#ifndef _WHEEL_CORE_ENV_H
#define _WHEEL_CORE_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include <linux/types.h>

/* Let other tasks run. Returns true if the task is being killed, and so needs no wheel. */
bool wheel_killed(void);

#else

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

/* Programs can be interrupted and killed at any time. */
#define wheel_killed()		false
/* Tests define it to record prefetches, which have no other effect. */
#ifndef prefetch
#define prefetch(x)		__builtin_prefetch(x)
#endif
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)

#define min_t(type, x, y) \
	({ type _low = (x); type _y = (y); _low < _y ? _low : _y; })
#define max_t(type, x, y) \
	({ type _high = (x); type _z = (y); _high > _z ? _high : _z; })
#define min(x, y)		min_t(__typeof__(x), x, y)
#define max(x, y)		max_t(__typeof__(x), x, y)

#define DIV_ROUND_UP(n, d) \
	({ __typeof__(d) _each = (d); ((n) + _each - 1) / _each; })

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define list_entry(ptr, type, member)	container_of(ptr, type, member)

#define INDIRECT_CALL_2(f, f2, f1, ...) \
	((void)(f1), (void)(f2), (f)(__VA_ARGS__))

static inline unsigned int fls64(u64 x)
{
	return x ? 64 - (unsigned int)__builtin_clzll(x) : 0;
}

static inline unsigned int __fls(u64 x)
{
	return 63 - (unsigned int)__builtin_clzll(x);
}

static inline unsigned int __ffs64(u64 x)
{
	return (unsigned int)__builtin_ctzll(x);
}

static inline unsigned int ilog2(u64 x)
{
	/* Two instructions less than a difference. */
	return 63 ^ (unsigned int)__builtin_clzll(x);
}

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

#endif

#include "../include/linux/wheel_timer_types.h"

/* mul_u64_u64_shr() is four multiplications on User-Mode Linux. */
static inline u64 wheel_mulhi(u64 a, u64 b)
{
	return (u64)((__uint128_t)a * b >> 64);
}

#endif
