/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set-up of a file.
 */
#ifndef _WHEEL_DEV_SETUP_H
#define _WHEEL_DEV_SETUP_H

#include "dev.h"

int wheel_file_setup_default(struct wheel_file *file);
void wheel_file_info(struct wheel_file *file, struct wheel_setup *info);
void wheel_file_teardown(struct wheel_file *file);

/**
 * wheel_file_ensure_setup() - Set a file up with the defaults if it is not set up
 * @file: file
 *
 * Return: 0 on success, or a negative errno.
 */
static inline int wheel_file_ensure_setup(struct wheel_file *file)
{
	return likely(wheel_file_ready(file)) ? 0 : wheel_file_setup_default(file);
}

#endif
