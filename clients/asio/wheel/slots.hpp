// SPDX-License-Identifier: MIT
/*
 * The wheel of an execution context, and its slots. Included by steady_timer.hpp.
 */
#ifndef WHEEL_SLOTS_HPP
#define WHEEL_SLOTS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <ratio>
#include <utility>
#include <vector>

#include <libwheel.h>

namespace wheel {
namespace detail {

typedef std::chrono::steady_clock clock;
typedef clock::time_point time_point;
typedef clock::duration duration;

/* The clock of the wheel is CLOCK_MONOTONIC in nanoseconds. */
static_assert(std::ratio_equal<clock::period, std::nano>::value, "steady_clock counts nanoseconds");

/**
 * struct slot - a timer of the wheel, with its waits
 * @waits: the waits. They belong to the slot's owner, the object of a timer, while the slot is
 *	parked. After it has expired, they belong to the thread that changes @state first
 * @state: who uses the slot after it has expired
 * @nr: its number on the wheel
 *
 * A slot does not cross a cache line: most accesses to it are cache misses.
 */
template <typename Waits>
struct alignas(32) slot {
	enum state {
		OWNED,		/* armed, or expired without notice */
		EXPIRING,	/* the reactor has taken @waits, and still uses the slot */
		EXPIRED,	/* parked again, for the owner */
		LEFT,		/* the owner has taken @waits. The event has not been taken */
	};

	Waits waits;
	std::atomic<state> state{OWNED};
	uint32_t nr = 0;
};

template <typename Waits>
class slots {
public:
	typedef detail::slot<Waits> slot;

	static constexpr uint64_t NEVER = ~uint64_t(0);

	slots() = default;
	slots(const slots &) = delete;
	slots &operator=(const slots &) = delete;

	~slots()
	{
		libwheel_close(wheel_);
	}

	/* Allocate a parked slot. Returns nullptr if none is available. */
	slot *get() noexcept
	{
		std::lock_guard<std::mutex> lock(mutex_);
		slot *slot;

		if (ended_ || (free_.empty() && !grow()))
			return nullptr;
		slot = free_.back();
		free_.pop_back();
		return slot;
	}

	/* Free a parked slot. */
	void put(slot *slot) noexcept
	{
		std::lock_guard<std::mutex> lock(mutex_);

		release(slot);
	}

	/* Arm a parked slot. Returns false if that is not possible. */
	bool arm(slot *slot, time_point deadline) noexcept
	{
		slot->state.store(slot::OWNED, std::memory_order_release);
		return !ended_ && !libwheel_word_arm(wheel_, id(slot->nr), nanoseconds(deadline));
	}

	/* Move an armed slot. Returns false if it has expired. */
	bool push(uint32_t nr, time_point deadline) noexcept
	{
		return !libwheel_word_push(wheel_, id(nr), nanoseconds(deadline));
	}

	/* Fetch the cache lines of an armed slot and of its word. */
	void prefetch(const slot *slot, uint32_t nr) const noexcept
	{
		__builtin_prefetch(&wheel_.load(std::memory_order_relaxed)->words[nr], 1);
		__builtin_prefetch(slot, 1);
	}

	/* Park an armed slot. Returns false if it has expired. */
	bool park(uint32_t nr) noexcept
	{
		return !libwheel_word_park(wheel_, id(nr));
	}

	/*
	 * Check whether the reactor sleeps too long for a slot that was just armed or moved. Either this
	 * finds the new time of plan(), or plan() finds the slot.
	 */
	bool is_before_wakeup(time_point deadline) const noexcept
	{
		return nanoseconds(deadline) < wakeup_;
	}

	/*
	 * Return the time at which the reactor must call expire(), or NEVER. The caller must hold the
	 * reactor's lock.
	 */
	uint64_t plan() noexcept
	{
		uint64_t later;

		do {
			planned_ = next();
			/* No slot expires later because of a deadline in the tick before that time. */
			wakeup_ = planned_ == NEVER ? NEVER : planned_ - std::min(planned_, TICK) + 1;
			later = next();
		} while (later < planned_);
		return planned_;
	}

	/*
	 * Deliver the waits of expired slots, in the order of their deadlines. The caller must hold the
	 * reactor's lock.
	 */
	template <typename Deliver>
	void expire(Deliver deliver)
	{
		if (planned_ == NEVER || nanoseconds(clock::now()) < planned_)
			return;
		std::lock_guard<std::mutex> lock(mutex_);
		take_events();
		for (const event &event : events_)
			expire(event, deliver);
		events_.clear();
	}

	/* End the use of the wheel. Deliver the waits of all slots. */
	template <typename Deliver>
	void end(Deliver deliver)
	{
		std::lock_guard<std::mutex> lock(mutex_);

		ended_ = true;
		wakeup_ = 0;
		for (uint64_t nr = 0; nr < count_; nr++)
			deliver(numbered(nr)->waits);
	}

	/* Continue in a child of fork(), with another wheel. Returns true if a slot is armed. */
	bool fork()
	{
		std::vector<uint64_t> deadlines;
		bool armed = false;

		if (!wheel_)
			return false;
		deadlines = list_deadlines();
		libwheel_close(wheel_.exchange(nullptr));
		wakeup_ = NEVER;
		if (!open())
			throw std::bad_alloc();
		for (uint64_t nr = 0; nr < count_; nr += CHUNK)
			if (!create_words(numbered(nr)))
				throw std::bad_alloc();
		for (uint64_t nr = 0; nr < count_; nr++)
			armed |= inherit(numbered(nr), deadlines[nr]);
		return armed;
	}

private:
	typedef std::pair<uint64_t, slot *> event;

	struct destroy_chunk {
		void operator()(slot *chunk) const
		{
			for (unsigned int i = 0; i < CHUNK; i++)
				chunk[i].~slot();
			std::free(chunk);
		}
	};

	typedef std::unique_ptr<slot[], destroy_chunk> chunk;

	static constexpr uint64_t TICK = 1000000;
	static constexpr unsigned int CHUNK = 64;
	/* Words per cache line. Slots allocated one after the other are on different lines. */
	static constexpr unsigned int LINE = 8;
	/* Events taken at a time. */
	static constexpr unsigned int BATCH = 64;

	std::atomic<libwheel *> wheel_{nullptr};
	/* No slot is armed after end(). */
	std::atomic<bool> ended_{false};
	/* The reactor must be woken for an earlier deadline. */
	std::atomic<uint64_t> wakeup_{NEVER};
	/* Protected by the reactor's lock: the time of plan(). */
	uint64_t planned_ = NEVER;
	/* Protects the members that follow. Taken with the reactor's lock held. */
	std::mutex mutex_;
	std::vector<chunk> chunks_;
	uint64_t count_ = 0;
	std::vector<slot *> free_;
	/* Events with their deadlines. */
	std::vector<event> events_;

	/* A time before the clock's epoch is replaced by one that has passed, too. */
	static uint64_t nanoseconds(time_point time) noexcept
	{
		return std::max<int64_t>(time.time_since_epoch().count(), 1);
	}

	/* The ids of the words never change. */
	static uint64_t id(uint32_t nr) noexcept
	{
		return WHEEL_ID(nr, 1);
	}

	/* The reactor sleeps until the time of libwheel_next(), so the wheel needs no descriptor. */
	bool open() noexcept
	{
		libwheel_options options = libwheel_options();
		libwheel *wheel;

		options.size = sizeof(options);
		options.flags = WHEEL_SETUP_WORDS;
		options.backend = LIBWHEEL_USER;
		options.timers = WHEEL_MAX_TIMERS;
		options.mode = LIBWHEEL_NO_FD;
		options.tick_ns = TICK;
		if (libwheel_open(&wheel, &options))
			return false;
		wheel_ = wheel;
		return true;
	}

	uint64_t next() noexcept
	{
		libwheel *wheel = wheel_;
		uint64_t time;

		return wheel && !libwheel_next(wheel, &time) ? time : NEVER;
	}

	slot *numbered(uint64_t nr) noexcept
	{
		return &chunks_[nr / CHUNK][nr % CHUNK];
	}

	/* Create the words of a chunk. The cookie of a timer is the address of its slot. */
	bool create_words(slot *chunk) noexcept
	{
		wheel_op ops[CHUNK] = {};

		for (unsigned int i = 0; i < CHUNK; i++) {
			ops[i].op = WHEEL_OP_ARM;
			ops[i].flags = WHEEL_OP_WORD;
			ops[i].id = id(chunk[i].nr);
			ops[i].cookie = reinterpret_cast<uintptr_t>(&chunk[i]);
		}
		return !libwheel_submit(wheel_, ops, CHUNK, nullptr);
	}

	template <typename T>
	void reserve(std::vector<T> &vector)
	{
		if (vector.capacity() < count_ + CHUNK)
			vector.reserve(2 * (count_ + CHUNK));
	}

	/* C++14 has no operator new for this alignment. */
	chunk new_chunk()
	{
		void *memory;

		if (posix_memalign(&memory, alignof(slot), CHUNK * sizeof(slot)))
			throw std::bad_alloc();
		for (unsigned int i = 0; i < CHUNK; i++)
			(new (static_cast<slot *>(memory) + i) slot)->nr = count_ + i;
		return chunk(static_cast<slot *>(memory));
	}

	/* Add a chunk, and reserve the memory that put() and expire() need. */
	bool add_chunk()
	{
		chunk added = new_chunk();

		reserve(free_);
		reserve(events_);
		chunks_.reserve(chunks_.size() + 1);
		if (!create_words(added.get()))
			return false;
		chunks_.push_back(std::move(added));
		return true;
	}

	bool grow() noexcept
	{
		if (count_ + CHUNK > WHEEL_MAX_TIMERS || (!wheel_ && !open()))
			return false;
		try {
			if (!add_chunk())
				return false;
		} catch (const std::bad_alloc &) {
			return false;
		}
		for (unsigned int i = 0; i < CHUNK; i++)
			free_.push_back(numbered(count_ + i % LINE * (CHUNK / LINE) + i / LINE));
		count_ += CHUNK;
		return true;
	}

	void release(slot *slot) noexcept
	{
		slot->state.store(slot::OWNED, std::memory_order_relaxed);
		free_.push_back(slot);
	}

	/* The wheel does not sort the timers of one tick. Asio's heap does. */
	void take_events() noexcept
	{
		wheel_event events[BATCH];
		int i, n;

		do {
			n = libwheel_expirations(wheel_, events, BATCH);
			for (i = 0; i < n; i++)
				events_.emplace_back(events[i].deadline,
					reinterpret_cast<slot *>(uintptr_t(events[i].cookie)));
		} while (n == BATCH);
		std::sort(events_.begin(), events_.end());
	}

	template <typename Deliver>
	void expire(const event &event, Deliver &deliver)
	{
		slot *slot = event.second;
		bool left = slot->state.exchange(slot::EXPIRING) == slot::LEFT;

		if (!left)
			deliver(time_point(duration(event.first)), slot->waits);
		libwheel_word_reset(wheel_, id(slot->nr));
		if (left || slot->state.exchange(slot::EXPIRED) == slot::LEFT)
			release(slot);
	}

	/* A timer that had expired is not listed. It expires in the child. */
	std::vector<uint64_t> list_deadlines()
	{
		std::vector<uint64_t> deadlines(count_, 1);
		wheel_op ops[BATCH];
		uint32_t cursor = 0;
		int i, n;

		while ((n = libwheel_list(wheel_, 0, ops, BATCH, &cursor)) > 0)
			for (i = 0; i < n; i++)
				deadlines[WHEEL_ID_SLOT(ops[i].id)] = ops[i].when;
		return deadlines;
	}

	bool inherit(slot *slot, uint64_t deadline) noexcept
	{
		if (slot->state == slot::LEFT)
			release(slot);
		return !slot->waits.empty() &&
		       !libwheel_word_arm(wheel_, id(slot->nr), deadline);
	}
};

template <typename Waits>
constexpr uint64_t slots<Waits>::NEVER;
template <typename Waits>
constexpr uint64_t slots<Waits>::TICK;

} // namespace detail
} // namespace wheel

#endif
