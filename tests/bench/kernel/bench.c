// SPDX-License-Identifier: GPL-2.0
#include "bench.h"

#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "compat.h"

struct expiries bench_expired;

/* Callbacks will come in groups of this size. */
void bench_expect(u32 group)
{
	bench_expired = (struct expiries){ .group = group, .left = group };
}

/* What every callback does: the clock is read twice in a group. */
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

static void wheel_timer_fires(struct wheel_timer *timer)
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

/* All memory that a contestant will touch, touched. */
int bench_open(struct bench *bench, u32 count)
{
	u32 i;

	memset(bench, 0, sizeof(*bench));
	bench->count = count;
	prandom_seed_state(&bench->rnd, 1);
	bench->order = array(count, sizeof(*bench->order));
	for (i = 0; i < 2; i++) {
		bench->when[i] = array(count, sizeof(*bench->when[i]));
		bench->expires[i] = array(count, sizeof(*bench->expires[i]));
	}
	bench->wheel_timers = array(count, sizeof(*bench->wheel_timers));
	bench->timers = array(count, sizeof(*bench->timers));
	bench->hrtimers = array(count, sizeof(*bench->hrtimers));
	if (!bench->order || !bench->when[0] || !bench->when[1] ||
	    !bench->expires[0] || !bench->expires[1] || !bench->wheel_timers ||
	    !bench->timers || !bench->hrtimers) {
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

/* The timers are idle, or were forgotten with their wheel. */
void bench_close(struct bench *bench)
{
	int i;

	kvfree(bench->hrtimers);
	kvfree(bench->timers);
	kvfree(bench->wheel_timers);
	for (i = 0; i < 2; i++) {
		kvfree(bench->expires[i]);
		kvfree(bench->when[i]);
	}
	kvfree(bench->order);
}

/* A wheel for as many timers as there are, as a careful owner would ask. */
int bench_make_wheel(struct bench *bench, u32 clock, u64 tick_ns)
{
	const struct wheel_config config = {
		.name = KBUILD_MODNAME,
		.clock = clock,
		.scheme = bench_scheme,
		.tick_ns = tick_ns,
		.limit = bench->count,
	};
	u32 i;

	bench->wheel = wheel_create(&config);
	if (IS_ERR(bench->wheel))
		return PTR_ERR(bench->wheel);
	for (i = 0; i < bench->count; i++)
		wheel_timer_init(&bench->wheel_timers[i], bench->wheel,
				 wheel_timer_fires);
	return 0;
}

void bench_drop_wheel(struct bench *bench)
{
	wheel_stop(bench->wheel, NULL);
	wheel_destroy(bench->wheel);
}

void bench_shuffle(struct bench *bench)
{
	u32 i, other;

	for (i = bench->count - 1; i; i--) {
		other = prandom_u32_state(&bench->rnd) % (i + 1);
		swap(bench->order[i], bench->order[other]);
	}
}

/* Deadlines at random from @base + @from to @base + @to, for all contestants. */
void bench_draw(struct bench *bench, u64 base, u64 from, u64 to)
{
	u64 milliseconds = div_u64(to - from, NSEC_PER_MSEC);
	unsigned long now = jiffies;
	u32 set, i;

	for (set = 0; set < 2; set++) {
		for (i = 0; i < bench->count; i++) {
			u64 high = prandom_u32_state(&bench->rnd);
			u64 ns = from;

			ns += (high * milliseconds >> 32) * NSEC_PER_MSEC;
			ns += prandom_u32_state(&bench->rnd) % NSEC_PER_MSEC;
			bench->when[set][i] = base + ns;
			bench->expires[set][i] = now + nsecs_to_jiffies(ns);
		}
	}
}

u64 bench_tenths(u64 ns, u32 count)
{
	return div_u64(ns * 10, count);
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static const char *cell(char *text, size_t size, u64 tenths)
{
	u32 tenth;

	if (!tenths)
		return "-";
	tenths = div_u64_rem(tenths, 10, &tenth);
	snprintf(text, size, "%llu.%u", tenths, tenth);
	return text;
}

/* A line of the table; 0 is a contestant that did not take part. */
void bench_print(const struct bench *bench, const char *order, const char *op,
		 struct figures *figures)
{
	u64 median[CONTESTANTS], hundredths = 0;
	char text[CONTESTANTS][24];
	u32 hundredth = 0;
	int c;

	for (c = 0; c < CONTESTANTS; c++) {
		sort(figures->round[c], ROUNDS, sizeof(u64), by_size, NULL);
		median[c] = figures->round[c][ROUNDS / 2];
	}
	if (median[TIMER_LIST])
		hundredths = div64_u64(100 * median[WHEEL], median[TIMER_LIST]);
	hundredths = div_u64_rem(hundredths, 100, &hundredth);
	pr_info("%8u  %-8s  %-12s  %8s  %10s  %8s  %3llu.%02u\n", bench->count,
		order, op, cell(text[WHEEL], sizeof(text[0]), median[WHEEL]),
		cell(text[TIMER_LIST], sizeof(text[0]), median[TIMER_LIST]),
		cell(text[HRTIMER], sizeof(text[0]), median[HRTIMER]),
		hundredths, hundredth);
}
