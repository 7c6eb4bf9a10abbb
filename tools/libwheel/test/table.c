// SPDX-License-Identifier: MIT
/*
 * The table of struct wheel_op: each operation on a slot in each state, with the timer's own id
 * and with other ids.
 */
#include <stdio.h>

#include "test.h"

#define SLOT	9
#define GEN	5
#define ID	WHEEL_ID(SLOT, GEN)
#define WHEN	(10 * MS)

enum state {
	UNUSED, PENDING, CANCELLED, FIRED, READ,
	PERIODIC, PERIODIC_FIRED, PERIODIC_ENDED, STOPPED,
};

/* The result of each operation with the timer's own id. */
static const struct row {
	const char *name;
	int arm, rearm, cancel, query;
	/* The result of an arm with a newer generation. */
	int newer;
} rows[] = {
	[UNUSED] = { "unused", 0, -ENOENT, -ENOENT, -ENOENT, 0 },
	[PENDING] = { "pending", -EBUSY, 0, 0, 0, -EBUSY },
	[CANCELLED] = { "cancelled", -ESTALE, -ENOENT, -ENOENT, -ENOENT, 0 },
	[FIRED] = { "fired", -EBUSY, -ENOENT, -ENOENT, -ENOENT, -EBUSY },
	[READ] = { "read", -ESTALE, -ENOENT, -ENOENT, -ENOENT, 0 },
	[PERIODIC] = { "periodic", -EBUSY, 0, 0, 0, -EBUSY },
	[PERIODIC_FIRED] = { "periodic, fired", -EBUSY, -ENOENT, 1, -ENOENT,
			     -EBUSY },
	[PERIODIC_ENDED] = { "periodic, ended", -EBUSY, -ENOENT, -ENOENT,
			     -ENOENT, -EBUSY },
	[STOPPED] = { "stopped", -ESHUTDOWN, -ENOENT, -ENOENT, -ENOENT,
		      -ESHUTDOWN },
};

static struct libwheel *bring(enum state state)
{
	struct libwheel *wheel = open_virtual(64);
	bool periodic = state >= PERIODIC && state <= PERIODIC_ENDED;

	if (state == UNUSED)
		return wheel;
	EXPECT_EQ(0, arm_every(wheel, ID, WHEN, periodic ? WHEN : 0));
	if (state == CANCELLED)
		EXPECT_EQ(0, libwheel_cancel(wheel, ID));
	if (state == STOPPED)
		EXPECT_EQ(0, libwheel_stop(wheel, NULL));
	if (state == FIRED || state == READ || state == PERIODIC_FIRED ||
	    state == PERIODIC_ENDED)
		EXPECT_EQ(0, advance(wheel, WHEN));
	if (state == READ)
		EXPECT_EQ(ID, next_id(wheel));
	if (state == PERIODIC_ENDED)
		EXPECT_EQ(1, libwheel_cancel(wheel, ID));
	return wheel;
}

static void table_of_own_id(void)
{
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		bool good = true;
		struct libwheel *wheel;

		wheel = bring(i);
		good &= EXPECT_EQ(row->query, query(wheel, ID));
		good &= EXPECT_EQ(row->arm, arm(wheel, ID, WHEN));
		libwheel_close(wheel);
		wheel = bring(i);
		good &= EXPECT_EQ(row->rearm, libwheel_rearm(wheel, ID, HOUR));
		libwheel_close(wheel);
		wheel = bring(i);
		good &= EXPECT_EQ(row->cancel, libwheel_cancel(wheel, ID));
		good &= EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, ID));
		libwheel_close(wheel);
		wheel = bring(i);
		good &= EXPECT_EQ(row->newer,
				  arm(wheel, WHEEL_ID(SLOT, GEN + 1), WHEN));
		libwheel_close(wheel);
		expect(good, __FILE__, __LINE__, row->name);
	}
}

/* Operations with a stale id, or with a slot that does not exist, fail. */
static void table_of_other_ids(void)
{
	static const __u64 others[] = {
		WHEEL_ID(SLOT, 0), WHEEL_ID(SLOT, GEN - 1),
		WHEEL_ID(SLOT, GEN + 1), WHEEL_ID(SLOT + 1, GEN),
	};
	size_t i, j;

	for (i = 0; i < COUNT(rows); i++) {
		struct libwheel *wheel = bring(i);

		for (j = 0; j < COUNT(others); j++) {
			EXPECT_EQ(-ENOENT,
				  libwheel_rearm(wheel, others[j], HOUR));
			EXPECT_EQ(-ENOENT, libwheel_cancel(wheel, others[j]));
			EXPECT_EQ(-ENOENT, query(wheel, others[j]));
		}
		EXPECT_EQ(-EINVAL, libwheel_cancel(wheel, WHEEL_ID(64, GEN)));
		libwheel_close(wheel);
	}
}

static void table_of_bad_operations(void)
{
	static const struct {
		int err;
		struct wheel_op op;
	} bad[] = {
		{ -EINVAL, { .op = 0 } },
		{ -EINVAL, { .op = 5 } },
		{ -EINVAL, { .op = WHEEL_OP_ARM, .flags = 1U << 3 } },
		{ -EINVAL, { .op = WHEEL_OP_CANCEL, .flags = WHEEL_OP_REL } },
		{ -EINVAL, { .op = WHEEL_OP_REARM, .flags = WHEEL_OP_TOUCH } },
		{ -EINVAL, { .op = WHEEL_OP_ARM, .reserved = { 1 } } },
		{ -EINVAL, { .op = WHEEL_OP_ARM, .reserved = { 0, 0, 1 } } },
		{ -EOPNOTSUPP, { .op = WHEEL_OP_ARM, .flags = WHEEL_OP_TOUCH,
				 .id = WHEEL_ID(1, 1) } },
		{ -EOPNOTSUPP, { .op = WHEEL_OP_ARM, .flags = WHEEL_OP_KEEP,
				 .id = WHEEL_ID(1, 1) } },
		{ -ERANGE, { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1),
			     .when = 1ULL << 63 } },
		{ -ERANGE, { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1),
			     .slack = 1ULL << 63 } },
		{ -ERANGE, { .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1),
			     .period = 1ULL << 63 } },
	};
	struct libwheel *wheel = open_virtual(64);
	struct wheel_stats stats;
	struct wheel_op op;
	size_t i;

	for (i = 0; i < COUNT(bad); i++) {
		op = bad[i].op;
		if (!EXPECT_EQ(bad[i].err, libwheel_do(wheel, &op)))
			give_up();
	}
	stats = balanced_stats(wheel);
	EXPECT_EQ(0, stats.armed);
	EXPECT_EQ(3, stats.refused);
	libwheel_close(wheel);
}

/* An arm that fails does not consume its generation. */
static void table_of_generations(void)
{
	struct libwheel *wheel = open_virtual(64);
	__u64 last = WHEEL_ID(SLOT, (1ULL << 40) - 1);

	EXPECT_EQ(-ESTALE, arm(wheel, WHEEL_ID(SLOT, 0), WHEN));
	EXPECT_EQ(-ERANGE, arm(wheel, ID, 1ULL << 63));
	EXPECT_EQ(0, arm(wheel, ID, WHEN));
	EXPECT_EQ(0, libwheel_cancel(wheel, ID));
	EXPECT_EQ(-ESTALE, arm(wheel, ID, WHEN));
	EXPECT_EQ(0, arm(wheel, last, WHEN));
	EXPECT_EQ(0, libwheel_cancel(wheel, last));
	EXPECT_EQ(-ESTALE, arm(wheel, last, WHEN));
	libwheel_close(wheel);
}

/* Executed in order, each with its own result. A failed operation changes nothing. */
static void batch_answers_each(void)
{
	struct wheel_op ops[] = {
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 1), .when = WHEN },
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 2), .when = WHEN },
		{ .op = WHEEL_OP_REARM, .id = WHEEL_ID(1, 1), .when = HOUR },
		{ .op = WHEEL_OP_QUERY, .id = WHEEL_ID(1, 1) },
		{ .op = WHEEL_OP_CANCEL, .id = WHEEL_ID(1, 1) },
		{ .op = WHEEL_OP_CANCEL, .id = WHEEL_ID(1, 1) },
		{ .op = WHEEL_OP_ARM, .id = WHEEL_ID(1, 2), .when = WHEN },
	};
	static const int answers[] = { 0, -EBUSY, 0, 0, 0, -ENOENT, 0 };
	struct libwheel *wheel = open_virtual(64);
	__u32 done = 0;
	size_t i;

	EXPECT_EQ(2, libwheel_submit(wheel, ops, COUNT(ops), &done));
	EXPECT_EQ(COUNT(ops), done);
	for (i = 0; i < COUNT(ops); i++)
		EXPECT_EQ(answers[i], ops[i].res);
	EXPECT_EQ(HOUR, ops[3].when);
	EXPECT_EQ(0, libwheel_submit(wheel, NULL, 0, NULL));
	libwheel_close(wheel);
}

/* A large batch. WHEEL_OP_REL refers to the same time for all operations. */
static void batch_of_many(void)
{
	static struct wheel_op ops[5000];
	struct libwheel *wheel = open_virtual(5000);
	__u32 i;

	EXPECT_EQ(0, advance(wheel, SEC));
	for (i = 0; i < COUNT(ops); i++)
		ops[i] = (struct wheel_op){
			.op = WHEEL_OP_ARM, .flags = WHEEL_OP_REL,
			.id = WHEEL_ID(i, 1), .when = SEC,
		};
	EXPECT_EQ(0, libwheel_submit(wheel, ops, COUNT(ops), NULL));
	EXPECT_EQ(2 * SEC, deadline_of(wheel, WHEEL_ID(0, 1)));
	EXPECT_EQ(2 * SEC, deadline_of(wheel, WHEEL_ID(4999, 1)));
	libwheel_close(wheel);
}

/* Slots that do not exist, in a table large enough for a batch to prefetch slots. */
static void batch_of_slots_that_are_none(void)
{
	struct libwheel *wheel = open_virtual(1 << 16);
	struct wheel_op ops[64];
	__u32 i;

	for (i = 0; i < COUNT(ops); i++)
		ops[i] = (struct wheel_op){
			.op = WHEEL_OP_CANCEL, .id = WHEEL_ID(WHEEL_SLOT_MASK - (i << 16), 1),
		};
	EXPECT_EQ(COUNT(ops), libwheel_submit(wheel, ops, COUNT(ops), NULL));
	for (i = 0; i < COUNT(ops); i++)
		EXPECT_EQ(-EINVAL, ops[i].res);
	libwheel_close(wheel);
}

/* Moves a pending timer. Otherwise arms the next generation, if that is possible. */
static void table_of_rearm_or_arm(void)
{
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct libwheel *wheel = bring(i);
		int expected = row->rearm ? row->newer : 0;
		uint64_t id = ID;

		if (!EXPECT_EQ(expected, libwheel_rearm_or_arm(wheel, &id, HOUR, 7)))
			printf("# a timer that was %s\n", row->name);
		EXPECT_EQ(row->rearm && !expected ? WHEEL_ID(SLOT, GEN + 1) : ID, id);
		if (!expected)
			EXPECT_EQ(HOUR, deadline_of(wheel, id));
		libwheel_close(wheel);
	}
}

static void rearm_or_arm_says_what_is_wrong(void)
{
	struct libwheel *wheel = open_virtual(64);
	uint64_t id = WHEEL_ID(64, 1);

	EXPECT_EQ(-EINVAL, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	id = WHEEL_ID(3, 0);
	EXPECT_EQ(-ERANGE, libwheel_rearm_or_arm(wheel, &id, 1ULL << 63, 0));
	EXPECT_EQ(WHEEL_ID(3, 0), id);
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	EXPECT_EQ(WHEEL_ID(3, 1), id);
	EXPECT_EQ(-ERANGE, libwheel_rearm_or_arm(wheel, &id, 1ULL << 63, 0));
	EXPECT_EQ(HOUR, deadline_of(wheel, id));
	id = WHEEL_ID(3, 0);
	EXPECT_EQ(0, libwheel_cancel(wheel, WHEEL_ID(3, 1)));
	EXPECT_EQ(-ESTALE, libwheel_rearm_or_arm(wheel, &id, HOUR, 0));
	libwheel_close(wheel);
}

/* A timer that is moved keeps its cookie. An arm sets the new one. */
static void rearm_or_arm_and_the_cookie(void)
{
	struct libwheel *wheel = open_virtual(8);
	struct wheel_event event;
	uint64_t id = WHEEL_ID(1, 0);

	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, MS, 11));
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, 2 * MS, 12));
	EXPECT_EQ(0, advance(wheel, 2 * MS));
	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(11, event.cookie);
	EXPECT_EQ(0, libwheel_rearm_or_arm(wheel, &id, 3 * MS, 13));
	EXPECT_EQ(0, advance(wheel, 3 * MS));
	NEED(libwheel_expirations(wheel, &event, 1) == 1);
	EXPECT_EQ(13, event.cookie);
	libwheel_close(wheel);
}

const struct test table_tests[] = {
	TEST(table_of_own_id),
	TEST(table_of_other_ids),
	TEST(table_of_bad_operations),
	TEST(table_of_generations),
	TEST(batch_answers_each),
	TEST(batch_of_many),
	TEST(batch_of_slots_that_are_none),
	TEST(table_of_rearm_or_arm),
	TEST(rearm_or_arm_says_what_is_wrong),
	TEST(rearm_or_arm_and_the_cookie),
	{ NULL, NULL }
};
