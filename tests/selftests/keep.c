// SPDX-License-Identifier: GPL-2.0
/*
 * Kept timers at the ABI level: words, doorbells, next_wake and the kick. The tests of
 * libwheel cover their life cycle on both of its backends.
 */
#include <kselftest_harness.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "wheel_test.h"
#include "wheel_words.h"

#define TIMERS	70000
#define SLOT	69999
#define ID	WHEEL_ID(SLOT, 1)
#define NEVER	(~0ULL)
#define PAGE	wt_page()
/* Size of the doorbells, with one bit per timer. */
#define BELLS	wt_words_len(TIMERS / 64 + 1)

/* A file with kept timers. */
struct kept {
	int fd;
	__u64 *words;
	__u64 *bells;
	__u64 *summary;
	struct wheel_kernel_page *kernel;
};

FIXTURE(kept) {
	struct kept kept;
};

static bool kept_open(struct kept *k, __u32 clock)
{
	struct wheel_setup setup = {
		.flags = WHEEL_SETUP_TOUCH, .clock = clock, .timers = TIMERS,
	};
	int rw = PROT_READ | PROT_WRITE;

	k->fd = wt_open_setup(O_NONBLOCK, &setup);
	if (k->fd < 0)
		return false;
	k->words = wt_map(k->fd, TIMERS);
	k->bells = wt_map_at(k->fd, BELLS, rw, WHEEL_OFF_BELLS);
	k->summary = wt_map_at(k->fd, PAGE, rw, WHEEL_OFF_SUMMARY);
	k->kernel = wt_map_at(k->fd, PAGE, PROT_READ, WHEEL_OFF_KERNEL);
	return k->words && k->bells && k->summary && k->kernel;
}

static void kept_close(struct kept *k)
{
	wt_unmap(k->words, TIMERS);
	munmap(k->bells, BELLS);
	munmap(k->summary, PAGE);
	munmap(k->kernel, PAGE);
	close(k->fd);
}

FIXTURE_SETUP(kept)
{
	ASSERT_TRUE(kept_open(&self->kept, WHEEL_CLOCK_MONOTONIC));
}

FIXTURE_TEARDOWN(kept)
{
	kept_close(&self->kept);
}

static int keep(int fd, __u64 id, __u64 when)
{
	struct wheel_op op = wt_op(WHEEL_OP_ARM, id, when);

	op.flags = WHEEL_OP_KEEP;
	op.slack = 0;
	op.period = 0;
	return wt_do(fd, &op);
}

static void ring(struct kept *k, __u32 slot)
{
	__atomic_fetch_or(&k->bells[slot / 64], 1ULL << slot % 64,
			  __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&k->summary[slot / 4096], 1ULL << slot / 64 % 64,
			  __ATOMIC_SEQ_CST);
}

/* Arm a slot as a program does. Returns true if this needed a kick. */
static bool arm(struct kept *k, __u32 slot, __u64 from, __u64 when)
{
	if (!wt_cas(&k->words[slot], from, when))
		return false;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	ring(k, slot);
	if (when >= __atomic_load_n(&k->kernel->next_wake, __ATOMIC_SEQ_CST))
		return false;
	return !wt_kick(k->fd);
}

WT_TEST(kept, is_listed)
{
	EXPECT_TRUE(wt_features() & WHEEL_HAS_KEEP);
}

/* Timers that are parked and armed again before the next scan need no kick and are not counted. */
WT_TEST(kept, most_live_without_a_call)
{
	struct kept *k = &self->kept;
	__u64 far = wt_now(WHEEL_CLOCK_MONOTONIC) + WT_HOUR;
	__u64 next;
	int i;

	ASSERT_EQ(0, keep(k->fd, ID, 0));
	EXPECT_TRUE(arm(k, SLOT, WT_PARKED, far));
	next = k->kernel->next_wake;
	EXPECT_LT(far - WT_MS, next);
	EXPECT_GE(far, next);
	for (i = 1; i < 1000; i++) {
		ASSERT_TRUE(wt_park(&k->words[SLOT]));
		ASSERT_FALSE(arm(k, SLOT, WT_PARKED, far + i));
	}
	EXPECT_EQ(next, k->kernel->next_wake);
	EXPECT_LEDGER(k->fd, .armed = 0);
}

/*
 * The program breaks the rules and arms the timer again before it takes the event. The timer
 * still expires, and before timers with later deadlines.
 */
WT_TEST(kept, p3_armed_too_early_is_not_lost)
{
	struct kept *k = &self->kept;
	struct wheel_event event;
	__u64 now = wt_now(WHEEL_CLOCK_MONOTONIC);
	__u64 early = now + WT_MS;

	ASSERT_EQ(0, keep(k->fd, ID, 0));
	arm(k, SLOT, WT_PARKED, now);
	ASSERT_EQ(1, wt_wait(k->fd));
	arm(k, SLOT, WT_OFF, early);
	/* Wait until no scan is scheduled. */
	EXPECT_EQ(0, wt_kick(k->fd));
	while (__atomic_load_n(&k->kernel->next_wake, __ATOMIC_SEQ_CST) != NEVER)
		sched_yield();
	ASSERT_EQ(1, wt_read(k->fd, &event, 1));
	EXPECT_EQ(now, event.deadline);
	now = wt_now(WHEEL_CLOCK_MONOTONIC);
	ASSERT_EQ(0, wt_arm(k->fd, WHEEL_ID(3, 1), now + 20 * WT_MS));
	ASSERT_EQ(1, wt_next(k->fd, &event));
	EXPECT_EQ(ID, event.id);
	EXPECT_EQ(early, event.deadline);
}

/* Doorbell bits of slots without a timer have no effect, except for the time of the scan. */
WT_TEST(kept, bits_of_nothing_are_nothing)
{
	struct kept *k = &self->kept;

	ASSERT_EQ(0, keep(k->fd, ID, 0));
	memset(k->bells, 0xff, BELLS);
	memset(k->summary, 0xff, PAGE);
	memset(k->words, 0x11, wt_words_len(TIMERS));
	EXPECT_EQ(0, wt_kick(k->fd));
	EXPECT_LEDGER(k->fd, .armed = 0);
}

WT_TEST(kept, areas_are_mapped_whole)
{
	int fd = self->kept.fd, rw = PROT_READ | PROT_WRITE;

	EXPECT_EQ(NULL, wt_map_at(fd, 2 * BELLS, rw, WHEEL_OFF_BELLS));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, wt_map_at(fd, 2 * PAGE, rw, WHEEL_OFF_SUMMARY));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(NULL, wt_map_at(fd, PAGE, rw, WHEEL_OFF_KERNEL));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(NULL, wt_map_at(fd, PAGE, PROT_READ | PROT_EXEC, WHEEL_OFF_SUMMARY));
	EXPECT_EQ(EPERM, errno);
}

/* With a virtual clock, no kick is needed: ADVANCE scans the kept timers. */
TEST(advance_looks)
{
	struct wheel_event event;
	struct kept k;

	ASSERT_TRUE(kept_open(&k, WHEEL_CLOCK_VIRTUAL));
	EXPECT_EQ(0, k.kernel->next_wake);
	ASSERT_EQ(0, keep(k.fd, ID, 0));
	EXPECT_FALSE(arm(&k, SLOT, WT_PARKED, 5 * WT_MS));
	ASSERT_EQ(0, wt_arm(k.fd, WHEEL_ID(1, 1), 4 * WT_MS));
	ASSERT_EQ(0, wt_arm(k.fd, WHEEL_ID(2, 1), 6 * WT_MS));
	ASSERT_EQ(0, wt_advance(k.fd, 7 * WT_MS, NULL));
	ASSERT_EQ(1, wt_read(k.fd, &event, 1));
	EXPECT_EQ(WHEEL_ID(1, 1), event.id);
	ASSERT_EQ(1, wt_read(k.fd, &event, 1));
	EXPECT_EQ(ID, event.id);
	ASSERT_EQ(1, wt_read(k.fd, &event, 1));
	EXPECT_EQ(WHEEL_ID(2, 1), event.id);
	kept_close(&k);
}

/*
 * A timer is due at the tick of the pass whose scan finds it. If the pass is on time, the timer
 * expires at that tick, not at the next one. Each attempt uses a new file, so that only the kick
 * has scanned the timer before.
 */
TEST(p2_due_at_the_tick_of_the_look)
{
	struct wheel_event event;
	int i, exact = 0;
	struct kept k;
	__u64 when;

	for (i = 0; i < 200 && !exact; i++) {
		ASSERT_TRUE(kept_open(&k, WHEEL_CLOCK_MONOTONIC));
		ASSERT_EQ(0, keep(k.fd, ID, 0));
		when = wt_now(WHEEL_CLOCK_MONOTONIC) + 3 * WT_MS;
		ASSERT_TRUE(arm(&k, SLOT, WT_PARKED, when));
		ASSERT_EQ(1, wt_next(k.fd, &event));
		EXPECT_LE(wt_boundary(when, WT_MS), event.fired);
		exact += event.fired < wt_boundary(when, WT_MS) + WT_MS;
		kept_close(&k);
	}
	EXPECT_LT(0, exact);
}

TEST_HARNESS_MAIN
