// SPDX-License-Identifier: MIT
// A program as a user would write it, in C++: everything once.
#include <libwheel.h>

static int events(struct libwheel *wheel)
{
	struct wheel_event event;
	int count = 0;

	while (libwheel_expirations(wheel, &event, 1) == 1)
		count++;
	return count;
}

static int timeouts()
{
	struct libwheel_timeouts *set;
	struct wheel_event event;

	if (libwheel_timeout_open(&set, 8, nullptr))
		return 1;
	if (libwheel_timeout_start(set, 7, 3600000000000) ||
	    libwheel_timeout_start_at(set, 7, libwheel_time_after(libwheel_timeout_now(set), 1)) ||
	    libwheel_timeout_wait(set, &event, 1, -1) != 1 || event.cookie != 7 ||
	    libwheel_timeout_stop(set, 7) != -ENOENT)
		return 2;
	libwheel_timeout_close(set);
	return 0;
}

int main()
{
	struct libwheel_options options = {};
	struct wheel_op op = {};
	struct libwheel *wheel;
	uint64_t id = WHEEL_ID(2, 1);
	uint64_t word = WHEEL_ID(3, 1);

	if (libwheel_version() != LIBWHEEL_VERSION)
		return 5;
	options.size = sizeof(options);
	options.flags = WHEEL_SETUP_WORDS;
	options.clock = WHEEL_CLOCK_VIRTUAL;
	if (libwheel_open(&wheel, &options))
		return 1;
	op.op = WHEEL_OP_ARM;
	op.flags = WHEEL_OP_WORD;
	op.id = WHEEL_ID(1, 1);
	op.when = 1000000;
	if (libwheel_do(wheel, &op) || libwheel_arm(wheel, id, 1000000, 7) ||
	    libwheel_word_push(wheel, 1, 2000000) || libwheel_word_park(wheel, 1) ||
	    libwheel_word_arm(wheel, 1, 3000000))
		return 2;
	if (libwheel_word(wheel, word, 7) ||
	    libwheel_word_arm(wheel, word, 9000000) ||
	    libwheel_word_arm(wheel, word, 3000000))
		return 6;
	if (libwheel_advance(wheel, 2000000, nullptr) || events(wheel) != 1)
		return 3;
	if (libwheel_advance(wheel, 3000000, nullptr) || events(wheel) != 2)
		return 4;
	if (libwheel_word_restart(wheel, word, 4000000) ||
	    libwheel_advance(wheel, 4000000, nullptr) || events(wheel) != 1 ||
	    libwheel_word_reset(wheel, word))
		return 7;
	libwheel_close(wheel);
	if (timeouts())
		return 8;
	return 0;
}
