/* SPDX-License-Identifier: MIT */
/* The test cases of wheelctl and replay. */
#ifndef CASES_H
#define CASES_H

#include "../../../tests/host/ktap.h"

extern const struct ktap_test trace_cases[];
extern const struct ktap_test words_cases[];
extern const struct ktap_test model_cases[];
extern const struct ktap_test player_cases[];
extern const struct ktap_test text_cases[];
extern const struct ktap_test setup_cases[];
extern const struct ktap_test arm_cases[];
extern const struct ktap_test save_cases[];
extern const struct ktap_test show_cases[];

#endif
