// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The bounded wheel: one ring, and no timer is due later than one revolution from
 * now; what is, is refused. The classical simple wheel with its MaxInterval. A
 * walk never meets a timer of another round.
 */
#include "hashed.h"

static void bounded_init(struct wheel_core *w)
{
	wheel_hashed_init(w);
	w->span = w->ring.mask;
}

/*
 * The bound counts from the present, which is just before the floor. The clock may
 * have stayed behind: it can catch up as far as nothing is due, unless a pass is
 * moving it already. As long as it lags, a bucket may hold timers of two rounds;
 * their due ticks differ.
 */
static void bounded_follow(struct wheel_core *w, u64 tick)
{
	if (w->walk.bucket)
		return;
	w->clock = max(w->clock, min(tick, w->next - 1));
}

const struct wheel_scheme wheel_bounded = {
	.name		= "bounded",
	.by_tick	= true,
	.buckets	= wheel_hashed_buckets,
	.init		= bounded_init,
	.follow		= bounded_follow,
	.file		= wheel_hashed_file,
	.unfile		= wheel_hashed_unfile,
	.pop		= wheel_hashed_pop,
	.abandon	= wheel_hashed_abandon,
	.first		= wheel_hashed_first,
	.check		= wheel_hashed_check,
};
