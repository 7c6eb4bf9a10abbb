/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory limits per user.
 */
#ifndef _WHEEL_DEV_USER_H
#define _WHEEL_DEV_USER_H

#include <linux/types.h>

struct wheel_file;
struct wheel_user;

struct wheel_user *wheel_user_get(void);
void wheel_user_put(struct wheel_user *user);
int wheel_file_charge(struct wheel_file *file, unsigned long pages);
void wheel_file_uncharge(struct wheel_file *file, unsigned long pages);

#endif
