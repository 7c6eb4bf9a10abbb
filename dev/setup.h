/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kind of wheel a file is.
 */
#ifndef _WHEEL_DEV_SETUP_H
#define _WHEEL_DEV_SETUP_H

#include "dev.h"

int wheel_file_ensure_setup(struct wheel_file *file);
void wheel_file_info(struct wheel_file *file, struct wheel_setup *info);
void wheel_file_teardown(struct wheel_file *file);

#endif
