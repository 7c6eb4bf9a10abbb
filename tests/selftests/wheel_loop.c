// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "wheel_loop.h"
#include "wheel_test.h"
#include "wheel_words.h"

bool wt_loop_open(struct wt_loop *l, const struct wheel_setup *wanted)
{
	struct wheel_setup setup = *wanted;

	setup.flags |= WHEEL_SETUP_WORDS;
	memset(l, 0, sizeof(*l));
	if (!wt_ring_open(&l->ring, &setup))
		return false;
	l->words = wt_map(l->ring.fd, l->ring.setup.timers);
	return l->words;
}

__u32 wt_loop_ready(const struct wt_loop *l)
{
	return wt_ring_tail(&l->ring) - l->head;
}

void wt_loop_take(struct wt_loop *l, __u32 n)
{
	l->head += n;
	wt_ring_take(&l->ring, l->head);
}

int wt_loop_enter(struct wt_loop *l, __u32 wait, __u64 until)
{
	struct wheel_enter e;

	return wt_enter(l->ring.fd, wait, until, &e);
}
