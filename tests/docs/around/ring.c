// SPDX-License-Identifier: GPL-2.0
/* include/uapi/linux/wheel_timer.h: tail = load_acquire(&kernel->event_tail); */
#include <linux/wheel_timer.h>

#define load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)

static void handle(const struct wheel_event *event)
{
	(void)event;
}

void take(const struct wheel_setup *asked, const struct wheel_kernel_page *kernel,
	  struct wheel_user_page *user, const struct wheel_event *events)
{
	struct wheel_setup setup = *asked;
	__u32 head = user->event_head;
	__u32 tail;

#include BLOCK
}
