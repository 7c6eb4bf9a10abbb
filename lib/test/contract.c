// SPDX-License-Identifier: MIT
/*
 * Random operations on a wheel with a VIRTUAL clock: the backend against the model
 * of the contract, and the two backends against each other. SEED=n repeats a script,
 * OPERATIONS=n makes it longer.
 */
#include <stdlib.h>

#include "../../tests/contract/model.h"
#include "../../tests/contract/script.h"
#include "test.h"

#define OPERATIONS	100000

/* A wheel of the library. */
struct library {
	struct side side;
	struct libwheel *wheel;
};

static struct libwheel *wheel_of(struct side *side)
{
	return ((struct library *)side)->wheel;
}

/* True if the operation can be expressed by one of the functions for a single timer. */
static bool is_plain(const struct wheel_op *op)
{
	__u32 flags = op->op == WHEEL_OP_ARM ? WHEEL_OP_REL : 0;

	return !(op->flags & ~flags) && !op->slack && !op->period &&
	       (op->op == WHEEL_OP_ARM || !op->cookie) &&
	       (op->op != WHEEL_OP_CANCEL || !op->when) &&
	       !op->reserved[0] && !op->reserved[1] && !op->reserved[2];
}

/* Execute an operation by its specific function, if one exists. */
static int do_singly(struct libwheel *wheel, struct wheel_op *op)
{
	if (is_plain(op) && op->op == WHEEL_OP_REARM)
		return libwheel_rearm(wheel, op->id, op->when);
	if (is_plain(op) && op->op == WHEEL_OP_CANCEL)
		return libwheel_cancel(wheel, op->id);
	if (!is_plain(op) || op->op != WHEEL_OP_ARM)
		return libwheel_do(wheel, op);
	if (op->flags)
		return libwheel_arm_in(wheel, op->id, op->when, op->cookie);
	return libwheel_arm(wheel, op->id, op->when, op->cookie);
}

/* The clock does not advance in between, so single operations are equivalent to a batch. */
static int side_submit(struct side *side, struct wheel_op *ops, __u32 count)
{
	int failed = 0;
	__u32 i;

	if (count % 2)
		for (i = 0; i < count; i++)
			ops[i].res = do_singly(wheel_of(side), &ops[i]);
	else
		failed = libwheel_submit(wheel_of(side), ops, count, NULL);
	return failed < 0 ? failed : 0;
}

static int side_advance(struct side *side, __u64 now, __u64 *next)
{
	uint64_t at = 0;
	int err = libwheel_advance(wheel_of(side), now, &at);

	*next = at;
	return err;
}

static int side_take(struct side *side, struct wheel_event *events, __u32 room)
{
	return libwheel_expirations(wheel_of(side), events, room);
}

static int side_list(struct side *side, struct wheel_op *ops, __u32 room)
{
	__u32 cursor = 0;

	return libwheel_list(wheel_of(side), 0, ops, room, &cursor);
}

static int side_stop(struct side *side, __u64 *unfired)
{
	uint64_t count = 0;
	int err = libwheel_stop(wheel_of(side), &count);

	*unfired = count;
	return err;
}

static int side_stats(struct side *side, struct wheel_stats *stats)
{
	return libwheel_stats(wheel_of(side), stats);
}

static void library_open(struct library *library,
			 const struct libwheel_options *options)
{
	struct wheel_setup setup;

	library->wheel = open_wheel(options);
	libwheel_info(library->wheel, &setup);
	library->side = (struct side){
		.words = library->wheel->words,
		.apart = side_apart(&setup),
		.bells = library->wheel->bells,
		.summary = library->wheel->summary,
		.submit = side_submit, .advance = side_advance,
		.take = side_take, .list = side_list, .stop = side_stop,
		.stats = side_stats,
	};
}

static __u64 operations(void)
{
	const char *given = getenv("OPERATIONS");

	return given ? strtoull(given, NULL, 0) : OPERATIONS;
}

/* Options of a wheel whose slots are @apart slots apart. */
static struct libwheel_options virtual_options(__u32 scheme, __u32 flags, __u32 apart)
{
	return (struct libwheel_options){
		.size = sizeof(struct libwheel_options), .flags = flags,
		.scheme = scheme, .clock = WHEEL_CLOCK_VIRTUAL,
		.timers = SIDE_TIMERS(apart),
		.buckets = side_buckets(SIDE_TIMERS(apart)),
		/* For other schemes an odd number. */
		.tick_ns = scheme == WHEEL_HASHED ? MS : 999,
	};
}

/* Compare the backend that the environment selects with the model. */
static void against_model(__u32 scheme, __u32 flags, __u32 apart)
{
	struct libwheel_options options = virtual_options(scheme, flags, apart);
	struct wheel_setup setup;
	struct library library;
	struct model model;

	library_open(&library, &options);
	libwheel_info(library.wheel, &setup);
	model_init(&model, &setup, &library.side);
	EXPECT_EQ(0, script_run(&library.side, &model.side, &setup, test_seed(),
				operations()));
	libwheel_close(library.wheel);
}

/* Compare the two backends. This needs the device. */
static void against_each_other(__u32 scheme, __u32 flags, __u32 apart)
{
	struct libwheel_options options = virtual_options(scheme, flags, apart);
	struct library kernel, user;
	struct libwheel *probe;
	struct wheel_setup setup;

	options.backend = LIBWHEEL_KERNEL;
	if (libwheel_open(&probe, &options) == -ENODEV)
		ktap_skip("/dev/wheel does not exist");
	libwheel_close(probe);
	library_open(&kernel, &options);
	options.backend = LIBWHEEL_USER;
	library_open(&user, &options);
	libwheel_info(kernel.wheel, &setup);
	EXPECT_EQ(0, script_run(&kernel.side, &user.side, &setup, test_seed(),
				operations()));
	libwheel_close(kernel.wheel);
	libwheel_close(user.wheel);
}

/* With each set of flags, in a small and in a large table. */
static void each(void (*compare)(__u32 scheme, __u32 flags, __u32 apart), __u32 scheme)
{
	compare(scheme, 0, 1);
	compare(scheme, WHEEL_SETUP_WORDS, 1);
	compare(scheme, 0, side_far(scheme));
	compare(scheme, WHEEL_SETUP_WORDS, side_far(scheme));
}

static void contract_hashed(void)
{
	each(against_model, WHEEL_HASHED);
}

static void backends_agree_hashed(void)
{
	each(against_each_other, WHEEL_HASHED);
}

static void contract_hierarchical(void)
{
	each(against_model, WHEEL_HIERARCHICAL);
}

static void backends_agree_hierarchical(void)
{
	each(against_each_other, WHEEL_HIERARCHICAL);
}

static void contract_bounded(void)
{
	each(against_model, WHEEL_BOUNDED);
}

static void backends_agree_bounded(void)
{
	each(against_each_other, WHEEL_BOUNDED);
}

static void contract_overflow(void)
{
	each(against_model, WHEEL_OVERFLOW);
}

static void backends_agree_overflow(void)
{
	each(against_each_other, WHEEL_OVERFLOW);
}

const struct ktap_test contract_tests[] = {
	TEST(contract_hashed),
	TEST(backends_agree_hashed),
	TEST(contract_hierarchical),
	TEST(backends_agree_hierarchical),
	TEST(contract_bounded),
	TEST(backends_agree_bounded),
	TEST(contract_overflow),
	TEST(backends_agree_overflow),
	{ NULL, NULL }
};
