/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kind of wheel a file is.
 */
#ifndef _WHEEL_DEV_SETUP_H
#define _WHEEL_DEV_SETUP_H

#include "dev.h"

int file_setup(struct wheel_file *file, struct wheel_setup *setup);
void file_teardown(struct wheel_file *file);
struct wheel *file_wheel(struct wheel_file *file);
struct wheel *file_wheel_ready(const struct wheel_file *file);
struct ring *file_ring(const struct wheel_file *file);
void file_info(struct wheel_file *file, struct wheel_setup *info);

#endif
