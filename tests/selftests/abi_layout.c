// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the ABI is the same for 32 and 64 bits. Most of it is checked at compile time. A
 * struct may grow at its end, by a multiple of 8 bytes. The existing members must not change.
 */
#include <kselftest_harness.h>
#include <assert.h>
#include <linux/wheel_timer.h>
#include <stddef.h>

#define SIZE(type, bytes) \
	static_assert(sizeof(struct type) == (bytes), "size of " #type)
#define MEMBER(type, member, offset) \
	static_assert(offsetof(struct type, member) == (offset), "in " #type)

SIZE(wheel_setup, 48);
MEMBER(wheel_setup, size, 0);
MEMBER(wheel_setup, flags, 4);
MEMBER(wheel_setup, clock, 8);
MEMBER(wheel_setup, scheme, 12);
MEMBER(wheel_setup, tick_ns, 16);
MEMBER(wheel_setup, timers, 24);
MEMBER(wheel_setup, buckets, 28);
MEMBER(wheel_setup, events, 32);
MEMBER(wheel_setup, reserved, 36);
MEMBER(wheel_setup, features, 40);

SIZE(wheel_op, 64);
MEMBER(wheel_op, op, 0);
MEMBER(wheel_op, flags, 4);
MEMBER(wheel_op, id, 8);
MEMBER(wheel_op, when, 16);
MEMBER(wheel_op, slack, 24);
MEMBER(wheel_op, period, 32);
MEMBER(wheel_op, cookie, 40);
MEMBER(wheel_op, res, 48);
MEMBER(wheel_op, reserved, 52);

SIZE(wheel_submit, 40);
MEMBER(wheel_submit, size, 0);
MEMBER(wheel_submit, flags, 4);
MEMBER(wheel_submit, ops, 8);
MEMBER(wheel_submit, op_size, 16);
MEMBER(wheel_submit, count, 20);
MEMBER(wheel_submit, done, 24);
MEMBER(wheel_submit, failed, 28);
MEMBER(wheel_submit, now, 32);

SIZE(wheel_event, 48);
MEMBER(wheel_event, id, 0);
MEMBER(wheel_event, cookie, 8);
MEMBER(wheel_event, deadline, 16);
MEMBER(wheel_event, fired, 24);
MEMBER(wheel_event, overrun, 32);
MEMBER(wheel_event, seq, 40);
MEMBER(wheel_event, res, 44);

SIZE(wheel_list, 32);
MEMBER(wheel_list, size, 0);
MEMBER(wheel_list, flags, 4);
MEMBER(wheel_list, timers, 8);
MEMBER(wheel_list, op_size, 16);
MEMBER(wheel_list, count, 20);
MEMBER(wheel_list, cursor, 24);
MEMBER(wheel_list, done, 28);

SIZE(wheel_stop, 16);
MEMBER(wheel_stop, size, 0);
MEMBER(wheel_stop, flags, 4);
MEMBER(wheel_stop, unfired, 8);

SIZE(wheel_advance, 24);
MEMBER(wheel_advance, size, 0);
MEMBER(wheel_advance, flags, 4);
MEMBER(wheel_advance, now, 8);
MEMBER(wheel_advance, next, 16);

SIZE(wheel_enter, 24);
MEMBER(wheel_enter, size, 0);
MEMBER(wheel_enter, flags, 4);
MEMBER(wheel_enter, wait, 8);
MEMBER(wheel_enter, ready, 12);
MEMBER(wheel_enter, until, 16);

SIZE(wheel_kernel_page, 128);
MEMBER(wheel_kernel_page, event_tail, 0);
MEMBER(wheel_kernel_page, kflags, 4);
MEMBER(wheel_kernel_page, next_wake, 64);

SIZE(wheel_user_page, 8);
MEMBER(wheel_user_page, event_head, 0);
MEMBER(wheel_user_page, reserved, 4);

SIZE(wheel_stats, 624);
MEMBER(wheel_stats, size, 0);
MEMBER(wheel_stats, flags, 4);
MEMBER(wheel_stats, armed, 8);
MEMBER(wheel_stats, fired, 16);
MEMBER(wheel_stats, cancelled, 24);
MEMBER(wheel_stats, pending, 32);
MEMBER(wheel_stats, rearmed, 40);
MEMBER(wheel_stats, requeued, 48);
MEMBER(wheel_stats, refused, 56);
MEMBER(wheel_stats, overruns, 64);
MEMBER(wheel_stats, unread, 72);
MEMBER(wheel_stats, deferred, 80);
MEMBER(wheel_stats, cascaded, 88);
MEMBER(wheel_stats, passes, 96);
MEMBER(wheel_stats, wakeups, 104);
MEMBER(wheel_stats, late, 112);

/* Command numbers contain no size, so that structs can grow. */
TEST(command_numbers)
{
	EXPECT_EQ(0xbb00, WHEEL_IOC_SETUP);
	EXPECT_EQ(0xbb01, WHEEL_IOC_INFO);
	EXPECT_EQ(0xbb02, WHEEL_IOC_SUBMIT);
	EXPECT_EQ(0xbb03, WHEEL_IOC_LIST);
	EXPECT_EQ(0xbb04, WHEEL_IOC_STOP);
	EXPECT_EQ(0xbb05, WHEEL_IOC_STATS);
	EXPECT_EQ(0xbb06, WHEEL_IOC_ADVANCE);
	EXPECT_EQ(0xbb07, WHEEL_IOC_ENTER);
}

TEST(numbers_of_the_enumerations)
{
	EXPECT_EQ(0, WHEEL_CLOCK_MONOTONIC);
	EXPECT_EQ(1, WHEEL_CLOCK_BOOTTIME);
	EXPECT_EQ(2, WHEEL_CLOCK_REALTIME);
	EXPECT_EQ(3, WHEEL_CLOCK_TAI);
	EXPECT_EQ(4, WHEEL_CLOCK_VIRTUAL);
	EXPECT_EQ(0, WHEEL_DEFAULT);
	EXPECT_EQ(1, WHEEL_HASHED);
	EXPECT_EQ(2, WHEEL_HIERARCHICAL);
	EXPECT_EQ(3, WHEEL_BOUNDED);
	EXPECT_EQ(4, WHEEL_OVERFLOW);
	EXPECT_EQ(1, WHEEL_OP_ARM);
	EXPECT_EQ(2, WHEEL_OP_REARM);
	EXPECT_EQ(3, WHEEL_OP_CANCEL);
	EXPECT_EQ(4, WHEEL_OP_QUERY);
}

TEST(numbers_of_the_flags)
{
	EXPECT_EQ(1, WHEEL_SETUP_WORDS);
	EXPECT_EQ(1, WHEEL_OP_REL);
	EXPECT_EQ(2, WHEEL_OP_WORD);
	EXPECT_EQ(1, WHEEL_ENTER_KICK);
	EXPECT_EQ(1 << 4, WHEEL_HAS_SCHEME(WHEEL_OVERFLOW));
	EXPECT_EQ(1 << 12, WHEEL_HAS_CLOCK(WHEEL_CLOCK_VIRTUAL));
	EXPECT_EQ(1 << 16, WHEEL_HAS_WORDS);
	EXPECT_EQ(1 << 17, WHEEL_HAS_RINGS);
}

TEST(offsets_of_the_areas)
{
	EXPECT_EQ(0, WHEEL_OFF_KERNEL);
	EXPECT_EQ(0x10000000, WHEEL_OFF_USER);
	EXPECT_EQ(0x20000000, WHEEL_OFF_EVENTS);
	EXPECT_EQ(0x40000000, WHEEL_OFF_WORDS);
	EXPECT_EQ(0x50000000, WHEEL_OFF_BELLS);
	EXPECT_EQ(0x60000000, WHEEL_OFF_SUMMARY);
}

TEST(names_come_apart_again)
{
	__u64 gen = (1ULL << 40) - 1;

	EXPECT_EQ(0xffffff, WHEEL_ID_SLOT(WHEEL_ID(0xffffff, 1)));
	EXPECT_EQ(1, WHEEL_ID_GEN(WHEEL_ID(0xffffff, 1)));
	EXPECT_EQ(7, WHEEL_ID_SLOT(WHEEL_ID(7, gen)));
	EXPECT_EQ(gen, WHEEL_ID_GEN(WHEEL_ID(7, gen)));
	EXPECT_EQ(~0ULL, WHEEL_ID(0xffffff, gen));
}

TEST(limits)
{
	EXPECT_EQ(1 << 24, WHEEL_MAX_TIMERS);
	EXPECT_EQ(1 << 20, WHEEL_MAX_BUCKETS);
	EXPECT_EQ(0x7fffffffffffffffULL, WHEEL_MAX_TIME);
	EXPECT_EQ(50000, WHEEL_MIN_TICK_NS);
}

TEST_HARNESS_MAIN
