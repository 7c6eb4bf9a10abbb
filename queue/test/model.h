/* SPDX-License-Identifier: MIT */
#ifndef MODEL_H
#define MODEL_H

#include <stdint.h>

/**
 * struct model_config - a configuration
 * @name: reported name
 * @loaded: limit on the jobs of each state in memory
 * @horizon: ms within which delayed jobs are loaded
 * @leases: limit on the number of reserved jobs
 * @fewer: number of timers that are missing for these limits
 */
struct model_config {
	const char *name;
	uint32_t loaded;
	uint64_t horizon;
	uint32_t leases;
	int32_t fewer;
};

/*
 * The store is in PostgreSQL if WHEELQ_POSTGRES is the URI of an empty database, and in a file
 * otherwise. Return: NULL, or the expectation that failed after @done steps.
 */
const char *model_run(const struct model_config *config, uint64_t seed,
		      unsigned int steps, unsigned int *done);
/* Remove the files of a store. */
void model_forget(const char *path);

#endif
