// SPDX-License-Identifier: GPL-2.0
/*
 * Each unknown flag is rejected with EINVAL and has no effect. A known but unsupported one is
 * rejected with EOPNOTSUPP.
 */
#include <kselftest_harness.h>
#include <fcntl.h>

#include "wheel_test.h"

#define ID	WHEEL_ID(1, 1)
#define WHEN	(5 * WT_MS)

FIXTURE(wheel) {
	int fd;
};

/* A wheel with one pending timer. */
FIXTURE_SETUP(wheel)
{
	self->fd = wt_open_virtual(64, WT_MS);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, wt_arm(self->fd, ID, WHEN));
}

FIXTURE_TEARDOWN(wheel)
{
	close(self->fd);
}

static bool untouched(int fd)
{
	struct wheel_stats stats;
	__u64 when;

	return !wt_stats(fd, &stats) && stats.armed == 1 &&
		stats.pending == 1 && stats.cancelled == 0 &&
		!wt_query(fd, ID, &when) && when == WHEN && wt_quiet(fd);
}

/* An operation that would succeed. The caller makes one member invalid. */
static struct wheel_op good(__u32 op)
{
	return wt_op(op, op == WHEEL_OP_ARM ? WHEEL_ID(2, 1) : ID,
		     op == WHEEL_OP_CANCEL ? 0 : 9 * WT_MS);
}

WT_TEST(wheel, setup_flags)
{
	int fd = wt_open(0);
	int bit;

	ASSERT_LE(0, fd);
	for (bit = 0; bit < 32; bit++) {
		struct wheel_setup setup = { .flags = 1U << bit };

		if (setup.flags == WHEEL_SETUP_WORDS)
			continue;
		EXPECT_EQ(-EINVAL, wt_setup(fd, &setup));
		setup.flags |= WHEEL_SETUP_WORDS;
		EXPECT_EQ(-EINVAL, wt_setup(fd, &setup));
	}
	/* No failed call has set up the file. */
	EXPECT_EQ(0, wt_setup(fd, &(struct wheel_setup){}));
}

/* The first two members of each argument are its size and the flags. */
WT_TEST(wheel, command_flags)
{
	static const struct {
		unsigned long cmd;
		__u32 size, known;
	} commands[] = {
		{ WHEEL_IOC_SUBMIT, sizeof(struct wheel_submit), 0 },
		{ WHEEL_IOC_LIST, sizeof(struct wheel_list), WHEEL_LIST_TAKE },
		{ WHEEL_IOC_STOP, sizeof(struct wheel_stop), 0 },
		{ WHEEL_IOC_ADVANCE, sizeof(struct wheel_advance), 0 },
		{ WHEEL_IOC_STATS, sizeof(struct wheel_stats), 0 },
	};
	unsigned int i;
	int bit;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		for (bit = 0; bit < 32; bit++) {
			__u32 arg[256] = { commands[i].size, 1U << bit };

			if (arg[1] != commands[i].known)
				EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, commands[i].cmd, arg));
		}
	}
	EXPECT_TRUE(untouched(self->fd));
}

/* The operation fails, the call does not. */
WT_TEST(wheel, op_flags)
{
	__u32 kind;
	int bit;

	for (kind = WHEEL_OP_ARM; kind <= WHEEL_OP_QUERY; kind++) {
		for (bit = kind == WHEEL_OP_ARM ? 3 : 2; bit < 32; bit++) {
			struct wheel_op op = good(kind);

			op.flags = 1U << bit;
			EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
			op.flags |= WHEEL_OP_REL;
			EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
		}
	}
	EXPECT_TRUE(untouched(self->fd));
}

WT_TEST(wheel, op_rel_is_for_arm_and_rearm)
{
	struct wheel_op op = good(WHEEL_OP_CANCEL);

	op.flags = WHEEL_OP_REL;
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	op = good(WHEEL_OP_QUERY);
	op.flags = WHEEL_OP_REL;
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	EXPECT_TRUE(untouched(self->fd));
	op = good(WHEEL_OP_REARM);
	op.flags = WHEEL_OP_REL;
	EXPECT_EQ(0, wt_do(self->fd, &op));
	op = good(WHEEL_OP_ARM);
	op.flags = WHEEL_OP_REL;
	EXPECT_EQ(0, wt_do(self->fd, &op));
}

WT_TEST(wheel, op_reserved)
{
	int bit, i;
	__u32 kind;

	for (kind = WHEEL_OP_ARM; kind <= WHEEL_OP_QUERY; kind++) {
		for (bit = 0; bit < 96; bit++) {
			struct wheel_op op = good(kind);

			for (i = 0; i < 3; i++)
				if (bit / 32 == i)
					op.reserved[i] = 1U << bit % 32;
			EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
		}
	}
	EXPECT_TRUE(untouched(self->fd));
}

WT_TEST(wheel, op_kinds)
{
	struct wheel_op op;
	int bit;

	op = good(0);
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	for (bit = 0; bit < 32; bit++) {
		op = good((1U << bit) + WHEEL_OP_QUERY);
		EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	}
	op = good(~0U);
	EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	EXPECT_TRUE(untouched(self->fd));
}

/* A member that an operation does not use must be zero. QUERY writes @when. */
WT_TEST(wheel, unused_members_must_be_zero)
{
	static const struct {
		__u32 op;
		struct wheel_op unused;
	} wrong[] = {
		{ WHEEL_OP_REARM, { .period = 1 } },
		{ WHEEL_OP_REARM, { .cookie = 1ULL << 63 } },
		{ WHEEL_OP_QUERY, { .slack = 1 } },
		{ WHEEL_OP_QUERY, { .period = 1 } },
		{ WHEEL_OP_QUERY, { .cookie = 1 } },
		{ WHEEL_OP_CANCEL, { .when = 1 } },
		{ WHEEL_OP_CANCEL, { .slack = 1ULL << 32 } },
		{ WHEEL_OP_CANCEL, { .period = 1 } },
		{ WHEEL_OP_CANCEL, { .cookie = 1 } },
	};
	struct wheel_op op, ops[2];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		op = good(wrong[i].op);
		op.when |= wrong[i].unused.when;
		op.slack = wrong[i].unused.slack;
		op.period = wrong[i].unused.period;
		op.cookie = wrong[i].unused.cookie;
		/* Individually, and in a batch. */
		ops[0] = op;
		ops[1] = op;
		EXPECT_EQ(-EINVAL, wt_do(self->fd, &op)) TH_LOG("%u", i);
		ASSERT_EQ(0, wt_batch(self->fd, ops, 2));
		EXPECT_EQ(-EINVAL, ops[0].res);
		EXPECT_EQ(-EINVAL, ops[1].res);
	}
	EXPECT_TRUE(untouched(self->fd));
	op = good(WHEEL_OP_QUERY);
	op.when = ~0ULL;
	EXPECT_EQ(0, wt_do(self->fd, &op));
	EXPECT_EQ(WHEN, op.when);
}

WT_TEST(wheel, slots_out_of_range)
{
	static const __u32 slots[] = { 64, 65, 127, 1 << 16, WHEEL_SLOT_MASK };
	unsigned int i;
	__u32 kind;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		for (kind = WHEEL_OP_ARM; kind <= WHEEL_OP_QUERY; kind++) {
			struct wheel_op op = good(kind);

			op.id = WHEEL_ID(slots[i], 1);
			EXPECT_EQ(-EINVAL, wt_do(self->fd, &op))
				TH_LOG("op %u slot %u", kind, slots[i]);
		}
	}
	EXPECT_EQ(0, wt_arm(self->fd, WHEEL_ID(63, 1), WHEN));
}

/* On a wheel without words, their use fails with EOPNOTSUPP. */
WT_TEST(wheel, absent_parts_are_eopnotsupp)
{
	struct wheel_op op = good(WHEEL_OP_ARM);

	op.flags = WHEEL_OP_WORD;
	EXPECT_EQ(-EOPNOTSUPP, wt_do(self->fd, &op));
	EXPECT_TRUE(untouched(self->fd));
}

WT_TEST(wheel, word_is_for_arm)
{
	static const __u32 kinds[] = {
		WHEEL_OP_REARM, WHEEL_OP_CANCEL, WHEEL_OP_QUERY,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct wheel_op op = good(kinds[i]);

		op.flags = WHEEL_OP_WORD;
		EXPECT_EQ(-EINVAL, wt_do(self->fd, &op));
	}
	EXPECT_TRUE(untouched(self->fd));
}

WT_TEST(wheel, schemes_and_clocks_are_listed_or_absent)
{
	__u64 has = wt_features();
	__u32 i;
	int fd;

	EXPECT_TRUE(has & WHEEL_HAS_SCHEME(WHEEL_HASHED));
	EXPECT_TRUE(has & WHEEL_HAS_CLOCK(WHEEL_CLOCK_MONOTONIC));
	EXPECT_TRUE(has & WHEEL_HAS_CLOCK(WHEEL_CLOCK_VIRTUAL));
	for (i = WHEEL_HASHED; i <= WHEEL_OVERFLOW; i++) {
		struct wheel_setup setup = { .scheme = i, .timers = 64 };

		fd = wt_open_setup(0, &setup);
		EXPECT_EQ(has & WHEEL_HAS_SCHEME(i) ? 0 : -EOPNOTSUPP,
			  fd < 0 ? fd : 0);
	}
	for (i = WHEEL_CLOCK_MONOTONIC; i <= WHEEL_CLOCK_VIRTUAL; i++) {
		fd = wt_open_clock(i, 64, 0);
		EXPECT_EQ(has & WHEEL_HAS_CLOCK(i) ? 0 : -EOPNOTSUPP,
			  fd < 0 ? fd : 0);
	}
}

TEST_HARNESS_MAIN
