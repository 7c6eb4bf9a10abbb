// SPDX-License-Identifier: MIT
/*
 * The ledger by itself, one answer and one event at a time.
 */
#include <errno.h>

#include "ktap.h"
#include "ledger.h"

#define TICK	NSEC_PER_MSEC
#define START	(100 * NSEC_PER_SEC)
#define DELAY	(50 * NSEC_PER_MSEC)

/* A tick that is longer than our patience, and when the one after START ends. */
#define LONG_TICK	(30 * NSEC_PER_SEC)
#define LONG_TICK_END	(120 * NSEC_PER_SEC)

static struct ledger book;

static bool ask(u64 deadline, int res, u64 now)
{
	struct ledger_request r = {
		.deadline = deadline, .asked = now, .timer = 1,
	};
	struct wheel_op op;

	ledger_ask(&book, &r, &op);
	op.res = res;
	return ledger_answer(&book, &r, &op, now);
}

/* A book of four timers, of which number 1 is pending. */
static void begin(void)
{
	ledger_init(&book, 4, TICK);
	ask(START + DELAY, 0, START);
}

/* The event that the pending timer owes. */
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

/* Exactly one breach, and that is it. */
static bool broke(enum breach kind)
{
	bool only = book.breaches.count[kind] == 1 &&
		    breach_total(&book.breaches) == 1;

	ledger_free(&book);
	return only;
}

static bool broke_nothing(void)
{
	bool nothing = !breach_total(&book.breaches);

	ledger_free(&book);
	return nothing;
}

static void deliver(struct wheel_event event, u64 received)
{
	ledger_event(&book, &event, received);
}

static void right_answers(void)
{
	begin();
	KTAP_EXPECT(!ask(START + 2 * DELAY, 0, START + DELAY));
	KTAP_EXPECT(!ask(NEVER, 0, START + DELAY));
	KTAP_EXPECT(!ask(NEVER, -ENOENT, START + DELAY));
	KTAP_EXPECT(book.armed == 1 && book.rearmed == 1 &&
		    book.cancelled == 1 && book.idle_cancels == 1);
	KTAP_EXPECT(broke_nothing());

	begin();
	KTAP_EXPECT(ask(START + 2 * DELAY, -ENOENT, START + DELAY));
	KTAP_EXPECT(book.owed == 1);
	deliver(good_event(), START + DELAY);
	KTAP_EXPECT(!book.owed && !book.pending);
	KTAP_EXPECT(broke_nothing());
}

static void wrong_answers(void)
{
	begin();
	ask(NEVER, 1, START);
	KTAP_EXPECT(broke(BREACH_ANSWER));
	begin();
	ask(START + DELAY, -EBUSY, START);
	KTAP_EXPECT(broke(BREACH_ANSWER));
	begin();
	ask(START + DELAY, -EINPROGRESS, START);
	KTAP_EXPECT(broke(BREACH_ANSWER));

	ledger_init(&book, 4, TICK);
	ask(START + DELAY, -ENOENT, START);
	KTAP_EXPECT(broke(BREACH_ANSWER));
	ledger_init(&book, 4, TICK);
	ask(NEVER, 0, START);
	KTAP_EXPECT(broke(BREACH_ANSWER));
}

static void overdue_timers(void)
{
	begin();
	ask(NEVER, 0, START + DELAY + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	begin();
	ask(NEVER, 0, START + DELAY + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));
	begin();
	ask(START + 2 * DELAY, 0, START + DELAY + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));

	/* Its tick ends later. */
	ledger_init(&book, 4, LONG_TICK);
	ask(START + DELAY, 0, START);
	ask(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	ledger_init(&book, 4, LONG_TICK);
	ask(START + DELAY, 0, START);
	ask(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS + 1);
	KTAP_EXPECT(broke(BREACH_LOST));

	/* We were behind: the device was not. */
	ledger_init(&book, 4, LONG_TICK);
	ask(START, 0, START + DELAY);
	ask(NEVER, 0, LONG_TICK_END + LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
	ledger_init(&book, 4, TICK);
	ask(START, 0, START + 2 * LOST_AFTER_NS);
	ask(NEVER, 0, START + 3 * LOST_AFTER_NS);
	KTAP_EXPECT(broke_nothing());
}

/* Only what is due by then, and not all that has a deadline by then. */
static void awaited(void)
{
	ledger_init(&book, 4, LONG_TICK);
	ask(START + DELAY, 0, START);
	ledger_await(&book, LONG_TICK_END - 1);
	KTAP_EXPECT(!book.awaited);
	ask(NEVER, 0, START);
	KTAP_EXPECT(!book.awaited);
	ask(START + DELAY, 0, START);
	ledger_await(&book, LONG_TICK_END);
	KTAP_EXPECT(book.awaited == 1);
	ask(NEVER, 0, START);
	KTAP_EXPECT(!book.awaited);
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
	ask(NEVER, 0, START);
	deliver(good_event(), START + DELAY);
	KTAP_EXPECT(broke(BREACH_DUPLICATE));
}

static void listings(void)
{
	struct wheel_op op;

	begin();
	op = good_listing();
	op.slack = 0;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke_nothing());
	begin();
	op = good_listing();
	op.slack = 1;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.period = 1;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.when = 1;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.cookie = 2;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.id = WHEEL_ID(1, 2);
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.id = WHEEL_ID(2, 1);
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
	begin();
	op = good_listing();
	op.slack = 0;
	ledger_listed(&book, &op);
	op = good_listing();
	op.slack = 0;
	ledger_listed(&book, &op);
	KTAP_EXPECT(broke(BREACH_WRONG));
}

const struct ktap_case ledger_cases[] = {
	{ "right answers", right_answers },
	{ "wrong answers", wrong_answers },
	{ "overdue timers", overdue_timers },
	{ "timers to wait for", awaited },
	{ "events", events },
	{ "events of strangers", strangers },
	{ "listings", listings },
	{ NULL }
};
