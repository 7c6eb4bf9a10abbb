// SPDX-License-Identifier: GPL-2.0
/*
 * Payers: a user pays for what all of that user's files cost.
 *
 * Time in softirq context is no task's, and pages of the kernel and of its maps are in
 * no process's size, so neither a limit nor the OOM killer would find out whose they
 * are. Here they are a user's, however many files there are:
 *
 * - time: an account of engine/account.c;
 * - memory: pages up to a share of the machine's, and beyond it up to RLIMIT_MEMLOCK of
 *   the task that asks, as perf does it.
 *
 * A file that is opened with CAP_SYS_RESOURCE has no payer.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/wheel_timer.h>
#include "dev.h"
#include "payer.h"

/* A value that is no share is refused, as the kernel refuses one that is no number. */
static int percent_set(const char *val, const struct kernel_param *param)
{
	return param_set_uint_minmax(val, param, 1, 100);
}

static const struct kernel_param_ops percent_ops = {
	.set = percent_set,
	.get = param_get_uint,
};

static unsigned int softirq_percent = 5;
module_param_cb(softirq_percent, &percent_ops, &softirq_percent, 0444);
__MODULE_PARM_TYPE(softirq_percent, "uint");
MODULE_PARM_DESC(softirq_percent,
		 "share of one CPU that a user's timers may take in softirqs (5)");

static unsigned long user_kb;
module_param(user_kb, ulong, 0644);
MODULE_PARM_DESC(user_kb,
		 "memory that a user's files may take beside RLIMIT_MEMLOCK, in KiB (0: a 64th of the machine's)");

/**
 * struct wheel_payer - a user with open files
 * @node: in payers
 * @uid: the user
 * @files: how many are open; under payers_lock
 * @pages: charged for these files
 * @account: of the time that passes take
 */
struct wheel_payer {
	struct hlist_node	node;
	kuid_t			uid;
	unsigned int		files;
	atomic_long_t		pages;
	struct wheel_account	account;
};

static DEFINE_MUTEX(payers_lock);
static DEFINE_HASHTABLE(payers, 6);

static struct wheel_payer *payer_find(kuid_t uid)
{
	struct wheel_payer *payer;

	lockdep_assert_held(&payers_lock);
	hash_for_each_possible(payers, payer, node, __kuid_val(uid)) {
		if (uid_eq(payer->uid, uid))
			return payer;
	}
	return NULL;
}

static struct wheel_payer *payer_make(kuid_t uid)
{
	struct wheel_payer *payer = kzalloc(sizeof(*payer), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&payers_lock);
	if (!payer)
		return ERR_PTR(-ENOMEM);
	payer->uid = uid;
	wheel_account_init(&payer->account, softirq_percent);
	hash_add(payers, &payer->node, __kuid_val(uid));
	return payer;
}

/*
 * The caller's user. In a user namespace that an unprivileged user made it is that user: the
 * users in it are numbers that were handed out to the one who made it, many at once.
 */
static kuid_t payer_uid(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent) {
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	}
	return uid;
}

static void payer_free(struct wheel_payer *payer)
{
	hash_del(&payer->node);
	wheel_account_destroy(&payer->account);
	kfree(payer);
}

/* Debts outlive the files: closing them pays nothing. */
static void payers_reap(void)
{
	struct wheel_payer *payer;
	struct hlist_node *next;
	int i;

	lockdep_assert_held(&payers_lock);
	hash_for_each_safe(payers, i, next, payer, node) {
		if (!payer->files && wheel_account_idle(&payer->account))
			payer_free(payer);
	}
}

/**
 * wheel_payer_get - find the payer for a file that is being opened
 *
 * Context: Process context. May sleep.
 *
 * Return: the payer, to be given back by wheel_payer_put(); NULL: none is needed; or
 * -ENOMEM as an ERR_PTR.
 */
struct wheel_payer *wheel_payer_get(void)
{
	kuid_t uid = payer_uid();
	struct wheel_payer *payer;

	/* Without it nothing is denied, and so nothing is to be audited. */
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return NULL;
	mutex_lock(&payers_lock);
	payer = payer_find(uid);
	if (!payer) {
		payers_reap();
		payer = payer_make(uid);
	}
	if (!IS_ERR(payer))
		payer->files++;
	mutex_unlock(&payers_lock);
	return payer;
}

/**
 * wheel_payer_put - a file is closed
 * @payer: payer, or NULL
 *
 * Context: Process context. May sleep.
 */
void wheel_payer_put(struct wheel_payer *payer)
{
	if (!payer)
		return;
	mutex_lock(&payers_lock);
	payer->files--;
	payers_reap();
	mutex_unlock(&payers_lock);
}

/* Pages that the files of a user may take, as the caller's limits are. */
static unsigned long payer_limit(void)
{
	unsigned long kb = READ_ONCE(user_kb);
	unsigned long share = kb ? kb >> (PAGE_SHIFT - 10) : totalram_pages() / 64;
	unsigned long locked = rlimit(RLIMIT_MEMLOCK);

	return locked == RLIM_INFINITY ? LONG_MAX : share + (locked >> PAGE_SHIFT);
}

/**
 * wheel_file_charge - a file is about to take memory
 * @file: file
 * @pages: how many
 *
 * Return: 0 or -EDQUOT: the user's files would take more than they may.
 */
int wheel_file_charge(struct wheel_file *file, unsigned long pages)
{
	struct wheel_payer *payer = file->payer;

	if (!payer)
		return 0;
	if (atomic_long_add_return(pages, &payer->pages) > payer_limit()) {
		atomic_long_sub(pages, &payer->pages);
		return -EDQUOT;
	}
	atomic_long_add(pages, &file->charged);
	return 0;
}

/**
 * wheel_file_uncharge - a file has given back memory
 * @file: file
 * @pages: how many, no more than were charged
 */
void wheel_file_uncharge(struct wheel_file *file, unsigned long pages)
{
	if (!file->payer)
		return;
	atomic_long_sub(pages, &file->charged);
	atomic_long_sub(pages, &file->payer->pages);
}

/**
 * wheel_payer_account - the account that a payer's wheels share
 * @payer: payer, or NULL
 *
 * Return: the account, or NULL.
 */
struct wheel_account *wheel_payer_account(struct wheel_payer *payer)
{
	return payer ? &payer->account : NULL;
}

/**
 * wheel_payers_exit - forget all payers; no file is open
 */
void wheel_payers_exit(void)
{
	struct wheel_payer *payer;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(payers, i, next, payer, node)
		payer_free(payer);
}
