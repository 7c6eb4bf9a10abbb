// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: the time that passes take in softirq context is somebody's.
 *
 * A softirq runs on top of any task, and the scheduler charges that task for it. A
 * program that has the kernel work in softirqs takes time from others, and none of
 * its own limits notices. Therefore wheels may share an account, which has a share
 * of one processor. Each nanosecond of a pass moves the time up to which the account
 * has paid by as many nanoseconds as the share takes to make up for it:
 *
 *	    now - WHEEL_ACCOUNT_BURST       now          paid_until
 *	-----------|-------------------------|---------------|------->
 *	           | what is not used is kept | the debt      |
 *	           | so long                  |               |
 *
 * While an account has a debt, its wheels make no pass in softirq or hardirq context. A base that
 * needs one waits in the account's queue. The account has an hrtimer of its own, set to the
 * time when the debt is paid, and then starts the one of the first base:
 *
 *	hrtimer --> debt, or others wait --> to the queue's end
 *	                                          |
 *	   account's hrtimer --> hrtimer of the first --> pass, charge --> the next
 *
 * The debt ends on the monotonic clock, while the first base may be of a clock that is set
 * back, and those behind it shall not wait for that. If each base had its own hrtimer set,
 * all would come at once, and the interrupts that found a debt again, which are charged,
 * too, would keep it from ever being paid. So a base is charged for waiting once, and gets
 * its pass after those that wait already, whatever is charged between its interrupt and
 * its pass. The owner may make the pass before, in a call of its own, for which the
 * scheduler charges the owner: wheel_run().
 *
 * This is the generic cell rate algorithm of ATM networks, with a time in place of a
 * counter of tokens, so that one exchange keeps it.
 *
 * Nearly always an account owes nothing, and that is known without a clock: what was paid
 * when it was charged last is paid now. So most passes read the clock for it once, at their end.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include "account.h"

/* An interrupt, its softirq and the hrtimer take about so long beside the pass. */
#define INTERRUPT_NS	2000

/*
 * A pass ends soon after WHEEL_RUN_NS. If the clock says more, our processor has had others to
 * serve: their interrupts, or another guest of the host. That is none of the account's.
 */
#define LONGEST_PASS_NS	(4 * WHEEL_RUN_NS)

/**
 * wheel_account_debt_now - wheel_account_debt() of an account that had one when it was charged
 * @account: account
 *
 * Context: Any.
 *
 * Return: nanoseconds until it has paid; 0: it has.
 */
u64 wheel_account_debt_now(const struct wheel_account *account)
{
	u64 until = atomic64_read(&account->paid_until);
	u64 now = ktime_get_mono_fast_ns();

	return until > now ? until - now : 0;
}

/*
 * The base that waited longest has its pass made: at once, or when the account has paid.
 * While it is in the queue, it is not freed.
 */
static void account_serve(struct wheel_account *account)
{
	struct wheel_base *first;

	lockdep_assert_held(&account->lock);
	first = list_first_entry_or_null(&account->waiting, struct wheel_base,
					 waits);
	if (!first || first->turn)
		return;
	if (wheel_account_debt(account)) {
		hrtimer_start(&account->hrtimer,
			      ns_to_ktime(atomic64_read(&account->paid_until)),
			      HRTIMER_MODE_ABS_HARD);
	} else {
		WRITE_ONCE(first->turn, true);
		/* 0 has passed on each clock, wherever that is set. */
		hrtimer_start(&first->hrtimer, 0, HRTIMER_MODE_ABS_HARD);
	}
}

/* Others take the lock with interrupts disabled, and do not wait for this under it. */
static enum hrtimer_restart account_paid(struct hrtimer *hrtimer)
{
	struct wheel_account *account = container_of(hrtimer, struct wheel_account,
						     hrtimer);

	raw_spin_lock(&account->lock);
	account_serve(account);
	raw_spin_unlock(&account->lock);
	return HRTIMER_NORESTART;
}

/**
 * wheel_account_init - make an account that owes nothing
 * @account: account
 * @percent: of one processor, 1 .. 100
 *
 * Context: Any.
 */
void wheel_account_init(struct wheel_account *account, unsigned int percent)
{
	atomic64_set(&account->paid_until, 0);
	account->charged = 0;
	account->cost = DIV_ROUND_UP(100, clamp(percent, 1U, 100U));
	raw_spin_lock_init(&account->lock);
	INIT_LIST_HEAD(&account->waiting);
	hrtimer_setup(&account->hrtimer, account_paid, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
}
EXPORT_SYMBOL_GPL(wheel_account_init);

/**
 * wheel_account_destroy - make an account ready to be freed
 * @account: account whose wheels are all destroyed
 *
 * Context: Process context. Waits for the account's interrupt.
 */
void wheel_account_destroy(struct wheel_account *account)
{
	WARN_ON_ONCE(!list_empty(&account->waiting));
	hrtimer_cancel(&account->hrtimer);
}
EXPORT_SYMBOL_GPL(wheel_account_destroy);

/**
 * wheel_account_idle - is an account as good as a new one?
 * @account: account
 *
 * Context: Any.
 *
 * Return: true if it owes nothing and has not been used for so long that what it may
 * use has stopped to grow.
 */
bool wheel_account_idle(const struct wheel_account *account)
{
	u64 until = atomic64_read(&account->paid_until);

	return until + WHEEL_ACCOUNT_BURST <= ktime_get_mono_fast_ns();
}
EXPORT_SYMBOL_GPL(wheel_account_idle);

/**
 * wheel_account_pays - may a pass be made in softirq context?
 * @base: base with an account
 *
 * Context: Any.
 *
 * Return: true if the account owes nothing, and no other base has waited longer. Or if it
 * was the base's turn before somebody else was charged.
 */
bool wheel_account_pays(struct wheel_base *base)
{
	struct wheel_account *account = base->owner->config.account;
	struct list_head *first = READ_ONCE(account->waiting.next);

	return READ_ONCE(base->turn) ||
	       (!wheel_account_debt(account) &&
		(first == &account->waiting || first == &base->waits));
}

/**
 * wheel_account_wait - have a pass made when the account has paid
 * @base: base, locked. Nothing else sets its hrtimer from now on
 *
 * wheel_account_serve() is called later, after what is still to be charged.
 */
void wheel_account_wait(struct wheel_base *base)
{
	struct wheel_account *account = base->owner->config.account;

	lockdep_assert_held(&base->lock);
	raw_spin_lock(&account->lock);
	if (list_empty(&base->waits))
		list_add_tail(&base->waits, &account->waiting);
	raw_spin_unlock(&account->lock);
}

/**
 * wheel_account_leave - a base's pass begins, or it needs none any more
 * @base: base, locked
 *
 * If it was the first of the queue, wheel_account_serve() is called later.
 */
void wheel_account_leave(struct wheel_base *base)
{
	struct wheel_account *account = base->owner->config.account;

	lockdep_assert_held(&base->lock);
	if (likely(!account))
		return;
	raw_spin_lock(&account->lock);
	list_del_init(&base->waits);
	WRITE_ONCE(base->turn, false);
	raw_spin_unlock(&account->lock);
}

/**
 * wheel_account_serve_first - wheel_account_serve() of an account that bases wait for
 * @account: account
 *
 * Context: Any.
 */
void wheel_account_serve_first(struct wheel_account *account)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&account->lock, flags);
	account_serve(account);
	raw_spin_unlock_irqrestore(&account->lock, flags);
}

/**
 * wheel_account_charge - a pass was made in softirq or hardirq context
 * @account: account
 * @begun: when, by ktime_get_mono_fast_ns()
 *
 * Or only the interrupt came, and the pass waits. Then the base that waits longest is next.
 *
 * Context: Any.
 */
void wheel_account_charge(struct wheel_account *account, u64 begun)
{
	u64 now = ktime_get_mono_fast_ns();
	/* This clock may step back a little. */
	u64 took = clamp_t(s64, now - begun, 0, LONGEST_PASS_NS);
	u64 price = (took + INTERRUPT_NS) * account->cost;
	s64 old = atomic64_read(&account->paid_until);
	s64 new;

	do {
		new = max_t(s64, old, now - WHEEL_ACCOUNT_BURST) + price;
	} while (!atomic64_try_cmpxchg(&account->paid_until, &old, new));
	WRITE_ONCE(account->charged, now);
	wheel_account_serve(account);
}
