// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration of wheels: validation, defaults and limits.
 */
#include <linux/export.h>
#include <linux/nospec.h>
#include "engine.h"

#define DEFAULT_TICK_NS		1000000

static const struct wheel_scheme * const schemes[] = {
	[WHEEL_DEFAULT]		= &wheel_hashed,
	[WHEEL_HASHED]		= &wheel_hashed,
	[WHEEL_HIERARCHICAL]	= &wheel_hierarchical,
	[WHEEL_BOUNDED]		= &wheel_bounded,
	[WHEEL_OVERFLOW]	= &wheel_overflow,
};

static_assert(ARRAY_SIZE(schemes) == WHEEL_OVERFLOW + 1);

/* The number may come from a program: prevent speculation beyond the array. */
static const struct wheel_scheme *scheme_of(u32 scheme)
{
	return schemes[array_index_nospec(scheme, ARRAY_SIZE(schemes))];
}

/* Validate a requested configuration. Returns 0 or an error of wheel_create_owned_class(). */
int wheel_config_check(const struct wheel_config *config)
{
	if (!config || !config->name)
		return -EINVAL;
	if (config->clock > WHEEL_CLOCK_VIRTUAL || config->scheme >= ARRAY_SIZE(schemes) ||
	    config->tick_ns > WHEEL_MAX_TIME || config->buckets > WHEEL_MAX_BUCKETS ||
	    config->limit > wheel_limit_of(config->scheme))
		return -EINVAL;
	if (wheel_settable(config->clock) && !scheme_of(config->scheme)->by_tick)
		return -EOPNOTSUPP;
	return 0;
}

/* Replace zeros in a valid configuration by the defaults. Returns its scheme. */
const struct wheel_scheme *wheel_config_resolve(struct wheel_config *config)
{
	config->scheme = config->scheme ?: WHEEL_HASHED;
	config->buckets = wheel_buckets_for(config->scheme, config->buckets, config->limit);
	config->limit = config->limit ?: wheel_limit_of(config->scheme);
	config->tick_ns = config->tick_ns ?: DEFAULT_TICK_NS;
	return scheme_of(config->scheme);
}

/**
 * wheel_buckets_for() - Get the number of buckets that a configuration results in
 * @scheme: WHEEL_HASHED, _HIERARCHICAL, _BOUNDED or _OVERFLOW
 * @requested: wheel_config.buckets
 * @limit: wheel_config.limit
 *
 * Context: Any.
 *
 * Return: number of buckets.
 */
u32 wheel_buckets_for(u32 scheme, u32 requested, u64 limit)
{
	return wheel_buckets(scheme_of(scheme), requested, limit);
}
EXPORT_SYMBOL_GPL(wheel_buckets_for);

/**
 * wheel_limit_of() - Get the maximum of wheel_config.limit for a scheme
 * @scheme: WHEEL_HASHED, _HIERARCHICAL, _BOUNDED or _OVERFLOW
 *
 * Context: Any.
 *
 * Return: maximum number of timers; U64_MAX if there is none.
 */
u64 wheel_limit_of(u32 scheme)
{
	return scheme_of(scheme)->max_timers ?: U64_MAX;
}
EXPORT_SYMBOL_GPL(wheel_limit_of);
