/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of slots, and pages that are shared with the program.
 */
#ifndef _WHEEL_DEV_PAGE_H
#define _WHEEL_DEV_PAGE_H

#include "dev.h"

/* Arrays of u64s shared with the program: touch words, doorbells and their summary. */
enum wheel_shared { WHEEL_WORDS, WHEEL_BELL_BITS, WHEEL_SUMMARY_BITS, WHEEL_SHARED };

int wheel_file_tables_alloc(struct wheel_file *file);
void wheel_file_tables_free(struct wheel_file *file);
int wheel_file_bring(struct wheel_file *file, u32 nr, u32 flags);
size_t wheel_file_table_bytes(const struct wheel_file *file);
u32 wheel_file_shared_pages(const struct wheel_file *file, enum wheel_shared which);
struct page *wheel_file_shared_page(struct wheel_file *file,
				    enum wheel_shared which, u32 at);

#endif
