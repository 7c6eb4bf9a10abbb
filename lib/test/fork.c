// SPDX-License-Identifier: MIT
/*
 * fork(): the wheel belongs to the parent, and the child does not affect it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define ID	WHEEL_ID(1, 1)

/* Returns the child's exit status. */
static int in_child(int (*run)(struct libwheel *wheel), struct libwheel *wheel)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(run(wheel));
	NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int all_refused(struct libwheel *wheel)
{
	struct wheel_event event;
	struct wheel_stats stats;
	uint64_t when, id = ID;
	struct wheel_op op;

	return !(libwheel_cancel(wheel, ID) == -ECHILD &&
		 arm(wheel, WHEEL_ID(2, 1), 0) == -ECHILD &&
		 libwheel_submit(wheel, &op, 1, NULL) == -ECHILD &&
		 libwheel_expirations(wheel, &event, 1) == -ECHILD &&
		 libwheel_wait(wheel, &event, 1, -1) == -ECHILD &&
		 libwheel_next(wheel, &when) == -ECHILD &&
		 libwheel_slot_get(wheel, &id) == -ECHILD &&
		 libwheel_rearm_or_arm(wheel, &id, 0, 0) == -ECHILD &&
		 libwheel_now(wheel) <= WHEEL_MAX_TIME &&
		 libwheel_stats(wheel, &stats) == -ECHILD &&
		 libwheel_advance(wheel, HOUR, NULL) == -ECHILD &&
		 libwheel_stop(wheel, NULL) == -ECHILD);
}

/* Of three timers, the child lists the two that were pending at the time of fork(). */
static int lists(struct libwheel *wheel)
{
	struct wheel_op ops[8];
	__u32 cursor = 0;
	int count = libwheel_list(wheel, 0, ops, 8, &cursor);

	return !(count == 2 && ops[0].id == WHEEL_ID(1, 1) && ops[0].when == HOUR &&
		 ops[1].id == WHEEL_ID(2, 1) && ops[1].flags == WHEEL_OP_WORD &&
		 ops[1].when == 2 * HOUR && !libwheel_list(wheel, 0, ops, 8, &cursor));
}

static void fork_lets_the_child_list(void)
{
	struct libwheel *wheel = open_words(64);
	uint64_t word = WHEEL_ID(2, 1);

	EXPECT_EQ(0, arm(wheel, WHEEL_ID(1, 1), HOUR));
	EXPECT_EQ(0, arm(wheel, WHEEL_ID(3, 1), MS));
	EXPECT_EQ(0, libwheel_word(wheel, word, 0));
	EXPECT_EQ(0, libwheel_word_arm(wheel, word, 2 * HOUR));
	EXPECT_EQ(0, advance(wheel, MS));
	EXPECT_EQ(0, in_child(lists, wheel));
	EXPECT_EQ(0, in_child(all_refused, wheel));
	EXPECT_EQ(WHEEL_ID(3, 1), next_id(wheel));
	libwheel_close(wheel);
}

static struct libwheel_timeouts *set;

static int timeouts_refused(struct libwheel *wheel)
{
	const struct libwheel_time later = { HOUR };
	const __u64 due = libwheel_timeout_now(set).ns + 2 * MS;
	struct wheel_event event;
	struct wheel_op op;
	uint32_t cursor = 0;

	/* Reading the clock expires no timer here. */
	while (libwheel_timeout_now(set).ns < due)
		;
	return !((libwheel_backend(wheel) == LIBWHEEL_KERNEL ||
		  libwheel_list(wheel, 0, &op, 1, &cursor) == 1) &&
		 libwheel_timeout_start(set, 2, HOUR) == -ECHILD &&
		 libwheel_timeout_start(set, 3, HOUR) == -ECHILD &&
		 libwheel_timeout_start_at(set, 3, later) == -ECHILD &&
		 libwheel_timeout_stop(set, 3) == -ECHILD &&
		 /* The inline functions of private words do not detect the child. */
		 (set->slots || (libwheel_timeout_start_at(set, 2, later) == -ECHILD &&
				 libwheel_timeout_stop(set, 2) == -ECHILD)) &&
		 libwheel_timeout_wait(set, &event, 1, -1) == -ECHILD &&
		 libwheel_timeout_advance(set, later) == -ECHILD &&
		 libwheel_timeout_now(set).ns <= WHEEL_MAX_TIME);
}

/* The child, in which the timeout may be due, changes nothing. */
static void fork_leaves_the_timeouts_to_the_parent(void)
{
	struct libwheel_options options = { .size = sizeof(options) };
	struct wheel_event event;

	for (; options.mode <= LIBWHEEL_ONE_THREAD; options.mode += LIBWHEEL_ONE_THREAD) {
		NEED(!libwheel_timeout_open(&set, 8, &options));
		EXPECT_EQ(0, libwheel_timeout_start(set, 2, MS));
		EXPECT_EQ(0, in_child(timeouts_refused,
				      (struct libwheel *)libwheel_timeout_wheel(set)));
		EXPECT_EQ(1, libwheel_timeout_wait(set, &event, 1, -1));
		EXPECT_EQ(2, event.cookie);
		libwheel_timeout_close(set);
	}
}

static int closes(struct libwheel *wheel)
{
	libwheel_close(wheel);
	return 0;
}

/* Map memory at an address that the child has not inherited. Returns NULL if it has. */
static void *put_there(const void *address)
{
	void *page = mmap((void *)((uintptr_t)address & -4096UL), 4096, PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

static bool is_there(void *page)
{
	return !page || !msync(page, 4096, MS_ASYNC);
}

static int closes_its_own_alone(struct libwheel *wheel)
{
	void *pages[] = {
		put_there(wheel->words), put_there(wheel->bells),
		put_there(wheel->summary), put_there(wheel->next_wake),
	};

	libwheel_close(wheel);
	return !(is_there(pages[0]) && is_there(pages[1]) &&
		 is_there(pages[2]) && is_there(pages[3]));
}

static void fork_leaves_the_child_its_memory(void)
{
	struct libwheel *wheel = open_words(64);

	EXPECT_EQ(0, in_child(closes_its_own_alone, wheel));
	EXPECT_EQ(0, arm_word(wheel, ID, HOUR));
	EXPECT_EQ(0, libwheel_word_park(wheel, ID));
	libwheel_close(wheel);
}

/* Without a descriptor, where libwheel_wait() would otherwise fail with -EOPNOTSUPP. */
static void fork_refuses_to_wait(void)
{
	const struct libwheel_options options = {
		.size = sizeof(options), .backend = LIBWHEEL_USER, .mode = LIBWHEEL_NO_FD,
	};
	struct libwheel *wheel = open_wheel(&options);

	EXPECT_EQ(0, in_child(all_refused, wheel));
	libwheel_close(wheel);
}

static int opens_its_own(struct libwheel *wheel)
{
	struct libwheel *own;

	libwheel_close(wheel);
	return libwheel_open(&own, NULL) ||
	       libwheel_cancel(own, ID) != -ENOENT;
}

static void fork_leaves_the_wheel_to_the_parent(void)
{
	struct libwheel *wheel = open_running(WHEEL_CLOCK_MONOTONIC, 8);
	struct wheel_event event;

	EXPECT_EQ(0, arm(wheel, ID, libwheel_now(wheel) + 20 * MS));
	EXPECT_EQ(0, in_child(all_refused, wheel));
	EXPECT_EQ(0, in_child(closes, wheel));
	EXPECT_EQ(0, in_child(opens_its_own, wheel));
	EXPECT_EQ(1, libwheel_wait(wheel, &event, 1, -1));
	EXPECT_EQ(ID, event.id);
	EXPECT_EQ(1, balanced_stats(wheel).armed);
	libwheel_close(wheel);
}

static bool busy;

/* Long batches: the lock is held most of the time. */
static void *busy_thread(void *wheel)
{
	struct wheel_op ops[1024] = { 0 };

	while (__atomic_load_n(&busy, __ATOMIC_RELAXED))
		libwheel_submit(wheel, ops, COUNT(ops), NULL);
	return NULL;
}

/* The child must not wait for a lock that another thread held at the time of fork(). */
static void fork_while_a_thread_works(void)
{
	struct libwheel *wheel = open_virtual(8);
	pthread_t thread;
	int i;

#ifdef __SANITIZE_THREAD__
	ktap_skip("the sanitizer does not track inherited memory");
#endif
	busy = true;
	NEED(!pthread_create(&thread, NULL, busy_thread, wheel));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, in_child(all_refused, wheel));
		EXPECT_EQ(0, in_child(closes, wheel));
	}
	__atomic_store_n(&busy, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	libwheel_close(wheel);
}

static void exec_does_not_inherit(void)
{
	struct libwheel *wheel = open_virtual(8);

	EXPECT(fcntl(libwheel_fd(wheel), F_GETFD) & FD_CLOEXEC);
	libwheel_close(wheel);
}

const struct ktap_test fork_tests[] = {
	TEST(fork_leaves_the_wheel_to_the_parent),
	TEST(fork_lets_the_child_list),
	TEST(fork_leaves_the_timeouts_to_the_parent),
	TEST(fork_leaves_the_child_its_memory),
	TEST(fork_refuses_to_wait),
	TEST(fork_while_a_thread_works),
	TEST(exec_does_not_inherit),
	{ NULL, NULL }
};
