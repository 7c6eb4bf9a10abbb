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

#include "../../tests/host/ktap.h"

#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
#define HOUR	(3600 * SEC)

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define TEST(function)	{ #function, function }

extern const struct ktap_test options_tests[];
extern const struct ktap_test table_tests[];
extern const struct ktap_test slots_tests[];
extern const struct ktap_test promise_tests[];
extern const struct ktap_test race_cancel_tests[];
extern const struct ktap_test race_word_tests[];
extern const struct ktap_test crowd_tests[];
extern const struct ktap_test loop_tests[];
extern const struct ktap_test sleep_tests[];
extern const struct ktap_test growth_tests[];
extern const struct ktap_test end_tests[];
extern const struct ktap_test word_tests[];
extern const struct ktap_test timeout_tests[];
extern const struct ktap_test clock_tests[];
extern const struct ktap_test lull_tests[];
extern const struct ktap_test fork_tests[];
extern const struct ktap_test contract_tests[];

/* A false condition fails the test. EXPECT() continues, NEED() ends the test. */
#define EXPECT(condition)	KTAP_EXPECT(condition)
#define EXPECT_EQ(expected, seen) \
	expect_equal((long long)(expected), (long long)(seen), __FILE__, \
		     __LINE__, #seen)
#define NEED(condition) \
	do { \
		if (!EXPECT(condition)) \
			ktap_fail("ended"); \
	} while (0)

bool expect_equal(long long expected, long long seen, const char *file,
		  int line, const char *text);

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
