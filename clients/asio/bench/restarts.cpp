// SPDX-License-Identifier: MIT
/*
 * restarts KIND TIMERS RESTARTS: start that many idle timeouts of 30 to 60 seconds, restart random
 * ones, and call poll() after each restart. It prints the CPU time per restart in nanoseconds.
 *
 *	none		only poll()
 *	asio		asio::steady_timer: expires_after() and async_wait()
 *	lazy		the same timer, which is only restarted when it expires before a deadline that
 *			each restart stores
 *	wheel		wheel::steady_timer: expires_after() and async_wait()
 *	restart		wheel::steady_timer: restart_after()
 *
 * asio-threads, wheel-threads, restart-threads: two threads restart their own timers, in handlers.
 */
#include <wheel/steady_timer.hpp>

#include <boost/asio.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <thread>
#include <vector>

namespace net = boost::asio;
typedef std::chrono::steady_clock steady;

static unsigned long next_random(unsigned long &state)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static std::chrono::milliseconds timeout(unsigned long &state)
{
	return std::chrono::milliseconds(30000 + next_random(state) % 30000);
}

static double cpu_ns()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void expired(boost::system::error_code error)
{
	if (!error)
		std::abort();
}

struct none {
	net::steady_timer timer;

	explicit none(net::io_context &context) : timer(context) {}
	void start(std::chrono::milliseconds) {}
	void restart(std::chrono::milliseconds) {}
};

template <typename Timer>
struct cancelling {
	Timer timer;

	explicit cancelling(net::io_context &context) : timer(context) {}

	void start(std::chrono::milliseconds timeout)
	{
		timer.expires_after(timeout);
		timer.async_wait(expired);
	}

	void restart(std::chrono::milliseconds timeout)
	{
		start(timeout);
	}
};

struct lazy {
	net::steady_timer timer;
	steady::time_point deadline;

	explicit lazy(net::io_context &context) : timer(context) {}

	void start(std::chrono::milliseconds timeout)
	{
		deadline = steady::now() + timeout;
		wait();
	}

	void wait()
	{
		timer.expires_at(deadline);
		timer.async_wait([this](boost::system::error_code error) {
			if (!error && deadline <= steady::now())
				std::abort();
			if (!error)
				wait();
		});
	}

	void restart(std::chrono::milliseconds timeout)
	{
		deadline = steady::now() + timeout;
		/* An earlier deadline needs an earlier wait. */
		if (deadline < timer.expiry())
			wait();
	}
};

struct postponing : cancelling<wheel::steady_timer> {
	using cancelling::cancelling;

	void restart(std::chrono::milliseconds timeout)
	{
		if (!timer.restart_after(timeout))
			std::abort();
	}
};

template <typename Timer>
static std::deque<Timer> timers(net::io_context &context, unsigned long count,
				unsigned long &state)
{
	std::deque<Timer> timers;

	for (unsigned long i = 0; i < count; i++) {
		timers.emplace_back(context);
		timers.back().start(timeout(state));
	}
	return timers;
}

/* callgrind counts only this function. */
template <typename Timer>
__attribute__((noinline)) static void restart_all(net::io_context &context, std::deque<Timer> &all,
						  unsigned long restarts, unsigned long &state)
{
	for (unsigned long i = 0; i < restarts; i++) {
		all[next_random(state) % all.size()].restart(timeout(state));
		context.poll();
	}
}

template <typename Timer>
static void run(unsigned long count, unsigned long restarts)
{
	unsigned long state = 88172645463325252UL;
	net::io_context context;
	auto guard = net::make_work_guard(context);
	auto all = timers<Timer>(context, count, state);
	double begun;

	context.poll();
	begun = cpu_ns();
	restart_all(context, all, restarts, state);
	std::printf("%.0f\n", restarts ? (cpu_ns() - begun) / restarts : 0);
	std::fflush(stdout);
	std::_Exit(0);
}

/* A chain of handlers, each of which restarts a timer of its thread's part. */
template <typename Timer>
struct chain {
	net::io_context &context;
	std::deque<Timer> &all;
	unsigned long begin, count, left, state;

	void operator()()
	{
		all[begin + next_random(state) % count].restart(timeout(state));
		if (--left)
			net::post(context, [this] { (*this)(); });
		else
			context.stop();
	}
};

template <typename Timer>
static void run_threads(unsigned long count, unsigned long restarts)
{
	static constexpr unsigned long THREADS = 2;
	unsigned long state = 88172645463325252UL;
	net::io_context context;
	auto all = timers<Timer>(context, count, state);
	std::vector<chain<Timer>> chains;
	std::vector<std::thread> threads;
	double begun = cpu_ns();

	for (unsigned long i = 0; i < THREADS; i++)
		chains.push_back({ context, all, i * (count / THREADS), count / THREADS,
				   restarts / THREADS, state + i });
	for (auto &chain : chains)
		net::post(context, [&chain] { chain(); });
	for (unsigned long i = 0; i < THREADS; i++)
		threads.emplace_back([&] { context.run(); });
	for (auto &thread : threads)
		thread.join();
	std::printf("%.0f\n", (cpu_ns() - begun) / restarts);
	std::fflush(stdout);
	std::_Exit(0);
}

int main(int argc, char **argv)
{
	typedef cancelling<net::steady_timer> asio;
	typedef cancelling<wheel::steady_timer> wheel;
	static const struct {
		const char *name;
		void (*run)(unsigned long count, unsigned long restarts);
	} kinds[] = {
		{ "none", run<none> }, { "asio", run<asio> }, { "lazy", run<lazy> },
		{ "wheel", run<wheel> }, { "restart", run<postponing> },
		{ "asio-threads", run_threads<asio> }, { "lazy-threads", run_threads<lazy> },
		{ "wheel-threads", run_threads<wheel> }, { "restart-threads", run_threads<postponing> },
	};

	for (const auto &kind : kinds)
		if (argc == 4 && !std::strcmp(argv[1], kind.name))
			kind.run(std::strtoul(argv[2], nullptr, 10),
				 std::strtoul(argv[3], nullptr, 10));
	std::fprintf(stderr, "usage: restarts KIND TIMERS RESTARTS\n");
	return 2;
}
