/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payers: the users to whom CPU time and memory are charged.
 */
#ifndef _WHEEL_DEV_PAYER_H
#define _WHEEL_DEV_PAYER_H

#include <linux/types.h>

struct wheel_account;
struct wheel_file;
struct wheel_payer;

struct wheel_payer *wheel_payer_get(void);
void wheel_payer_put(struct wheel_payer *payer);
int wheel_file_charge(struct wheel_file *file, unsigned long pages);
void wheel_file_uncharge(struct wheel_file *file, unsigned long pages);
struct wheel_account *wheel_payer_account(struct wheel_payer *payer);
void wheel_payers_exit(void);

#endif
