// SPDX-License-Identifier: GPL-2.0
/*
 * No event is lost or duplicated when the owner runs the passes.
 *
 * Up to three threads consume the events of one file, in one of many ways, while signals
 * interrupt them. The file is deferred repeatedly, because few interrupts occur without a
 * system call. After each round of timers the producer waits until all events have arrived. A
 * lost wake-up is therefore detected as a round without progress.
 */
#include <kselftest_harness.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "wheel_ring.h"
#include "wheel_test.h"
#include "wheel_uring.h"

#define TIMERS		256
#define CONTENDERS	2
#define CONTENDED	32
#define SLOTS		(TIMERS + CONTENDERS * CONTENDED)
#define RING		64
#define ROUNDS		12
#define MOST_THREADS	3
#define ROOM		64
#define SIGNAL_US	2000
/* Timeout for a round without progress, sufficient for a slow machine. */
#define NO_PROGRESS	(60 * WT_SEC)

/**
 * struct race - a file and its consumers
 * @consume: function of each consumer
 * @ring: the file, and its ring if it has one
 * @seen: newest generation of each slot whose event has arrived
 * @got: events that have arrived
 * @twice: events that arrived again
 * @early: events before their deadline
 * @failed: line of a call that failed
 * @stopping: the wheel is being stopped
 * @lock: protects the program's side of the ring
 */
struct race {
	void (*consume)(struct race *race);
	struct wt_ring ring;
	__u64 seen[SLOTS];
	__u32 got;
	__u32 twice;
	__u32 early;
	int failed;
	bool stopping;
	pthread_mutex_t lock;
};

static __u32 load(const __u32 *n)
{
	return __atomic_load_n(n, __ATOMIC_RELAXED);
}

static void add(__u32 *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static bool stopping(const struct race *race)
{
	return __atomic_load_n(&race->stopping, __ATOMIC_RELAXED);
}

static void fail(struct race *race, int line)
{
	__atomic_store_n(&race->failed, line, __ATOMIC_RELAXED);
}

static void take(struct race *race, const struct wheel_event *event)
{
	__u64 gen = WHEEL_ID_GEN(event->id);
	__u64 *seen = &race->seen[WHEEL_ID_SLOT(event->id)];

	if (event->fired < event->deadline)
		add(&race->early);
	if (__atomic_exchange_n(seen, gen, __ATOMIC_RELAXED) == gen)
		add(&race->twice);
	add(&race->got);
}

/* Returns the number of events, or a negative errno other than EINTR. */
static int take_read(struct race *race)
{
	struct wheel_event events[ROOM];
	int n, i;

	do {
		n = wt_read(race->ring.fd, events, ROOM);
	} while (n == -EINTR);
	for (i = 0; i < n; i++)
		take(race, &events[i]);
	if (n < 0 && n != -EAGAIN && n != -ESHUTDOWN)
		fail(race, __LINE__);
	return n;
}

/* Returns true if there were events. */
static bool take_ring(struct race *race)
{
	__u32 head, tail;

	pthread_mutex_lock(&race->lock);
	tail = wt_ring_tail(&race->ring);
	head = race->ring.user->event_head;
	for (; head != tail; head++)
		take(race, wt_ring_at(&race->ring, head));
	tail -= race->ring.user->event_head;
	wt_ring_take(&race->ring, head);
	pthread_mutex_unlock(&race->lock);
	return tail;
}

/* Take events until the ring is empty and WHEEL_RING_BACKLOG is clear. */
static void empty_ring(struct race *race)
{
	struct wheel_enter enter;

	for (;;) {
		while (take_ring(race))
			;
		if (!wt_ring_flags(&race->ring))
			return;
		wt_enter(race->ring.fd, 0, 0, &enter);
	}
}

/* Take all events. Returns false if the wheel was stopped, or if a call failed. */
static bool take_all(struct race *race)
{
	int n;

	if (race->ring.kernel) {
		empty_ring(race);
		return !stopping(race);
	}
	do {
		n = take_read(race);
	} while (n > 0);
	return n != -ESHUTDOWN && !race->failed;
}

static int watch(struct race *race, __u32 events)
{
	struct epoll_event event = { .events = events };
	int epoll = epoll_create1(0);

	if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, race->ring.fd, &event))
		fail(race, __LINE__);
	return epoll;
}

/* Returns true if the wheel was stopped. */
static bool await(int epoll)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, -1) == 1 && event.events & EPOLLHUP;
}

/* After each edge, take all events: read until EAGAIN, or empty the ring. */
static void by_edges(struct race *race)
{
	int epoll = watch(race, EPOLLIN | EPOLLET);

	do {
		await(epoll);
	} while (take_all(race));
	close(epoll);
}

/* After each edge, read until fewer events are returned than requested. */
static void by_edges_and_short_reads(struct race *race)
{
	int epoll = watch(race, EPOLLIN | EPOLLET), n = 0;
	bool stopped;

	while (n != -ESHUTDOWN && !race->failed) {
		stopped = await(epoll);
		do {
			n = take_read(race);
		} while (n == ROOM || (stopped && n > 0));
	}
	close(epoll);
}

static void by_levels(struct race *race)
{
	int epoll = watch(race, EPOLLIN), n = 0;

	while (n != -ESHUTDOWN && !race->failed) {
		await(epoll);
		n = take_read(race);
	}
	close(epoll);
}

static void by_read(struct race *race)
{
	while (take_read(race) != -ESHUTDOWN)
		if (race->failed)
			break;
}

static void by_uring(struct race *race)
{
	struct wt_uring uring;

	if (!wt_uring_open(&uring) || !wt_uring_watch(&uring, race->ring.fd))
		return fail(race, __LINE__);
	do {
		wt_uring_told(&uring, 1);
		if (uring.ended)
			wt_uring_watch(&uring, race->ring.fd);
	} while (take_all(race));
	wt_uring_close(&uring);
}

/* Take events without system calls, unless WHEEL_RING_BACKLOG requests one. */
static void by_flag(struct race *race)
{
	struct wheel_enter enter;

	while (!stopping(race)) {
		if (wt_ring_flags(&race->ring))
			wt_enter(race->ring.fd, 0, 0, &enter);
		if (!take_ring(race))
			sched_yield();
	}
}

static void by_enter(struct race *race)
{
	struct wheel_enter enter;
	int err;

	do {
		err = wt_enter(race->ring.fd, 1, WT_FOREVER, &enter);
		take_ring(race);
	} while (!err || err == -EINTR);
	if (err != -ESHUTDOWN)
		fail(race, __LINE__);
}

/**
 * struct way - how events are consumed
 * @consume: function of each consumer
 * @ring: events are delivered through the ring
 * @blocking: the file is in blocking mode
 * @contended: other threads submit operations continuously
 */
struct way {
	void (*consume)(struct race *race);
	bool ring;
	bool blocking;
	bool contended;
};

FIXTURE(race) {
	struct race race;
	__u64 seed;
};

FIXTURE_VARIANT(race) {
	struct way way;
};

#define WAY(name, ...) WT_VARIANT(race, name, .way = { __VA_ARGS__ })

WAY(edges, by_edges, false, false, false);
WAY(edges_and_short_reads, by_edges_and_short_reads, false, false, false);
WAY(levels, by_levels, false, false, false);
WAY(blocking_read, by_read, false, true, false);
WAY(blocking_read_contended, by_read, false, true, true);
WAY(edges_contended, by_edges, false, false, true);
WAY(uring, by_uring, false, false, false);
WAY(flag, by_flag, true, false, false);
WAY(enter, by_enter, true, false, false);
WAY(enter_contended, by_enter, true, false, true);
WAY(edges_of_the_ring, by_edges, true, false, false);
WAY(uring_on_the_ring, by_uring, true, false, false);

FIXTURE_SETUP(race)
{
	struct wt_uring uring;

	self->seed = wt_seed();
	if (variant->way.consume != by_uring)
		return;
	if (!wt_uring_open(&uring))
		SKIP(return, "no io_uring");
	wt_uring_close(&uring);
}

FIXTURE_TEARDOWN(race)
{
}

static bool open_it(struct race *race, const struct way *way, __u32 clock, __u64 *seed)
{
	struct wheel_setup setup = {
		.clock = clock, .tick_ns = WHEEL_MIN_TICK_NS, .timers = SLOTS,
		.scheme = clock == WHEEL_CLOCK_MONOTONIC ?
			  WHEEL_HASHED + wt_below(seed, 2) : WHEEL_HASHED,
	};

	memset(race, 0, sizeof(*race));
	race->consume = way->consume;
	pthread_mutex_init(&race->lock, NULL);
	if (way->ring) {
		setup.events = RING;
		return wt_ring_open(&race->ring, &setup);
	}
	race->ring.fd = wt_open_setup(way->blocking ? 0 : O_NONBLOCK, &setup);
	return race->ring.fd >= 0;
}

static void close_it(struct race *race, const struct way *way)
{
	if (way->ring)
		wt_ring_unmap(&race->ring);
	close(race->ring.fd);
}

static void *consume(void *arg)
{
	struct race *race = arg;

	race->consume(race);
	return NULL;
}

/* Hold the lock of the file most of the time. */
static void *contend(void *arg)
{
	static __u32 number;
	__u32 first = TIMERS + __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED) % CONTENDERS *
		CONTENDED;
	struct wheel_op ops[2 * CONTENDED];
	struct race *race = arg;
	__u64 gen;
	__u32 i;

	for (gen = 1; !stopping(race); gen++) {
		for (i = 0; i < CONTENDED; i++) {
			ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(first + i, gen), WT_HOUR);
			ops[i].flags = WHEEL_OP_REL;
			ops[CONTENDED + i] = wt_op(WHEEL_OP_CANCEL, WHEEL_ID(first + i, gen), 0);
		}
		if (wt_batch(race->ring.fd, ops, 2 * CONTENDED) && !stopping(race))
			fail(race, __LINE__);
	}
	return NULL;
}

/* Arm up to TIMERS timers within a few milliseconds. Returns their number, 0 on error. */
static __u32 arm_some(struct race *race, __u64 gen, __u64 *seed)
{
	__u32 n = 1 + wt_below(seed, wt_below(seed, 4) ? 12 : TIMERS), i;
	__u64 delay = wt_below(seed, 3 * WT_MS);
	__u64 spread = wt_below(seed, 2) * 20 * WT_US;
	struct wheel_op ops[TIMERS];
	struct wheel_submit batch;
	int err;

	for (i = 0; i < n; i++) {
		ops[i] = wt_op(WHEEL_OP_ARM, WHEEL_ID(i, gen), delay + i * spread);
		ops[i].flags = WHEEL_OP_REL;
	}
	/* io_uring interrupts the call to release files of previous rounds. */
	for (i = 0; (err = wt_submit(race->ring.fd, ops + i, n - i, &batch)) == -EINTR;)
		i += batch.done;
	return err ? 0 : n;
}

/* Wait for @want events in total. Returns false if there is no progress or too many events. */
static bool arrived(struct race *race, __u32 want)
{
	__u64 since = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u32 got = load(&race->got), before;

	while (got < want && !race->failed) {
		usleep(100);
		before = got;
		got = load(&race->got);
		if (got != before)
			since = wt_now(WHEEL_CLOCK_MONOTONIC);
		else if (wt_now(WHEEL_CLOCK_MONOTONIC) > since + NO_PROGRESS)
			return false;
	}
	return got == want;
}

static void on_signal(int signal)
{
	(void)signal;
}

static void send_signals(bool on)
{
	const struct itimerval every = { { 0, on * SIGNAL_US }, { 0, on * SIGNAL_US } };
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Block or unblock the signal in this thread and in threads that it starts later. */
static void block_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(how, &set, NULL);
}

static int start(pthread_t *threads, int n, void *(*function)(void *), struct race *race)
{
	int i;

	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, function, race))
			fail(race, __LINE__);
	return n;
}

/* Stop the wheel and join the threads. Returns the number of unfired timers. */
static __u64 stop(struct race *race, pthread_t *threads, int n)
{
	__u64 unfired = 0;
	int i;

	__atomic_store_n(&race->stopping, true, __ATOMIC_RELAXED);
	if (wt_stop(race->ring.fd, &unfired))
		fail(race, __LINE__);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return unfired;
}

/* Run all rounds. Returns the number of lost events, or -1. */
static int run(struct race *race, const struct way *way, int consumers, __u64 *seed)
{
	pthread_t threads[MOST_THREADS + CONTENDERS];
	__u32 want = 0, armed;
	__u64 round;
	int n;

	block_signals(SIG_UNBLOCK);
	n = start(threads, consumers, consume, race);
	block_signals(SIG_BLOCK);
	if (way->contended)
		n += start(threads + n, CONTENDERS, contend, race);
	for (round = 1; round <= ROUNDS; round++) {
		armed = arm_some(race, round, seed);
		if (!armed)
			fail(race, __LINE__);
		want += armed;
		/* Do not join the threads: after a lost wake-up, they wait forever. */
		if (!arrived(race, want))
			return race->failed ? -1 : (int)(want - load(&race->got));
	}
	stop(race, threads, n);
	return race->failed ? -1 : 0;
}

/* Print the state of a file whose consumers wait for a lost event. */
static void explain(struct race *race, int consumers, int clock)
{
	struct pollfd p = { .fd = race->ring.fd, .events = POLLIN };
	struct wheel_stats stats;

	if (wt_stats(race->ring.fd, &stats))
		return;
	printf("# %d threads, %s clock, line %d: %u events arrived; armed %llu, fired %llu, ",
	       consumers, clock ? "settable" : "monotonic", race->failed, race->got,
	       stats.armed, stats.fired);
	printf("pending %llu, unread %llu, flags %u, poll %d\n", stats.pending, stats.unread,
	       race->ring.kernel ? wt_ring_flags(&race->ring) : 0, poll(&p, 1, 0));
}

WT_TEST(race, p3_nothing_is_lost_while_deferred)
{
	const struct way *way = &variant->way;
	struct race *race = &self->race;
	__u32 clocks[] = { WHEEL_CLOCK_MONOTONIC, WHEEL_CLOCK_REALTIME };
	int consumers, clock, lost;

	for (consumers = 1; consumers <= MOST_THREADS; consumers++) {
		for (clock = 0; clock < 2; clock++) {
			ASSERT_TRUE(open_it(race, way, clocks[clock], &self->seed));
			send_signals(consumers % 2 == clock);
			lost = run(race, way, consumers, &self->seed);
			send_signals(false);
			if (lost)
				explain(race, consumers, clock);
			ASSERT_EQ(0, lost);
			EXPECT_EQ(0, race->twice);
			EXPECT_EQ(0, race->early);
			close_it(race, way);
		}
	}
}

/* STOP at a random time: each timer has one event or is counted as unfired. */
WT_TEST(race, p3_nothing_is_lost_by_stop_while_deferred)
{
	const struct way *way = &variant->way;
	struct race *race = &self->race;
	pthread_t threads[MOST_THREADS];
	__u64 unfired;
	__u32 armed;
	int i, n;

	block_signals(SIG_BLOCK);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(open_it(race, way, WHEEL_CLOCK_MONOTONIC, &self->seed));
		n = start(threads, i % MOST_THREADS, consume, race);
		armed = arm_some(race, 1, &self->seed);
		ASSERT_NE(0, armed);
		wt_let_pass(1 + wt_below(&self->seed, 4 * WT_MS));
		unfired = stop(race, threads, n);
		take_all(race);
		ASSERT_EQ(0, race->failed);
		ASSERT_EQ(armed, unfired + race->got);
		ASSERT_EQ(0, race->twice);
		close_it(race, way);
	}
}

TEST_HARNESS_MAIN
