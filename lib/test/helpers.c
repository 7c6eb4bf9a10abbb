// SPDX-License-Identifier: MIT
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "test.h"

struct libwheel *open_wheel(const struct libwheel_options *options)
{
	struct libwheel *wheel = NULL;
	int err = libwheel_open(&wheel, options);

	if (!EXPECT_EQ(0, err))
		ktap_fail("ended");
	return wheel;
}

static struct libwheel *open_clock(__u32 clock, __u32 timers, __u32 flags)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .flags = flags, .clock = clock,
		.timers = timers,
	};

	return open_wheel(&options);
}

struct libwheel *open_virtual(__u32 timers)
{
	return open_clock(WHEEL_CLOCK_VIRTUAL, timers, 0);
}

struct libwheel *open_words(__u32 timers)
{
	return open_clock(WHEEL_CLOCK_VIRTUAL, timers, WHEEL_SETUP_WORDS);
}

struct libwheel *open_running(__u32 clock, __u32 timers)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .clock = clock, .timers = timers,
		.tick_ns = WHEEL_MIN_TICK_NS,
	};

	return open_wheel(&options);
}

static struct wheel_op arm_op(__u64 id, __u64 when)
{
	return (struct wheel_op){
		.op = WHEEL_OP_ARM, .id = id, .when = when, .cookie = ~id,
	};
}

int arm(struct libwheel *wheel, __u64 id, __u64 when)
{
	return libwheel_arm(wheel, id, when, arm_op(id, when).cookie);
}

int arm_word(struct libwheel *wheel, __u64 id, __u64 when)
{
	struct wheel_op op = arm_op(id, when);

	op.flags = WHEEL_OP_WORD;
	return libwheel_do(wheel, &op);
}

int arm_every(struct libwheel *wheel, __u64 id, __u64 when, __u64 period)
{
	struct wheel_op op = arm_op(id, when);

	op.period = period;
	return libwheel_do(wheel, &op);
}

int query(struct libwheel *wheel, __u64 id)
{
	uint64_t when;

	return libwheel_query(wheel, id, &when);
}

__u64 deadline_of(struct libwheel *wheel, __u64 id)
{
	uint64_t when = 0;

	EXPECT_EQ(0, libwheel_query(wheel, id, &when));
	return when;
}

int advance(struct libwheel *wheel, __u64 now)
{
	return libwheel_advance(wheel, now, NULL);
}

__u64 next_id(struct libwheel *wheel)
{
	struct wheel_event event;

	return libwheel_expirations(wheel, &event, 1) == 1 ? event.id : 0;
}

bool readable(struct libwheel *wheel)
{
	struct pollfd p = { .fd = libwheel_fd(wheel), .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

void answer_calls(__u32 number, __u32 answer)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT(filter), filter };

	NEED(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		ktap_skip("this kernel does not support seccomp filters");
}

struct wheel_stats balanced_stats(struct libwheel *wheel)
{
	struct wheel_stats stats;
	__u64 late = 0;
	int i;

	EXPECT_EQ(0, libwheel_stats(wheel, &stats));
	for (i = 0; i < 64; i++)
		late += stats.late[i];
	EXPECT_EQ(stats.fired, late);
	EXPECT_EQ(stats.armed, stats.fired + stats.cancelled + stats.pending);
	return stats;
}
