/* SPDX-License-Identifier: MIT */
/*
 * Results in KTAP, the kernel's test protocol.
 */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>

/**
 * struct ktap_case - one test
 * @name: what it shows
 * @run: shows it, by KTAP_EXPECT()
 */
struct ktap_case {
	const char *name;
	void (*run)(void);
};

#define KTAP_EXPECT(condition)						       \
	ktap_expect(condition, __FILE__, __LINE__, #condition)

void ktap_expect(bool met, const char *file, int line, const char *text);

extern const struct ktap_case parse_cases[];
extern const struct ktap_case trace_cases[];
extern const struct ktap_case ledger_cases[];
extern const struct ktap_case replay_cases[];
extern const struct ktap_case alarm_cases[];
extern const struct ktap_case bounds_cases[];
extern const struct ktap_case near_cases[];
extern const struct ktap_case advice_cases[];
extern const struct ktap_case frame_cases[];
extern const struct ktap_case words_cases[];
extern const struct ktap_case pending_cases[];
extern const struct ktap_case schedule_cases[];
extern const struct ktap_case html_cases[];

#endif
