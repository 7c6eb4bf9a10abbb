// SPDX-License-Identifier: MIT
/* One thread: wheel::steady_timer behaves as Asio's timer, and restarts its waits. */
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "test.hpp"

/* The oracle, which is on Asio's heap even if WHEEL_REPLACE_STEADY_TIMER is defined */
struct heap_traits : net::wait_traits<steady> {};
typedef net::basic_waitable_timer<steady, heap_traits> heap_timer;

/* A tick after the latest of these times, the wheel has expired the timers. */
static void sleep_past(steady::time_point time)
{
	std::this_thread::sleep_until(time + milliseconds(2));
}

/*
 * Random calls on some timers. All times are hours in the future or in the past, so the log depends
 * only on the seed. All times are different, because Asio's heap does not sort equal ones.
 */
template <typename Timer>
class play {
public:
	typedef std::vector<long> log;

	explicit play(unsigned int number) : random_(number)
	{
		for (auto &timer : timers_)
			timer.reset(new Timer(context_, hours(-1)));
	}

	log run(int steps)
	{
		for (int i = 0; i < steps; i++)
			step();
		/* The handlers of the end start no other waits. */
		depth_ = MAX_DEPTH;
		for (auto &timer : timers_)
			note(timer->cancel());
		context_.restart();
		note(context_.run());
		return log_;
	}

private:
	static constexpr int TIMERS = 5;
	static constexpr int MAX_DEPTH = 3;

	std::mt19937 random_;
	net::io_context context_;
	std::array<std::unique_ptr<Timer>, TIMERS> timers_;
#if WHEEL_ASIO_CANCELS
	/*
	 * One signal per wait, and the latest one of each timer. Asio identifies a wait by the address
	 * of what it stores in the signal, so the play frees none of them.
	 */
	std::deque<net::cancellation_signal> signals_;
	std::array<net::cancellation_signal *, TIMERS> latest_{};
#endif
	log log_;
	long waits_ = 0;
	int times_ = 0;
	int depth_ = 0;

	void note(long value)
	{
		log_.push_back(value);
	}

	int below(int limit)
	{
		return random_() % limit;
	}

	void wait(int nr)
	{
		long number = ++waits_;
		auto handler = [this, number](error_code error) {
			note(number);
			note(error == net::error::operation_aborted);
			CHECK(!error || error == net::error::operation_aborted);
			if (depth_ < MAX_DEPTH && !below(3)) {
				depth_++;
				step();
				depth_--;
			}
		};

#if WHEEL_ASIO_CANCELS
		if (!below(3)) {
			signals_.emplace_back();
			latest_[nr] = &signals_.back();
			timers_[nr]->async_wait(net::bind_cancellation_slot(latest_[nr]->slot(), handler));
			return;
		}
#endif
		timers_[nr]->async_wait(handler);
	}

	/* A signal that refers to a timer that was moved has no effect in Asio. */
	void forget(int nr)
	{
#if WHEEL_ASIO_CANCELS
		latest_[nr] = nullptr;
#else
		(void)nr;
#endif
	}

	void step()
	{
		int nr = below(TIMERS), to = below(TIMERS);
		Timer &timer = *timers_[nr];

		switch (below(16)) {
		case 0:
			note(timer.expires_after(hours(1 + below(9))));
			break;
		case 1:
			note(timer.expires_at(steady::now() + hours(1 + below(9))));
			break;
		case 2:
			note(timer.expires_after(hours(-1 - below(9))));
			break;
		case 3:
			note(timer.expires_at(below(2) ? steady::time_point::max() - hours(++times_) :
							 steady::time_point::min() + hours(++times_)));
			break;
		case 4:
			note(timer.cancel());
			break;
		case 5:
			note(timer.cancel_one());
			break;
		case 6:
			forget(nr);
			forget(to);
			if (to == nr)
				break;
			*timers_[to] = std::move(timer);
			timers_[nr].reset(new Timer(context_, hours(-1)));
			break;
		case 7:
			forget(nr);
			timers_[nr].reset(new Timer(std::move(timer)));
			break;
		case 8:
			forget(nr);
			timers_[nr].reset(new Timer(context_, hours(below(5) - 2)));
			break;
#if WHEEL_ASIO_CANCELS
		case 9:
			if (latest_[nr])
				latest_[nr]->emit(below(2) ? net::cancellation_type::terminal :
							     net::cancellation_type::total);
			break;
#endif
		case 10:
			if (!depth_) {
				context_.restart();
				note(below(2) ? context_.poll() : context_.poll_one());
			}
			break;
		case 11:
			net::post(context_, [this] { note(-1); });
			break;
		default:
			wait(nr);
		}
	}
};

static void random_calls_match_asio()
{
	for (unsigned int i = 0; i < 300; i++) {
		auto expected = play<heap_timer>(seed + i).run(300);
		auto found = play<wheel::steady_timer>(seed + i).run(300);

		if (found != expected) {
			std::printf("# play %u differs\n", seed + i);
			CHECK(found == expected);
		}
	}
}

/* Waits for the wheel and for the heap, more than one batch of events, several per tick */
static void timers_expire_in_order_of_deadlines()
{
	net::io_context context;
	std::mt19937 random(seed);
	std::vector<wheel::steady_timer> timers;
	std::vector<steady::time_point> expected, found;
	auto begin = steady::now();

	for (int i = 0; i < 3000; i++) {
		timers.emplace_back(context, begin + microseconds(random() % 60000));
		expected.push_back(timers.back().expiry());
	}
	for (auto &timer : timers)
		timer.async_wait([&](error_code error) {
			CHECK(!error && steady::now() >= timer.expiry());
			found.push_back(timer.expiry());
		});
	std::sort(expected.begin(), expected.end());
	sleep_past(expected.back());
	CHECK(context.poll() == timers.size());
	CHECK(found == expected);
}

static void handlers_are_never_early()
{
	net::io_context context;
	std::mt19937 random(seed);
	std::vector<wheel::steady_timer> timers;
	int left = 2000;

	for (int i = 0; i < 50; i++)
		timers.emplace_back(context);
	std::function<void(wheel::steady_timer &)> start = [&](wheel::steady_timer &timer) {
		timer.expires_after(microseconds(random() % 30000));
		timer.async_wait([&](error_code error) {
			CHECK(!error && steady::now() >= timer.expiry());
			if (--left > 0)
				start(timer);
		});
	};
	for (auto &timer : timers)
		start(timer);
	context.run();
	CHECK(left <= 0);
}

/* A wait that has expired on the wheel, whose event the reactor has not taken */
struct expired_wait {
	net::io_context context;
	std::unique_ptr<wheel::steady_timer> timer;
	std::vector<wheel::steady_timer> others;
	int aborted = 0, succeeded = 0;

	expired_wait() : timer(new wheel::steady_timer(context))
	{
		/* If the task was preempted, the wait may be less than 10 ms, and in Asio's heap. */
		do {
			timer->expires_after(milliseconds(20));
			context.poll();
			context.restart();
			aborted = succeeded = 0;
			wait();
		} while (steady::now() > timer->expiry() - milliseconds(10));
		sleep_past(timer->expiry());
		/* Slots are added to the wheel, which expires the timers that are due. */
		for (int i = 0; i < 100; i++) {
			others.emplace_back(context, milliseconds(20));
			others.back().async_wait([](error_code) {});
		}
	}

	void wait()
	{
		timer->async_wait([this](error_code error) { (error ? aborted : succeeded)++; });
	}
};

static void expired_wait_can_be_cancelled()
{
	expired_wait w;

	w.wait();
	CHECK(w.timer->cancel() == 2);
	CHECK(w.timer->cancel() == 0);
	w.context.run();
	CHECK(w.aborted == 2 && w.succeeded == 0);
}

static void expired_wait_can_be_cancelled_alone()
{
	expired_wait w;

	w.wait();
	CHECK(w.timer->cancel_one() == 1);
	CHECK(w.timer->cancel_one() == 1);
	CHECK(w.timer->cancel_one() == 0);
	w.context.run();
	CHECK(w.aborted == 2 && w.succeeded == 0);
}

static void expired_timer_can_be_used_again()
{
	expired_wait w;

	CHECK(w.timer->expires_after(milliseconds(20)) == 1);
	w.wait();
	w.context.run();
	CHECK(w.aborted == 1 && w.succeeded == 1);
	w.timer->expires_after(hours(1));
	w.wait();
	CHECK(w.timer->restart_after(milliseconds(15)));
	w.context.restart();
	w.context.run();
	CHECK(w.aborted == 1 && w.succeeded == 2);
}

static void expired_timer_can_be_freed()
{
	expired_wait w;

	w.timer.reset();
	w.context.run();
	CHECK(w.aborted == 1 && w.succeeded == 0);
}

static void expired_wait_is_not_restarted()
{
	expired_wait w;

	CHECK(!w.timer->restart_after(hours(1)));
	w.context.run();
	CHECK(w.aborted == 0 && w.succeeded == 1);
	CHECK(!w.timer->restart_after(hours(1)));
}

static void restart_postpones_the_waits()
{
	net::io_context context;
	wheel::steady_timer first(context), second(context), none(context);
	std::vector<int> order;

	CHECK(!none.restart_after(hours(1)));
	for (auto delay : { milliseconds(2), milliseconds(20) }) {
		context.restart();
		order.clear();
		first.expires_after(delay);
		second.expires_after(delay + milliseconds(1));
		first.async_wait([&](error_code error) { CHECK(!error); order.push_back(1); });
		first.async_wait([&](error_code error) { CHECK(!error); order.push_back(2); });
		second.async_wait([&](error_code error) { CHECK(!error); order.push_back(3); });
		auto later = steady::now() + milliseconds(60);
		CHECK(first.restart_at(later) && first.expiry() == later);
		context.run();
		CHECK(steady::now() >= later);
		CHECK((order == std::vector<int>{ 3, 1, 2 }));
		CHECK(!first.restart_after(hours(1)) && first.expiry() == later);
	}
}

/* The context sleeps for an hour when another thread restarts the wait. */
static void restart_can_hasten_the_waits()
{
	for (auto delay : { hours(1), hours(9) }) {
		net::io_context context;
		wheel::steady_timer timer(context, delay), soon(context, milliseconds(15));
		int expired = 0;

		timer.async_wait([&](error_code error) { expired += !error; });
		soon.async_wait([&](error_code) {
			net::post(context, [&] { CHECK(timer.restart_after(milliseconds(30))); });
		});
		context.run();
		CHECK(expired == 1);
		timer.expires_after(milliseconds(5));
		timer.async_wait([&](error_code error) { expired += !error; });
		CHECK(timer.restart_after(hours(1)) && timer.restart_after(milliseconds(1)));
		context.restart();
		context.run();
		CHECK(expired == 2);
	}
}

static void cancelled_restart_aborts_the_waits()
{
	net::io_context context;
	wheel::steady_timer timer(context);
	int aborted = 0;

	for (auto delay : { milliseconds(1), milliseconds(100) }) {
		timer.expires_after(delay);
		timer.async_wait([&](error_code error) { aborted += !!error; });
		CHECK(timer.restart_after(hours(1)) && timer.restart_after(seconds(1)));
		CHECK(timer.cancel() == 1 && !timer.restart_after(hours(1)));
	}
	context.run();
	CHECK(aborted == 2);
}

static void restart_allocates_nothing()
{
	net::io_context context;
	std::vector<wheel::steady_timer> timers;
	unsigned long before;

	for (int i = 0; i < 1000; i++) {
		timers.emplace_back(context, seconds(30));
		timers.back().async_wait([](error_code) {});
	}
	context.poll();
	before = allocations;
	for (int i = 0; i < 100000; i++) {
		CHECK(timers[i % 1000].restart_after(seconds(30 + i % 7)));
		context.poll();
	}
	CHECK(allocations == before);
}

/* In a handler, Asio's memory is recycled: 10,000 restarts by cancelling, one after the other */
static void cancelling_restart_allocates_nothing()
{
	net::io_context context;
	wheel::steady_timer timer(context, seconds(30));
	unsigned long before = 0;
	int left = 10000;
	std::function<void()> again = [&] {
		if (left == 9000)
			before = allocations;
		timer.expires_after(seconds(30));
		timer.async_wait([&](error_code) {
			if (--left > 0)
				again();
		});
		timer.cancel();
	};

	net::post(context, [&] { again(); });
	context.run();
	CHECK(allocations == before);
}

/*
 * 1,000 idle timeouts, all restarted once. The thread sleeps once per short timer, and a few
 * times for scans of the wheel.
 */
static void context_sleeps_until_a_timer_is_due()
{
	net::io_context context;
	std::vector<wheel::steady_timer> timers;
	struct rusage before, after;
	int left = 20;

	for (int i = 0; i < 1000; i++) {
		timers.emplace_back(context, seconds(100 + i));
		timers.back().async_wait([](error_code) {});
	}
	for (auto &timer : timers)
		CHECK(timer.restart_after(seconds(2000)));
	wheel::steady_timer soon(context);
	std::function<void(error_code)> again = [&](error_code) {
		soon.expires_after(milliseconds(15));
		if (--left)
			soon.async_wait(again);
		else
			context.stop();
	};
	again(error_code());
	getrusage(RUSAGE_THREAD, &before);
	context.run();
	getrusage(RUSAGE_THREAD, &after);
	std::printf("# slept %ld times\n", after.ru_nvcsw - before.ru_nvcsw);
	CHECK(after.ru_nvcsw - before.ru_nvcsw < 60);
}

/* Without work, run() returns: the wheel is not work. */
static void run_returns_without_waits()
{
	net::io_context context;
	wheel::steady_timer timer(context, hours(1));

	timer.async_wait([](error_code) {});
	CHECK(timer.cancel() == 1);
	CHECK(context.run() == 1);
	context.restart();
	CHECK(context.run() == 0);
}

template <typename Context>
static void check_end()
{
	auto alive = std::make_shared<int>();

	struct session {
		wheel::steady_timer timer;
		std::shared_ptr<int> alive;
	};

	{
		Context context;

		for (auto delay : { milliseconds(5000), milliseconds(5000000) }) {
			for (int i = 0; i < 100; i++) {
				auto owner = std::make_shared<session>(session{
					wheel::steady_timer(context.get_executor(), delay), alive });

				owner->timer.async_wait([owner](error_code) {});
				owner->timer.async_wait([owner](error_code) {});
			}
		}
		CHECK(alive.use_count() == 201);
		context.stop();
	}
	CHECK(alive.use_count() == 1);
}

static void end_of_context_destroys_handlers()
{
	check_end<net::io_context>();
	check_end<net::thread_pool>();
}

/* Handlers that start other waits when they are destroyed */
static void handlers_may_wait_at_the_end()
{
	struct starter {
		std::shared_ptr<wheel::steady_timer> timer;

		~starter()
		{
			timer->expires_after(hours(1));
			timer->async_wait([](error_code) {});
			timer->restart_after(milliseconds(20));
		}
	};
	net::io_context context;
	auto timer = std::make_shared<wheel::steady_timer>(context, hours(1));
	auto other = std::make_shared<wheel::steady_timer>(context, hours(1));
	std::shared_ptr<starter> state(new starter{ timer });

	other->async_wait([](error_code) {});
	other->async_wait([state, other](error_code) {});
}

/*
 * A wait of an hour, one that has expired, and one that expires after the fork unless the machine
 * is slow. The second handler restarts the first wait, so no result depends on the time of the
 * fork. The child does not sort waits that had expired.
 */
struct inherited_waits {
	net::io_context context;
	wheel::steady_timer restarted, expired, due;
	std::vector<int> results;

	inherited_waits() : restarted(context, hours(1)), expired(context, milliseconds(12)), due(context)
	{
		wait(restarted, 3);
		wait(expired, 1);
		sleep_past(expired.expiry());
		due.expires_after(milliseconds(50));
		wait(due, 2);
	}

	void wait(wheel::steady_timer &timer, int number)
	{
		timer.async_wait([&timer, number, this](error_code error) {
			CHECK(!error && steady::now() >= timer.expiry());
			results.push_back(number);
			if (results.size() == 2)
				CHECK(restarted.restart_after(milliseconds(20)));
		});
	}
};

static void child_of_fork_inherits_the_waits()
{
	inherited_waits w;
	int status;
	pid_t child;

	w.context.notify_fork(net::execution_context::fork_prepare);
	child = fork();
	if (!child) {
		w.context.notify_fork(net::execution_context::fork_child);
		w.context.run();
		std::sort(w.results.begin(), w.results.begin() + 2);
		CHECK((w.results == std::vector<int>{ 1, 2, 3 }));
		_exit(0);
	}
	w.context.notify_fork(net::execution_context::fork_parent);
	w.context.run();
	CHECK((w.results == std::vector<int>{ 1, 2, 3 }));
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

#ifndef __SANITIZE_ADDRESS__
/* The wheel needs address space. Without it, all waits are in Asio's heap. */
static void waits_need_no_wheel()
{
	struct rlimit limit = { 100 << 20, 100 << 20 };
	net::io_context context;
	wheel::steady_timer timer(context, milliseconds(50));
	int expired = 0, aborted = 0;

	CHECK(!setrlimit(RLIMIT_AS, &limit));
	timer.async_wait([&](error_code error) { (error ? aborted : expired)++; });
	CHECK(timer.restart_after(milliseconds(20)));
	context.run();
	CHECK(expired == 1);
	timer.expires_after(hours(1));
	timer.async_wait([&](error_code error) { (error ? aborted : expired)++; });
	CHECK(timer.cancel() == 1);
	context.restart();
	context.run();
	CHECK(aborted == 1);
}
#endif

static void executors_and_tokens_are_respected()
{
	net::io_context context;
	net::thread_pool pool(1);
	auto strand = net::make_strand(context);
	wheel::basic_steady_timer<decltype(strand)> timer(strand, milliseconds(20));
	wheel::steady_timer::rebind_executor<net::io_context::executor_type>::other other(
		context.get_executor(), milliseconds(20));
	std::thread::id pools;
	bool in_strand = false;

	net::post(pool, [&] { pools = std::this_thread::get_id(); });
	timer.async_wait([&](error_code) { in_strand = strand.running_in_this_thread(); });
	other.async_wait(net::bind_executor(pool, [&](error_code) {
		CHECK(std::this_thread::get_id() == pools);
	}));
	wheel::steady_timer waited(context, milliseconds(15));
	auto future = waited.async_wait(net::use_future);
	context.run();
	pool.join();
	CHECK(in_strand);
	future.get();
	wheel::steady_timer converted(std::move(other));
	converted = decltype(other)(context, milliseconds(10));
	converted.wait();
	CHECK(steady::now() >= converted.expiry());
}

#define TEST(name)	{ #name, name }

const test tests[] = {
	TEST(random_calls_match_asio),
	TEST(timers_expire_in_order_of_deadlines),
	TEST(handlers_are_never_early),
	TEST(expired_wait_can_be_cancelled),
	TEST(expired_wait_can_be_cancelled_alone),
	TEST(expired_timer_can_be_used_again),
	TEST(expired_timer_can_be_freed),
	TEST(expired_wait_is_not_restarted),
	TEST(restart_postpones_the_waits),
	TEST(restart_can_hasten_the_waits),
	TEST(cancelled_restart_aborts_the_waits),
	TEST(restart_allocates_nothing),
	TEST(cancelling_restart_allocates_nothing),
	TEST(context_sleeps_until_a_timer_is_due),
	TEST(run_returns_without_waits),
	TEST(end_of_context_destroys_handlers),
	TEST(handlers_may_wait_at_the_end),
	TEST(child_of_fork_inherits_the_waits),
#ifndef __SANITIZE_ADDRESS__
	TEST(waits_need_no_wheel),
#endif
	TEST(executors_and_tokens_are_respected),
};
const std::size_t test_count = sizeof(tests) / sizeof(*tests);
