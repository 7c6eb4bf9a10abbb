// SPDX-License-Identifier: GPL-2.0
#include "bench.h"

#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat.h"

struct expiries bench_expired;

/* Reset the counters. Callbacks are expected in groups of @group. */
void bench_expect(u32 group)
{
	bench_expired = (struct expiries){ .group = group, .left = group };
}

/* Called by each callback. Reads the clock only at the start and end of a group. */
static void count_call(void)
{
	struct expiries *expired = &bench_expired;

	if (expired->left == expired->group)
		expired->start = ktime_get_ns();
	if (!--expired->left) {
		expired->ns += ktime_get_ns() - expired->start;
		expired->left = expired->group;
	}
	WRITE_ONCE(expired->fired, expired->fired + 1);
}

void bench_timer_fires(struct wheel_timer *timer)
{
	count_call();
}

static void timer_fires(struct timer_list *timer)
{
	count_call();
}

static enum hrtimer_restart hrtimer_fires(struct hrtimer *timer)
{
	count_call();
	return HRTIMER_NORESTART;
}

static void *array(u32 count, size_t size)
{
	return kvcalloc(count, size, GFP_KERNEL);
}

/* Allocate and touch all memory in advance, for all implementations. */
int bench_open(struct bench *bench, u32 count)
{
	bool full;
	u32 i;

	memset(bench, 0, sizeof(*bench));
	bench->count = count;
	prandom_seed_state(&bench->rnd, 1);
	bench->order = array(count, sizeof(*bench->order));
	full = !!bench->order;
	for (i = 0; i < SETS; i++) {
		bench->when[i] = array(count, sizeof(*bench->when[i]));
		bench->expires[i] = array(count, sizeof(*bench->expires[i]));
		full &= bench->when[i] && bench->expires[i];
	}
	for (i = 0; i < WHEELS; i++) {
		bench->wheel_timers[i] = array(count, sizeof(struct wheel_timer));
		full &= !!bench->wheel_timers[i];
	}
	bench->timers = array(count, sizeof(*bench->timers));
	bench->hrtimers = array(count, sizeof(*bench->hrtimers));
	if (!full || !bench->timers || !bench->hrtimers) {
		bench_close(bench);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		bench->order[i] = i;
		timer_setup(&bench->timers[i], timer_fires, 0);
		hrtimer_setup(&bench->hrtimers[i], hrtimer_fires,
			      CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	}
	return 0;
}

/* All timers must be idle, or their wheel destroyed. */
void bench_close(struct bench *bench)
{
	int i;

	kvfree(bench->hrtimers);
	kvfree(bench->timers);
	for (i = 0; i < WHEELS; i++)
		kvfree(bench->wheel_timers[i]);
	for (i = 0; i < SETS; i++) {
		kvfree(bench->expires[i]);
		kvfree(bench->when[i]);
	}
	kvfree(bench->order);
}

/* Create a wheel with a limit of @bench->count timers. */
int bench_make_wheel(struct bench *bench, int c, u32 clock, u64 tick_ns)
{
	static const u32 schemes[] = {
		[HASHED] = WHEEL_HASHED,
		[HIERARCHICAL] = WHEEL_HIERARCHICAL,
	};
	const struct wheel_config config = {
		.name = KBUILD_MODNAME,
		.clock = clock,
		.scheme = schemes[c],
		.tick_ns = tick_ns,
		.limit = bench->count,
	};
	u32 i;

	bench->wheel[c] = wheel_create(&config);
	if (IS_ERR(bench->wheel[c]))
		return PTR_ERR(bench->wheel[c]);
	for (i = 0; i < bench->count; i++)
		wheel_timer_init(&bench->wheel_timers[c][i], bench->wheel[c],
				 bench_timer_fires);
	return 0;
}

void bench_drop_wheel(struct bench *bench, int c)
{
	wheel_destroy(bench->wheel[c]);
	bench->wheel[c] = NULL;
}

int bench_make_wheels(struct bench *bench, u64 tick_ns)
{
	int c, error = 0;

	for (c = 0; c < WHEELS && !error; c++)
		error = bench_make_wheel(bench, c, WHEEL_CLOCK_MONOTONIC, tick_ns);
	if (error)
		bench_drop_wheels(bench);
	return error;
}

void bench_drop_wheels(struct bench *bench)
{
	int c;

	for (c = 0; c < WHEELS; c++)
		bench_drop_wheel(bench, c);
}

void bench_shuffle(struct bench *bench)
{
	u32 i, other;

	for (i = bench->count - 1; i; i--) {
		other = prandom_u32_state(&bench->rnd) % (i + 1);
		swap(bench->order[i], bench->order[other]);
	}
}

static u64 draw(struct bench *bench, u64 from, u64 to)
{
	u64 milliseconds = div_u64(to - from, NSEC_PER_MSEC);
	u64 high = prandom_u32_state(&bench->rnd);

	return from + (high * milliseconds >> 32) * NSEC_PER_MSEC +
	       prandom_u32_state(&bench->rnd) % NSEC_PER_MSEC;
}

/*
 * Generate random deadlines from @base + @from to @base + @to, for all
 * implementations. The deadlines of the last set are later by @to - @from.
 */
void bench_draw(struct bench *bench, u64 base, u64 from, u64 to)
{
	unsigned long now = jiffies;
	u32 set, i;

	for (set = 0; set < SETS; set++) {
		u64 later = set == SETS - 1 ? to - from : 0;

		for (i = 0; i < bench->count; i++) {
			u64 ns = draw(bench, from + later, to + later);

			bench->when[set][i] = base + ns;
			bench->expires[set][i] = now + nsecs_to_jiffies(ns);
		}
	}
}

u64 bench_tenths(u64 ns, u32 count)
{
	return div_u64(ns * 10, count);
}

static const char *const names[CONTESTANTS] = {
	[HASHED] = "hashed", [HIERARCHICAL] = "hierarchical",
	[TIMER_LIST] = "timer_list", [HRTIMER] = "hrtimer",
};

/* Columns: bench, operation, timers, implementation, unit, sample. */
void bench_print(const struct bench *bench, const char *order, const char *op,
		 const struct figures *figures)
{
	u32 round, tenth;
	int c;

	for (c = 0; c < CONTESTANTS; c++)
		for (round = 0; round < bench_rounds; round++) {
			u64 ns = div_u64_rem(figures->round[c][round], 10, &tenth);

			if (ns || tenth)
				pr_info("kernel,\"%s %s\",%u,%s,ns,%llu.%u\n", order, op,
					bench->count, names[c], ns, tenth);
		}
}

void bench_print_sizes(void)
{
	static const size_t sizes[CONTESTANTS] = {
		[HASHED] = sizeof(struct wheel_timer),
		[HIERARCHICAL] = sizeof(struct wheel_timer),
		[TIMER_LIST] = sizeof(struct timer_list),
		[HRTIMER] = sizeof(struct hrtimer),
	};
	int c;

	for (c = 0; c < CONTESTANTS; c++)
		pr_info("kernel,size,1,%s,bytes,%zu\n", names[c], sizes[c]);
}
