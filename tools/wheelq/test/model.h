/* SPDX-License-Identifier: MIT */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

enum model_store {
	MODEL_MEMORY,
	MODEL_SQLITE,
	MODEL_POSTGRES,
};

/**
 * struct model_config - a kind of queue
 * @name: as reported
 * @store: where its jobs are
 * @window: jobs of each state in memory
 * @horizon: ms
 * @leases: at a time
 */
struct model_config {
	const char *name;
	enum model_store store;
	uint32_t window;
	uint64_t horizon;
	uint32_t leases;
};

/* NULL, or what was wrong, after @done steps. */
const char *model_run(const struct model_config *config, uint64_t seed,
		      unsigned int steps, unsigned int *done);
void model_forget(const char *path);

#endif
