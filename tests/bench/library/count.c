// SPDX-License-Identifier: GPL-2.0
/*
 * Call each single-timer function of libwheel, on its user-space backend, under callgrind.
 * The counters are dumped under the name of the function after each loop.
 */
#include <libwheel.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define PENDING		10000
#define COUNTED		4096
#define SECOND		1000000000ULL

static struct libwheel *wheel;
static uint64_t ids[COUNTED];
static uint64_t deadlines[COUNTED];

static uint64_t some_deadline(uint64_t now)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return now + 3000 * SECOND + (state >> 33) % 1000 * SECOND;
}

static void need(int err)
{
	if (err)
		abort();
}

/* Arm PENDING other timers, and reserve the memory of all slots. */
static void prepare(void)
{
	struct libwheel_options options = {
		.size = sizeof(options), .scheme = WHEEL_HIERARCHICAL,
		.backend = LIBWHEEL_USER, .timers = COUNTED + PENDING,
	};
	uint64_t now;
	uint32_t i;

	need(libwheel_open(&wheel, &options));
	need(libwheel_reserve(wheel, COUNTED + PENDING));
	now = libwheel_now(wheel);
	for (i = 0; i < PENDING; i++)
		need(libwheel_arm(wheel, WHEEL_ID(COUNTED + i, 1), some_deadline(now), 0));
	for (i = 0; i < COUNTED; i++) {
		ids[i] = WHEEL_ID(i, 0);
		deadlines[i] = some_deadline(now);
	}
}

/* The count includes the loop itself, four instructions, and the update of the ids. */
#define COUNT(name, call)						\
do {									\
	uint32_t i;							\
									\
	CALLGRIND_ZERO_STATS;						\
	for (i = 0; i < COUNTED; i++)					\
		need(call);						\
	CALLGRIND_DUMP_STATS_AT("library," name ",10000,hierarchical,instructions,4096"); \
} while (0)

static uint64_t newer(uint32_t i)
{
	ids[i] += WHEEL_ID(0, 1);
	return ids[i];
}

static int arm_and_cancel(uint32_t i)
{
	int err = libwheel_arm(wheel, newer(i), deadlines[i], i);

	return err ? err : libwheel_cancel(wheel, ids[i]);
}

static int do_arm(uint32_t i)
{
	struct wheel_op op = {
		.op = WHEEL_OP_ARM, .id = newer(i), .when = deadlines[i],
	};

	return libwheel_do(wheel, &op);
}

static int do_cancel(uint32_t i)
{
	struct wheel_op op = { .op = WHEEL_OP_CANCEL, .id = ids[i] };

	return libwheel_do(wheel, &op);
}

static void cancel_all(void)
{
	uint32_t i;

	for (i = 0; i < COUNTED; i++)
		need(libwheel_cancel(wheel, ids[i]));
}

int main(void)
{
	prepare();
	COUNT("libwheel_arm", libwheel_arm(wheel, newer(i), deadlines[i], i));
	COUNT("libwheel_rearm", libwheel_rearm(wheel, ids[i],
					       deadlines[COUNTED - 1 - i]));
	COUNT("libwheel_cancel", libwheel_cancel(wheel, ids[i]));
	COUNT("arm + cancel", arm_and_cancel(i));
	COUNT("libwheel_arm_in", libwheel_arm_in(wheel, newer(i), 3600 * SECOND, i));
	cancel_all();
	COUNT("libwheel_do_arm", do_arm(i));
	COUNT("libwheel_do_cancel", do_cancel(i));
	libwheel_close(wheel);
	return 0;
}
