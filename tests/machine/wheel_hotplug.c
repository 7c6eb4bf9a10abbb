// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug with a WHEEL_PERCPU wheel. Each CPU that goes offline arms timers twice: in its
 * hotplug thread while it is fully functional, and again after its hrtimers were migrated. All
 * timers must fire, and none of them early. Unloading the module waits for the last timer and
 * prints their number.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/time64.h>
#include <linux/wait.h>
#include <linux/wheel_timer.h>

/* Number of timers that a CPU arms at each of the two points. */
#define EACH		4
/* Number of timers; if all are pending, arming fails and is not counted. */
#define POOL		1024
#define PERIOD_NS	(300 * NSEC_PER_USEC)

/*
 * The hotplug state of a device that this machine does not have. It is executed with interrupts
 * disabled, after the hrtimers were migrated from the CPU.
 */
#define AFTER_HRTIMERS	CPUHP_AP_ARM_TWD_STARTING

static struct wheel *wheel;
static struct wheel_timer timers[POOL];
static struct wheel_timer beats[EACH];
static atomic_t next, armed, late_armed, fired, early, beaten;
static DECLARE_WAIT_QUEUE_HEAD(all_fired);
static int online_state;

static void one_fires(struct wheel_timer *timer)
{
	if (wheel_now(wheel) < wheel_timer_deadline(timer))
		atomic_inc(&early);
	atomic_inc(&fired);
	wake_up(&all_fired);
}

/* Timers that arm themselves, so that passes run while hrtimers are migrated. */
static void heart_beats(struct wheel_timer *timer)
{
	if (!wheel_timer_arm_in(timer, PERIOD_NS, 0))
		atomic_inc(&beaten);
}

static int arm_some(atomic_t *count)
{
	unsigned int i;

	for (i = 0; i < EACH; i++) {
		unsigned int n = (unsigned int)atomic_inc_return(&next) % POOL;
		u64 deadline = wheel_now(wheel) + i * NSEC_PER_MSEC;

		if (!wheel_timer_arm(&timers[n], deadline, 0))
			atomic_inc(count);
	}
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	return arm_some(&armed);
}

static int cpu_has_no_hrtimers(unsigned int cpu)
{
	return arm_some(&late_armed);
}

static int __init wheel_hotplug_init(void)
{
	static const struct wheel_config config = {
		.name	 = KBUILD_MODNAME,
		.flags	 = WHEEL_PERCPU,
		.tick_ns = 100 * NSEC_PER_USEC,
	};
	unsigned int i;
	int err;

	wheel = wheel_create(&config);
	if (IS_ERR(wheel))
		return PTR_ERR(wheel);
	for (i = 0; i < POOL; i++)
		wheel_timer_init(&timers[i], wheel, one_fires);
	for (i = 0; i < EACH; i++) {
		wheel_timer_init(&beats[i], wheel, heart_beats);
		WARN_ON_ONCE(wheel_timer_arm_in(&beats[i], 0, 0));
	}
	err = cpuhp_setup_state_nocalls(AFTER_HRTIMERS, "wheel:starting", NULL,
					cpu_has_no_hrtimers);
	if (err)
		goto err_wheel;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wheel:online", NULL,
					cpu_goes);
	if (err < 0)
		goto err_state;
	online_state = err;
	return 0;

err_state:
	cpuhp_remove_state_nocalls(AFTER_HRTIMERS);
err_wheel:
	wheel_destroy(wheel);
	return err;
}

static void __exit wheel_hotplug_exit(void)
{
	int all, late;

	cpuhp_remove_state_nocalls(online_state);
	cpuhp_remove_state_nocalls(AFTER_HRTIMERS);
	late = atomic_read(&late_armed);
	all = late + atomic_read(&armed);
	if (!wait_event_timeout(all_fired, atomic_read(&fired) == all, 60 * HZ))
		pr_err("%d of %d timers never fired\n",
		       all - atomic_read(&fired), all);
	else if (late && !atomic_read(&early) && atomic_read(&beaten))
		pr_info("ok: %d timers of offlined CPUs, %d of them without hrtimers; %d beats\n",
			all, late, atomic_read(&beaten));
	wheel_destroy(wheel);
}

module_init(wheel_hotplug_init);
module_exit(wheel_hotplug_exit);

MODULE_DESCRIPTION("CPU hotplug test of wheel_timer");
MODULE_LICENSE("GPL");
