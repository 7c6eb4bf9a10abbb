// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for the wheel's core. The input is a sequence of operations, which are executed
 * on a wheel and on the oracle of tests/host. Any difference aborts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../host/ktap.h"
#include "../host/rig.h"

#define TIMERS	24

const void *ktap_subject;

void ktap_fail(const char *error)
{
	fprintf(stderr, "the wheel and the oracle differ: %s\n", error);
	abort();
}

/* The remaining input. Reads after its end return 0. */
struct input {
	const u8 *at;
	const u8 *end;
};

static u8 next_byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Returns a number. The first byte specifies its number of bits. */
static u64 next_number(struct input *in)
{
	unsigned int bits = next_byte(in) % 63;
	u64 number = 0;
	unsigned int i;

	for (i = 0; i < bits; i += 8)
		number = number << 8 | next_byte(in);
	return number & ((1ULL << bits) - 1);
}

static u64 later(u64 time, u64 by)
{
	return time + min(by, WHEEL_END_NS - time);
}

static void arm_one(struct rig *rig, struct input *in, u64 now)
{
	unsigned int i = next_byte(in) % TIMERS;
	u64 number = next_number(in);
	u64 slack = next_byte(in) % 4 ? 0 : next_number(in);
	u64 deadline = next_byte(in) % 8 ? later(now, number) : min(number, now);

	rig_arm(rig, i, deadline, slack);
}

static void live(struct rig *rig, struct input *in)
{
	u64 now = 0;

	while (in->at < in->end) {
		switch (next_byte(in) % 7) {
		case 0:
			rig_cancel(rig, next_byte(in) % TIMERS);
			break;
		case 1:
			now = later(now, next_number(in));
			break;
		case 2:
		case 3:
			rig_pop(rig, oracle_tick_at(&rig->oracle, now),
				1 + next_byte(in) % 64);
			break;
		case 4:
			if (!rig->passing)
				rig_forward(rig, oracle_tick_at(&rig->oracle, now));
			break;
		default:
			arm_one(rig, in, now);
			break;
		}
		rig_check(rig);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct wheel_scheme *const schemes[] = {
		&wheel_hashed, &wheel_hierarchical, &wheel_bounded, &wheel_overflow,
	};
	struct input in = { .at = data, .end = data + size };
	struct rig rig;
	u32 buckets;

	ktap_subject = schemes[next_byte(&in) % 4];
	buckets = 1U << next_byte(&in) % 10;
	rig_init(&rig, buckets, 1 + next_number(&in) % 1000003, TIMERS);
	live(&rig, &in);
	rig_pass(&rig, oracle_tick_at(&rig.oracle, WHEEL_END_NS), 64);
	rig_check(&rig);
	return 0;
}
