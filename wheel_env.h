/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the wheel needs of its surroundings: in the kernel its headers, in user
 * space the same few names. The only file of the wheel that knows where it is.
 */
#ifndef _WHEEL_ENV_H
#define _WHEEL_ENV_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

static inline u64 wheel_mulhi(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, 64);
}

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(t, a, b)		min((t)(a), (t)(b))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define list_entry(ptr, type, member)	container_of(ptr, type, member)

#define INDIRECT_CALL_1(f, f1, ...)	f(__VA_ARGS__)

static inline u64 wheel_mulhi(u64 a, u64 b)
{
	return (u64)((unsigned __int128)a * b >> 64);
}

static inline unsigned int fls64(u64 x)
{
	return x ? 64 - (unsigned int)__builtin_clzll(x) : 0;
}

static inline unsigned int __ffs64(u64 x)
{
	return (unsigned int)__builtin_ctzll(x);
}

static inline unsigned int ilog2(u64 x)
{
	return fls64(x) - 1;
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

static inline void list_add(struct list_head *node, struct list_head *prev)
{
	node->next = prev->next;
	node->prev = prev;
	prev->next->prev = node;
	prev->next = node;
}

static inline void list_add_tail(struct list_head *node, struct list_head *next)
{
	list_add(node, next->prev);
}

static inline void list_del(struct list_head *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
}

#endif
#endif
