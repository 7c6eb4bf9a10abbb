/* SPDX-License-Identifier: MIT */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct model_config - a kind of queue
 * @name: as reported
 * @in_file: SQLite's store, not that in memory
 * @window: jobs of each state in memory
 * @horizon: ms
 * @leases: at a time
 */
struct model_config {
	const char *name;
	bool in_file;
	uint32_t window;
	uint64_t horizon;
	uint32_t leases;
};

/* NULL, or what was wrong, after @done steps. */
const char *model_run(const struct model_config *config, uint64_t seed,
		      unsigned int steps, unsigned int *done);
void model_forget(const char *path);

#endif
