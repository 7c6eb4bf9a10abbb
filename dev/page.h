/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pages of slots and of touch words.
 */
#ifndef _WHEEL_DEV_PAGE_H
#define _WHEEL_DEV_PAGE_H

#include "dev.h"

int wheel_file_tables_alloc(struct wheel_file *file);
void wheel_file_tables_free(struct wheel_file *file);
int wheel_file_bring(struct wheel_file *file, u32 nr, bool word);
u32 wheel_file_word_pages(const struct wheel_file *file);
size_t wheel_file_table_bytes(const struct wheel_file *file);
struct page *wheel_file_word_page(struct wheel_file *file, u32 at);

#endif
