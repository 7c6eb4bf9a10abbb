/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts, as passes know them: what an account owes, what it is charged, and who waits
 * until it has paid. See account.c.
 */
#ifndef _WHEEL_ENGINE_ACCOUNT_H
#define _WHEEL_ENGINE_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include "engine.h"

u64 wheel_account_debt_now(const struct wheel_account *account);
void wheel_account_charge(struct wheel_account *account, u64 begun);
bool wheel_account_pays(struct wheel_base *base);
void wheel_account_wait(struct wheel_base *base);
void wheel_account_leave(struct wheel_base *base);
void wheel_account_serve_first(struct wheel_account *account);

/**
 * wheel_account_debt - how long an account has to wait
 * @account: account, or NULL
 *
 * One that had no debt when it was charged has none now: no clock is needed to know. The two
 * are read without order: whichever charge the time is of, it has passed.
 *
 * Context: Any.
 *
 * Return: nanoseconds until it has paid; 0: it has.
 */
static inline u64 wheel_account_debt(const struct wheel_account *account)
{
	if (!account || likely(atomic64_read(&account->paid_until) <=
			       READ_ONCE(account->charged)))
		return 0;
	return wheel_account_debt_now(account);
}

/**
 * wheel_account_owes - does a pass have to wait, or be made by the owner?
 * @account: account, or NULL
 *
 * Context: Any.
 *
 * Return: true if the account has a debt, or had one and bases still wait in the queue.
 */
static inline bool wheel_account_owes(const struct wheel_account *account)
{
	return account &&
	       (wheel_account_debt(account) || !list_empty(&account->waiting));
}

/**
 * wheel_account_serve - have the base that waited longest go on
 * @account: account whose debt or queue may have changed
 *
 * Context: Any.
 */
static inline void wheel_account_serve(struct wheel_account *account)
{
	if (!list_empty(&account->waiting))
		wheel_account_serve_first(account);
}

#endif
