// SPDX-License-Identifier: GPL-2.0
/*
 * Memory limits per user. Memory that the kernel allocates for a process does not count against
 * RLIMIT_AS, and the OOM killer does not attribute it to the process. All files of a user together
 * are therefore limited to a fraction of the machine's memory plus RLIMIT_MEMLOCK of the task that
 * needs the memory, as in perf. All memory is also charged to the opener's memory cgroup.
 *
 * A file that is opened with CAP_SYS_RESOURCE has no limit.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include "dev.h"

static unsigned long user_kb;
module_param(user_kb, ulong, 0644);
MODULE_PARM_DESC(user_kb,
		 "memory limit of a user's files in addition to RLIMIT_MEMLOCK, in KiB (0: 1/64 of the machine's memory)");

/**
 * struct wheel_user - User with open files
 * @node: entry in users
 * @uid: user id
 * @files: number of open files; protected by users_lock
 * @pages: number of pages charged for these files
 */
struct wheel_user {
	struct hlist_node	node;
	kuid_t			uid;
	unsigned int		files;
	atomic_long_t		pages;
};

/* Protects users and wheel_user.files. */
static DEFINE_SPINLOCK(users_lock);
static DEFINE_HASHTABLE(users, 6);

static struct wheel_user *user_find(kuid_t uid)
{
	struct wheel_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, __kuid_val(uid)) {
		if (uid_eq(user->uid, uid))
			return user;
	}
	return NULL;
}

/*
 * Return the user id of the caller. In a user namespace created by an unprivileged user, return
 * that of the creator, to whom all ids of the namespace were assigned.
 */
static kuid_t user_uid(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns->parent; ns = ns->parent) {
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	}
	return uid;
}

/* Get the user whose limit applies to a file: NULL without a limit, or -ENOMEM as an ERR_PTR. */
struct wheel_user *wheel_user_get(void)
{
	struct wheel_user *user, *new;
	kuid_t uid = user_uid();

	/* The lack of the capability denies nothing, so it is not audited. */
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return NULL;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);
	new->uid = uid;
	spin_lock(&users_lock);
	user = user_find(uid);
	if (!user) {
		hash_add(users, &new->node, __kuid_val(uid));
		swap(user, new);
	}
	user->files++;
	spin_unlock(&users_lock);
	kfree(new);
	return user;
}

/* Release the user of a file, or NULL. Its pages for this file were uncharged. */
void wheel_user_put(struct wheel_user *user)
{
	if (!user)
		return;
	spin_lock(&users_lock);
	if (--user->files)
		user = NULL;
	else
		hash_del(&user->node);
	spin_unlock(&users_lock);
	kfree(user);
}

/* Return the number of pages that each user may have in addition to RLIMIT_MEMLOCK. */
static unsigned long user_share(void)
{
	unsigned long kb = READ_ONCE(user_kb);

	return kb ? kb >> (PAGE_SHIFT - 10) : totalram_pages() / 64;
}

/* Return the limit in pages. RLIMIT_MEMLOCK is that of the calling task. */
static unsigned long user_limit(void)
{
	unsigned long locked = rlimit(RLIMIT_MEMLOCK);

	return locked == RLIM_INFINITY ? LONG_MAX : user_share() + (locked >> PAGE_SHIFT);
}

/* Charge @pages that a file is about to allocate. Returns 0 or -EDQUOT. */
int wheel_file_charge(struct wheel_file *file, unsigned long pages)
{
	unsigned long limit = user_limit();
	struct wheel_user *user = file->user;
	long now;

	if (!user) {
		atomic_long_add(pages, &file->charged);
		return 0;
	}
	now = atomic_long_read(&user->pages);
	do {
		if (now + pages > limit)
			return -EDQUOT;
	} while (!atomic_long_try_cmpxchg(&user->pages, &now, now + pages));
	atomic_long_add(pages, &file->charged);
	return 0;
}

/* Uncharge @pages that a file has freed. */
void wheel_file_uncharge(struct wheel_file *file, unsigned long pages)
{
	atomic_long_sub(pages, &file->charged);
	if (file->user)
		atomic_long_sub(pages, &file->user->pages);
}

/*
 * Print the memory of a file, that of all files of its user, and the limit of the latter without
 * RLIMIT_MEMLOCK, which depends on the process.
 */
void wheel_user_show(struct seq_file *m, const struct wheel_file *file)
{
	const unsigned int kb = PAGE_SHIFT - 10;

	seq_printf(m, "memory_kb:\t%lu\n", atomic_long_read(&file->charged) << kb);
	if (!file->user)
		return;
	seq_printf(m, "user_memory_kb:\t%lu\n", atomic_long_read(&file->user->pages) << kb);
	seq_printf(m, "user_limit_kb:\t%lu\n", user_share() << kb);
}
