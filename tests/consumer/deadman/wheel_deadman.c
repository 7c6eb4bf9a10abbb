// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/deadman: dead-man switches, which report programs that stop sending signs of life.
 *
 *	echo "backup 60000" >/dev/deadman	sign of life; report after 60 s of silence
 *	echo "backup 0" >/dev/deadman		remove the switch
 *	cat /dev/deadman			names of the switches, and remaining ms
 *
 * When the timeout of a switch expires, the module logs a message, sends a uevent of the
 * device with DEADMAN=<name>, and removes the switch.
 *
 * Signs of life are frequent, so they take no lock: the switch is looked up under RCU, and
 * wheel_timer_push() postpones its deadline. Creating a switch, reducing its timeout and
 * removing it are rare and take the mutex. Callbacks sleep on the mutex and while sending
 * the uevent, so the wheel is WHEEL_SLEEPABLE.
 *
 * A switch has one owner at any time: the table while its timer is pending, then its
 * callback. A caller that cancels the timer becomes the owner.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/kobject.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stringhash.h>
#include <linux/time64.h>
#include <linux/wheel_timer.h>

#define NAME_SIZE	32
#define MOST		4096
#define LONGEST_MS	(365ULL * 24 * 3600 * MSEC_PER_SEC)

/* A switch. */
struct deadman {
	struct wheel_timer	silence;
	struct hlist_node	node;
	struct rcu_head		rcu;
	char			name[NAME_SIZE];
};

static struct wheel *wheel;
static DEFINE_HASHTABLE(table, 8);
/* Protects changes of the table. */
static DEFINE_MUTEX(change);

static u32 hash_of(const char *name)
{
	return full_name_hash(NULL, name, strlen(name));
}

/* The caller must be in an RCU read-side critical section or hold the mutex. */
static struct deadman *find(const char *name)
{
	struct deadman *man;

	hash_for_each_possible_rcu(table, man, node, hash_of(name),
				   lockdep_is_held(&change))
		if (!strcmp(man->name, name))
			return man;
	return NULL;
}

static void forget(struct deadman *man)
{
	lockdep_assert_held(&change);
	hash_del_rcu(&man->node);
	kfree_rcu(man, rcu);
}

static void tell(const char *name);

/* Runs in process context. The callback owns the switch, whose timer is no longer pending. */
static void goes_off(struct wheel_timer *timer)
{
	struct deadman *man = from_wheel_timer(man, timer, silence);
	char name[NAME_SIZE];

	strscpy(name, man->name, sizeof(name));
	mutex_lock(&change);
	forget(man);
	mutex_unlock(&change);
	tell(name);
}

static int watch(const char *name, u64 deadline)
{
	struct deadman *man;
	int error;

	lockdep_assert_held(&change);
	man = kzalloc(sizeof(*man), GFP_KERNEL);
	if (!man)
		return -ENOMEM;
	strscpy(man->name, name, sizeof(man->name));
	wheel_timer_init(&man->silence, wheel, goes_off);
	error = wheel_timer_arm(&man->silence, deadline, 0);
	if (error) {
		kfree(man);
		return error;
	}
	/* The callback waits for the mutex, which is held here. */
	hash_add_rcu(table, &man->node, hash_of(man->name));
	return 0;
}

/* Returns -ENOENT if the timer has expired, so that its callback owns the switch. */
static int unwatch(struct deadman *man)
{
	int error = wheel_timer_cancel(&man->silence);

	if (error)
		return -ENOENT;
	forget(man);
	return 0;
}

static int change_table(const char *name, u64 now, u64 ms)
{
	u64 deadline = now + ms * NSEC_PER_MSEC;
	struct deadman *man;
	int error;

	mutex_lock(&change);
	man = find(name);
	if (man && ms)
		error = wheel_timer_rearm(&man->silence, deadline, 0);
	else if (man)
		error = unwatch(man);
	else if (ms)
		error = watch(name, deadline);
	else
		error = -ENOENT;
	mutex_unlock(&change);
	return error;
}

/* Fast path: an existing switch whose deadline does not become earlier. */
static bool sign_of_life(const char *name, u64 deadline)
{
	struct deadman *man;
	bool alive;

	rcu_read_lock();
	man = find(name);
	alive = man && deadline >= wheel_timer_deadline(&man->silence) &&
		wheel_timer_push(&man->silence, deadline);
	rcu_read_unlock();
	return alive;
}

static ssize_t deadman_write(struct file *file, const char __user *buffer,
			     size_t size, loff_t *pos)
{
	char line[64], name[NAME_SIZE];
	u64 now = wheel_now(wheel), ms;
	int error;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buffer, size))
		return -EFAULT;
	line[size] = '\0';
	if (sscanf(line, "%31s %llu", name, &ms) != 2 || ms > LONGEST_MS)
		return -EINVAL;
	if (ms && sign_of_life(name, now + ms * NSEC_PER_MSEC))
		return size;
	error = change_table(name, now, ms);
	return error ?: size;
}

static int deadman_show(struct seq_file *seq, void *unused)
{
	u64 now = wheel_now(wheel);
	struct deadman *man;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(table, bucket, man, node) {
		u64 deadline = wheel_timer_deadline(&man->silence);
		u64 left = deadline > now ? deadline - now : 0;

		seq_printf(seq, "%s %llu\n", man->name,
			   div_u64(left, NSEC_PER_MSEC));
	}
	rcu_read_unlock();
	return 0;
}

static int deadman_open(struct inode *inode, struct file *file)
{
	/* misc_open() set it to the misc device; single_open() needs NULL. */
	file->private_data = NULL;
	return single_open(file, deadman_show, NULL);
}

static const struct file_operations deadman_fops = {
	.owner		= THIS_MODULE,
	.open		= deadman_open,
	.read		= seq_read,
	.write		= deadman_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "deadman",
	.fops	= &deadman_fops,
	.mode	= 0600,
};

static void tell(const char *name)
{
	char variable[NAME_SIZE + 8];
	char *environment[2] = { variable };

	pr_notice("%s: no sign of life\n", name);
	snprintf(variable, sizeof(variable), "DEADMAN=%s", name);
	kobject_uevent_env(&device.this_device->kobj, KOBJ_CHANGE, environment);
}

static int __init wheel_deadman_init(void)
{
	const struct wheel_config config = {
		.name		= KBUILD_MODNAME,
		.clock		= WHEEL_CLOCK_BOOTTIME,
		.scheme		= WHEEL_HIERARCHICAL,
		.flags		= WHEEL_SLEEPABLE,
		.tick_ns	= 10 * NSEC_PER_MSEC,
		.limit		= MOST,
	};
	int error;

	wheel = wheel_create(&config);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	error = misc_register(&device);
	if (error)
		wheel_destroy(wheel);
	return error;
}

/* No file is open. Stop the callbacks first, because they use the device. */
static void __exit wheel_deadman_exit(void)
{
	struct hlist_node *next;
	struct deadman *man;
	int bucket;

	wheel_stop(wheel, NULL);
	misc_deregister(&device);
	hash_for_each_safe(table, bucket, next, man, node)
		kfree(man);
	wheel_destroy(wheel);
}

module_init(wheel_deadman_init);
module_exit(wheel_deadman_exit);

MODULE_DESCRIPTION("Dead-man switches on a wheel_timer");
MODULE_LICENSE("GPL");
