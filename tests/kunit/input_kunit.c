// SPDX-License-Identifier: GPL-2.0
/*
 * Invalid arguments, and the properties that a wheel reports.
 */
#include <linux/err.h>

#include "callback_rig.h"

struct create_case {
	const char		*desc;
	struct wheel_config	config;
	long			error;
};

#define CREATE(_desc, _error, ...) {				\
	.desc = _desc,						\
	.error = _error,					\
	.config = { .name = "table", ##__VA_ARGS__ },		\
}

static const struct create_case create_cases[] = {
	CREATE("defaults", 0),
	CREATE("boottime", 0, .clock = WHEEL_CLOCK_BOOTTIME),
	CREATE("virtual", 0, .clock = WHEEL_CLOCK_VIRTUAL),
	CREATE("sleepable", 0, .flags = WHEEL_SLEEPABLE),
	CREATE("one bucket", 0, .buckets = 1),
	CREATE("most buckets", 0, .buckets = WHEEL_MAX_BUCKETS),
	CREATE("tick of 1 ns", 0, .tick_ns = 1),
	CREATE("longest tick", 0, .tick_ns = WHEEL_MAX_TIME),
	CREATE("greatest limit", 0, .limit = U64_MAX),
	CREATE("clock 5", -EINVAL, .clock = WHEEL_CLOCK_VIRTUAL + 1),
	CREATE("clock -1", -EINVAL, .clock = U32_MAX),
	CREATE("scheme 4", -EINVAL, .scheme = WHEEL_OVERFLOW + 1),
	CREATE("scheme -1", -EINVAL, .scheme = U32_MAX),
	CREATE("buckets over", -EINVAL, .buckets = WHEEL_MAX_BUCKETS + 1),
	CREATE("buckets -1", -EINVAL, .buckets = U32_MAX),
	CREATE("flag 2", -EINVAL, .flags = BIT(2)),
	CREATE("several bases with a limit", -EINVAL, .flags = WHEEL_PERCPU,
	       .limit = 1),
	CREATE("flag 31", -EINVAL, .flags = BIT(31)),
	CREATE("known and unknown flag", -EINVAL, .flags = WHEEL_SLEEPABLE | BIT(7)),
	CREATE("overflow, greatest limit", 0, .scheme = WHEEL_OVERFLOW, .limit = 4096),
	CREATE("overflow, limit over", -EINVAL, .scheme = WHEEL_OVERFLOW, .limit = 4097),
	CREATE("tick over", -EINVAL, .tick_ns = WHEEL_MAX_TIME + 1),
	CREATE("tick -1", -EINVAL, .tick_ns = U64_MAX),
};

KUNIT_ARRAY_PARAM_DESC(create, create_cases, desc);

static void create(struct kunit *test)
{
	const struct create_case *row = test->param_value;
	struct wheel *wheel = wheel_create(&row->config);

	KUNIT_EXPECT_EQ(test, IS_ERR(wheel) ? PTR_ERR(wheel) : 0, row->error);
	KUNIT_EXPECT_NOT_NULL(test, wheel);
	if (!IS_ERR_OR_NULL(wheel))
		wheel_destroy(wheel);
}

static void ignore(void *data, struct wheel_timer **due, unsigned int n, u64 now)
{
}

static const struct wheel_owner owner = {
	.expire = ignore,
};

/* Wheels with an owner have no flags: their timers are not called, and they have one base. */
static void create_owned(struct kunit *test)
{
	static const struct wheel_owner idle;
	struct wheel_config config = { .name = "owned" };
	struct wheel *wheel = wheel_create_owned(&config, &owner, test);
	struct wheel_timer *timer = kunit_kzalloc(test, sizeof(*timer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, timer);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(wheel), 0);
	wheel_timer_init(timer, wheel, NULL);
	KUNIT_EXPECT_PTR_EQ(test, wheel_timer_wheel(timer), wheel);
	wheel_destroy(wheel);

	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create_owned(&config, NULL, test)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create_owned(&config, &idle, test)), -EINVAL);
	config.flags = WHEEL_SLEEPABLE;
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create_owned(&config, &owner, test)), -EINVAL);
	config.flags = WHEEL_PERCPU;
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create_owned(&config, &owner, test)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create_owned(NULL, &owner, test)), -EINVAL);
}

static void create_from_nothing(struct kunit *test)
{
	const struct wheel_config nameless = {};

	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create(NULL)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(wheel_create(&nameless)), -EINVAL);
}

static bool supported(u32 scheme, u32 clock)
{
	bool set = clock == WHEEL_CLOCK_REALTIME || clock == WHEEL_CLOCK_TAI;

	/* Clocks that can be set are supported only by these schemes. */
	return !set || scheme == WHEEL_HASHED || scheme == WHEEL_BOUNDED;
}

/* Each clock is available with each scheme that supports it. Others fail with -EOPNOTSUPP. */
static void schemes_support_clocks(struct kunit *test)
{
	u32 scheme, clock;

	for (scheme = WHEEL_HASHED; scheme <= WHEEL_OVERFLOW; scheme++) {
		for (clock = 0; clock <= WHEEL_CLOCK_VIRTUAL; clock++) {
			const struct wheel_config config = {
				.name = "clocks",
				.scheme = scheme,
				.clock = clock,
			};
			struct wheel *wheel = wheel_create(&config);

			KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(wheel),
					    supported(scheme, clock) ?
					    0 : -EOPNOTSUPP,
					    "scheme %u, clock %u", scheme, clock);
			wheel_destroy(wheel);
		}
	}
}

struct scheme_case {
	const char	*desc;
	u32		scheme;
	u64		limit;
	u64		reach;
};

static const struct scheme_case scheme_cases[] = {
	{ "hashed", WHEEL_HASHED, U64_MAX, WHEEL_MAX_TIME },
	{ "hierarchical", WHEEL_HIERARCHICAL, U64_MAX, WHEEL_MAX_TIME },
	{ "bounded", WHEEL_BOUNDED, U64_MAX, 255 * TICK },
	{ "overflow", WHEEL_OVERFLOW, 4096, WHEEL_MAX_TIME },
};

KUNIT_ARRAY_PARAM_DESC(scheme, scheme_cases, desc);

/* The range of a scheme is exact at any time. */
static void scheme_says(struct kunit *test)
{
	const struct scheme_case *row = test->param_value;
	const struct wheel_config config = {
		.name = "says", .clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = row->scheme, .buckets = 256, .tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, 1);
	u64 now;

	KUNIT_EXPECT_EQ(test, wheel_limit_of(row->scheme), row->limit);
	for (now = 0; now < 5 * TICK; now += TICK / 2 + 1) {
		u64 reach = min_t(u64, row->reach, WHEEL_MAX_TIME - now);

		rig_advance(rig, now);
		KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, now + reach), 0);
		KUNIT_EXPECT_EQ(test, wheel_timer_cancel(&rig->probes[0].timer), 0);
		if (row->reach < WHEEL_MAX_TIME)
			KUNIT_EXPECT_EQ(test, rig_arm(rig, 0, now + reach + 2 * TICK), -ERANGE);
	}
}

/* The limit of WHEEL_OVERFLOW. An expiry makes room for another timer. */
static void overflow_accepts_4096_timers(struct kunit *test)
{
	const struct wheel_config config = {
		.name = "overflow", .clock = WHEEL_CLOCK_VIRTUAL,
		.scheme = WHEEL_OVERFLOW, .tick_ns = TICK,
	};
	struct rig *rig = rig_new(test, &config, 4097);
	u32 i;

	for (i = 0; i < 4096; i++)
		KUNIT_ASSERT_EQ(test, rig_arm(rig, i, TICK), 0);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, i, TICK), -EDQUOT);
	rig_advance(rig, TICK);
	KUNIT_EXPECT_EQ(test, rig_arm(rig, i, TICK), 0);
}

struct arm_case {
	const char	*desc;
	u64		deadline;
	u64		slack;
	int		error;
};

static const struct arm_case arm_cases[] = {
	{ "now", 0, 0, 0 },
	{ "tick", TICK, 0, 0 },
	{ "last", WHEEL_MAX_TIME, 0, 0 },
	{ "last with slack", WHEEL_MAX_TIME, 1, 0 },
	{ "most slack", 1, WHEEL_MAX_TIME, 0 },
	{ "most of both", WHEEL_MAX_TIME, WHEEL_MAX_TIME, 0 },
	{ "over", WHEEL_MAX_TIME + 1, 0, -ERANGE },
	{ "negative", -1ULL, 0, -ERANGE },
	{ "too much slack", 1, WHEEL_MAX_TIME + 1, -ERANGE },
	{ "negative slack", 1, -1ULL, -ERANGE },
	{ "sum wraps", -1ULL, 2, -ERANGE },
};

KUNIT_ARRAY_PARAM_DESC(arm, arm_cases, desc);

/* All operations accept and reject the same times. A rejected operation changes nothing. */
static void arm(struct kunit *test)
{
	const struct arm_case *row = test->param_value;
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;
	u64 deadline = row->error ? 9 * TICK : row->deadline;

	KUNIT_EXPECT_EQ(test, wheel_timer_arm(timer, row->deadline, row->slack),
			row->error);
	KUNIT_EXPECT_EQ(test, wheel_timer_pending(timer), !row->error);
	wheel_timer_cancel(timer);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(timer, row->deadline, row->slack),
			row->error);
	KUNIT_EXPECT_EQ(test, wheel_timer_pending(timer), !row->error);
	wheel_timer_cancel(timer);

	KUNIT_ASSERT_EQ(test, wheel_timer_arm(timer, 9 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_rearm(timer, row->deadline, row->slack),
			row->error);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(timer), deadline);
	KUNIT_ASSERT_EQ(test, wheel_timer_rearm(timer, 9 * TICK, 0), 0);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(timer, row->deadline, row->slack),
			row->error ?: 1);
	KUNIT_EXPECT_EQ(test, wheel_timer_deadline(timer), deadline);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(timer));
	rig_advance(rig, WHEEL_MAX_TIME);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

static void arm_without_a_function(struct kunit *test)
{
	struct rig *rig = rig_virtual(test, TICK, 1);
	struct wheel_timer *timer = &rig->probes[0].timer;

	wheel_timer_init(timer, rig->wheel, NULL);
	KUNIT_EXPECT_EQ(test, wheel_timer_arm(timer, TICK, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, wheel_timer_mod(timer, TICK, 0), -EINVAL);
	KUNIT_EXPECT_FALSE(test, wheel_timer_pending(timer));
}

/* Only a VIRTUAL clock can be moved. */
static void advance(struct kunit *test)
{
	struct rig *rig = rig_running(test, 0, NSEC_PER_MSEC, 1);
	u64 far = rig_now(rig) + 1000 * NSEC_PER_SEC;

	KUNIT_ASSERT_EQ(test, rig_arm(rig, 0, far), 0);
	KUNIT_EXPECT_EQ(test, rig_advance(rig, WHEEL_MAX_TIME), WHEEL_NEVER);
	KUNIT_EXPECT_TRUE(test, wheel_timer_pending(&rig->probes[0].timer));
	KUNIT_EXPECT_LT(test, wheel_now(rig->wheel), far);
}

/* wheel_destroy() accepts NULL and the result of a failed wheel_create(). */
static void destroy_of_nothing(struct kunit *test)
{
	wheel_destroy(NULL);
	wheel_destroy(wheel_create(NULL));
}

static struct kunit_case input_cases[] = {
	KUNIT_CASE_PARAM(create, create_gen_params),
	KUNIT_CASE(create_owned),
	KUNIT_CASE(create_from_nothing),
	KUNIT_CASE(schemes_support_clocks),
	KUNIT_CASE_PARAM(scheme_says, scheme_gen_params),
	KUNIT_CASE(overflow_accepts_4096_timers),
	KUNIT_CASE_PARAM(arm, arm_gen_params),
	KUNIT_CASE(arm_without_a_function),
	KUNIT_CASE(advance),
	KUNIT_CASE(destroy_of_nothing),
	{}
};

static struct kunit_suite input_suite = {
	.name = "wheel_timer_input",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = input_cases,
};

kunit_test_suite(input_suite);
