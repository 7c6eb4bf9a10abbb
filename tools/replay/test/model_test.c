// SPDX-License-Identifier: MIT
/*
 * Tests of the model with single results and events.
 */
#include <errno.h>

#include "cases.h"
#include "model.h"

#define TICK	NSEC_PER_MSEC
#define START	(100 * NSEC_PER_SEC)
#define DELAY	(50 * NSEC_PER_MSEC)

/* A tick longer than LOST_AFTER_NS, and the end of the tick after START. */
#define LONG_TICK	(30 * NSEC_PER_SEC)
#define LONG_TICK_END	(120 * NSEC_PER_SEC)

static struct model model;

static bool request(u64 deadline, int res, u64 now)
{
	struct request r = {
		.deadline = deadline, .submitted = now, .timer = 1,
	};
	struct wheel_op op;

	model_request(&model, &r, &op);
	op.res = res;
	return model_result(&model, &r, &op, now);
}

/* A model of four timers; timer 1 is pending. */
static void begin(void)
{
	model_init(&model, 4, TICK);
	request(START + DELAY, 0, START);
}

/* The correct event of the pending timer. */
static struct wheel_event good_event(void)
{
	return (struct wheel_event){
		.id = WHEEL_ID(1, 1),
		.cookie = 1,
		.deadline = START + DELAY,
		.fired = START + DELAY,
	};
}

static struct wheel_op good_listing(void)
{
	return (struct wheel_op){
		.op = WHEEL_OP_ARM,
		.id = WHEEL_ID(1, 1),
		.when = START + DELAY,
		.cookie = 1,
	};
}

/* Check that the model detected exactly one violation, of this kind. */
static bool broke(enum breach kind)
{
	bool only = model.breaches.count[kind] == 1 &&
		    breach_total(&model.breaches) == 1;

	model_free(&model);
	return only;
}

static bool broke_nothing(void)
{
	bool nothing = !breach_total(&model.breaches);

	model_free(&model);
	return nothing;
}

static void deliver(struct wheel_event event, u64 received)
{
	model_event(&model, &event, received);
}

static void right_results(void)
{
	begin();
	KTAP_EXPECT(!request(START + 2 * DELAY, 0, START + DELAY));
	KTAP_EXPECT(!request(NEVER, 0, START + DELAY));
	KTAP_EXPECT(!request(NEVER, -ENOENT, START + DELAY));
	KTAP_EXPECT(model.armed == 1 && model.rearmed == 1 &&
		    model.cancelled == 1 && model.idle_cancels == 1);
	KTAP_EXPECT(broke_nothing());

	begin();
	KTAP_EXPECT(request(START + 2 * DELAY, -ENOENT, START + DELAY));
	KTAP_EXPECT(model.missing == 1);
	deliver(good_event(), START + DELAY);
	KTAP_EXPECT(!model.missing && !model.pending);
	KTAP_EXPECT(broke_nothing());
}

static void wrong_results(void)
{
	begin();
	request(NEVER, 1, START);
	KTAP_EXPECT(broke(BREACH_RESULT));
	begin();
	request(START + DELAY, -EBUSY, START);
	KTAP_EXPECT(broke(BREACH_RESULT));
	begin();
	request(START + DELAY, -EINPROGRESS, START);
	KTAP_EXPECT(broke(BREACH_RESULT));

	model_init(&model, 4, TICK);
	request(START + DELAY, -ENOENT, START);
	KTAP_EXPECT(broke(BREACH_RESULT));
	model_init(&model, 4, TICK);
	request(NEVER, 0, START);
	KTAP_EXPECT(broke(BREACH_RESULT));
}

static void overdue_timers(void)
{
	begin();
	request(NEVER, 0, START + DELAY + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	begin();
	request(NEVER, 0, START + DELAY + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));
	begin();
	request(START + 2 * DELAY, 0, START + DELAY + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));

	/* The tick ends later. */
	model_init(&model, 4, LONG_TICK);
	request(START + DELAY, 0, START);
	request(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	model_init(&model, 4, LONG_TICK);
	request(START + DELAY, 0, START);
	request(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));

	/* The program was late, not the device. */
	model_init(&model, 4, LONG_TICK);
	request(START, 0, START + DELAY);
	request(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	model_init(&model, 4, TICK);
	request(START, 0, START + 2 * LOST_AFTER_NS);
	request(NEVER, 0, START + 3 * LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
}

/* A timer is awaited if its tick ends by the horizon, regardless of its deadline. */
static void awaited(void)
{
	model_init(&model, 4, LONG_TICK);
	request(START + DELAY, 0, START);
	model_await(&model, LONG_TICK_END - 1);
	KTAP_EXPECT(!model.awaited);
	request(NEVER, 0, START);
	KTAP_EXPECT(!model.awaited);
	request(START + DELAY, 0, START);
	model_await(&model, LONG_TICK_END);
	KTAP_EXPECT(model.awaited == 1);
	request(NEVER, 0, START);
	KTAP_EXPECT(!model.awaited);
	KTAP_EXPECT(broke_nothing());
}

static void events(void)
{
	struct wheel_event event;

	begin();
	deliver(good_event(), START + DELAY);
	KTAP_EXPECT(broke_nothing());
	begin();
	event = good_event();
	event.fired = START + DELAY - 1;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_EARLY));
	begin();
	event = good_event();
	event.deadline = START + DELAY + 1;
	deliver(event, START + 2 * DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	event = good_event();
	event.cookie = 2;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	event = good_event();
	event.overrun = 1;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	event = good_event();
	event.res = -EIO;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	event = good_event();
	event.seq = 1;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	event = good_event();
	event.fired = START + DELAY + 1;
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_WRONG));
}

static void strangers(void)
{
	struct wheel_event event;

	begin();
	event = good_event();
	event.id = WHEEL_ID(1, 2);
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_DUPLICATE));
	begin();
	event = good_event();
	event.id = WHEEL_ID(2, 1);
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_DUPLICATE));
	begin();
	event = good_event();
	event.id = WHEEL_ID(4, 1);
	deliver(event, START + DELAY);
	KTAP_EXPECT(broke(BREACH_DUPLICATE));
	begin();
	request(NEVER, 0, START);
	deliver(good_event(), START + DELAY);
	KTAP_EXPECT(broke(BREACH_DUPLICATE));
}

static void listings(void)
{
	struct wheel_op op;

	begin();
	op = good_listing();
	op.slack = 0;
	model_listed(&model, &op);
	KTAP_EXPECT(broke_nothing());
	begin();
	op = good_listing();
	op.slack = 1;
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.period = 1;
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.when = 1;
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.cookie = 2;
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.id = WHEEL_ID(1, 2);
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.id = WHEEL_ID(2, 1);
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.slack = 0;
	model_listed(&model, &op);
	op = good_listing();
	op.slack = 0;
	model_listed(&model, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
}

const struct ktap_test model_cases[] = {
	{ "correct results are accepted", right_results },
	{ "wrong results are detected", wrong_results },
	{ "overdue timers are detected", overdue_timers },
	{ "due timers are awaited", awaited },
	{ "wrong events are detected", events },
	{ "events of other timers are detected", strangers },
	{ "wrong listings are detected", listings },
	{ NULL }
};
