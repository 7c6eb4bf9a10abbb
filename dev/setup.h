/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kind of wheel that a file is.
 */
#ifndef _WHEEL_DEV_SETUP_H
#define _WHEEL_DEV_SETUP_H

#include "dev.h"

int wheel_file_setup_default(struct wheel_file *file);
void wheel_file_info(struct wheel_file *file, struct wheel_setup *info);
void wheel_file_teardown(struct wheel_file *file);

/**
 * wheel_file_ensure_setup - set a file up by defaults, if it is not
 * @file: file
 *
 * Return: 0 or an errno.
 */
static inline int wheel_file_ensure_setup(struct wheel_file *file)
{
	return likely(wheel_file_ready(file)) ? 0 : wheel_file_setup_default(file);
}

#endif
