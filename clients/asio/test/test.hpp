/* SPDX-License-Identifier: MIT */
/*
 * A test program: prog [PART [SEED]] runs the tests whose names contain PART, and prints KTAP.
 */
#ifndef WHEEL_ASIO_TEST_HPP
#define WHEEL_ASIO_TEST_HPP

#include <wheel/steady_timer.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>

#ifdef WHEEL_ASIO_STANDALONE
#include <asio.hpp>
namespace net = asio;
#else
#include <boost/asio.hpp>
namespace net = boost::asio;
#endif

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
typedef std::chrono::steady_clock steady;
typedef wheel::detail::error_code error_code;

struct test {
	const char *name;
	void (*run)();
};

/* The tests of the program */
extern const test tests[];
extern const std::size_t test_count;
/* The seed of this run */
extern unsigned int seed;
/* Number of calls of operator new */
extern std::atomic<unsigned long> allocations;

#define CHECK(condition)								\
	do {										\
		if (!(condition)) {							\
			std::printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);	\
			std::fflush(stdout);						\
			std::abort();							\
		}									\
	} while (0)

#endif
