// SPDX-License-Identifier: GPL-2.0
/*
 * The completion ring: events in mapped memory, what waits behind it, ENTER.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "wheel_test.h"

#define ENTRIES	8
#define TIMERS	64
#define FOREVER	(~0ULL)
#define PAGE	wt_page()

FIXTURE(ring) {
	int fd;
	struct wheel_setup setup;
	struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	struct wheel_event *events;
	struct wheel_enter enter;
	struct wheel_stats stats;
};

FIXTURE_VARIANT(ring) {
	__u32 clock;
};

FIXTURE_VARIANT_ADD(ring, moved_by_hand) {
	.clock = WHEEL_CLOCK_VIRTUAL,
};

static void *map(int fd, size_t size, int prot, off_t offset)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, offset);
}

FIXTURE_SETUP(ring)
{
	size_t size;

	if (!(wt_features() & WHEEL_HAS_RINGS))
		SKIP(return, "no rings");
	self->setup = (struct wheel_setup){
		.size = sizeof(self->setup), .clock = variant->clock,
		.timers = TIMERS, .events = ENTRIES - 1,
	};
	self->fd = wt_open_setup(O_RDWR, &self->setup);
	ASSERT_LE(0, self->fd);
	size = self->setup.events * sizeof(*self->events);
	self->kernel = map(self->fd, sizeof(*self->kernel), PROT_READ,
			   WHEEL_OFF_KERNEL);
	self->user = map(self->fd, sizeof(*self->user), PROT_READ | PROT_WRITE,
			 WHEEL_OFF_USER);
	self->events = map(self->fd, size, PROT_READ, WHEEL_OFF_EVENTS);
	ASSERT_NE(MAP_FAILED, self->kernel);
	ASSERT_NE(MAP_FAILED, self->user);
	ASSERT_NE(MAP_FAILED, self->events);
}

FIXTURE_TEARDOWN(ring)
{
	close(self->fd);
}

static int enter(int fd, __u32 wait, __u64 until, struct wheel_enter *e)
{
	memset(e, WT_POISON, sizeof(*e));
	e->size = sizeof(*e);
	e->flags = 0;
	e->wait = wait;
	e->until = until;
	return wt_ioctl(fd, WHEEL_IOC_ENTER, e);
}

static __u32 tail_of(const struct wheel_kernel_page *kernel)
{
	return __atomic_load_n(&kernel->event_tail, __ATOMIC_ACQUIRE);
}

static __u32 flags_of(const struct wheel_kernel_page *kernel)
{
	return __atomic_load_n(&kernel->kflags, __ATOMIC_ACQUIRE);
}

static void take_to(struct wheel_user_page *user, __u32 head)
{
	__atomic_store_n(&user->event_head, head, __ATOMIC_SEQ_CST);
}

#define tail(self)		tail_of((self)->kernel)
#define take(self, head)	take_to((self)->user, head)
#define at(self, i)		(&(self)->events[(i) % ENTRIES])

WT_TEST(ring, is_rounded_up)
{
	EXPECT_EQ(ENTRIES, self->setup.events);
	EXPECT_EQ(0, tail(self));
	EXPECT_EQ(0, flags_of(self->kernel));
}

WT_TEST(ring, p5_in_order_p1_never_early)
{
	__u32 i;

	for (i = 0; i < ENTRIES; i++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(i, 1), (ENTRIES - i) * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 3 * WT_MS - 1, NULL));
	EXPECT_EQ(2, tail(self));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	ASSERT_EQ(ENTRIES, tail(self));
	for (i = 0; i < ENTRIES; i++) {
		EXPECT_EQ(WHEEL_ID(ENTRIES - 1 - i, 1), at(self, i)->id);
		EXPECT_EQ((i + 1) * WT_MS, at(self, i)->deadline);
		EXPECT_LE(at(self, i)->deadline, at(self, i)->fired);
		EXPECT_EQ(i, at(self, i)->seq);
	}
	EXPECT_EQ(0, flags_of(self->kernel));
}

WT_TEST(ring, p8_nothing_lost_when_it_is_full)
{
	__u32 head = 0, seen = 0;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_EQ(ENTRIES, tail(self));
	EXPECT_EQ(WHEEL_RING_BACKLOG, flags_of(self->kernel));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(TIMERS, self->stats.unread);
	EXPECT_EQ(TIMERS - ENTRIES, self->stats.backlogged);
	while (seen < TIMERS) {
		ASSERT_NE(tail(self), head);
		for (; head != tail(self); head++)
			EXPECT_EQ(WHEEL_ID(seen++, 1), at(self, head)->id);
		take(self, head);
		ASSERT_EQ(0, enter(self->fd, 0, 0, &self->enter));
		EXPECT_EQ(seen < TIMERS ? ENTRIES : 0, self->enter.ready);
	}
	EXPECT_EQ(0, flags_of(self->kernel));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.unread);
	EXPECT_EQ(TIMERS, self->stats.fired);
}

/*
 * By edge an epoll tells nothing of events that wait while there is room. A program that takes
 * all, and enters while BACKLOG is set, has them all before it sleeps; then it is told again.
 */
WT_TEST(ring, p8_by_edge_until_no_backlog)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, ep);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
	take(self, tail(self));
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, 0));
	while (flags_of(self->kernel) & WHEEL_RING_BACKLOG) {
		ASSERT_EQ(0, enter(self->fd, 0, 0, &self->enter));
		take(self, tail(self));
	}
	EXPECT_EQ(TIMERS, tail(self));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(1, 2), 2 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_MS, NULL));
	EXPECT_EQ(1, epoll_wait(ep, &event, 1, 0));
	close(ep);
}

/* Events that have room come with the next expiry, too, and before it. */
WT_TEST(ring, what_waits_comes_before_what_fires_next)
{
	__u32 i;

	ASSERT_EQ(0, wt_arm_many(self->fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(ENTRIES + 1, 1), 2 * WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	take(self, ENTRIES);
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_MS, NULL));
	ASSERT_EQ(ENTRIES + 2, tail(self));
	for (i = ENTRIES; i < ENTRIES + 2; i++)
		EXPECT_EQ(WHEEL_ID(i, 1), at(self, i)->id);
}

/* Until it comes to the ring an event waits in its timer. */
WT_TEST(ring, a_published_timer_is_free)
{
	ASSERT_EQ(0, wt_arm_many(self->fd, ENTRIES + 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_arm(self->fd, WHEEL_ID(0, 2), 5 * WT_MS));
	EXPECT_EQ(-EBUSY, wt_arm(self->fd, WHEEL_ID(ENTRIES, 2), 5 * WT_MS));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, WHEEL_ID(ENTRIES, 1)));
	take(self, ENTRIES);
	ASSERT_EQ(0, enter(self->fd, 1, 0, &self->enter));
	EXPECT_EQ(0, wt_arm(self->fd, WHEEL_ID(ENTRIES, 2), 5 * WT_MS));
}

/* A program that takes nothing makes no work: the ring is full, that is all. */
WT_TEST(ring, periods_go_on_as_far_as_there_is_room)
{
	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(0, 1), WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(1, tail(self));
	ASSERT_EQ(0, wt_advance(self->fd, 4 * WT_MS, NULL));
	EXPECT_EQ(2, tail(self));
	EXPECT_EQ(2, at(self, 1)->overrun);
	EXPECT_EQ(4 * WT_MS, at(self, 1)->deadline);
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_EQ(3, tail(self));
	EXPECT_EQ(1, wt_cancel(self->fd, WHEEL_ID(0, 1)));
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_TRUE(wt_balanced(&self->stats));
}

/* After an answer of 0 no event of the timer lies in the ring; 1 says that one does. */
WT_TEST(ring, p4_cancel_tells_of_an_event_in_the_ring)
{
	__u64 id = WHEEL_ID(0, 1);

	ASSERT_EQ(0, wt_arm_every(self->fd, id, WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(0, wt_query(self->fd, id, &(__u64){ 0 }));
	EXPECT_EQ(1, wt_cancel(self->fd, id));
	EXPECT_EQ(-ENOENT, wt_cancel(self->fd, id));
	EXPECT_EQ(id, at(self, 0)->id);
	take(self, 1);

	id = WHEEL_ID(0, 2);
	ASSERT_EQ(0, wt_arm_every(self->fd, id, 2 * WT_MS, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, 2 * WT_MS, NULL));
	ASSERT_EQ(2, tail(self));
	take(self, 2);
	EXPECT_EQ(0, wt_cancel(self->fd, id));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC, NULL));
	EXPECT_EQ(2, tail(self));

	/* The event of an older timer of the slot is none of the new one. */
	ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(0, 3), WT_SEC + WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_SEC + WT_MS, NULL));
	ASSERT_EQ(0, wt_arm_every(self->fd, WHEEL_ID(0, 4), WT_HOUR, WT_MS));
	EXPECT_EQ(0, wt_cancel(self->fd, WHEEL_ID(0, 4)));
}

WT_TEST(ring, positions_wrap)
{
	__u32 head;

	for (head = 0; head < 5 * ENTRIES; head += 3) {
		__u64 when = (head + 1) * WT_MS;

		ASSERT_EQ(0, wt_arm_many(self->fd, 3, head + 1, when));
		ASSERT_EQ(0, wt_advance(self->fd, when, NULL));
		ASSERT_EQ(head + 3, tail(self));
		EXPECT_EQ(WHEEL_ID(2, head + 1), at(self, head + 2)->id);
		take(self, head + 3);
	}
}

/* A head that cannot be is no reason to overwrite, or to forget. */
WT_TEST(ring, a_wrong_head_loses_nothing)
{
	static const __u32 heads[] = { ~0U, 1, 1U << 31, 0xcccccccc };
	unsigned int i;

	ASSERT_EQ(0, wt_arm_many(self->fd, TIMERS, 1, WT_MS));
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		take(self, heads[i]);
		ASSERT_EQ(0, wt_advance(self->fd, i * WT_MS, NULL));
		ASSERT_EQ(0, enter(self->fd, 0, 0, &self->enter));
		EXPECT_GE(ENTRIES, self->enter.ready);
	}
	ASSERT_EQ(0, wt_stats(self->fd, &self->stats));
	EXPECT_EQ(TIMERS, self->stats.fired);
	EXPECT_TRUE(wt_balanced(&self->stats));
}

WT_TEST(ring, read_does_not_see_it)
{
	struct wheel_event event;

	ASSERT_EQ(0, wt_arm_many(self->fd, 1, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	EXPECT_EQ(-1, read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(1, wt_wait(self->fd));
}

WT_TEST(ring, enter_says_what_is_wrong)
{
	struct wheel_enter e;
	int plain;

	EXPECT_EQ(-EINVAL, enter(self->fd, ENTRIES + 1, 0, &e));
	memset(&e, 0, sizeof(e));
	e.size = sizeof(e);
	e.flags = 2;
	EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, WHEEL_IOC_ENTER, &e));
	e.flags = WHEEL_ENTER_KICK;
	EXPECT_EQ(-EOPNOTSUPP, wt_ioctl(self->fd, WHEEL_IOC_ENTER, &e));
	EXPECT_EQ(-ERANGE, enter(self->fd, 1, 1ULL << 63, &e));
	EXPECT_EQ(-ERANGE, enter(self->fd, 1, ~0ULL - 1, &e));
	plain = wt_open(O_RDWR);
	ASSERT_LE(0, plain);
	EXPECT_EQ(-EOPNOTSUPP, enter(plain, 0, 0, &e));
	close(plain);
}

WT_TEST(ring, enter_that_fails_writes_nothing)
{
	struct wheel_enter e, was = { .size = sizeof(e), .wait = ENTRIES + 1 };

	was.ready = 0xcccccccc;
	e = was;
	EXPECT_EQ(-EINVAL, wt_ioctl(self->fd, WHEEL_IOC_ENTER, &e));
	EXPECT_EQ(0, memcmp(&was, &e, sizeof(e)));
}

WT_TEST(ring, enter_does_not_wait_when_it_is_not_asked_to)
{
	ASSERT_EQ(0, wt_arm_many(self->fd, 2, 1, WT_MS));
	ASSERT_EQ(0, wt_advance(self->fd, WT_MS, NULL));
	ASSERT_EQ(0, enter(self->fd, 5, 0, &self->enter));
	EXPECT_EQ(2, self->enter.ready);
	/* A time that has passed. */
	ASSERT_EQ(0, enter(self->fd, 5, WT_MS, &self->enter));
	EXPECT_EQ(2, self->enter.ready);
}

struct waiter {
	int fd;
	pid_t tid;
	__u32 wait;
	__u64 until;
	int err;
	struct wheel_enter enter;
};

static void *wait_in_enter(void *arg)
{
	struct waiter *w = arg;

	__atomic_store_n(&w->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	w->err = enter(w->fd, w->wait, w->until, &w->enter);
	return NULL;
}

/* One at a time they come; the waiter sleeps until all five are there. */
WT_TEST(ring, enter_waits_for_many)
{
	struct waiter w = { .fd = self->fd, .wait = 5, .until = FOREVER };
	pthread_t thread;
	__u64 t;

	for (t = 0; t < 5; t++)
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(t, 1), (t + 1) * WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	for (t = 1; t <= 5; t++)
		ASSERT_EQ(0, wt_advance(self->fd, t * WT_MS, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(5, w.enter.ready);
}

/* No thread but the caller on this CPU, and only when it sleeps others: 0 if so. */
static int rule_one_cpu(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return sched_setaffinity(0, sizeof(first), &first) ||
	       sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

#define LONG_RING	128

/*
 * The ring fills and the waiter is woken; before it looks another takes all, so that
 * it has to fetch for itself what waits: more than goes under one lock hold.
 */
TEST(enter_gets_what_waits_in_the_kernel)
{
	struct wheel_setup setup = {
		.clock = WHEEL_CLOCK_VIRTUAL, .timers = 512, .events = LONG_RING,
	};
	struct waiter w = { .wait = LONG_RING, .until = FOREVER };
	struct wheel_kernel_page *kernel;
	struct wheel_user_page *user;
	struct wheel_stats stats;
	pthread_t thread;

	if (!(wt_features() & WHEEL_HAS_RINGS) || rule_one_cpu())
		SKIP(return, "no rings, or no real-time priority");
	w.fd = wt_open_setup(O_RDWR, &setup);
	ASSERT_LE(0, w.fd);
	kernel = map(w.fd, sizeof(*kernel), PROT_READ, WHEEL_OFF_KERNEL);
	user = map(w.fd, sizeof(*user), PROT_READ | PROT_WRITE, WHEEL_OFF_USER);
	ASSERT_EQ(0, wt_arm_many(w.fd, 4 * LONG_RING, 1, WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	while (!__atomic_load_n(&w.tid, __ATOMIC_ACQUIRE))
		wt_let_pass(10 * WT_US);
	ASSERT_TRUE(wt_sleeps(w.tid));
	ASSERT_EQ(0, wt_advance(w.fd, WT_MS, NULL));
	ASSERT_EQ(LONG_RING, tail_of(kernel));
	take_to(user, LONG_RING);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(LONG_RING, w.enter.ready);
	ASSERT_EQ(0, wt_stats(w.fd, &stats));
	EXPECT_EQ(3 * LONG_RING, stats.unread);
	close(w.fd);
}

WT_TEST(ring, enter_gives_up_at_a_time)
{
	struct waiter w = { .fd = self->fd, .wait = 5, .until = 7 * WT_MS };
	pthread_t thread;

	ASSERT_EQ(0, wt_arm_many(self->fd, 1, 1, WT_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	ASSERT_EQ(0, wt_advance(self->fd, 7 * WT_MS, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.err);
	EXPECT_EQ(1, w.enter.ready);
}

/* All that came by the time is there, wherever the waiter was when the clock moved. */
WT_TEST(ring, enter_misses_nothing_by_its_time)
{
	struct waiter w = { .fd = self->fd, .wait = 5 };
	pthread_t thread;
	__u64 round;

	for (round = 1; round <= 2000; round++) {
		w.until = round * WT_MS;
		ASSERT_EQ(0, wt_arm(self->fd, WHEEL_ID(0, round), w.until));
		ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
		ASSERT_EQ(0, wt_advance(self->fd, w.until, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, w.err);
		ASSERT_EQ(1, w.enter.ready);
		take(self, round);
	}
}

WT_TEST(ring, enter_ends_with_stop)
{
	struct waiter w = { .fd = self->fd, .wait = 1, .until = FOREVER };
	pthread_t thread;
	__u64 unfired;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_in_enter, &w));
	ASSERT_EQ(0, wt_stop(self->fd, &unfired));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(-ESHUTDOWN, w.err);
}

/* Each area whole, from its start, and only the program's own is written. */
WT_TEST(ring, maps_only_what_is_there)
{
	int rw = PROT_READ | PROT_WRITE;

	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, rw, WHEEL_OFF_KERNEL));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, rw, WHEEL_OFF_EVENTS));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, PROT_READ | PROT_EXEC,
				  WHEEL_OFF_USER));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, 2 * PAGE, PROT_READ, WHEEL_OFF_EVENTS));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, rw, WHEEL_OFF_TOUCH));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, PAGE, PROT_READ, 7 * PAGE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, self->fd,
				   WHEEL_OFF_KERNEL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, mprotect(self->kernel, PAGE, rw));
	EXPECT_EQ(EACCES, errno);
}

TEST_HARNESS_MAIN
