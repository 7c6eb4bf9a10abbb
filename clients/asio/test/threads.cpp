// SPDX-License-Identifier: MIT
/* Several threads run the context. Also built with ThreadSanitizer. */
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "test.hpp"

static constexpr int THREADS = 4;

/* Runs the context in all threads until it has no work. */
static void run_in_threads(net::io_context &context)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&] { context.run(); });
	for (auto &thread : threads)
		thread.join();
}

/* The waits that were started, and their handlers that were invoked */
struct totals {
	std::atomic<long> waits{0}, expired{0}, aborted{0}, counted{0};
	std::atomic<long> left;

	explicit totals(long steps) : left(steps) {}
};

/* Random calls on a timer, whose handlers run in a strand. */
class session : public std::enable_shared_from_this<session> {
public:
	session(net::io_context &context, totals &totals, unsigned int number)
		: strand_(net::make_strand(context)), timer_(strand_), totals_(totals), random_(number)
	{
	}

	void step()
	{
		if (--totals_.left <= 0) {
			totals_.counted += timer_.cancel();
			return;
		}
		switch (random_() % 8) {
		case 0:
			totals_.counted += timer_.cancel();
			break;
		case 1:
			totals_.counted += timer_.cancel_one();
			break;
		case 2:
			timer_.restart_after(delay());
			break;
		case 3:
			replace_timer();
			break;
		default:
			totals_.counted += timer_.expires_after(delay());
			wait();
		}
		wait();
	}

	void start()
	{
		net::post(strand_, [self = shared_from_this()] { self->step(); });
	}

private:
	net::strand<net::io_context::executor_type> strand_;
	wheel::basic_steady_timer<net::strand<net::io_context::executor_type>> timer_;
	totals &totals_;
	std::mt19937 random_;

	std::chrono::nanoseconds delay()
	{
		return microseconds(random_() % 30000);
	}

	/* Free a timer whose waits are pending, and use the same slot for another. */
	void replace_timer()
	{
		decltype(timer_) other(strand_, delay());

		totals_.counted += timer_.cancel();
		timer_ = std::move(other);
	}

	void wait()
	{
		totals_.waits++;
		timer_.async_wait([self = shared_from_this()](error_code error) {
			CHECK(self->strand_.running_in_this_thread());
			CHECK(!error || error == net::error::operation_aborted);
			(error ? self->totals_.aborted : self->totals_.expired)++;
			if (!error || self->random_() % 4 == 0)
				self->step();
		});
	}
};

static void each_wait_ends_once()
{
	net::io_context context;
	totals totals(20000);

	for (int i = 0; i < 50; i++) {
		auto one = std::make_shared<session>(context, totals, seed + i);

		one->start();
	}
	run_in_threads(context);
	std::printf("# %ld waits, %ld expired, %ld aborted\n", totals.waits.load(),
		    totals.expired.load(), totals.aborted.load());
	CHECK(totals.expired + totals.aborted == totals.waits);
	CHECK(totals.aborted == totals.counted);
	CHECK(totals.expired > 0 && totals.aborted > 0);
}

/* The handler frees the timer, possibly before async_wait() has returned. */
static void handler_may_free_the_timer()
{
	net::io_context context;
	auto guard = net::make_work_guard(context);
	std::vector<std::thread> threads;
	std::atomic<int> freed{0};

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([&] { context.run(); });
	for (int i = 0; i < 500; i++) {
		auto owner = std::make_shared<wheel::steady_timer>(context, milliseconds(10));
		wheel::steady_timer &timer = *owner;

		/* On the wheel, but due */
		if (i % 2)
			std::this_thread::sleep_until(timer.expiry());
		timer.async_wait([&freed, owner = std::move(owner)](error_code) { freed++; });
	}
	guard.reset();
	for (auto &thread : threads)
		thread.join();
	CHECK(freed == 500);
}

/* A thread that does not run the context arms earlier and earlier timers while it sleeps. */
static void sleeping_context_is_woken_for_earlier_timers()
{
	net::io_context context;
	wheel::steady_timer last(context, hours(1));
	std::vector<wheel::steady_timer> timers;
	std::atomic<int> expired{0};
	std::thread runner;

	last.async_wait([](error_code) {});
	runner = std::thread([&] { context.run(); });
	for (int i = 0; i < 200; i++)
		timers.emplace_back(context);
	for (int i = 0; i < 200; i++) {
		int before = expired;

		timers[i].expires_after(milliseconds(200 - i));
		timers[i].async_wait([&](error_code error) { expired += !error; });
		/* Each tenth wait expires before the next timer is armed. */
		while (i % 10 == 9 && expired == before)
			std::this_thread::sleep_for(milliseconds(1));
	}
	while (expired < 200)
		std::this_thread::sleep_for(milliseconds(1));
	net::post(context, [&] { last.cancel(); });
	runner.join();
}

/* The same for restarts with an earlier time. */
static void sleeping_context_is_woken_for_restarts()
{
	net::io_context context;
	auto guard = net::make_work_guard(context);
	std::thread runner([&] { context.run(); });

	for (int i = 0; i < 100; i++) {
		wheel::steady_timer timer(context, hours(1));
		std::atomic<bool> expired{false};

		timer.async_wait([&](error_code) { expired = true; });
		std::this_thread::sleep_for(microseconds(100));
		CHECK(timer.restart_after(milliseconds(1 + i % 12)));
		while (!expired)
			std::this_thread::sleep_for(microseconds(100));
	}
	guard.reset();
	runner.join();
}

#define TEST(name)	{ #name, name }

const test tests[] = {
	TEST(each_wait_ends_once),
	TEST(handler_may_free_the_timer),
	TEST(sleeping_context_is_woken_for_earlier_timers),
	TEST(sleeping_context_is_woken_for_restarts),
};
const std::size_t test_count = sizeof(tests) / sizeof(*tests);
