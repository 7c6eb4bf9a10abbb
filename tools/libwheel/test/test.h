/* SPDX-License-Identifier: MIT */
/*
 * The tests of libwheel. Each runs in a separate process and is reported in KTAP. The environment
 * variable LIBWHEEL_BACKEND selects the backend. If LIBWHEEL_TEST_RULES is set, the tests run as
 * root and may set the clock of the machine.
 */
#ifndef LIBWHEEL_TEST_H
#define LIBWHEEL_TEST_H

#include <libwheel.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
#define HOUR	(3600 * SEC)

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/**
 * struct test - a test
 * @name: name in the report; NULL ends a table
 * @run: the test; fails if an EXPECT() fails
 */
struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function)	{ #function, function }

extern const struct test options_tests[];
extern const struct test table_tests[];
extern const struct test slots_tests[];
extern const struct test promise_tests[];
extern const struct test race_cancel_tests[];
extern const struct test race_word_tests[];
extern const struct test crowd_tests[];
extern const struct test loop_tests[];
extern const struct test sleep_tests[];
extern const struct test growth_tests[];
extern const struct test end_tests[];
extern const struct test word_tests[];
extern const struct test clock_tests[];
extern const struct test lull_tests[];
extern const struct test fork_tests[];
extern const struct test share_tests[];
extern const struct test contract_tests[];

/* A false condition fails the test. EXPECT() continues, NEED() ends the test. */
#define EXPECT(condition) \
	expect(!!(condition), __FILE__, __LINE__, #condition)
#define EXPECT_EQ(expected, seen) \
	expect_equal((long long)(expected), (long long)(seen), __FILE__, \
		     __LINE__, #seen)
#define NEED(condition) \
	do { \
		if (!EXPECT(condition)) \
			give_up(); \
	} while (0)

bool expect(bool met, const char *file, int line, const char *text);
bool expect_equal(long long expected, long long seen, const char *file,
		  int line, const char *text);
__attribute__((noreturn)) void give_up(void);
__attribute__((noreturn)) void skip(const char *why);

/* Random numbers from the seed of the run, which is printed. SEED=n repeats a run. */
__u64 test_seed(void);
__u64 random_below(__u64 *state, __u64 limit);

/* Open a wheel. If this fails, the test ends. */
struct libwheel *open_wheel(const struct libwheel_options *options);
struct libwheel *open_virtual(__u32 timers);
struct libwheel *open_words(__u32 timers);
struct libwheel *open_running(__u32 clock, __u32 timers);

/* Shortcuts. */
int arm(struct libwheel *wheel, __u64 id, __u64 when);
int arm_word(struct libwheel *wheel, __u64 id, __u64 when);
int arm_every(struct libwheel *wheel, __u64 id, __u64 when, __u64 period);
int query(struct libwheel *wheel, __u64 id);
__u64 deadline_of(struct libwheel *wheel, __u64 id);
int advance(struct libwheel *wheel, __u64 now);
/* The id of the next event; 0 if no event is available. */
__u64 next_id(struct libwheel *wheel);
bool readable(struct libwheel *wheel);
/* Install a filter: from now on, this system call has the given SECCOMP_RET_* action. */
void answer_calls(__u32 number, __u32 answer);
/*
 * Read the counters, and check that armed = fired + cancelled + pending and that the histogram
 * of lateness contains each expiry.
 */
struct wheel_stats balanced_stats(struct libwheel *wheel);

#endif
