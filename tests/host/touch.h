/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the cache lines that the wheel accesses. The wheel and the test are compiled with
 * -fsanitize=thread, so that each access calls a function of touch.c, which replaces the sanitizer.
 * This file is included before all sources: a prefetch is an access.
 */
#ifndef _HOST_TOUCH_H
#define _HOST_TOUCH_H

#include <stddef.h>
#include <stdint.h>

#define TOUCH_LINE	64

void touch(const void *at, size_t size);
#define prefetch(place)	touch(place, 1)

/* Record only accesses to this memory, which is added to the memory that is recorded already. */
void touch_record(const void *memory, size_t size);

/* Forget the lines. */
void touch_reset(void);
/* Return the number of different lines since then. */
unsigned int touch_lines(void);

#ifndef __SANITIZE_THREAD__
/* The compiler calls these, and declares them itself. */
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(void *at, long size);
void __tsan_write_range(void *at, long size);
void __tsan_read1(void *at);
void __tsan_read2(void *at);
void __tsan_read4(void *at);
void __tsan_read8(void *at);
void __tsan_read16(void *at);
void __tsan_write1(void *at);
void __tsan_write2(void *at);
void __tsan_write4(void *at);
void __tsan_write8(void *at);
void __tsan_write16(void *at);
uint32_t __tsan_atomic32_load(const void *at, int order);
uint64_t __tsan_atomic64_load(const void *at, int order);
void __tsan_atomic32_store(void *at, uint32_t value, int order);
void __tsan_atomic64_store(void *at, uint64_t value, int order);
#endif

#endif
