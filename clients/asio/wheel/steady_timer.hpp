// SPDX-License-Identifier: MIT
/*
 * wheel::steady_timer: Asio's steady_timer, with its waits on a timing wheel.
 *
 *	#include <wheel/steady_timer.hpp>
 *
 *	wheel::steady_timer idle(socket.get_executor());
 *
 *	idle.expires_after(std::chrono::seconds(30));
 *	idle.async_wait([](boost::system::error_code error) { ... });
 *	...
 *	idle.restart_after(std::chrono::seconds(30));
 *
 * The interface is that of the installed Asio's basic_waitable_timer, extended by restart_after()
 * and restart_at(), which postpone the waits of a timer. Handlers are invoked as with Asio.
 *
 * If WHEEL_REPLACE_STEADY_TIMER is defined, the class asio::steady_timer is on the wheel, also in
 * libraries such as Beast. Define it for all source files of a program or for none, and include this
 * file before all others, for example with the compiler's option -include.
 *
 * If WHEEL_ASIO_STANDALONE is defined, Asio without Boost is used. This file needs C++14, Linux, and
 * Asio from 1.18 on, which is part of Boost 1.74. It uses internals of Asio. README.md lists the
 * tested versions.
 */
#ifndef WHEEL_STEADY_TIMER_HPP
#define WHEEL_STEADY_TIMER_HPP

#include <sys/time.h>

#include <wheel/slots.hpp>

#ifdef WHEEL_ASIO_STANDALONE
#include <asio/any_io_executor.hpp>
#include <asio/basic_waitable_timer.hpp>
#include <asio/detail/scheduler.hpp>
#include <asio/detail/timer_scheduler.hpp>
#include <asio/version.hpp>
#define WHEEL_ASIO		asio
#define WHEEL_ASIO_VERSION	ASIO_VERSION
#define WHEEL_ASIO_TRACK	ASIO_HANDLER_CREATION
#else
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/detail/scheduler.hpp>
#include <boost/asio/detail/timer_scheduler.hpp>
#include <boost/asio/version.hpp>
#define WHEEL_ASIO		boost::asio
#define WHEEL_ASIO_VERSION	BOOST_ASIO_VERSION
#define WHEEL_ASIO_TRACK	BOOST_ASIO_HANDLER_CREATION
#endif

/* Asio has cancellation slots; its queues of timers have allocators. */
#define WHEEL_ASIO_CANCELS	(WHEEL_ASIO_VERSION >= 101900)
#define WHEEL_ASIO_ALLOCATES	(WHEEL_ASIO_VERSION >= 103402)

namespace wheel {

#ifdef WHEEL_REPLACE_STEADY_TIMER
typedef WHEEL_ASIO::wait_traits<std::chrono::steady_clock> wait_traits;
#else
struct wait_traits : WHEEL_ASIO::wait_traits<std::chrono::steady_clock> {};
#endif

namespace detail {

namespace net = WHEEL_ASIO;

/*
 * Shorter waits are in a heap of Asio, because the wheel expires a timer up to one tick late. The
 * heap also has the waits for which the wheel has no slot.
 */
constexpr std::chrono::milliseconds SHORTEST(10);

struct heap_wait_traits : net::wait_traits<clock> {};

/* The clock of the heap can be stopped, to expire the timers of both in order. */
struct heap_traits : net::detail::chrono_time_traits<clock, heap_wait_traits> {
	static time_point now()
	{
		return stopped_at() == time_point() ? clock::now() : stopped_at();
	}

	static time_point &stopped_at()
	{
		static thread_local time_point time;

		return time;
	}
};

struct queue_traits : heap_traits {};

#if WHEEL_ASIO_ALLOCATES
typedef net::execution_context::allocator<void> allocator;
typedef net::detail::timer_queue<heap_traits, allocator> heap;
typedef net::detail::timer_queue<queue_traits, allocator> queue;
#else
typedef net::detail::timer_queue<heap_traits> heap;
typedef net::detail::timer_queue<queue_traits> queue;
#endif

typedef net::detail::wait_op wait_op;
typedef net::detail::op_queue<wait_op> waits;
typedef net::detail::op_queue<net::detail::scheduler_operation> ready;
typedef decltype(wait_op::ec_) error_code;
typedef net::detail::deadline_timer_service<
	net::detail::chrono_time_traits<clock, wait_traits>> service;

/* All timers are friends of each other. The timer of this name gives access to the others. */
struct access {};

} // namespace detail
} // namespace wheel

/* All timers of an execution context. The reactor calls these functions with its lock held. */
template <>
#if WHEEL_ASIO_ALLOCATES
class WHEEL_ASIO::detail::timer_queue<wheel::detail::queue_traits, wheel::detail::allocator>
#else
class WHEEL_ASIO::detail::timer_queue<wheel::detail::queue_traits>
#endif
	: public wheel::detail::heap {
public:
	typedef wheel::detail::heap heap;
	typedef wheel::detail::ready ready;

	/**
	 * struct restart - a request to restart a timer, as an argument of the reactor's function
	 * @expiry: in: the time of expiry
	 * @done: out: false if there was no wait
	 */
	struct restart {
		time_type expiry;
		bool done;

		/* The request of this thread, or nullptr */
		static restart *&current()
		{
			static thread_local restart *current;

			return current;
		}
	};

	mutable wheel::detail::slots<wheel::detail::waits> slots;
	/* A timer without waits, as an argument that requests something else. */
	per_timer_data nobody;

#if WHEEL_ASIO_ALLOCATES
	explicit timer_queue(execution_context &context)
		: heap(wheel::detail::allocator(context), 0)
	{
	}
#else
	explicit timer_queue(execution_context &) {}
#endif

	/* Returns true if the reactor must compute its timeout again. */
	bool enqueue_timer(const time_type &expiry, per_timer_data &timer, wait_op *wait)
	{
		return &timer == &nobody || heap::enqueue_timer(expiry, timer, wait);
	}

	void move_timer(per_timer_data &target, per_timer_data &source)
	{
		if (&target == &nobody)
			restart_waits(source, *restart::current());
		else
			heap::move_timer(target, source);
	}

	bool empty() const override
	{
		return heap::empty() && slots.plan() == slots.NEVER;
	}

	long wait_duration_msec(long max) const override
	{
		return time_left<std::chrono::milliseconds>(heap::wait_duration_msec(max));
	}

	long wait_duration_usec(long max) const override
	{
		return time_left<std::chrono::microseconds>(heap::wait_duration_usec(max));
	}

	void get_ready_timers(ready &ready) override
	{
		slots.expire([&](time_type deadline, wheel::detail::waits &waits) {
			wheel::detail::heap_traits::stopped_at() = deadline;
			heap::get_ready_timers(ready);
			wheel::detail::heap_traits::stopped_at() = time_type();
			while (wait_op *wait = waits.front()) {
				waits.pop();
				wait->ec_ = wheel::detail::error_code();
				ready.push(wait);
			}
		});
		heap::get_ready_timers(ready);
	}

	void get_all_timers(ready &all) override
	{
		heap::get_all_timers(all);
		slots.end([&](wheel::detail::waits &waits) { all.push(waits); });
	}

private:
	void restart_waits(per_timer_data &timer, restart &request)
	{
		ready waits;

		request.done = heap::cancel_timer(timer, waits);
		while (operation *first = waits.front()) {
			wait_op *wait = static_cast<wait_op *>(first);

			waits.pop();
			wait->ec_ = wheel::detail::error_code();
			heap::enqueue_timer(request.expiry, timer, wait);
		}
	}

	template <typename Units>
	long time_left(long max) const
	{
		uint64_t time = slots.plan();
		duration_type left;

		if (time == slots.NEVER)
			return max;
		left = duration_type(time) - wheel::detail::clock::now().time_since_epoch();
		if (left <= left.zero())
			return 0;
		return std::min<int64_t>(std::chrono::duration_cast<Units>(left).count() + 1, max);
	}
};

/* The service of the timers, as required by basic_waitable_timer. */
template <>
class WHEEL_ASIO::detail::deadline_timer_service<
	WHEEL_ASIO::detail::chrono_time_traits<wheel::detail::clock, wheel::wait_traits>>
	: public execution_context_service_base<wheel::detail::service> {
public:
	typedef wheel::detail::time_point time_type;
	typedef wheel::detail::duration duration_type;
	typedef wheel::detail::error_code error_code;

	/**
	 * struct implementation_type - a timer
	 * @expiry: time of expiry
	 * @slot: a slot for its waits on the wheel, or nullptr
	 * @wait: the first wait that was put into @slot, only to be fetched into the cache
	 * @nr: the number of @slot
	 * @in_heap: waits may be in the heap, and none are on the wheel
	 * @in_slot: waits may be in @slot, which was armed, and none are in the heap
	 * @length: which of both the next wait needs
	 * @data: its waits in the heap. The other members should be in one cache line
	 */
	struct implementation_type {
		enum length : unsigned char { UNKNOWN, SHORT, LONG };

		time_type expiry;
		wheel::detail::slot<wheel::detail::waits> *slot = nullptr;
		wait_op *wait = nullptr;
		uint32_t nr = 0;
		bool in_heap = false;
		bool in_slot = false;
		length length = UNKNOWN;
		wheel::detail::queue::per_timer_data data;
	};

	explicit deadline_timer_service(execution_context &context)
		: execution_context_service_base<wheel::detail::service>(context),
		  work_(use_service<scheduler>(context)),
		  reactor_(use_service<timer_scheduler>(context)), queue_(context)
	{
		reactor_.init_task();
		reactor_.add_timer_queue(queue_);
	}

	~deadline_timer_service()
	{
		reactor_.remove_timer_queue(queue_);
	}

	/* The reactor destroys the handlers. */
	void shutdown() override {}

	/* The reactor was created, and is notified, before this service. */
	void notify_fork(execution_context::fork_event event) override
	{
		if (event == execution_context::fork_child && queue_.slots.fork())
			wake_reactor();
	}

	void construct(implementation_type &) {}

	void destroy(implementation_type &timer)
	{
		cancel(timer);
		if (timer.slot)
			queue_.slots.put(timer.slot);
		timer.slot = nullptr;
	}

	void move_construct(implementation_type &timer, implementation_type &from)
	{
		if (from.in_heap)
			reactor_.move_timer(queue_, timer.data, from.data);
		timer.expiry = std::exchange(from.expiry, time_type());
		timer.slot = std::exchange(from.slot, nullptr);
		timer.wait = from.wait;
		timer.nr = from.nr;
		timer.in_heap = std::exchange(from.in_heap, false);
		timer.in_slot = std::exchange(from.in_slot, false);
		timer.length = std::exchange(from.length, implementation_type::UNKNOWN);
	}

	void move_assign(implementation_type &timer, deadline_timer_service &other,
			 implementation_type &from)
	{
		destroy(timer);
		other.move_construct(timer, from);
	}

	void converting_move_construct(implementation_type &timer, deadline_timer_service &,
				       implementation_type &from)
	{
		move_construct(timer, from);
	}

	void converting_move_assign(implementation_type &timer, deadline_timer_service &other,
				    implementation_type &from)
	{
		move_assign(timer, other, from);
	}

	std::size_t cancel(implementation_type &timer, error_code &error)
	{
		prefetch(timer);
		error = error_code();
		return cancel(timer);
	}

	std::size_t cancel_one(implementation_type &timer, error_code &error)
	{
		wheel::detail::waits waits, cancelled;

		error = error_code();
		if (timer.in_heap)
			return reactor_.cancel_timer(queue_, timer.data, 1);
		take(timer, waits);
		if (waits.empty())
			return 0;
		move_first(waits, cancelled);
		put(timer, waits, is_long(timer));
		return abort(cancelled);
	}

	time_type expiry(const implementation_type &timer) const
	{
		return timer.expiry;
	}

	time_type expires_at(const implementation_type &timer) const
	{
		return timer.expiry;
	}

	duration_type expires_from_now(const implementation_type &timer) const
	{
		return wheel::detail::heap_traits::subtract(timer.expiry, now());
	}

	std::size_t expires_at(implementation_type &timer, const time_type &expiry,
			       error_code &error)
	{
		std::size_t cancelled = cancel(timer, error);

		timer.expiry = expiry;
		timer.length = implementation_type::UNKNOWN;
		return cancelled;
	}

	std::size_t expires_after(implementation_type &timer, const duration_type &delay,
				  error_code &error)
	{
		time_type expiry;
		std::size_t cancelled;

		/* The clock is read meanwhile. */
		prefetch(timer);
		expiry = wheel::detail::heap_traits::add(now(), delay);
		error = error_code();
		cancelled = cancel(timer);
		timer.expiry = expiry;
		timer.length = delay < wheel::detail::SHORTEST ? implementation_type::SHORT :
								 implementation_type::LONG;
		return cancelled;
	}

	std::size_t expires_from_now(implementation_type &timer, const duration_type &delay,
				     error_code &error)
	{
		return expires_after(timer, delay, error);
	}

	/* restart_at() of basic_steady_timer */
	bool restart_at(implementation_type &timer, const time_type &expiry)
	{
		bool earlier = expiry < timer.expiry;

		if (timer.in_slot) {
			if (!queue_.slots.push(timer.nr, expiry))
				return false;
			earlier = queue_.slots.is_before_wakeup(expiry);
		} else {
			if (!timer.in_heap || !restart_in_heap(timer, expiry))
				return false;
		}
		timer.expiry = expiry;
		if (earlier)
			wake_reactor();
		return true;
	}

	bool restart_after(implementation_type &timer, const duration_type &delay)
	{
		return restart_at(timer, wheel::detail::heap_traits::add(now(), delay));
	}

	void wait(implementation_type &timer, error_code &error)
	{
		duration_type left;

		error = error_code();
		do {
			left = wheel::detail::heap_traits::subtract(timer.expiry, now());
		} while (left > left.zero() && sleep(left, error));
	}

	template <typename Handler, typename Executor>
	void async_wait(implementation_type &timer, Handler &handler, const Executor &executor)
	{
		typedef wait_handler<Handler, Executor> wait;

#if WHEEL_ASIO_CANCELS
		auto cancellation = get_associated_cancellation_slot(handler);
#endif
		typename wait::ptr memory = {
			std::addressof(handler), wait::ptr::allocate(handler), nullptr,
		};

		memory.p = new (memory.v) wait(handler, executor);
#if WHEEL_ASIO_CANCELS
		if (cancellation.is_connected())
			memory.p->cancellation_key_ =
				&cancellation.template emplace<cancellation_handler>(*this, timer);
#endif
		WHEEL_ASIO_TRACK((context(), *memory.p, "steady_timer", &timer, 0, "async_wait"));
		start(timer, memory.p);
		memory.v = memory.p = nullptr;
	}

private:
	typedef wheel::detail::slot<wheel::detail::waits> slot;

#if WHEEL_ASIO_CANCELS
	/* Asio emplaces this in the cancellation slot of a handler. Its address is the key. */
	class cancellation_handler {
	public:
		cancellation_handler(deadline_timer_service &service, implementation_type &timer)
			: service_(service), timer_(timer)
		{
		}

		void operator()(cancellation_type_t type)
		{
			if ((type & (cancellation_type::terminal | cancellation_type::partial |
				     cancellation_type::total)) != cancellation_type::none)
				service_.cancel_key(timer_, this);
		}

	private:
		deadline_timer_service &service_;
		implementation_type &timer_;
	};

	void cancel_key(implementation_type &timer, void *key)
	{
		wheel::detail::waits waits, others, cancelled;

		if (timer.in_heap) {
			reactor_.cancel_timer_by_key(queue_, &timer.data, key);
			return;
		}
		take(timer, waits);
		while (wait_op *wait = waits.front())
			move_first(waits, wait->cancellation_key_ == key ? cancelled : others);
		put(timer, others, is_long(timer));
		abort(cancelled);
	}
#endif

	scheduler &work_;
	timer_scheduler &reactor_;
	wheel::detail::queue queue_;

	static time_type now()
	{
		return wheel::detail::clock::now();
	}

	static void move_first(wheel::detail::waits &from, wheel::detail::waits &to)
	{
		wait_op *wait = from.front();

		from.pop();
		to.push(wait);
	}

	/* The caller has a wait that counts as work. Otherwise the context would be stopped. */
	void wake_reactor()
	{
		reactor_.schedule_timer(queue_, time_type(), queue_.nobody, nullptr);
		work_.work_finished();
	}

	/* Returns false if no wait is in the heap. */
	bool restart_in_heap(implementation_type &timer, const time_type &expiry)
	{
		wheel::detail::queue::restart request = { expiry, false };

		wheel::detail::queue::restart::current() = &request;
		reactor_.move_timer(queue_, queue_.nobody, timer.data);
		wheel::detail::queue::restart::current() = nullptr;
		return request.done;
	}

	/* Sleep at most a day. Returns false on error, as Asio does after a signal. */
	static bool sleep(duration_type time, error_code &error)
	{
		auto us = std::chrono::duration_cast<std::chrono::microseconds>(
			std::min<duration_type>(time, std::chrono::hours(24))).count();
		timeval timeout;

		timeout.tv_sec = us / 1000000;
		timeout.tv_usec = us % 1000000;
		socket_ops::select(0, nullptr, nullptr, nullptr, &timeout, error);
		return !error;
	}

	/* Post the handlers of cancelled waits. Returns their number. */
	std::size_t abort(wheel::detail::waits &cancelled)
	{
		wheel::detail::ready ready;
		std::size_t count = 0;

		while (wait_op *wait = cancelled.front()) {
			cancelled.pop();
			wait->ec_ = error::operation_aborted;
			ready.push(wait);
			count++;
		}
		work_.post_deferred_completions(ready);
		return count;
	}

	/*
	 * Fetch all cache lines that cancel() needs, at the same time: no load passes the atomic exchange
	 * of the word, and the wait is found in the slot. A freed wait does no harm.
	 */
	void prefetch(const implementation_type &timer) const
	{
		if (!timer.in_slot)
			return;
		queue_.slots.prefetch(timer.slot, timer.nr);
		__builtin_prefetch(timer.wait, 1);
	}

	std::size_t cancel(implementation_type &timer)
	{
		wheel::detail::waits waits;

		if (timer.in_heap) {
			timer.in_heap = false;
			return reactor_.cancel_timer(queue_, timer.data);
		}
		take(timer, waits);
		return abort(waits);
	}

	/*
	 * Take the waits from the wheel, unless the reactor has taken them. A slot whose event was not
	 * taken is left to the reactor.
	 */
	void take(implementation_type &timer, wheel::detail::waits &waits)
	{
		if (!std::exchange(timer.in_slot, false))
			return;
		if (queue_.slots.park(timer.nr)) {
			waits.push(timer.slot->waits);
			return;
		}
		switch (timer.slot->state.exchange(slot::LEFT)) {
		case slot::OWNED:
			waits.push(timer.slot->waits);
			timer.slot = nullptr;
			break;
		case slot::EXPIRING:
			timer.slot = nullptr;
			break;
		default:
			timer.slot->state = slot::OWNED;
		}
	}

	/* After the slot was armed, another thread may free @timer. */
	bool put_on_wheel(implementation_type &timer, wheel::detail::waits &waits)
	{
		time_type expiry = timer.expiry;

		if (!timer.slot)
			timer.slot = queue_.slots.get();
		if (!timer.slot)
			return false;
		timer.nr = timer.slot->nr;
		timer.wait = waits.front();
		timer.in_slot = true;
		timer.slot->waits.push(waits);
		if (!queue_.slots.arm(timer.slot, expiry)) {
			timer.in_slot = false;
			waits.push(timer.slot->waits);
			return false;
		}
		if (queue_.slots.is_before_wakeup(expiry))
			wake_reactor();
		return true;
	}

	/* Add waits that count as work already. schedule_timer() counts them again. */
	void put(implementation_type &timer, wheel::detail::waits &waits, bool is_long)
	{
		if (waits.empty() || (is_long && put_on_wheel(timer, waits)))
			return;
		timer.in_heap = true;
		while (wait_op *wait = waits.front()) {
			waits.pop();
			try {
				reactor_.schedule_timer(queue_, timer.expiry, timer.data, wait);
				work_.work_finished();
			} catch (const std::bad_alloc &) {
				wait->ec_ = error::no_memory;
				work_.post_deferred_completion(wait);
			}
		}
	}

	void start(implementation_type &timer, wait_op *wait)
	{
		wheel::detail::waits waits;
		bool to_wheel = !timer.in_heap && is_long(timer);

		take(timer, waits);
		if (to_wheel || !waits.empty()) {
			work_.work_started();
			waits.push(wait);
			put(timer, waits, to_wheel);
		} else {
			timer.in_heap = true;
			reactor_.schedule_timer(queue_, timer.expiry, timer.data, wait);
		}
	}

	static bool is_long(implementation_type &timer)
	{
		auto length = std::exchange(timer.length, implementation_type::UNKNOWN);

		if (length == implementation_type::UNKNOWN)
			return timer.expiry > now() + wheel::detail::SHORTEST;
		return length == implementation_type::LONG;
	}
};

template <>
class WHEEL_ASIO::basic_waitable_timer<wheel::detail::access, wheel::detail::access,
				       wheel::detail::access> {
public:
	template <typename Timer, typename Time>
	static bool restart_at(Timer &timer, const Time &expiry)
	{
		return timer.impl_.get_service().restart_at(timer.impl_.get_implementation(), expiry);
	}

	template <typename Timer, typename Delay>
	static bool restart_after(Timer &timer, const Delay &delay)
	{
		return timer.impl_.get_service().restart_after(timer.impl_.get_implementation(),
							       delay);
	}
};

namespace wheel {

/* A timer with the interface of Asio's basic_waitable_timer for std::chrono::steady_clock */
template <typename Executor = WHEEL_ASIO::any_io_executor>
class basic_steady_timer
	: public WHEEL_ASIO::basic_waitable_timer<std::chrono::steady_clock, wait_traits, Executor> {
	typedef WHEEL_ASIO::basic_waitable_timer<std::chrono::steady_clock, wait_traits, Executor>
		base;
	typedef WHEEL_ASIO::basic_waitable_timer<detail::access, detail::access, detail::access>
		access;

public:
	template <typename Other>
	struct rebind_executor {
		typedef basic_steady_timer<Other> other;
	};

	using base::base;

	template <typename Other>
	basic_steady_timer &
	operator=(WHEEL_ASIO::basic_waitable_timer<std::chrono::steady_clock, wait_traits, Other>
			  &&other)
	{
		base::operator=(std::move(other));
		return *this;
	}

	/*
	 * Set the time of expiry, as expires_at(), but let the pending waits continue until then
	 * instead of cancelling them. Returns false, without an effect, if no wait is pending or if
	 * the timer has expired: the handlers have been invoked or will be, without an error.
	 */
	bool restart_at(const typename base::time_point &expiry)
	{
		return access::restart_at(static_cast<base &>(*this), expiry);
	}

	/* Set the time of expiry relative to now. */
	bool restart_after(const typename base::duration &delay)
	{
		return access::restart_after(static_cast<base &>(*this), delay);
	}
};

typedef basic_steady_timer<> steady_timer;

} // namespace wheel

#endif
